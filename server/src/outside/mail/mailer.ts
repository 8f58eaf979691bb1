import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import nodemailer from 'nodemailer';
import type { Logger } from 'pino';
import type { Mail } from '../../platform/mails/mail.ts';
import type { Mailer } from './mail.ts';
import { toMessage } from './message.ts';
import { createSmtpMailer, type SmtpTls } from './smtp.ts';

export interface MailSettings {
  smtpUrl: string | null;
  smtpTls: SmtpTls;
  mailFrom: string;
  profile: 'development' | 'production';
  dataDir: string;
}

/** The configured mailer: SMTP if it is set, otherwise files in development, otherwise none. */
export function createMailer(config: MailSettings, log: Logger): Mailer {
  if (config.smtpUrl) return createSmtpMailer({ url: config.smtpUrl, tls: config.smtpTls, from: config.mailFrom });
  if (config.profile === 'development')
    return createFileMailer({ folder: `${config.dataDir}/mail`, from: config.mailFrom }, log);

  log.warn('SMTP_URL is not set: email login is off and no mail is sent. Wallet login works.');
  return unavailableMailer;
}

const unavailableMailer: Mailer = {
  available: false,
  async send() {
    throw new Error('no mail server is configured');
  },
  async close() {},
};

/** Writes each mail as an `.eml` file, named by time, and logs its subject, which ends with the login code. */
function createFileMailer({ folder, from }: { folder: string; from: string }, log: Logger): Mailer {
  const transport = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'windows' }, { from });

  return {
    available: true,
    async send(mail: Mail) {
      const { message } = await transport.sendMail(toMessage(mail));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = join(folder, `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`);
      // Renamed when complete, so that a process that watches the folder never reads half a mail.
      await writeFile(`${file}.part`, message as Buffer, { mode: 0o600 });
      await rename(`${file}.part`, file);
      // Not a warning: this is how development works, and it would print below the greeting of `npm start`.
      log.info({ subject: mail.subject, file }, 'mail written to a file');
    },
    async close() {},
  };
}
