import { type Client, WIDER_ALLOWANCE } from '../../platform/http/admission/client.ts';
import type { Db } from '../../platform/db/db.ts';

interface LiveCode {
  id: string;
  codeHash: Buffer;
  invitationId: string | null;
}

export interface RecentStarts {
  /** The start whose leaving the window makes room for another; null below the limit. */
  fullSince: { addressAndClient: Date | null; client: Date | null; clientRange: Date | null };
  /** Starts for the address, whether they sent a mail or not. */
  startsToday: number;
  mailsThisHour: number;
  mailsToday: number;
  /** Whether a code that was mailed to the address can still be used. */
  hasUsableCode: boolean;
}

/** Of the address, of the client, and of the /48 of an IPv6 client. */
export async function countStarts(
  db: Db,
  count: {
    email: string;
    client: string;
    clientRange: string | undefined;
    limits: { perAddressAndClient: number; perClient: number; perClientRange: number };
    since: Date;
    hourBefore: Date;
    dayBefore: Date;
    usableUntil: Date;
  },
): Promise<RecentStarts> {
  const [row] = await db.query<{
    both: Date | null;
    client: Date | null;
    clientRange: Date | null;
    startsToday: bigint;
    mailsThisHour: bigint;
    mailsToday: bigint;
    hasUsableCode: boolean;
  }>(
    'count_starts',
    `
    select (select created_at from email_codes where email = $1 and client = $2 and created_at > $4
             order by created_at desc limit 1 offset $8) as both,
           (select created_at from email_codes where client = $2 and created_at > $4
             order by created_at desc limit 1 offset $9) as client,
           (select created_at from email_codes where client_range = $3 and created_at > $4
             order by created_at desc limit 1 offset $10) as client_range,
           (select count(*) from email_codes where email = $1 and created_at > $6) as starts_today,
           (select count(*) from email_codes where email = $1 and sent and created_at > $5) as mails_this_hour,
           (select count(*) from email_codes where email = $1 and sent and created_at > $6) as mails_today,
           exists (select 1 from email_codes
                    where email = $1 and link_hash is not null and consumed_at is null and expires_at > $7
                      and created_at > $5) as has_usable_code`,
    [
      count.email,
      count.client,
      count.clientRange ?? null,
      count.since,
      count.hourBefore,
      count.dayBefore,
      count.usableUntil,
      count.limits.perAddressAndClient - 1,
      count.limits.perClient - 1,
      count.limits.perClientRange - 1,
    ],
  );
  return {
    fullSince: {
      addressAndClient: row?.both ?? null,
      client: row?.client ?? null,
      clientRange: row?.clientRange ?? null,
    },
    startsToday: Number(row?.startsToday),
    mailsThisHour: Number(row?.mailsThisHour),
    mailsToday: Number(row?.mailsToday),
    hasUsableCode: row?.hasUsableCode ?? false,
  };
}

/** Login mails of all addresses, counted up to the limit, and the oldest of those counted. */
export async function countMails(
  db: Db,
  { since, limit }: { since: Date; limit: number },
): Promise<{ sent: number; oldest: Date | null }> {
  const [row] = await db.query<{ sent: bigint; oldest: Date | null }>(
    'count_login_mails',
    `
    select count(*) as sent, min(created_at) as oldest
      from (select created_at from email_codes where sent and created_at > $1 order by created_at desc limit $2) newest`,
    [since, limit],
  );
  return { sent: Number(row?.sent), oldest: row?.oldest ?? null };
}

export async function insertCode(
  db: Db,
  code: {
    id: string;
    email: string;
    hash: Buffer;
    linkHash: Buffer | null;
    client: string;
    clientRange: string | undefined;
    isSent: boolean;
    now: Date;
    expiresAt: Date;
    invitationId: string | null;
  },
): Promise<void> {
  await db.query(
    'insert_code',
    `
    insert into email_codes (id, email, code_hash, created_at, expires_at, client, client_range, invitation_id, link_hash, sent)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      code.id,
      code.email,
      code.hash,
      code.now,
      code.expiresAt,
      code.client,
      code.clientRange ?? null,
      code.invitationId,
      code.linkHash,
      code.isSent,
    ],
  );
}

/** Wrong codes that one code survives. The last ones are kept for the client that requested it. */
export const MAX_TRIES = { perClient: 5, perClientRange: 5 * WIDER_ALLOWANCE, ofAll: 50, ofOthers: 45 };

/**
 * Counts a try of a client against the live codes that were mailed to the address (they have a link), and returns those that
 * accept it: the newest three, and the newest three that this client requested, so that codes requested by strangers do not
 * displace them. Each accepts as many as `MAX_TRIES` says of a client, of an IPv6 /48, and of all. What its /48 tries takes
 * nothing from the client that requested the code.
 */
export function countTry(db: Db, attempt: { email: string; client: Client; now: Date }): Promise<LiveCode[]> {
  return db.query<LiveCode>(
    'count_try',
    `
    with candidates as (
      (select id from email_codes
        where email = $1 and link_hash is not null and consumed_at is null and expires_at > $2
        order by created_at desc, id desc limit 3)
      union
      (select id from email_codes
        where email = $1 and link_hash is not null and client = $3 and consumed_at is null and expires_at > $2
        order by created_at desc, id desc limit 3)
    ), live as (
      select id, client, attempts from email_codes where id in (select id from candidates) order by id for update
    ), tried as (
      insert into email_code_tries (code_id, client, tries)
      select id, $3, 1 from live
       where attempts < case when client = $3 then $7::integer else $8::integer end
         and (client = $3 or not exists (select 1 from email_code_tries neighbors
           where neighbors.code_id = live.id and neighbors.client = $4 and neighbors.tries >= $6::integer))
      on conflict (code_id, client) do update set tries = email_code_tries.tries + 1
        where email_code_tries.tries < $5::integer
      returning code_id
    ), tried_by_range as (
      insert into email_code_tries (code_id, client, tries)
      select live.id, $4::text, 1 from live join tried on tried.code_id = live.id
       where $4::text is not null and live.client <> $3
      on conflict (code_id, client) do update set tries = email_code_tries.tries + 1
        where email_code_tries.tries < $6::integer
      returning code_id
    )
    update email_codes set attempts = attempts + 1
     where id in (select code_id from tried)
       and ($4::text is null or client = $3 or id in (select code_id from tried_by_range))
    returning id, code_hash, invitation_id`,
    [
      attempt.email,
      attempt.now,
      attempt.client.narrow,
      attempt.client.wide,
      MAX_TRIES.perClient,
      MAX_TRIES.perClientRange,
      MAX_TRIES.ofAll,
      MAX_TRIES.ofOthers,
    ],
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
): Promise<Pick<LiveCode, 'invitationId'> | undefined> {
  const [row] = await db.query<Pick<LiveCode, 'invitationId'>>(
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
