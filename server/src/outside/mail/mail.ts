import type { Mail } from '../../platform/mails/queue-mail.ts';

/** Connections to the mail server. A mail beyond them waits for one. */
export const MAIL_CONNECTIONS = 2;

/** Sends one mail, or throws `TemporaryError` (retry) or `PermanentError` (the address rejects mail). */
export interface Mailer {
  /** False if no mail server is configured and none is simulated: email login is off. */
  readonly available: boolean;
  send(mail: Mail): Promise<void>;
  close(): Promise<void>;
}
