import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Transfer } from '../../../src/outside/chains/chain.ts';
import { later } from '../../../src/platform/time.ts';
import { closeWindow } from '../../../src/settlement/outcome/expire.ts';
import { dropTransfer, settleTransfer } from '../../../src/settlement/outcome/settle.ts';
import { receive } from '../../../src/settlement/attribution/attribute-transfer.ts';
import { findTransfersByHash } from '../../../src/settlement/records/transfer-store.ts';
import { startApp, type Merchant, type TestApp } from '../../support/index.ts';
import { paymentOfSession, referenceOf, walkOf } from '../../support/payments.ts';
import { transferTo } from '../../support/transfers.ts';

let app: TestApp;
let merchant: Merchant;
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant.live;
});
afterAll(() => app.stop());

let made = 0;

describe('many at once', () => {
  test('read the same transfer: it is kept once, and settles its payment once', async () => {
    const { sessionId, paymentId, amountUnits } = await asked();
    const transfer = transferOf(amountUnits);

    const kept = await together(20, () => take([transfer]));
    expect(kept.flat()).toHaveLength(1);
    await together(20, () => settle(transfer));

    expect(await walk(sessionId)).toEqual(['created', 'pending', 'paid']);
    const rows = await app.ctx.db.query(
      'test_transfers',
      'select payment_id, status, reason from transfers where tx_hash = $1',
      [transfer.txHash],
    );
    expect(rows).toEqual([{ paymentId: paymentId, status: 'final', reason: null }]);
  });

  test('settle two transfers of one payment: it is paid once, the other is listed', async () => {
    const { sessionId, amountUnits, reference } = await asked();
    const transfers = [transferOf(amountUnits), transferOf(50_000_000n, [reference])];
    await take(transfers);
    await Promise.all(transfers.map((transfer) => settle(transfer)));
    expect(await walk(sessionId)).toEqual(['created', 'pending', 'paid']);
    expect(await reasons(transfers)).toEqual(expect.arrayContaining([null, 'already_paid']));
  });

  test('settle, expire and refund one payment: every step is on an edge, and none is announced twice', async () => {
    for (let round = 0; round < 15; round += 1) {
      const { sessionId, paymentId, amountUnits } = await asked();
      const transfer = transferOf(amountUnits);
      await take([transfer]);
      const end = later(await app.ctx.db.now(), 3_700_000);
      await Promise.allSettled([
        settle(transfer),
        settle(transfer),
        app.ctx.db.transaction((db) => closeWindow(app.ctx, db, paymentId, { created: end, recorded: end })),
        merchant.post(`/payments/${paymentId}/refund`),
        merchant.post(`/payments/${paymentId}/refund`),
      ]);
      const states = await walk(sessionId);
      expect([
        ['created', 'pending', 'refunded'],
        ['created', 'pending', 'paid', 'refunded'],
      ]).toContainEqual(states);
    }
  });

  test('drop and settle one transfer: the first decides, and the payment agrees with the transfer', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { sessionId, amountUnits } = await asked();
      const transfer = transferOf(amountUnits);
      await take([transfer]);
      const now = await app.ctx.db.now();
      const stored = only(await findTransfersByHash(app.ctx.db, true, 'base', transfer.txHash));
      await Promise.all([
        settle(transfer),
        app.ctx.db.transaction((db) =>
          dropTransfer({ ctx: app.ctx, db, at: { created: now, recorded: now } }, stored, {}),
        ),
      ]);
      const [after] = await findTransfersByHash(app.ctx.db, true, 'base', transfer.txHash);
      expect([after?.status, (await walk(sessionId)).at(-1)]).toEqual(
        after?.status === 'final' ? ['final', 'paid'] : ['dropped', 'pending'],
      );
    }
  });

  test('read many transfers of many payments in any order without a deadlock', async () => {
    const payments = [];
    for (let at = 0; at < 12; at += 1) payments.push(await asked());
    const transfers = await Promise.all(payments.map(({ reference }) => transferOf(20_000_000n, [reference])));
    await Promise.all([
      take(transfers),
      take([...transfers].reverse()),
      take(transfers.slice(3)),
      take([...transfers.slice(6)].reverse()),
    ]);
    const rows = await app.ctx.db.query('test_many', 'select 1 from transfers where tx_hash = any($1)', [
      transfers.map((one) => one.txHash),
    ]);
    expect(rows).toHaveLength(12);
  });
});

describe('one transfer', () => {
  test('that comes back after it was dropped counts again', async () => {
    const { sessionId, amountUnits } = await asked();
    const transfer = transferOf(amountUnits);
    await take([transfer]);
    const now = await app.ctx.db.now();
    const stored = only(await findTransfersByHash(app.ctx.db, true, 'base', transfer.txHash));
    await app.ctx.db.transaction((db) =>
      dropTransfer({ ctx: app.ctx, db, at: { created: now, recorded: now } }, stored, {}),
    );
    expect((await publicSession(sessionId)).payment.amount_seen).toBe('0.000000');

    await take([{ ...transfer, block: { ...transfer.block, number: 9n, hash: '0x9' } }]);
    expect((await publicSession(sessionId)).payment.amount_seen).toMatch(/^49\.00/);
    await settle(transfer);
    expect(await walk(sessionId)).toEqual(['created', 'pending', 'paid']);
  });

  test('whose settling breaks off at any statement leaves no event without its state, and settles the next time', async () => {
    for (let statements = 1; statements < 20; statements += 1) {
      const { sessionId, amountUnits } = await asked();
      const transfer = transferOf(amountUnits);
      await take([transfer]);
      const stored = only(await findTransfersByHash(app.ctx.db, true, 'base', transfer.txHash));
      const now = await app.ctx.db.now();
      let left = statements;
      const broken = await app.ctx.db
        .transaction((db) =>
          settleTransfer(
            {
              ctx: app.ctx,
              db: {
                ...db,
                query: (...args) =>
                  left-- > 0 ? (db.query(...args) as never) : Promise.reject(new Error('broken off')),
              },
              at: { created: now, recorded: now },
            },
            stored,
            {},
          ),
        )
        .then(
          () => false,
          () => true,
        );

      expect(await walk(sessionId)).toEqual(broken ? ['created', 'pending'] : ['created', 'pending', 'paid']);
      await settle(transfer);
      expect(await walk(sessionId)).toEqual(['created', 'pending', 'paid']);
      if (!broken) return;
    }
    throw new Error('settling takes more statements than were tried');
  });

  test('cannot be made two by the database itself', async () => {
    const transfer = transferOf(1n);
    await take([transfer]);
    await expect(
      app.ctx.db.query(
        'test_copy',
        `
      insert into transfers (id, livemode, network, tx_hash, index, asset, to_address, amount_units, block_number,
        block_hash, block_time, status, first_seen_at)
      select 'tr_copy', livemode, network, tx_hash, index, asset, to_address, amount_units, block_number, block_hash,
        block_time, status, first_seen_at
        from transfers where tx_hash = $1`,
        [transfer.txHash],
      ),
    ).rejects.toThrow('unique');
  });

  test('without a transaction is never paid by itself; when the time is over it needs a look, and may be accepted', async () => {
    const { sessionId, paymentId, amountUnits } = await asked();
    const transfer: Transfer = {
      ...transferOf(amountUnits),
      txHash: `block:${++made}:${WALLET}`,
      from: null,
      untraced: true,
    };
    await take([transfer]);
    await settle(transfer);
    expect(await walk(sessionId)).toEqual(['created', 'pending']);

    await cover(later(await app.ctx.db.now(), 3_650_000));
    const end = later(await app.ctx.db.now(), 3_700_000);
    await app.ctx.db.transaction((db) => closeWindow(app.ctx, db, paymentId, { created: end, recorded: end }));
    expect(await merchant.get(`/payments/${paymentId}`)).toMatchObject({
      status: 'refund_required',
      failure_reason: 'untraced_transfer',
      tx_hashes: [],
    });
    expect(await merchant.dashboard.post(`/payments/${paymentId}/accept`)).toMatchObject({ status: 'paid' });
  });

  test('without a transaction, beside money that pays in full, is in what arrived and not listed as well', async () => {
    const { sessionId, paymentId, reference } = await asked();
    const take1 = async (transfer: Transfer) => {
      await take([transfer]);
      await settle(transfer);
    };
    const referenced = (units: bigint): Transfer => ({ ...transferOf(units), carried: [reference] });
    await take1(referenced(20_000_000n));
    const due = BigInt((await publicSession(sessionId)).payment.amount_due.replace('.', ''));
    const growth = { ...transferOf(due), txHash: `block:${++made}:${WALLET}`, from: null, untraced: true as const };
    await take1(growth);
    expect(await walk(sessionId)).toEqual(['created', 'pending']);
    await take1(referenced(49_000_000n));
    const payment = await merchant.get(`/payments/${paymentId}`);
    expect(payment).toMatchObject({ status: 'paid' });
    expect(BigInt(payment.actual_output.replace('.', ''))).toBe(69_000_000n + due);
    const [stored] = await findTransfersByHash(app.ctx.db, true, 'base', growth.txHash);
    expect(stored).toMatchObject({ paymentId, reason: null });
  });
});

describe('the end of a window', () => {
  test('does not happen before the chain was read past it, whichever process checks', async () => {
    const { sessionId, paymentId } = await asked();
    const end = later(await app.ctx.db.now(), 3_700_000);
    const close = () =>
      app.ctx.db.transaction((db) => closeWindow(app.ctx, db, paymentId, { created: end, recorded: end }));
    await cover(later(end, -110_000));
    expect([await close(), await walk(sessionId)]).toEqual([false, ['created', 'pending']]);
    await cover(end);
    expect([await close(), await walk(sessionId)]).toEqual([true, ['created', 'pending', 'expired']]);
  });

  test('does not happen while money is in sight, whichever process checks', async () => {
    const { sessionId, paymentId, amountUnits } = await asked();
    const transfer = transferOf(amountUnits);
    await take([transfer]);
    const end = later(await app.ctx.db.now(), 3_700_000);
    await cover(end);
    const closed = await app.ctx.db.transaction((db) =>
      closeWindow(app.ctx, db, paymentId, { created: end, recorded: end }),
    );
    expect([closed, await walk(sessionId)]).toEqual([false, ['created', 'pending']]);
  });

  test("does not happen before the session's own end", async () => {
    const { paymentId } = await asked();
    const now = await app.ctx.db.now();
    await cover(later(now, 7_200_000));
    expect(
      await app.ctx.db.transaction((db) => closeWindow(app.ctx, db, paymentId, { created: now, recorded: now })),
    ).toBe(false);
  });
});

async function asked(): Promise<{ sessionId: string; paymentId: string; amountUnits: bigint; reference: Buffer }> {
  const session = await merchant.createSession();
  const { body } = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
    body: { pay_asset: 'USDC', pay_network: 'base' },
  });
  return {
    sessionId: session.id,
    paymentId: await paymentOfSession(app.ctx.db, session.id),
    amountUnits: BigInt(body.data.payment.amount.replace('.', '')),
    reference: await referenceOf(app.ctx.db, session.id),
  };
}

function transferOf(amountUnits: bigint, carried: Buffer[] = []): Transfer {
  return transferTo(WALLET, { amountUnits, carried });
}

async function take(transfers: Transfer[]) {
  const now = await app.ctx.db.now();
  return app.ctx.db.transaction((db) => receive(app.ctx, db, { livemode: true, transfers }, now));
}

async function settle(transfer: Transfer): Promise<void> {
  const now = await app.ctx.db.now();
  const stored = only(await findTransfersByHash(app.ctx.db, true, 'base', transfer.txHash));
  await app.ctx.db.transaction((db) =>
    settleTransfer({ ctx: app.ctx, db, at: { created: now, recorded: now } }, stored, {}),
  );
}

async function cover(until: Date): Promise<void> {
  await app.ctx.db.query(
    'test_cover',
    `
    insert into chain_cursors (network, pass, block_number, block_hash, block_time) values ('base', 'first', 1, '0x1', $1)
        on conflict (network, pass) do update set block_time = excluded.block_time`,
    [until],
  );
}

function walk(sessionId: string): Promise<string[]> {
  return walkOf(app.ctx.db, sessionId);
}

async function reasons(transfers: Transfer[]): Promise<(string | null)[]> {
  const rows = await app.ctx.db.query<{ reason: string | null }>(
    'test_reasons',
    'select reason from transfers where tx_hash = any($1)',
    [transfers.map((one) => one.txHash)],
  );
  return rows.map((row) => row.reason);
}

async function publicSession(id: string) {
  return (await app.inject('GET', `/v1/public/checkout/sessions/${id}`)).body.data;
}

function only<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error('row not found');
  return row;
}

function together<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, work));
}
