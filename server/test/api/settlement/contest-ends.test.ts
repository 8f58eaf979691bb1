import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Transfer, Verdict } from '../../../src/outside/chains/chain.ts';
import type { Transaction } from '../../../src/platform/db/db.ts';
import { decideReports } from '../../../src/settlement/verification/decide-reports.ts';
import { startOfRounds } from '../../../src/settlement/verification/rounds.ts';
import { abandonAbove, storeTransfers } from '../../../src/settlement/records/seen-transfer-store.ts';
import { FakeNetwork } from '../../support/fake-network.ts';

// While the quorum is asked about the versions of a contest, one provider may report the transfer once more.
let net: FakeNetwork;

beforeAll(async () => {
  net = await FakeNetwork.start();
});
afterAll(() => net[Symbol.asyncDispose]());

test('a quorum that ends a contest confirms nothing if nothing is different', async () => {
  expect(await decideWhile(async () => {})).toEqual({ confirmed: true, isContested: false });
});

test('a transfer that one provider moves during the question is not confirmed in its new block', async () => {
  const moved = await decideWhile((transfer) =>
    report({ ...transfer, carried: [], block: { ...transfer.block, hash: 'fa'.repeat(32) } }),
  );
  expect(moved).toEqual({ confirmed: false, isContested: false });
});

test('a version that is reported during the question keeps the contest open', async () => {
  const contested = await decideWhile((transfer) => report({ ...transfer, carried: [Buffer.alloc(32, 7)] }));
  expect(contested).toEqual({ confirmed: false, isContested: true });
});

test('a transfer that one provider moves while another pass confirms it is not confirmed in its new block', async () => {
  const transfer = randomTransfer();
  await report(transfer, PROVIDERS[1]);
  const moved = { ...transfer, block: { ...transfer.block, hash: 'fa'.repeat(32) } };
  await net.app.ctx.db.transaction((db) => {
    const query: typeof db.query = async (name, ...asked) => {
      if (name === 'confirm_transfers') await store(db, moved, PROVIDERS[1]);
      return db.query(name, ...asked);
    };
    return store({ ...db, query }, transfer, PROVIDERS[0]);
  });
  expect(await contestOf(transfer)).toEqual({ confirmed: false, isContested: false });
});

test('what stands above a block that the first pass went back to is confirmed once it was read twice again', async () => {
  const transfer = randomTransfer();
  await report(transfer, PROVIDERS[0]);
  await report(transfer, PROVIDERS[1]);
  expect(await contestOf(transfer)).toMatchObject({ confirmed: true });
  await abandonAbove(net.app.ctx.db, 'base', transfer.block.number - 1n);
  await report(transfer, PROVIDERS[1]);
  expect(await contestOf(transfer)).toMatchObject({ confirmed: false });
  await report(transfer, PROVIDERS[0]);
  expect(await contestOf(transfer)).toMatchObject({ confirmed: true });
});

const PROVIDERS = ['provider 0', 'provider 1'] as const;

/** What became of a transfer with a contested reference: the quorum confirms it as stored, after something happened. */
async function decideWhile(happens: (transfer: Transfer) => Promise<void>): Promise<unknown> {
  const transfer = randomTransfer();
  await report(transfer, PROVIDERS[1]);
  await report({ ...transfer, carried: [] });
  const { db } = net.app.ctx;
  await db.query('test_unqueue', 'update transfers set queued = false where tx_hash = $1', [transfer.txHash]);

  const check = async (asked: Transfer): Promise<Verdict> => {
    await happens(transfer);
    const head = { number: 9n, safe: null, finalized: null };
    return { type: 'stands', transfer: asked, providers: [...PROVIDERS], head, alone: null };
  };
  const watching = { addresses: new Set([transfer.to]) };
  await decideReports(net.ctx, { ...net.fake.chain, check }, { watching }, startOfRounds().reports);
  return contestOf(transfer);
}

function randomTransfer(): Transfer {
  return {
    network: 'base',
    txHash: net.random.hex(32),
    index: 0,
    asset: 'USDC',
    from: net.random.hex(20),
    to: net.random.hex(20),
    amountUnits: 12_345_678n,
    block: { number: 5n, hash: net.random.hex(32), time: net.now },
    carried: [Buffer.alloc(32, 1)],
  };
}

async function contestOf({ txHash }: Transfer): Promise<unknown> {
  const [row] = await net.app.ctx.db.query(
    'test_contest',
    'select confirmed, contested is not null as is_contested from transfers where tx_hash = $1',
    [txHash],
  );
  return row;
}

/** What one provider reports, as a pass stores it. */
async function report(transfer: Transfer, provider: string = PROVIDERS[0]): Promise<void> {
  await net.app.ctx.db.transaction((db) => store(db, transfer, provider));
}

async function store(db: Transaction, transfer: Transfer, provider: string): Promise<void> {
  const reporter = { providers: [provider], isConfirmed: false };
  await storeTransfers(db, { livemode: true, transfers: [transfer], reporter }, net.now);
}
