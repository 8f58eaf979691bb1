import type { Db } from '../db/db.ts';

export interface DueMail {
  id: string;
  toAddress: string;
  content: Buffer;
  attempts: number;
  usefulUntil: Date;
}

export async function insertMail(
  db: Db,
  mail: { id: string; to: string; content: Buffer; due: Date; usefulUntil: Date; now: Date },
): Promise<void> {
  await db.query(
    'insert_mail',
    `
    insert into mails (id, to_address, content, due_at, useful_until, created_at)
    values ($1, $2, $3, $4, $5, $6)`,
    [mail.id, mail.to, mail.content, mail.due, mail.usefulUntil, mail.now],
  );
}

/** Leases due mails, or one of them; no other worker sends them meanwhile. */
export function claimMails(
  db: Db,
  claim: { lease: string; now: Date; leaseUntil: Date; limit: number; id?: string },
): Promise<DueMail[]> {
  return db.query<DueMail>(
    'claim_mails',
    `
    update mails set lease = $1, lease_until = $3, attempts = attempts + 1
     where id in (
       select id from mails
        where due_at <= $2 and content is not null and (lease_until is null or lease_until <= $2)
          and ($5::text is null or id = $5)
        order by due_at
        limit $4
          for update skip locked)
    returning id, to_address, content, attempts, useful_until`,
    [claim.lease, claim.now, claim.leaseUntil, claim.limit, claim.id ?? null],
  );
}

/** Whether the mail is still to be sent, by whomever. */
export async function isMailWaiting(db: Db, id: string): Promise<boolean> {
  const rows = await db.query('find_waiting_mail', `select from mails where id = $1 and content is not null`, [id]);
  return rows.length > 0;
}

/** The mail was sent, or failed for good (`error` says why). Either way its content is deleted. */
export async function finishMail(
  db: Db,
  mail: { id: string; lease: string; sentAt: Date | null; error: string | null },
): Promise<void> {
  await db.query(
    'finish_mail',
    `
    update mails set content = null, due_at = null, lease = null, lease_until = null, sent_at = $3, error = $4
     where id = $1 and lease = $2`,
    [mail.id, mail.lease, mail.sentAt, mail.error],
  );
}

export async function retryMail(db: Db, mail: { id: string; lease: string; due: Date; error: string }): Promise<void> {
  await db.query(
    'retry_mail',
    `
    update mails set due_at = $3, lease = null, lease_until = null, error = $4
     where id = $1 and lease = $2`,
    [mail.id, mail.lease, mail.due, mail.error],
  );
}

/** Deletes a batch; returns how many. */
export async function deleteMailsBefore(db: Db, instant: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_mails_before',
    `
    delete from mails where id in (select id from mails where created_at < $1 limit $2) returning id`,
    [instant, limit],
  );
  return rows.length;
}
