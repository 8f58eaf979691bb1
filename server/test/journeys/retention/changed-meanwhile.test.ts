import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db } from '../../../src/platform/db/db.ts';
import { deleteExpiredTokens } from '../../../src/resources/accounts/token-store.ts';
import { deleteExpiredChallenges } from '../../../src/resources/payout-wallets/challenge-store.ts';
import { deleteUnsentPayouts } from '../../../src/resources/payouts/store.ts';
import { deleteGapsBefore } from '../../../src/settlement/reading/unseen-store.ts';
import { startApp, type TestApp } from '../../support/index.ts';

const OLD = new Date('2026-01-01T00:00:00Z');
const NOW = new Date('2026-06-01T00:00:00Z');

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await app.merchant.createWallet();
});
afterAll(() => app.stop());

interface Pruned {
  /** Inserts a row that is over. */
  row: string;
  /** A change by which it is not over any more. */
  change: string;
  where: string;
  prune(db: Db): Promise<number>;
}

const CASES: Record<string, Pruned> = {
  payouts: {
    row: `insert into payouts (id, account_id, livemode, status, amount_units, asset, network, to_address, import_name,
        line, created_at)
      select 'po_old', id, true, 'cancelled', 1, 'USDC', 'base', '0x1', 'all', 1, $1 from accounts limit 1`,
    change: `update payouts set tx_hash = '0x1', sent_at = $1 where id = 'po_old'`,
    where: `id = 'po_old'`,
    prune: (db) => deleteUnsentPayouts(db, NOW, 10),
  },
  login_tokens: {
    row: `insert into login_tokens (token_hash, account_id, method, created_at, last_used_at, expires_at)
      select sha256('old'), id, 'email', $1, $1, '2100-01-01' from accounts limit 1`,
    change: `update login_tokens set last_used_at = $1 where token_hash = sha256('old')`,
    where: `token_hash = sha256('old')`,
    prune: (db) => deleteExpiredTokens(db, OLD, OLD, 10),
  },
  wallet_challenges: {
    row: `insert into wallet_challenges (payout_wallet_id, message, expires_at)
      select id, 'old', $1 from payout_wallets limit 1`,
    change: `update wallet_challenges set message = 'new', expires_at = $1`,
    where: `message = 'new'`,
    prune: (db) => deleteExpiredChallenges(db, OLD, 10),
  },
  unseen_blocks: {
    row: `insert into unseen_blocks (network, asset, from_block, to_block, from_time, to_time, why, since, next_block)
      values ('base', 'USDC', 1, 2, $1, $1, 'old', $1, 1)`,
    change: `update unseen_blocks set to_block = 3, to_time = $1`,
    where: `network = 'base'`,
    prune: (db) => deleteGapsBefore(db, NOW, 10),
  },
};

test.each(Object.entries(CASES))(
  'a row of %s that is written again while it is being pruned is kept',
  async (table, { row, change, where, prune }) => {
    const { db } = app.ctx;
    await db.query(`test_old_${table}`, row, [OLD]);
    let pruning: Promise<number> | undefined;
    await db.transaction(async (writing) => {
      await writing.query(`test_change_${table}`, change, [NOW]);
      let isOver = false;
      pruning = prune(db).finally(() => {
        isOver = true;
      });
      const hasLooked = async () => {
        const waiting = await db.query(
          'test_waiting',
          `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
          [],
        );
        return isOver || waiting.length > 0;
      };
      await expect.poll(hasLooked).toBe(true);
    });
    await pruning;
    expect(await db.query(`test_kept_${table}`, `select 1 from ${table} where ${where}`, [])).toHaveLength(1);
  },
);
