import type { BenchDatabase } from './database.ts';

/** The id of the seeded session with this number; payments are numbered the same way. */
export function seededId(prefix: 'cs' | 'pay', number: number): string {
  return `${prefix}_${String(number).padStart(24, '0')}`;
}

let seeded = 0;

/** Fills the account up to this number of payments, paid and others, a second apart. */
export async function seed(database: BenchDatabase, accountId: string, to: number): Promise<void> {
  const from = seeded + 1;
  if (from > to) return;
  seeded = to;
  await database.query(
    `
    insert into payout_wallets (id, account_id, livemode, asset, network, address, is_default, created_by, created_at)
    values ('pp_000000000000000000000000', $1, false, 'USDC', 'base', '0x52908400098527886E0F7030069857D2E4169EE7',
      false, 'key', '2026-01-01')
    on conflict do nothing`,
    [accountId],
  );
  // Rows that are known to be valid need no check of foreign keys.
  await database.query(`set session_replication_role = replica`);
  await database.query(
    `
    insert into checkout_sessions (
      id, account_id, livemode, payment_id, payout_wallet_id, amount_minor, currency, order_id, metadata, accepted_assets, reference,
      receive_asset, receive_network, receive_address, created_at, expires_at)
    select 'cs_' || lpad(n::text, 24, '0'), $1, false, 'pay_' || lpad(n::text, 24, '0'),
      'pp_000000000000000000000000', 100 + n % 100000, 'USD', 'order-' || n,
           '{"customer": "1042"}', '{USDC_BASE,ETH_BASE}', sha256(('bench' || n)::bytea), 'USDC', 'base',
             '0x52908400098527886E0F7030069857D2E4169EE7',
           timestamptz '2026-01-01' + n * interval '1 second', timestamptz '2026-01-01 01:00' + n * interval '1 second'
      from generate_series($2::integer, $3::integer) n`,
    [accountId, from, to],
  );
  await database.query(
    `
    insert into payments (id, account_id, livemode, session_id, status, sequence, route, pay_asset, pay_network,
      started_at, created_at, expires_at, is_announced)
    select 'pay_' || lpad(n::text, 24, '0'), $1, false, 'cs_' || lpad(n::text, 24, '0'),
           case when n % 100 < 90 then 'paid' when n % 100 < 97 then 'expired' else 'refund_required' end, 3,
           case when n % 10 = 0 then 'routed' else 'direct' end, 'USDC', 'base', timestamptz '2026-01-01' + n * interval '1 second',
           timestamptz '2026-01-01' + n * interval '1 second', timestamptz '2026-01-01 01:00' + n * interval '1 second', true
      from generate_series($2::integer, $3::integer) n`,
    [accountId, from, to],
  );
  await database.query(`set session_replication_role = default`);
  await database.query('vacuum analyze checkout_sessions, payments');
}
