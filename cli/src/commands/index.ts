import type { Terminal } from '../terminal.ts';
import { events, resend } from './events.ts';
import { createKey, deleteKey, keys, rotateKey } from './keys.ts';
import { listen } from './listen.ts';
import { login } from './login.ts';
import { trigger } from './trigger.ts';

export interface Command {
  name: string;
  usage: string;
  summary: string;
  /** Answers the exit code where it is not 0. */
  run(args: string[], terminal: Terminal): Promise<number | undefined>;
}

/** Every command; the longest names first, so that `events resend` is not read as `events`. */
export const commands: readonly Command[] = [login, listen, trigger, resend, events, createKey, rotateKey, deleteKey, keys];
