import type { Db } from '../../platform/db/db.ts';

export async function findReceiving(db: Db): Promise<{ id: string; secret: Buffer }[]> {
  return db.query<{ id: string; secret: Buffer }>(
    'find_receiving_endpoints',
    `
    select id, secret from webhook_endpoints where url like '%/dev/webhooks/receive' and deleted_at is null limit 50`,
  );
}
