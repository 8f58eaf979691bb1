import type { Db } from '../../../platform/db/db.ts';
import type { Invitation } from './invitation.ts';

const COLUMNS = 'id, kind, account_id, email, label, created_at, expires_at, used_at, revoked_at';

export async function insertInvitation(db: Db, invitation: Invitation, tokenHash: Buffer): Promise<void> {
  await db.query(
    'insert_invitation',
    `
    insert into invitations (id, kind, token_hash, account_id, email, label, created_at, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      invitation.id,
      invitation.kind,
      tokenHash,
      invitation.accountId,
      invitation.email,
      invitation.label,
      invitation.createdAt,
      invitation.expiresAt,
    ],
  );
}

export async function findInvitationByToken(db: Db, tokenHash: Buffer): Promise<Invitation | undefined> {
  const [row] = await db.query<Invitation>(
    'find_invitation_by_token',
    `
    select ${COLUMNS} from invitations where token_hash = $1`,
    [tokenHash],
  );
  return row;
}

/** Locked until the transaction ends, so that two logins with one link open one account. */
export async function lockInvitation(db: Db, id: string): Promise<Invitation | undefined> {
  const [row] = await db.query<Invitation>(
    'lock_invitation',
    `
    select ${COLUMNS} from invitations where id = $1 for update`,
    [id],
  );
  return row;
}

export async function findInvitation(db: Db, accountId: string, id: string): Promise<Invitation | undefined> {
  const [row] = await db.query<Invitation>(
    'find_invitation',
    `
    select ${COLUMNS} from invitations where id = $1 and account_id = $2`,
    [id, accountId],
  );
  return row;
}

export async function listInvitations(
  db: Db,
  accountId: string,
  page: { after: { createdAt: Date; id: string } | null; limit: number },
): Promise<Invitation[]> {
  return db.query<Invitation>(
    'list_invitations',
    `
    select ${COLUMNS} from invitations
     where account_id = $1 and (created_at, id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3::text, ''))
     order by created_at desc, id desc
     limit $4`,
    [accountId, page.after?.createdAt ?? null, page.after?.id ?? null, page.limit],
  );
}

export async function countInvitations(
  db: Db,
  accountId: string,
  now: Date,
  dayBefore: Date,
): Promise<{ pending: number; today: number }> {
  const [row] = await db.query<{ pending: bigint; today: bigint }>(
    'count_invitations',
    `
    select count(*) filter (where used_at is null and revoked_at is null and expires_at > $2) as pending,
           count(*) filter (where created_at > $3) as today
      from invitations where account_id = $1`,
    [accountId, now, dayBefore],
  );
  return { pending: Number(row?.pending), today: Number(row?.today) };
}

export async function markInvitationUsed(db: Db, id: string, now: Date): Promise<void> {
  await db.query('mark_invitation_used', `update invitations set used_at = $2 where id = $1`, [id, now]);
}

/** False if there is no such invitation, or it is no longer pending. */
export async function revokePendingInvitation(
  db: Db,
  invitation: { id: string; accountId: string; now: Date },
): Promise<boolean> {
  const rows = await db.query(
    'revoke_invitation',
    `
    update invitations set revoked_at = $3
     where id = $1 and account_id = $2 and used_at is null and revoked_at is null
    returning id`,
    [invitation.id, invitation.accountId, invitation.now],
  );
  return rows.length > 0;
}

/** Keeps the newest setup links, one per process that started. */
export async function deleteOlderSetupLinks(db: Db, keep: number): Promise<void> {
  await db.query(
    'delete_older_setup_links',
    `
    delete from invitations where kind = 'setup'
       and id not in (select id from invitations where kind = 'setup' order by created_at desc, id desc limit $1)`,
    [keep],
  );
}

export async function deleteSetupLinks(db: Db): Promise<void> {
  await db.query('delete_setup_links', `delete from invitations where kind = 'setup' and used_at is null`);
}

/** Deletes a batch that expired before the instant; returns how many. */
export async function deleteInvitationsBefore(db: Db, instant: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_invitations_before',
    `
    delete from invitations where id in (select id from invitations where expires_at < $1 limit $2) returning id`,
    [instant, limit],
  );
  return rows.length;
}
