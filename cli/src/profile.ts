import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Quittance } from '@quittance/sdk';
import { UsageError } from './command.ts';
import { isAddress } from './forward.ts';
import type { Terminal } from './terminal.ts';

/** What `quittance login` stores, readable only by its owner. */
export interface Profile {
  url?: string;
  /** A login token, which may manage keys. */
  token?: string;
  /** A test key: the default of all commands. */
  key?: string;
  /** A live key: used only with `--live`. */
  live_key?: string;
}

export const SHARED_OPTIONS = {
  url: { type: 'string' },
  key: { type: 'string' },
  live: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

export interface SharedValues {
  url?: string;
  key?: string;
  live?: boolean;
  json?: boolean;
}

export async function readProfile(terminal: Terminal): Promise<Profile> {
  const path = profilePath(terminal);
  const text = await readFile(path, 'utf8').catch(() => '{}');
  try {
    return JSON.parse(text) as Profile;
  } catch {
    throw new Error(`${path} cannot be read. Delete it and run \`quittance login\` again.`);
  }
}

export async function saveProfile(terminal: Terminal, profile: Profile): Promise<string> {
  const path = profilePath(terminal);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, `${JSON.stringify(profile, null, 2)}\n`, { mode: 0o600 });
  return path;
}

export async function serviceUrl(terminal: Terminal, values: SharedValues): Promise<string> {
  const url =
    values.url ?? (terminal.env.QUITTANCE_URL || (await readProfile(terminal)).url) ?? 'http://localhost:3000';
  if (!isAddress(url))
    throw new UsageError(`The server's URL must be like http://localhost:3000, not "${url}" (--url or QUITTANCE_URL).`);
  return url.replace(/\/+$/, '').replace(/\/v1$/, '');
}

/** The secret key: from the command line, from the environment, or saved. */
export async function secretKey(terminal: Terminal, values: SharedValues): Promise<string> {
  const named = values.key ?? terminal.env.QUITTANCE_KEY;
  if (named && values.live && !named.startsWith('sk_live_'))
    throw new UsageError('--live requires a live key, but --key or QUITTANCE_KEY is a test key.');
  if (named) {
    // What cannot be a key, such as an example that was not replaced, cannot be sent either.
    connect(named, await serviceUrl(terminal, values));
    return named;
  }
  const { key, live_key: liveKey } = await readProfile(terminal);
  if (values.live && !liveKey)
    throw new UsageError(
      'No live key. Pass --key sk_live_…, set QUITTANCE_KEY, or run `quittance keys create --live`.',
    );
  if (!values.live && !key)
    throw new UsageError('No key. Pass --key sk_test_…, set QUITTANCE_KEY, or run `quittance login`.');
  return (values.live ? liveKey : key) as string;
}

export async function client(terminal: Terminal, values: SharedValues): Promise<Quittance> {
  return connect(await secretKey(terminal, values), await serviceUrl(terminal, values));
}

/** A client that acts as the person who logged in. */
export async function loginClient(terminal: Terminal, values: SharedValues): Promise<Quittance> {
  const { token } = await readProfile(terminal);
  if (!token)
    throw new UsageError('You’re not logged in. Run `quittance login` first; this command does not work with a key.');
  return connect(token, await serviceUrl(terminal, values));
}

export function connect(credential: string, baseUrl: string): Quittance {
  try {
    return new Quittance(credential, { baseUrl });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function profilePath(terminal: Terminal): string {
  const base = terminal.env.XDG_CONFIG_HOME ?? join(terminal.env.HOME ?? homedir(), '.config');
  return join(base, 'quittance', 'profile.json');
}
