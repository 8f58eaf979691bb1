import { ConnectionError, QuittanceError } from '@quittance/sdk';
import { EXIT, UsageError, type Command } from './command.ts';
import { type Terminal, say } from './terminal.ts';
import { checkReceiver } from './commands/check-receiver.ts';
import { events, resend } from './commands/events.ts';
import { invitations, invite, revokeInvitation } from './commands/invitations.ts';
import { createKey, deleteKey, keys, rotateKey } from './commands/keys.ts';
import { listen } from './commands/listen.ts';
import { login } from './commands/login.ts';
import { mcp } from './commands/mcp.ts';
import { trigger } from './commands/trigger.ts';
import { verify } from './commands/verify.ts';

import manifest from '../package.json' with { type: 'json' };

/** Runs one command line and returns the exit code. Data for programs goes to stdout, everything else to stderr. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  if (args[0] === '--version' || args[0] === 'version') {
    terminal.stdout.write(`${manifest.version}\n`);
    return EXIT.ok;
  }
  if (args[0] === 'help' && args.length > 1) return run([...args.slice(1), '--help'], terminal);
  const command = commands.find(({ name }) => args.slice(0, name.split(' ').length).join(' ') === name);
  if (!command) {
    const isHelp = args.length === 0 || args[0] === 'help' || args[0] === '--help' || args[0] === '-h';
    (isHelp ? terminal.stdout : terminal.stderr).write(
      `${isHelp ? '' : `There is no command "${args.join(' ')}".\n\n`}${help()}`,
    );
    return isHelp ? EXIT.ok : EXIT.usage;
  }
  const rest = args.slice(command.name.split(' ').length);
  if (rest.includes('--help') || rest.includes('-h')) {
    terminal.stdout.write(`${command.usage}\n\n${command.summary}\n`);
    return EXIT.ok;
  }
  try {
    return (await command.run(rest, terminal)) ?? EXIT.ok;
  } catch (error) {
    if (error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')) {
      say(terminal, `${(error as Error).message}\n\nUsage: ${command.usage}`);
      return EXIT.usage;
    }
    if (error instanceof ConnectionError) {
      say(terminal, `${error.message}\nIs the server running? Pass --url to use a different one.`);
      return EXIT.unreachable;
    }
    if (error instanceof QuittanceError) {
      say(
        terminal,
        `${error.code}${error.param ? ` (${error.param})` : ''}: ${error.message}${error.requestId ? `\nRequest ${error.requestId}` : ''}`,
      );
      return error.status === 401 || error.status === 403 ? EXIT.authentication : EXIT.failed;
    }
    say(terminal, (error as Error).message);
    return EXIT.failed;
  }
}

function help(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    'quittance <command> [options]',
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'Every command accepts --url (default: QUITTANCE_URL, then the URL saved by `quittance login`, then http://localhost:3000), --key',
    '(default: QUITTANCE_KEY, then the saved key), --live (the saved live key instead of the test key) and --json.',
    'Run `quittance help <command>` for details.',
    '',
  ].join('\n');
}

/** Every command; the longest names first, so that `events resend` is not read as `events`. */
const commands: readonly Command[] = [
  login,
  listen,
  trigger,
  checkReceiver,
  verify,
  mcp,
  resend,
  events,
  createKey,
  rotateKey,
  deleteKey,
  keys,
  invite,
  revokeInvitation,
  invitations,
];
