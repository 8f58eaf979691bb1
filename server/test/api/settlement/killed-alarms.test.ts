import { randomBytes } from 'node:crypto';
import { getAddress, toHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '../../../src/context.ts';
import type { Chain } from '../../../src/outside/chains/chain.ts';
import { DAY_MS, later, MINUTE_MS } from '../../../src/platform/time.ts';
import { attributeQueued } from '../../../src/settlement/attribution/attribute-queued.ts';
import { lookAgainJob } from '../../../src/settlement/reading/look-again.ts';
import type { StoredTransfer } from '../../../src/settlement/records/transfer-store.ts';
import { recordWaiting } from '../../../src/settlement/verification/hold-transfer.ts';
import { reportDisappeared } from '../../../src/settlement/verification/report-disappeared.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { recording } from '../../support/recording.ts';
import { take, transferTo } from '../../support/transfers.ts';

const CHAIN = { network: 'base' } as Chain;
const lines: Record<string, unknown>[] = [];
let app: TestApp;

beforeAll(async () => {
  app = await startApp({ overrides: { log: recording(lines) } });
});
afterAll(() => app.stop());

/** Each is raised once, because the database says afterwards that it was. */
const ALARMS: [alarm: string, stored: string, raise: (ctx: Context) => Promise<unknown>][] = [
  [
    'verification_waits',
    'add_evidence',
    async (ctx) => {
      const transfer = await final();
      const waitingSince = later(await app.ctx.db.now(), -11 * MINUTE_MS).toISOString();
      await recordWaiting(ctx, CHAIN, { ...transfer, evidence: { waitingSince } }, 'one provider is away');
    },
  ],
  [
    'blocks_unseen',
    'report_gaps',
    async (ctx) => {
      await app.ctx.db.query(
        'test_unseen',
        `insert into unseen_blocks (network, asset, from_block, to_block, from_time, to_time, why, since, next_block)
         values ('base', 'USDC', 1, 2, $1, $1, 'test', $1, 2) on conflict do nothing`,
        [later(await app.ctx.db.now(), -DAY_MS)],
      );
      await lookAgainJob.run({ ...ctx, chains: new Map() }, new AbortController().signal, () => {});
    },
  ],
  [
    'transfer_set_aside',
    'set_transfer_aside',
    async (ctx) => {
      const { id } = await final();
      const change = `update transfers set queued = true, attempts = 2, status = 'seen' where id = $1`;
      await app.ctx.db.query('test_queue', change, [id]);
      const transaction = () => Promise.reject(new Error('the attribution fails'));
      await attributeQueued({ ...ctx, db: { ...ctx.db, transaction } }, 'base', { address: '' });
    },
  ],
  [
    'gone_after_final',
    'save_recheck',
    async (ctx) => {
      await reportDisappeared(ctx, await final());
    },
  ],
];

test.each(ALARMS)('%s is in the log though the process ends once it is stored that it was raised', async (...facts) => {
  const [alarm, stored, raise] = facts;
  lines.length = 0;
  await raise(endingAfter(stored)).catch((error) => expect(error.message).toBe('the process has ended'));
  expect(lines.map((line) => line.alarm)).toEqual([alarm]);
});

/** The service, whose process ends once the database has stored what this statement says. */
function endingAfter(statement: string): Context {
  const { db } = app.ctx;
  const end = (name: string) => {
    if (name === statement) throw new Error('the process has ended');
  };
  const ending = {
    now: () => db.now(),
    notify: () => {},
    async query(name: string, sql: string, values?: readonly unknown[]) {
      const rows = await db.query(name, sql, values);
      end(name);
      return rows;
    },
    async transaction(work: Parameters<typeof db.transaction>[0]) {
      const names: string[] = [];
      const done = await db.transaction((inside) =>
        work({
          query: (name, ...asked) => {
            names.push(name);
            return inside.query(name, ...asked);
          },
          afterCommit: () => {},
        }),
      );
      names.forEach(end);
      return done;
    },
  };
  return { ...app.ctx, db: ending as unknown as Context['db'] };
}

/** A final transfer that has paid. */
async function final(): Promise<StoredTransfer> {
  const merchant = await app.newMerchant({ mode: 'live' });
  const { address } = await merchant.createWallet({ network: 'base', address: getAddress(toHex(randomBytes(20))) });
  const { id } = await merchant.createSession();
  const body = { pay_asset: 'USDC', pay_network: 'base' };
  const { data } = (await app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, { body })).body;
  const amountUnits = BigInt(data.payment.amount.replace('.', ''));
  const transfer = await take(app.ctx, transferTo(address, { amountUnits }));
  expect(transfer?.paymentId).not.toBe(null);
  return transfer as StoredTransfer;
}
