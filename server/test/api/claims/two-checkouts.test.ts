import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Transfer } from '../../../src/outside/chains/chain.ts';
import type { Db } from '../../../src/platform/db/db.ts';
import { receive } from '../../../src/settlement/attribution/attribute-transfer.ts';
import { findCandidates } from '../../../src/settlement/attribution/candidates.ts';
import { claimsJob } from '../../../src/settlement/attribution/verify-claims.ts';
import { dropTransfer, settleTransfer } from '../../../src/settlement/outcome/settle.ts';
import { findTransfersByHash, type StoredTransfer } from '../../../src/settlement/records/transfer-store.ts';
import { startApp, type TestApp } from '../../support/index.ts';
import { paymentOfSession } from '../../support/payments.ts';
import { transferTo } from '../../support/transfers.ts';
import { claim, newKey } from './claims.ts';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const shapes: [string, { units: bigint[]; at: 'seen' | 'final' | 'unknown' }][] = [
  ['the smaller transfer first, claimed once it is final', { units: [10_000_000n, 20_000_000n], at: 'final' }],
  ['the larger transfer first, claimed once it is final', { units: [20_000_000n, 10_000_000n], at: 'final' }],
  ['the smaller transfer first, claimed while it is seen', { units: [10_000_000n, 20_000_000n], at: 'seen' }],
  ['the larger transfer first, claimed while it is seen', { units: [20_000_000n, 10_000_000n], at: 'seen' }],
  ['the smaller transfer first, claimed before it is read', { units: [10_000_000n, 20_000_000n], at: 'unknown' }],
  ['the larger transfer first, claimed before it is read', { units: [20_000_000n, 10_000_000n], at: 'unknown' }],
];

test.each(shapes)('one transaction pays both checkouts that its sender claims it for: %s', async (_, { units, at }) => {
  const [customer, large, small] = [newKey(), await checkout('20.00'), await checkout('10.00')];
  const transfers = transaction(customer, units);
  const claimBoth = async () => {
    for (const { id } of [large, small]) expect((await claim(app, id, hashOf(transfers), customer)).status).toBe(202);
  };
  if (at === 'unknown') await claimBoth();
  await read(transfers);
  if (at === 'seen') await claimBoth();
  await settle(transfers);
  if (at === 'final') await claimBoth();
  expect([await shown(large), await shown(small)]).toEqual([
    ['paid', '20.000000'],
    ['paid', '10.000000'],
  ]);
});

test.each([
  ['smaller', [10_000_000n, 20_000_000n]],
  ['larger', [20_000_000n, 10_000_000n]],
])('a checkout that is claimed first leaves what it does not need for the second, the %s first', async (_, units) => {
  const [customer, large, small] = [newKey(), await checkout('20.00'), await checkout('10.00')];
  const transfers = transaction(customer, units);
  await claim(app, large.id, hashOf(transfers), customer);
  await read(transfers);
  await settle(transfers);
  expect([await shown(large), await shown(small)]).toEqual([
    ['paid', '20.000000'],
    ['created', null],
  ]);
  await claim(app, small.id, hashOf(transfers), customer);
  expect(await shown(small)).toEqual(['paid', '10.000000']);
});

test('a checkout takes all transfers of a claimed transaction that it needs', async () => {
  const [customer, session] = [newKey(), await checkout('30.00')];
  const transfers = transaction(customer, [10_000_000n, 20_000_000n]);
  await claim(app, session.id, hashOf(transfers), customer);
  await read(transfers);
  await settle(transfers);
  expect(await shown(session)).toEqual(['paid', '30.000000']);
});

test('a claim leaves the exact amount of another checkout to it', async () => {
  const [customer, claimed, exact] = [newKey(), await checkout('20.00'), await checkout('20.00')];
  const { body } = await app.inject('POST', `/v1/public/checkout/sessions/${exact.id}/pay`, {
    body: { pay_asset: 'USDC', pay_network: 'base' },
  });
  const exactUnits = BigInt(body.data.payment.amount.replace('.', ''));
  const transfers = transaction(customer, [19_950_000n, exactUnits]);
  await claim(app, claimed.id, hashOf(transfers), customer);
  await read(transfers);
  await settle(transfers);
  expect([await shown(claimed), await shown(exact)]).toEqual([
    ['paid', '19.950000'],
    ['paid', body.data.payment.amount],
  ]);
});

test('a claim for a checkout whose exact amount is in the transaction takes no other transfer of it', async () => {
  const [customer, exact, other] = [newKey(), await checkout('20.00'), await checkout('10.00')];
  const { body } = await app.inject('POST', `/v1/public/checkout/sessions/${exact.id}/pay`, {
    body: { pay_asset: 'USDC', pay_network: 'base' },
  });
  const exactUnits = BigInt(body.data.payment.amount.replace('.', ''));
  const transfers = transaction(customer, [10_000_000n, exactUnits]);
  await claim(app, exact.id, hashOf(transfers), customer);
  await read(transfers);
  await settle(transfers);
  await claim(app, other.id, hashOf(transfers), customer);
  expect([await shown(exact), await shown(other)]).toEqual([
    ['paid', body.data.payment.amount],
    ['paid', '10.000000'],
  ]);
});

test('a claim takes its own transfer beside one that has the exact amount of a checkout that is paid', async () => {
  const [customer, claimed, exact] = [newKey(), await checkout('20.00'), await checkout('20.00')];
  const { body } = await app.inject('POST', `/v1/public/checkout/sessions/${exact.id}/pay`, {
    body: { pay_asset: 'USDC', pay_network: 'base' },
  });
  const exactUnits = BigInt(body.data.payment.amount.replace('.', ''));
  const first = transaction(newKey(), [exactUnits]);
  await read(first);
  await settle(first);
  expect(await shown(exact)).toEqual(['paid', body.data.payment.amount]);
  const transfers = transaction(customer, [19_950_000n, exactUnits]);
  await read(transfers);
  await settle(transfers);
  await claim(app, claimed.id, hashOf(transfers), customer);
  expect(await shown(claimed)).toEqual(['paid', '19.950000']);
});

test('a checkout takes the claimed transfer whose place another one had that no chain has', async () => {
  const [customer, session] = [newKey(), await checkout('20.00')];
  const transfers = transaction(customer, [19_950_000n, 20_000_000n]);
  await claim(app, session.id, hashOf(transfers), customer);
  await read(transfers);
  const now = await app.ctx.db.now();
  const [, invented] = await findTransfersByHash(app.ctx.db, true, 'base', hashOf(transfers));
  expect(invented).toMatchObject({ amountUnits: 20_000_000n, attributedBy: 'claim' });
  const settlement = { ctx: app.ctx, at: { created: now, recorded: now } };
  await app.ctx.db.transaction((db) => dropTransfer({ ...settlement, db }, invented as StoredTransfer, { gone: now }));
  await claimsJob.run(app.ctx, new AbortController().signal, () => {});
  await settle(transfers);
  expect(await shown(session)).toEqual(['paid', '19.950000']);
});

test('a claimed transaction of many transfers loads at most fifty others to share out one', async () => {
  const [customer, session] = [newKey(), await checkout('30.00')];
  const transfers = transaction(customer, Array(60).fill(10_000_000n));
  await claim(app, session.id, hashOf(transfers), customer);
  await read(transfers);
  const [transfer] = await findTransfersByHash(app.ctx.db, true, 'base', hashOf(transfers));
  const loaded: number[] = [];
  const query: Db['query'] = async (...args) => {
    const rows = await app.ctx.db.query(...args);
    loaded.push(rows.length);
    return rows as never;
  };
  const { siblings } = await findCandidates(app.ctx, { ...app.ctx.db, query }, transfer as StoredTransfer);
  expect([siblings.length, Math.max(...loaded)]).toEqual([50, 50]);
});

test('a late claim finds its transfer behind fifty that others have sent in the same transaction', async () => {
  const [customer, session] = [newKey(), await checkout('20.00')];
  const units = [...Array<bigint>(50).fill(7_000_000n), 20_000_000n];
  const transfers = transaction(newKey(), units).map((one, index) =>
    index === 50 ? { ...one, from: customer.address } : one,
  );
  // At once, fifty are attributed and the others wait for the queue.
  await read(transfers.slice(0, 50));
  await read(transfers.slice(50));
  await settle(transfers);
  await claim(app, session.id, hashOf(transfers), customer);
  expect(await shown(session)).toEqual(['paid', '20.000000']);
});

test('a late claim takes its transfer beside one that is set aside because it cannot be attributed', async () => {
  const [customer, session] = [newKey(), await checkout('10.00')];
  const transfers = transaction(customer, [10_000_000n, 10_000_000n]);
  await read(transfers);
  await settle(transfers);
  const { db } = app.ctx;
  await db.query('test_set_aside', 'update transfers set set_aside_at = $1 where tx_hash = $2 and index = 0', [
    await db.now(),
    hashOf(transfers),
  ]);
  await db.query(
    `test_poison_function_${session.id}`,
    `
    create function test_poison() returns trigger language plpgsql as $$
    begin
      if new.tx_hash = '${hashOf(transfers)}' and new.index = 0 then raise exception 'poisoned'; end if;
      return new;
    end $$`,
  );
  await db.query(
    'test_poison',
    'create trigger test_poison before update on transfers for each row execute function test_poison()',
  );
  await claim(app, session.id, hashOf(transfers), customer);
  await db.query('test_remove_poison', 'drop function test_poison cascade');
  expect(await shown(session)).toEqual(['paid', '10.000000']);
  const claims = await db.query('test_claims', 'select due_at from signed_claims where tx_hash = $1', [
    hashOf(transfers),
  ]);
  expect(claims).toEqual([{ dueAt: null }]);
});

function checkout(amount: string): Promise<{ id: string }> {
  return app.merchant.live.createSession({ amount });
}

/** Transfers of one transaction of a customer. */
function transaction({ address }: PrivateKeyAccount, units: readonly bigint[]): Transfer[] {
  const { txHash } = transferTo(WALLET);
  return units.map((amountUnits, index) => transferTo(WALLET, { txHash, index, from: address, amountUnits }));
}

function hashOf([first]: readonly Transfer[]): string {
  return first?.txHash ?? '';
}

async function read(transfers: readonly Transfer[]): Promise<void> {
  const now = await app.ctx.db.now();
  await app.ctx.db.transaction((db) => receive(app.ctx, db, { livemode: true, transfers }, now));
}

async function settle(transfers: readonly Transfer[]): Promise<void> {
  const now = await app.ctx.db.now();
  const at = { created: now, recorded: now };
  for (const stored of await findTransfersByHash(app.ctx.db, true, 'base', hashOf(transfers)))
    await app.ctx.db.transaction((db) => settleTransfer({ ctx: app.ctx, db, at }, stored, {}));
}

/** The status of a checkout, and what it received. */
async function shown({ id }: { id: string }): Promise<unknown[]> {
  const payment = await app.merchant.live.get(`/payments/${await paymentOfSession(app.ctx.db, id)}`);
  return [payment.status, payment.actual_output];
}
