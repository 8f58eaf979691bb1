import { parseArgs } from 'node:util';
import { packageVersion } from '../config.ts';
import { endOnSignal } from '../platform/end-on-signal.ts';
import { ApiError, StartupError, TemporaryError } from '../platform/errors.ts';
import { complain, print } from './print.ts';

interface Command {
  usage: string;
  what: string;
  load(): Promise<{ run(args: string[]): Promise<void> }>;
}

/** The commands of `quittance-server`. Each is loaded only when it runs. */
const COMMANDS: Record<string, Command> = {
  start: {
    usage: 'start',
    what: 'Serves requests, watches networks and does due work, as ROLE says.',
    // The service starts when its module is loaded, and reads --demo itself.
    load: async () => ({
      run: async (args) => {
        parseArgs({ args, options: { demo: { type: 'boolean' } } });
        await import('../main.ts');
      },
    }),
  },
  migrate: {
    usage: 'migrate [--plan]',
    what: 'Brings the database schema up to date; with --plan, prints what would be applied.',
    load: () => import('./migrate.ts'),
  },
  doctor: {
    usage: 'doctor',
    what: 'Checks settings, database, RPC providers, clock and mail, and prints what to do.',
    load: () => import('./doctor.ts'),
  },
  backup: {
    usage: 'backup <file>',
    what: 'Writes a backup of the embedded database, also while the service runs.',
    load: () => import('./backup.ts'),
  },
  restore: {
    usage: 'restore <file> [--force]',
    what: 'Makes the embedded database of a backup; with --force, moves the one that is there aside.',
    load: () => import('./restore.ts'),
  },
  'restore-check': {
    usage: 'restore-check [--from <time>]',
    what: 'Reads the networks again from the time of the backup, and lists what a person must decide.',
    load: () => import('./restore-check.ts'),
  },
  explain: {
    usage: 'explain <pay_… | cs_…>',
    what: 'Prints what happened to a payment, and the state of the network that it waits for.',
    load: () => import('./explain.ts'),
  },
  rescan: {
    usage: 'rescan <network> --from <block | time> [--to <block>]',
    what: 'Reads a network again and settles what it finds. Safe to repeat.',
    load: () => import('./rescan.ts'),
  },
  reconcile: {
    usage: 'reconcile <pay_…> --tx <hash>',
    what: 'Looks one transaction up for a payment. Safe to repeat.',
    load: () => import('./reconcile.ts'),
  },
  'rotate-signing-key': {
    usage: 'rotate-signing-key [--account <acc_…>] [--mode <live | test>]',
    what: 'Signs receipts and webhooks by new keys; what old keys signed stays valid.',
    load: () => import('./rotate-signing-key.ts'),
  },
  reset: {
    usage: 'reset',
    what: 'Deletes everything that a development server has stored.',
    load: () => import('./reset.ts'),
  },
};

const [name = 'help', ...args] = process.argv.slice(2);
if (name === 'help' || name === '--help' || name === '-h') {
  print(help());
} else if (name === 'version' || name === '--version') {
  print(packageVersion());
} else if (!Object.hasOwn(COMMANDS, name)) {
  complain(`There is no command "${name}".\n\n${help()}`);
  process.exitCode = 2;
} else {
  // The service stops in an order of its own.
  if (name !== 'start') endOnSignal();
  await run(COMMANDS[name] as Command);
}

async function run({ load, usage, what }: Command): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return print(`quittance-server ${usage}\n\n${what}`);
  try {
    await (await load()).run(args);
  } catch (error) {
    if (isMisused(error)) {
      complain(`${error.message}\nquittance-server ${usage}`);
      process.exitCode = 2;
      return;
    }
    // The operator can act on these, because the message says how. Any other error is a bug and shows its stack.
    if (!(error instanceof StartupError) && !(error instanceof ApiError) && !(error instanceof TemporaryError))
      throw error;
    complain(error.message);
    process.exitCode = error instanceof StartupError ? error.exitCode : 1;
  }
}

/** The errors of Node's own command line parser. */
function isMisused(error: unknown): error is Error {
  return String((error as { code?: unknown })?.code).startsWith('ERR_PARSE_ARGS_');
}

function help(): string {
  const width = Math.max(...Object.values(COMMANDS).map(({ usage }) => usage.length));
  const lines = Object.values(COMMANDS).map(({ usage, what }) => `  ${usage.padEnd(width)}  ${what}`);
  return ['quittance-server <command>', '', ...lines, '', 'Settings come from the environment or from .env.'].join(
    '\n',
  );
}
