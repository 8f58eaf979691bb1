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
  /** When the newest code is or was sent. */
  newest: Date | null;
}

export async function countStarts(
  db: Db,
  count: { email: string; client: string; since: Date; dayBefore: Date },
): Promise<RecentStarts> {
  const [row] = await db.query<{ both: bigint; client: bigint; today: bigint; newest: Date | null }>(
    'count_starts',
    `
    select (select count(*) from email_codes where email = $1 and client = $2 and created_at > $3) as both,
           (select count(*) from email_codes where client = $2 and created_at > $3) as client,
           (select count(*) from email_codes where email = $1 and created_at > $4) as today,
           (select max(created_at) from email_codes where email = $1) as newest`,
    [count.email, count.client, count.since, count.dayBefore],
  );
  return {
    byAddressAndClient: Number(row?.both),
    byClient: Number(row?.client),
    byAddressToday: Number(row?.today),
    newest: row?.newest ?? null,
  };
}

export async function insertCode(
  db: Db,
  code: {
    id: string;
    email: string;
    hash: Buffer;
    linkHash: Buffer | null;
    client: string;
    sendAt: Date;
    expiresAt: Date;
    invitationId: string | null;
  },
): Promise<void> {
  await db.query(
    'insert_code',
    `
    insert into email_codes (id, email, code_hash, created_at, expires_at, client, invitation_id, link_hash)
    values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [code.id, code.email, code.hash, code.sendAt, code.expiresAt, code.client, code.invitationId, code.linkHash],
  );
}

/**
 * Counts a try of a client against the live codes of the address and returns those that accept it: the newest three, and the
 * newest three that this client requested, so that codes requested by strangers do not displace them. A client has five
 * tries per code. All clients together have fifty; the last five are kept for the client that requested the code.
 */
export function countTry(db: Db, attempt: { email: string; client: string; now: Date }): Promise<LiveCode[]> {
  return db.query<LiveCode>(
    'count_try',
    `
    with candidates as (
      (select id from email_codes
        where email = $1 and consumed_at is null and expires_at > $2
        order by created_at desc, id desc limit 3)
      union
      (select id from email_codes
        where email = $1 and client = $3 and consumed_at is null and expires_at > $2
        order by created_at desc, id desc limit 3)
    ), live as (
      select id, client, attempts from email_codes where id in (select id from candidates) order by id for update
    ), tried as (
      insert into email_code_tries (code_id, client, tries)
      select id, $3, 1 from live where attempts < case when client = $3 then 50 else 45 end
      on conflict (code_id, client) do update set tries = email_code_tries.tries + 1 where email_code_tries.tries < 5
      returning code_id
    )
    update email_codes set attempts = attempts + 1
     where id in (select code_id from tried)
    returning id, code_hash, invitation_id`,
    [attempt.email, attempt.now, attempt.client],
  );
}

/** Uses up the code; false if another request was first. */
export async function consumeCode(db: Db, id: string, now: Date): Promise<boolean> {
  const rows = await db.query(
    'consume_code',
    `
    update email_codes set consumed_at = $2
     where id = $1 and consumed_at is null and expires_at > $2
    returning id`,
    [id, now],
  );
  return rows.length > 0;
}

/**
 * Uses up the code whose mail carried this link, whatever the number of tries; undefined if it is used, expired or
 * unknown.
 */
export async function consumeLink(
  db: Db,
  link: { email: string; hash: Buffer; now: Date },
): Promise<Pick<LiveCode, 'invitation_id'> | undefined> {
  const [row] = await db.query<Pick<LiveCode, 'invitation_id'>>(
    'consume_link',
    `
    update email_codes set consumed_at = $3
     where link_hash = $1 and email = $2 and consumed_at is null and expires_at > $3
    returning invitation_id`,
    [link.hash, link.email, link.now],
  );
  return row;
}

/** Deletes a batch with its tries; returns how many. */
export async function deleteCodesBefore(db: Db, instant: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_codes_before',
    `
    delete from email_codes where id in (select id from email_codes where created_at < $1 limit $2) returning id`,
    [instant, limit],
  );
  return rows.length;
}
