import nodemailer from 'nodemailer';
import { PermanentError, TemporaryError } from '../../platform/errors.ts';
import { SECOND_MS } from '../../platform/time.ts';
import type { Mail } from '../../platform/mails/mail.ts';
import { letter } from './letter.ts';
import type { Mailer } from './mail.ts';

/** Sends by the mail server at `url`, over a few connections that stay open. */
export function createSmtpMailer({
  url,
  from,
  timeoutMs = 15 * SECOND_MS,
}: {
  url: string;
  from: string;
  timeoutMs?: number;
}): Mailer {
  const transport = nodemailer.createTransport(
    {
      url,
      pool: true,
      maxConnections: 2,
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
        await transport.sendMail(letter(mail));
      } catch (cause) {
        throw judge(cause as SmtpError);
      }
    },
    async close() {
      transport.close();
    },
  };
}

/** Connects and logs in without sending anything; throws what the mail server refused. */
export async function checkSmtp(url: string, timeoutMs = 15 * SECOND_MS): Promise<void> {
  const transport = nodemailer.createTransport({
    url,
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

interface SmtpError extends Error {
  code?: string;
  responseCode?: number;
}

/** Only a refusal of this recipient or this message is final. A refused login is a setting that somebody will mend. */
function judge(error: SmtpError): Error {
  const refused = (error.code === 'EENVELOPE' || error.code === 'EMESSAGE') && (error.responseCode ?? 0) >= 500;
  const said = `mail server: ${error.code ?? 'error'}${error.responseCode ? ` ${error.responseCode}` : ''}`;
  return refused ? new PermanentError(said, { cause: error }) : new TemporaryError(said, { cause: error });
}
