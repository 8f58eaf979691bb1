import { type FileHandle, open, rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { ApiKeyWithSecret, Quittance, Scope } from '@quittance/sdk';
import { loginClient, readProfile, saveProfile, SHARED_OPTIONS } from '../profile.ts';
import { type Command, UsageError } from '../command.ts';
import { hint, print, say, type Terminal } from '../terminal.ts';

export const keys: Command = {
  name: 'keys',
  usage: 'quittance keys [--json]',
  summary: 'List the API keys of your account.',
  async run(args, terminal) {
    const { values } = parseArgs({ args, options: SHARED_OPTIONS });
    const quittance = await loginClient(terminal, values);
    for await (const key of quittance.apiKeys.list({ limit: 100 })) {
      print(
        terminal,
        values.json
          ? JSON.stringify(key)
          : `${key.id}  ${key.livemode ? 'live' : 'test'}  …${key.last4}  ` +
              `${key.label ?? ''}${key.scopes ? `  [${key.scopes.join(' ')}]` : ''}`,
      );
    }
    return undefined;
  },
};

export const createKey: Command = {
  name: 'keys create',
  usage:
    'quittance keys create [--live] [--label TEXT] [--scope SCOPE]… [--out FILE] [--json]\n\n' +
    'Without --scope the key may do everything. Scopes are listed in /docs, such as sessions:write and ' +
    'payments:read.\n' +
    '--out writes QUITTANCE_KEY=… to a file that only you can read, instead of saving the key. --scope needs it.',
  summary: 'Create an API key and save it to the CLI profile.',
  async run(args, terminal) {
    const { values } = parseArgs({
      args,
      options: {
        ...SHARED_OPTIONS,
        label: { type: 'string' },
        scope: { type: 'string', multiple: true },
        out: { type: 'string' },
      },
    });
    if (values.scope && !values.out) throw new UsageError(NEEDS_FILE);
    const quittance = await loginClient(terminal, values);
    return issue(terminal, values, () =>
      quittance.apiKeys.create({
        mode: values.live ? 'live' : 'test',
        ...(values.label && { label: values.label }),
        ...(values.scope && { scopes: values.scope as Scope[] }),
      }),
    );
  },
};

export const rotateKey: Command = {
  name: 'keys rotate',
  usage:
    'quittance keys rotate KEY_ID [--out FILE] [--json]\n\n' +
    '--out writes QUITTANCE_KEY=… to a file that only you can read, instead of saving the key. A key with ' +
    'scopes needs it.',
  summary: 'Rotate a key. The old secret stops working immediately.',
  async run(args, terminal) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { ...SHARED_OPTIONS, out: { type: 'string' } },
    });
    const id = onlyId(positionals);
    const quittance = await loginClient(terminal, values);
    if (!values.out && (await isLimited(quittance, id))) throw new UsageError(NEEDS_FILE);
    return issue(terminal, values, () => quittance.apiKeys.rotate(id));
  },
};

export const deleteKey: Command = {
  name: 'keys delete',
  usage: 'quittance keys delete KEY_ID [--json]',
  summary: 'Delete a key; it stops at once.',
  async run(args, terminal) {
    const { values, id } = oneId(args);
    const gone = await (await loginClient(terminal, values)).apiKeys.delete(id);
    print(terminal, values.json ? JSON.stringify(gone) : gone.id);
    return undefined;
  },
};

// If saved, it would replace a key that the other commands need.
const NEEDS_FILE = 'A key with scopes is for another program: name a file with --out.';

async function isLimited(quittance: Quittance, id: string): Promise<boolean> {
  for await (const key of quittance.apiKeys.list({ limit: 100 })) if (key.id === id) return key.scopes !== undefined;
  return false;
}

function oneId(args: string[]) {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: SHARED_OPTIONS });
  return { values, id: onlyId(positionals) };
}

function onlyId([id, ...others]: string[]): string {
  if (!id || others.length > 0) throw new UsageError('Key ID missing. Pass one, such as key_….');
  return id;
}

/** Prints what identifies a new key, and keeps its secret where the options say. */
async function issue(
  terminal: Terminal,
  { out, json }: { out?: string; json?: boolean },
  make: () => PromiseLike<ApiKeyWithSecret>,
): Promise<undefined> {
  // Before the request, because a secret that cannot be written would be lost, and with it the one that it replaces.
  const file = out === undefined ? null : await openNew(out);
  try {
    if (file === null) await saveProfile(terminal, await readProfile(terminal));
    const made = await make();
    print(terminal, json ? JSON.stringify({ ...made, secret: hint(made.secret) }) : `${made.id}  ${hint(made.secret)}`);
    await (file === null ? keep(terminal, made) : file.writeFile(`QUITTANCE_KEY=${made.secret}\n`));
    if (file !== null) say(terminal, `The key is in ${out}, which only you can read.`);
    return undefined;
  } finally {
    const isEmpty = (await file?.stat())?.size === 0;
    await file?.close();
    if (out !== undefined && isEmpty) await rm(out);
  }
}

/** A file of its own, for a key for another program. */
function openNew(file: string): Promise<FileHandle> {
  return open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EEXIST' ? 'exists already' : `cannot be written (${error.message})`;
    throw new UsageError(`${file} ${why}. Name a new file with --out.`);
  });
}

/** Stores keys in the profile, which only its owner can read, instead of printing them into a terminal's history. */
async function keep(terminal: Terminal, { livemode, secret }: ApiKeyWithSecret): Promise<void> {
  const path = await saveProfile(terminal, {
    ...(await readProfile(terminal)),
    [livemode ? 'live_key' : 'key']: secret,
  });
  say(terminal, `The key is saved in ${path}; commands use it from now on${livemode ? ' where you give --live' : ''}.`);
}
