import type { Db } from '../../platform/db/db.ts';

interface LiveCode {
  id: string;
  code_hash: Buffer;
  invitation_id: string | null;
}

export interface RecentStarts {
  byAddressAndClient: number;
  byClient: number;
  byAddressToday: number;
  /** When the newest code goes or went out. */
  newest: Date | null;
}

export async function countStarts(db: Db, count: { email: string; client: string; since: Date; dayBefore: Date }): Promise<RecentStarts> {
  const [row] = await db.query<{ both: bigint; client: bigint; today: bigint; newest: Date | null }>('count_starts', `
    select (select count(*) from email_codes where email = $1 and client = $2 and created_at > $3) as both,
           (select count(*) from email_codes where client = $2 and created_at > $3) as client,
           (select count(*) from email_codes where email = $1 and created_at > $4) as today,
           (select max(created_at) from email_codes where email = $1) as newest`,
  [count.email, count.client, count.since, count.dayBefore]);
  return {
    byAddressAndClient: Number(row?.both),
    byClient: Number(row?.client),
    byAddressToday: Number(row?.today),
    newest: row?.newest ?? null,
  };
}

export async function insertCode(
  db: Db,
  code: { id: string; email: string; hash: Buffer; client: string; sendAt: Date; expiresAt: Date; invitationId: string | null },
): Promise<void> {
  await db.query('insert_code', `
    insert into email_codes (id, email, code_hash, created_at, expires_at, client, invitation_id)
    values ($1, $2, $3, $4, $5, $6, $7)`, [code.id, code.email, code.hash, code.sendAt, code.expiresAt, code.client, code.invitationId]);
}

/** Counts a try against each live code of the address, the newest three, and returns those that had one left. */
export function countTry(db: Db, email: string, now: Date): Promise<LiveCode[]> {
  return db.query<LiveCode>('count_try', `
    with live as (
      select id from email_codes
       where email = $1 and consumed_at is null and expires_at > $2
       order by created_at desc, id desc
       limit 3
         for update)
    update email_codes set attempts = attempts + 1
     where attempts < 5 and id in (select id from live)
    returning id, code_hash, invitation_id`, [email, now]);
}

/** Uses the code up; false where somebody was faster. */
export async function consumeCode(db: Db, id: string, now: Date): Promise<boolean> {
  const rows = await db.query('consume_code', `
    update email_codes set consumed_at = $2
     where id = $1 and consumed_at is null and expires_at > $2
    returning id`, [id, now]);
  return rows.length > 0;
}

export async function deleteCodesBefore(db: Db, instant: Date): Promise<void> {
  await db.query('delete_codes_before', `delete from email_codes where created_at < $1`, [instant]);
}
