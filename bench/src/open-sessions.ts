import { base58 } from '@scure/base';
import type { Bench } from './bench.ts';

export type WatchedNetwork = 'base' | 'arbitrum' | 'ethereum' | 'solana';

export interface OpenSessions {
  sessions: number;
  wallets: number;
}

/** A number of live sessions that could be paid right now, and only those. */
export async function seedOpen(
  database: Bench['database'],
  accountId: string,
  network: WatchedNetwork,
  { sessions, wallets }: OpenSessions,
): Promise<void> {
  await clearOpen(database);
  const addresses = Array.from({ length: wallets }, (_, at) => addressOf(network, at));
  await database.query('set session_replication_role = replica');
  await database.query(
    `
    insert into payout_wallets (id, account_id, livemode, asset, network, address, is_default, created_by, created_at, watched_until)
    select 'pp_watch' || lpad(n::text, 19, '0'), $1, true, case when $2 = 'ethereum' and n % 2 = 0 then 'ETH'
      else 'USDC' end, $2, address, false, 'key', now(), now() + interval '32 days'
      from unnest($3::text[]) with ordinality as given (address, n)`,
    [accountId, network, addresses],
  );
  await database.query(
    `
    insert into checkout_sessions (
      id, account_id, livemode, payment_id, payout_wallet_id, amount_minor, currency, metadata, accepted_assets,
        reference, receive_asset, receive_network, receive_address, created_at, expires_at)
    select 'cs_watch' || lpad(n::text, 19, '0'), $1, true, 'pay_watch' || lpad(n::text, 19, '0'), w.id,
      100 + n % 100000, 'USD', '{}', '{USDC_BASE}', sha256(('open' || n)::bytea),
           w.asset, w.network, w.address, now(), now() + interval '1 day'
      from generate_series(1, $2::integer) n join payout_wallets w on w.id = 'pp_watch' || lpad((1 + n % $3::integer)::text, 19, '0')`,
    [accountId, sessions, wallets],
  );
  await database.query(`
    insert into payments (id, account_id, livemode, session_id, status, sequence, route, pay_asset, pay_network,
      started_at, created_at, expires_at, is_announced)
    select payment_id, account_id, true, id, 'pending', 2, 'direct', receive_asset, receive_network, now(), now(),
      expires_at, true from checkout_sessions where id like 'cs_watch%'`);
  await database.query('set session_replication_role = default');
  await database.query('vacuum analyze checkout_sessions, payments, payout_wallets');
}

export async function clearOpen(database: Bench['database']): Promise<void> {
  await database.query('set session_replication_role = replica');
  for (const [table, column] of [
    ['payments', 'session_id'],
    ['checkout_sessions', 'id'],
  ])
    await database.query(`delete from ${table} where ${column} like 'cs_watch%'`);
  await database.query(`delete from payout_wallets where id like 'pp_watch%'`);
  await database.query('delete from chain_cursors');
  await database.query('delete from chain_blocks');
  await database.query('set session_replication_role = default');
}

/** An unused address; the same for the same number. */
export function addressOf(network: WatchedNetwork, at: number): string {
  const bytes = new Uint8Array(network === 'solana' ? 32 : 20).fill(7);
  new DataView(bytes.buffer).setUint32(4, at + 1);
  return network === 'solana' ? base58.encode(bytes) : `0x${Buffer.from(bytes).toString('hex')}`;
}
