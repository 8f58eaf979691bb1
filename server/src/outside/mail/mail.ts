import type { Mail } from '../../platform/mails/mail.ts';

/** Sends one mail, or throws `TemporaryError` (try again) or `PermanentError` (the address refuses). */
export interface Mailer {
  /** False where no mail server is configured and none is simulated: email login is off. */
  readonly available: boolean;
  send(mail: Mail): Promise<void>;
  close(): Promise<void>;
}
