import type { Logger } from 'pino';
import { createFileMailer } from './file.ts';
import type { Mailer } from './mail.ts';
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
