import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Quittance } from '@quittance/sdk';
import { UsageError } from './command.ts';
import type { Terminal } from './terminal.ts';

/** What `quittance login` keeps, readable by its owner only. */
export interface Profile {
  url?: string;
  /** A login token: may manage keys. */
  token?: string;
  /** A test key: what commands use unless told otherwise. */
  key?: string;
}

export const SHARED_OPTIONS = {
  url: { type: 'string' },
  key: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

export interface SharedValues {
  url?: string;
  key?: string;
  json?: boolean;
}

export async function readProfile(terminal: Terminal): Promise<Profile> {
  const text = await readFile(profilePath(terminal), 'utf8').catch(() => '{}');
  return JSON.parse(text) as Profile;
}

export async function saveProfile(terminal: Terminal, profile: Profile): Promise<string> {
  const path = profilePath(terminal);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, `${JSON.stringify(profile, null, 2)}\n`, { mode: 0o600 });
  return path;
}

export async function serviceUrl(terminal: Terminal, values: SharedValues): Promise<string> {
  const url = values.url ?? terminal.env.QUITTANCE_URL ?? (await readProfile(terminal)).url ?? 'http://localhost:3000';
  if (!URL.canParse(url)) throw new UsageError(`--url must be an address like http://localhost:3000, not "${url}"`);
  return url.replace(/\/+$/, '').replace(/\/v1$/, '');
}

/** The key to speak with: named, from the environment, or saved. */
export async function secretKey(terminal: Terminal, values: SharedValues): Promise<string> {
  const key = values.key ?? terminal.env.QUITTANCE_KEY ?? (await readProfile(terminal)).key;
  if (!key) throw new UsageError('No key. Give --key sk_test_…, set QUITTANCE_KEY, or run `quittance login`.');
  return key;
}

export async function client(terminal: Terminal, values: SharedValues): Promise<Quittance> {
  return new Quittance(await secretKey(terminal, values), { baseUrl: await serviceUrl(terminal, values) });
}

/** A client that acts as the person who logged in. */
export async function loginClient(terminal: Terminal, values: SharedValues): Promise<Quittance> {
  const { token } = await readProfile(terminal);
  if (!token) throw new UsageError('This needs a login: run `quittance login` first.');
  return new Quittance(token, { baseUrl: await serviceUrl(terminal, values) });
}

function profilePath(terminal: Terminal): string {
  const base = terminal.env.XDG_CONFIG_HOME ?? join(terminal.env.HOME ?? homedir(), '.config');
  return join(base, 'quittance', 'profile.json');
}
