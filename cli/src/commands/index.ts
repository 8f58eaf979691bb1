import type { Command } from '../command.ts';
import { checkReceiver } from './check-receiver.ts';
import { events, resend } from './events.ts';
import { invitations, invite, revokeInvitation } from './invitations.ts';
import { createKey, deleteKey, keys, rotateKey } from './keys.ts';
import { listen } from './listen.ts';
import { login } from './login.ts';
import { mcp } from './mcp.ts';
import { trigger } from './trigger.ts';
import { verify } from './verify.ts';

/** Every command; the longest names first, so that `events resend` is not read as `events`. */
export const commands: readonly Command[] = [
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
