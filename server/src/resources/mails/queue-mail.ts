import type { Mail } from '../../outside/mail/mail.ts';
import type { Db } from '../../platform/db/db.ts';
import { newId } from '../../platform/ids.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { insertMail } from './store.ts';

export interface MailTimes {
  now: Date;
  /** When it goes out; now unless said. */
  due?: Date;
  /** After this instant it is not sent any more. */
  usefulUntil: Date;
}

/** Writes a mail to be sent, with the change it tells of. Afterwards, `notify('mails')` once that has committed. */
export async function queueMail(db: Db, secrets: Secrets, mail: Mail, times: MailTimes): Promise<void> {
  const id = newId('mail');
  await insertMail(db, {
    id,
    to: mail.to,
    content: secrets.seal(JSON.stringify({ subject: mail.subject, text: mail.text }), placeOf(id)),
    due: times.due ?? times.now,
    usefulUntil: times.usefulUntil,
    now: times.now,
  });
}

/** What was queued, readable again. */
export function openMail(secrets: Secrets, row: { id: string; to_address: string; content: Buffer }): Mail {
  const { subject, text } = JSON.parse(secrets.open(row.content, placeOf(row.id)).toString('utf8')) as { subject: string; text: string };
  return { to: row.to_address, subject, text };
}

function placeOf(id: string): string {
  return `mails.content:${id}`;
}
