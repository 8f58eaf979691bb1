import nodemailer from 'nodemailer';
import { PermanentError, TemporaryError } from '../../platform/errors.ts';
import { isLoopbackAddress } from '../../platform/http/admission/client.ts';
import { SECOND_MS } from '../../platform/time.ts';
import type { Mail } from '../../platform/mails/mail.ts';
import { toMessage } from './message.ts';
import { MAIL_CONNECTIONS, type Mailer } from './mail.ts';

/** Whether mails may go out unencrypted where the server offers no TLS. */
export type SmtpTls = 'required' | 'optional';

/** Sends through the mail server at `url`, over a few persistent connections. */
export function createSmtpMailer({
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
  responseCode?: number;
}

/**
 * Only the rejection of this recipient or message is permanent. A rejected login is a setting that the operator can
 * fix.
 */
function classifyError(error: SmtpError): Error {
  const refused = (error.code === 'EENVELOPE' || error.code === 'EMESSAGE') && (error.responseCode ?? 0) >= 500;
  const message = `mail server: ${error.code ?? 'error'}${error.responseCode ? ` ${error.responseCode}` : ''}`;
  return refused ? new PermanentError(message, { cause: error }) : new TemporaryError(message, { cause: error });
}
