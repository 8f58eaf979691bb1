import type { Db } from '../db/db.ts';
import { newId } from '../ids.ts';
import type { Secrets } from '../secrets.ts';
import { insertMail } from './store.ts';

export interface Mail {
  to: string;
  subject: string;
  text: string;
}

export interface MailTimes {
  now: Date;
  /** After this instant it is not sent any more. */
  usefulUntil: Date;
}

/**
 * Queues a mail in the transaction of the change that it reports, and returns its id. After the commit the caller runs
 * `notify('mails')`.
 */
export async function queueMail(db: Db, secrets: Secrets, mail: Mail, times: MailTimes): Promise<string> {
  const id = newId('mail');
  await insertMail(db, {
    id,
    to: mail.to,
    content: secrets.seal(JSON.stringify({ subject: mail.subject, text: mail.text }), placeOf(id)),
    due: times.now,
    usefulUntil: times.usefulUntil,
    now: times.now,
  });
  return id;
}

/** Opens a queued mail. */
export function openMail(secrets: Secrets, row: { id: string; toAddress: string; content: Buffer }): Mail {
  const { subject, text } = JSON.parse(secrets.open(row.content, placeOf(row.id)).toString('utf8')) as {
    subject: string;
    text: string;
  };
  return { to: row.toAddress, subject, text };
}

function placeOf(id: string): string {
  return `mails.content:${id}`;
}
