import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startEmbeddedDatabase } from '../../../src/platform/db/embedded/embedded.ts';
import type { Database } from '../../../src/platform/db/db.ts';
import { migrate } from '../../../src/platform/db/migrate.ts';
import { openDatabase } from '../../../src/platform/db/pool.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';
import { insertDeliveries } from '../../../src/settlement/records/event-store.ts';
import { newSigningSecret, sealSecret } from '../../../src/resources/webhooks/delivery/signature.ts';
import { createMonth, monthOf } from '../../../src/resources/webhooks/events/partition-store.ts';

export interface QueueDatabase {
  url: string;
  db: Database;
  drop(): Promise<void>;
}

/** A new durable database, for the scripts that measure and break deliveries. */
export async function openQueueDatabase(): Promise<QueueDatabase> {
  const log = pino({ level: 'warn' });
  const dataDir = await mkdtemp(join(tmpdir(), 'quittance-queue-'));
  const server = await startEmbeddedDatabase({ dataDir, log, settings: { max_connections: '200' } });
  await migrate({ url: server.url, log, strict: true });
  const db = openDatabase({ url: server.url, log });
  await createMonth(db, monthOf(await db.now()));
  return {
    url: server.url,
    db,
    async drop() {
      await db.close();
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export interface QueueEndpoint {
  id: string;
  accountId: string;
  secret: string;
  url: string;
}

/** A number of endpoints, a few per account, each with its own URL. */
export async function addEndpoints(
  db: Database,
  count: number,
  perAccount: number,
  urlOf: (index: number) => string,
): Promise<QueueEndpoint[]> {
  const secrets = createSecrets(Buffer.alloc(32, 7));
  const now = await db.now();
  const endpoints: QueueEndpoint[] = [];
  for (let index = 0; index < count; index += 1) {
    let accountId = endpoints.at(-1)?.accountId ?? '';
    if (index % perAccount === 0) {
      accountId = newId('acc');
      await db.query('queue_account', 'insert into accounts (id, email, created_at) values ($1, $2, $3)', [
        accountId,
        `${accountId}@merchant.example`,
        now,
      ]);
    }
    const endpoint = { id: newId('we'), accountId, secret: newSigningSecret(), url: urlOf(index) };
    await db.query(
      'queue_endpoint',
      `
      insert into webhook_endpoints (id, account_id, livemode, url, events, secret, status, created_at)
      values ($1, $2, true, $3, array[$4], $5, 'active', $6)`,
      [endpoint.id, accountId, endpoint.url, typeOf(endpoint), sealSecret(secrets, endpoint.id, endpoint.secret), now],
    );
    endpoints.push(endpoint);
  }
  return endpoints;
}

/** Records one event for each of these endpoints, in one commit, and wakes the workers. */
export async function recordFor(db: Database, endpoints: readonly QueueEndpoint[]): Promise<string[]> {
  const now = await db.now();
  const ids = endpoints.map(() => newId('evt'));
  await db.query(
    'queue_events',
    `
    with event as (
      insert into events (id, account_id, livemode, object_id, sequence, type, body, recorded_at, created_at)
      select id, account_id, true, 'pay_' || substr(id, 5), 1, type,
        convert_to(json_build_object('id', id, 'type', type, 'created', $4::timestamptz, 'data',
          json_build_object('id', id))::text, 'UTF8'), $4, $4
        from unnest($1::text[], $2::text[], $3::text[]) as made (id, account_id, type)
      returning id, account_id, livemode, type, recorded_at
    )
    ${insertDeliveries('event')}`,
    [ids, endpoints.map(({ accountId }) => accountId), endpoints.map(typeOf), now],
  );
  db.notify('deliveries');
  return ids;
}

/** A separate type for each endpoint, so that an event has exactly one receiver. */
function typeOf({ id }: { id: string }): string {
  return `payment.paid:${id}`;
}
