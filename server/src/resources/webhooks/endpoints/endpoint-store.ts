import type { Buffer } from 'node:buffer';
import type { WebhookEventType } from '@quittance/contract';
import type { Account } from '../../../platform/caller.ts';
import type { Db } from '../../../platform/db/db.ts';
import type { Position } from '../../../platform/http/in-steps.ts';

export interface WebhookEndpoint {
  id: string;
  accountId: string;
  livemode: boolean;
  url: string;
  events: WebhookEventType[];
  /** Sealed, like the previous one. */
  secret: Buffer;
  oldSecret: Buffer | null;
  oldSecretUntil: Date | null;
  /** Whether deliveries also carry a signature that the public key verifies. */
  isAsymmetric: boolean;
  status: 'active' | 'disabled';
  createdAt: Date;
}

const COLUMNS = `id, account_id, livemode, url, events, secret, old_secret, old_secret_until,
  asymmetric_signature as is_asymmetric, status, created_at`;

/** How many endpoints the account has, and how many were deleted between two instants. */
export async function countEndpoints(
  db: Db,
  account: Account,
  { since, now }: { since: Date; now: Date },
): Promise<{ current: number; deleted: number }> {
  const [row] = await db.query<{ current: bigint; deleted: bigint }>(
    'count_endpoints',
    `
    select count(*) filter (where deleted_at is null) as current,
           count(*) filter (where deleted_at > $3 and deleted_at <= $4) as deleted
      from webhook_endpoints where account_id = $1 and livemode = $2`,
    [account.id, account.livemode, since, now],
  );
  return { current: Number(row?.current), deleted: Number(row?.deleted) };
}

export async function insertEndpoint(db: Db, endpoint: WebhookEndpoint): Promise<void> {
  await db.query(
    'insert_endpoint',
    `
    insert into webhook_endpoints (id, account_id, livemode, url, events, secret, status, created_at, asymmetric_signature)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      endpoint.id,
      endpoint.accountId,
      endpoint.livemode,
      endpoint.url,
      endpoint.events,
      endpoint.secret,
      endpoint.status,
      endpoint.createdAt,
      endpoint.isAsymmetric,
    ],
  );
}

/** The endpoint, if it is this account's and not deleted. */
export async function findEndpoint(db: Db, account: Account, id: string): Promise<WebhookEndpoint | undefined> {
  const [row] = await db.query<WebhookEndpoint>(
    'find_endpoint',
    `
    select ${COLUMNS} from webhook_endpoints
     where id = $1 and account_id = $2 and livemode = $3 and deleted_at is null`,
    [id, account.id, account.livemode],
  );
  return row;
}

/** The same, locked until the transaction ends. */
export async function lockEndpoint(db: Db, account: Account, id: string): Promise<WebhookEndpoint | undefined> {
  const [row] = await db.query<WebhookEndpoint>(
    'lock_endpoint',
    `
    select ${COLUMNS} from webhook_endpoints
     where id = $1 and account_id = $2 and livemode = $3 and deleted_at is null
       for no key update`,
    [id, account.id, account.livemode],
  );
  return row;
}

export async function listEndpoints(
  db: Db,
  account: Account,
  page: { after: Position | null; limit: number },
): Promise<WebhookEndpoint[]> {
  return db.query<WebhookEndpoint>(
    'list_endpoints',
    `
    select ${COLUMNS} from webhook_endpoints
     where account_id = $1 and livemode = $2 and deleted_at is null
       and (created_at, id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4::text, ''))
     order by created_at desc, id desc
     limit $5`,
    [account.id, account.livemode, page.after?.createdAt ?? null, page.after?.id ?? null, page.limit],
  );
}

/** Deleted endpoints are counted and kept by real time, which the account cannot move. */
export async function markEndpointDeleted(db: Db, account: Account, id: string, at: Date): Promise<boolean> {
  const rows = await db.query(
    'delete_endpoint',
    `
    update webhook_endpoints set deleted_at = $4
     where id = $1 and account_id = $2 and livemode = $3 and deleted_at is null
    returning id`,
    [id, account.id, account.livemode, at],
  );
  return rows.length === 1;
}

export async function markEndpointActive(db: Db, account: Account, id: string): Promise<void> {
  await db.query(
    'enable_endpoint',
    `
    update webhook_endpoints set status = 'active', disabled_at = null, lane = 'probation', collects = true
     where id = $1 and account_id = $2 and livemode = $3`,
    [id, account.id, account.livemode],
  );
}

/** Deletes a batch of endpoints that were deleted before an instant and have no deliveries; returns how many. */
export async function deleteEndpointsBefore(db: Db, instant: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_endpoints_before',
    `
    delete from webhook_endpoints
     where id = any(array(
       select id from webhook_endpoints e
        where deleted_at < $1 and not exists (select from deliveries d where d.endpoint_id = e.id)
        limit $2))
    returning id`,
    [instant, limit],
  );
  return rows.length;
}

/** Some sealed secrets of any account, to check the master key. */
export async function listSomeSecrets(db: Db): Promise<{ id: string; secret: Buffer }[]> {
  return db.query<{ id: string; secret: Buffer }>(
    'list_some_secrets',
    `
    select id, secret from webhook_endpoints where deleted_at is null limit 5`,
  );
}

/** The current secret becomes the old one, which also signs until then. */
export async function replaceSecret(
  db: Db,
  account: Account,
  id: string,
  { secret, oldSecretUntil }: { secret: Buffer; oldSecretUntil: Date },
): Promise<void> {
  await db.query(
    'replace_signing_secret',
    `
    update webhook_endpoints set old_secret = secret, old_secret_until = $5, secret = $4
     where id = $1 and account_id = $2 and livemode = $3`,
    [id, account.id, account.livemode, secret, oldSecretUntil],
  );
}

/** The endpoints of every account that post to the receiver of the development server. */
export function findBuiltInReceivers(db: Db): Promise<{ id: string; secret: Buffer }[]> {
  return db.query<{ id: string; secret: Buffer }>(
    'find_receiving_endpoints',
    `
    select id, secret from webhook_endpoints where url like '%/dev/webhooks/receive' and deleted_at is null limit 50`,
  );
}
