import { pino } from 'pino';
import { openDatabase } from '../../server/src/platform/db/pool.ts';
import { newId } from '../../server/src/platform/ids.ts';
import { createApiKey } from '../../server/src/resources/accounts/api-keys.ts';
import { issueLoginToken } from '../../server/src/resources/accounts/login-token.ts';
import { findOrCreateEmailAccount } from '../../server/src/resources/accounts/store.ts';
import type { BenchDatabase } from './database.ts';

export const DAYS = 90;
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const TABLES = ['checkout_sessions', 'payments', 'transfers'];
const ROWS_A_STATEMENT = 500_000;

/** An account with payments over the last 90 days, each with its session and its transfer. */
export interface BusyAccount {
  id: string;
  key: string;
  loginToken: string;
  rows: number;
  /** The ids of its rows are numbered from this one on. */
  first: number;
}

/** The id of the account's row with this number, from 1, the oldest, on. */
export function idIn(account: BusyAccount, prefix: 'cs' | 'pay', number: number): string {
  return `${prefix}_${String(account.first + number).padStart(24, '0')}`;
}

export function orderIn(account: BusyAccount, number: number): string {
  return `order-${account.first + number}`;
}

export function transactionIn(account: BusyAccount, number: number): string {
  return `0x${(account.first + number).toString(16).padStart(64, '0')}`;
}

/** Creates an account and fills it. Indexes are built afterwards, which takes a fraction of the time. */
export async function fillAccount(
  database: BenchDatabase,
  account: { rows: number; first: number },
  say: (line: string) => void,
): Promise<BusyAccount> {
  const credentials = await createAccount(database.url, account.first);
  const wallet = `pp_${String(account.first).padStart(24, '0')}`;
  await database.query(
    `
    insert into payout_wallets (id, account_id, livemode, asset, network, address, is_default, created_by, created_at)
    values ($1, $2, false, 'USDC', 'base', '${ADDRESS}', true, 'key', '2026-01-01')`,
    [wallet, credentials.id],
  );
  await withoutIndexes(database, async () => {
    // Rows that are known to be valid need no check of foreign keys.
    await database.query(`set session_replication_role = replica`);
    const now = new Date(Date.now() - 60_000);
    for (let from = 1; from <= account.rows; from += ROWS_A_STATEMENT) {
      const to = Math.min(account.rows, from + ROWS_A_STATEMENT - 1);
      await insertRows(database, { ...account, accountId: credentials.id, wallet, now, from, to });
      if (to < account.rows) say(`                 ${to} of ${account.rows} …`);
    }
    await database.query(`set session_replication_role = default`);
  });
  return { ...credentials, ...account };
}

async function createAccount(url: string, first: number): Promise<{ id: string; key: string; loginToken: string }> {
  const db = openDatabase({ url, log: pino({ level: 'silent' }) });
  try {
    const now = await db.now();
    return await db.transaction(async (tx) => {
      const email = `busy-${first}@merchant.example`;
      const id = await findOrCreateEmailAccount(tx, { id: newId('acc'), email, now });
      return {
        id,
        key: (await createApiKey(tx, { id, realNow: now }, { livemode: false, label: null })).secret,
        loginToken: await issueLoginToken(tx, { accountId: id, method: 'email', now }),
      };
    });
  } finally {
    await db.close();
  }
}

/** Indexes that belong to no constraint are dropped meanwhile. */
async function withoutIndexes(database: BenchDatabase, work: () => Promise<void>): Promise<void> {
  const indexes = await database.query<{ indexname: string; indexdef: string }>(
    `
    select indexname, indexdef from pg_indexes
     where schemaname = 'public' and tablename = any ($1)
       and not exists (select from pg_constraint where conname = indexname)`,
    [TABLES],
  );
  for (const { indexname } of indexes) await database.query(`drop index ${indexname}`);
  await work();
  await database.query(`set maintenance_work_mem = '256MB'`);
  for (const { indexdef } of indexes) await database.query(indexdef);
  await database.query(`analyze ${TABLES.join(', ')}`);
}

interface Rows {
  accountId: string;
  wallet: string;
  now: Date;
  /** All of the account's. */
  rows: number;
  first: number;
  from: number;
  to: number;
}

async function insertRows(database: BenchDatabase, { accountId, wallet, now, rows, first, from, to }: Rows) {
  const step = `($1::timestamptz - (${rows} - n) * interval '${(DAYS * 86_400) / rows} seconds')`;
  const id = (prefix: string) => `'${prefix}_' || lpad((${first} + n)::text, 24, '0')`;
  const hash = `'0x' || lpad(to_hex(${first} + n), 64, '0')`;
  const numbers = `generate_series(${from}, ${to}) n`;
  await database.query(
    `
    insert into checkout_sessions (
      id, account_id, livemode, payment_id, payout_wallet_id, amount_minor, currency, order_id, metadata, accepted_assets, reference,
      receive_asset, receive_network, receive_address, created_at, expires_at)
    select ${id('cs')}, $2, false, ${id('pay')}, $3, 100 + n % 100000, (array['USD', 'USD', 'EUR'])[1 + n % 3], 'order-' || (${first} + n),
           '{"customer": "1042"}', '{USDC_BASE,ETH_BASE}', sha256(('busy' || (${first} + n))::bytea), 'USDC', 'base', '${ADDRESS}', ${step},
           ${step} + interval '1 hour'
      from ${numbers}`,
    [now, accountId, wallet],
  );
  await database.query(
    `
    insert into payments (id, account_id, livemode, session_id, status, sequence, route, pay_asset, pay_network, service_fee_minor,
      expected_output_units, actual_output_units, tx_hashes, started_at, paid_at, created_at, expires_at, is_announced)
    select ${id('pay')}, $2, false, ${id('cs')},
           case when n % 100 < 90 then 'paid' when n % 100 < 97 then 'expired' when n % 1000 = 99
             then 'refund_required' else 'failed' end, 3,
           case when n % 10 = 0 then 'routed' else 'direct' end, 'USDC', 'base', case when n % 10 = 0 then 15 else 0 end, 1000000, 1000000,
           array[${hash}], ${step}, case when n % 100 < 90
             then ${step} + interval '2 minutes' end, ${step}, ${step} + interval '1 hour', true
      from ${numbers}`,
    [now, accountId],
  );
  await database.query(
    `
    insert into transfers (id, livemode, network, tx_hash, index, asset, from_address, to_address, amount_units, block_number, block_hash,
      block_time, status, payment_id, attributed_by, first_seen_at, final_at)
    select ${id('tr')}, false, 'base', ${hash}, 0, 'USDC', '0x' || repeat('1', 30) || lpad((n % 100000)::text, 10,
      '0'), '${ADDRESS}', 1000000, n,
           '0x' || lpad(to_hex(n), 64, 'b'), ${step}, 'final', ${id('pay')}, 'amount', ${step}, ${step}
      from ${numbers}`,
    [now],
  );
}
