import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import nodemailer, { type SendMailOptions } from 'nodemailer';
import type { Logger } from 'pino';
import type { Mail } from '../../platform/mails/queue-mail.ts';
import { type Mailer, MAIL_CONNECTIONS } from './mail.ts';
import { PermanentError, TemporaryError } from '../../platform/errors.ts';
import { isLoopbackAddress } from '../../platform/http/admission/client.ts';
import { SECOND_MS } from '../../platform/time.ts';

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

/** Whether mails may go out unencrypted where the server offers no TLS. */
export type SmtpTls = 'required' | 'optional';

/** Sends through the mail server at `url`, over a few persistent connections. */
function createSmtpMailer({
  url,
  tls,
  from,
  timeoutMs = 15 * SECOND_MS,
}: {
  url: string;
  tls: SmtpTls;
  from: string;
  timeoutMs?: number;
}): Mailer {
  const transport = nodemailer.createTransport(
    {
      url,
      requireTLS: needsTls(url, tls),
      pool: true,
      maxConnections: MAIL_CONNECTIONS,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      dnsTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  );

  return {
    available: true,
    async send(mail: Mail) {
      try {
        await transport.sendMail(toMessage(mail));
      } catch (cause) {
        throw classifyError(cause as SmtpError);
      }
    },
    async close() {
      transport.close();
    },
  };
}

/** Connects and logs in without sending anything; throws the mail server's rejection. */
export async function checkSmtp(url: string, tls: SmtpTls, timeoutMs = 15 * SECOND_MS): Promise<void> {
  const transport = nodemailer.createTransport({
    url,
    requireTLS: needsTls(url, tls),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
  });
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

/**
 * A machine between us and the mail server can leave STARTTLS out of its answer, and then reads login codes and the
 * password. On this machine there is nothing in between.
 */
function needsTls(url: string, tls: SmtpTls): boolean {
  const { hostname } = new URL(url);
  const isHere = hostname === 'localhost' || isLoopbackAddress(hostname.replace(/^\[|\]$/g, ''));
  return tls === 'required' && !isHere;
}

interface SmtpError extends Error {
  code?: string;
  command?: string;
  response?: string;
  responseCode?: number;
}

/** The enhanced status codes (RFC 3463) of a bad sender address and of a permission that it lacks, to any command. */
const REFUSES_SENDER = /^5\d\d[ -]5\.(1\.[78]\b|7\.\d+ .*(sender|relay|authenticat))/i;

/**
 * Only the rejection of this recipient or message is permanent. A rejected login or sender is a setting that the
 * operator can fix.
 */
function classifyError(error: SmtpError): Error {
  const isOfMail = error.code === 'EMESSAGE' || (error.code === 'EENVELOPE' && error.command === 'RCPT TO');
  const isFinal = isOfMail && (error.responseCode ?? 0) >= 500 && !REFUSES_SENDER.test(error.response ?? '');
  const message = `mail server: ${error.code ?? 'error'}${error.responseCode ? ` ${error.responseCode}` : ''}`;
  return isFinal ? new PermanentError(message, { cause: error }) : new TemporaryError(message, { cause: error });
}

/**
 * The mail in the library's format. The address is passed as a single one, so that it cannot contain a second
 * recipient.
 */
function toMessage(mail: Mail): SendMailOptions {
  return {
    to: { name: '', address: mail.to },
    subject: mail.subject,
    text: mail.text,
    // Asks auto-responders not to answer.
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}
