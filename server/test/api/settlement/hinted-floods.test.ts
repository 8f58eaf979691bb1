import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimsJob } from '../../../src/settlement/attribution/verify-claims.ts';
import {
  MAX_BEYOND_LIMITS_PER_TRANSACTION,
  MAX_LISTED_PER_HOUR,
  MAX_STORED_ON_HINTS_PER_HOUR,
} from '../../../src/settlement/reading/select-transfers.ts';
import type { Tx } from '../../programs/simulation/ledger.ts';
import { FakeNetwork, type FakeCheckout } from '../../support/fake-network.ts';
import { referenceOf } from '../../support/payments.ts';

// Anyone can copy the tag of a session, or claim a transaction for it, for any number of transfers.
let net: FakeNetwork;

beforeAll(async () => {
  net = await FakeNetwork.start();
});
afterAll(() => net[Symbol.asyncDispose]());

const SIGNATURE = `0x${'ab'.repeat(100)}`;
const units = (count: number, first = 1n, step = 0n) =>
  Array.from({ length: count }, (_, at) => first + BigInt(at) * step);

test('a tag makes no row of dust, however many sessions it names', async () => {
  const wallet = await net.wallet();
  const honest = await net.checkout(wallet);
  await net.blocks(1);
  const dust = Array.from({ length: 3 }, () => net.transaction(wallet.address, ...units(100)));
  for (const one of dust) await tag(one, honest);
  net.send(...dust, net.transaction(wallet.address, honest.amountUnits));
  await net.blocks(5);

  expect(await net.status(honest)).toBe('paid');
  expect(await rowsOf(...dust)).toBe(0);
  expect(await activity(wallet.address)).toMatchObject({ stored: 1, dust: 300, storedOnHints: 0 });
});

test('the debited account lists a limited number of transfers that are too small', async () => {
  const wallet = await net.wallet();
  const meant = await net.checkout(wallet);
  await net.blocks(1);
  const many = net.transaction(wallet.address, ...units(100));
  await tag(many, meant, 'carried');
  net.send(many);
  const singles = Array.from({ length: 60 }, () => net.transaction(wallet.address, 1n));
  for (const one of singles) await tag(one, meant, 'carried');
  net.send(...singles);
  await net.blocks(3);

  expect(await rowsOf(many)).toBe(MAX_BEYOND_LIMITS_PER_TRANSACTION);
  expect(await rowsOf(many, ...singles)).toBe(MAX_STORED_ON_HINTS_PER_HOUR);
  expect(await activity(wallet.address)).toMatchObject({
    storedOnHints: MAX_STORED_ON_HINTS_PER_HOUR,
    dust: 160 - MAX_STORED_ON_HINTS_PER_HOUR,
  });
});

test('beyond the hourly list a tag makes some rows of a transaction, the largest, and some an hour', async () => {
  const wallet = await crowded();
  const named = await net.checkout(wallet);
  const tagged = Array.from({ length: 10 }, () => net.transaction(wallet.address, ...units(40, 50_000_000n, 7n)));
  for (const one of tagged) await tag(one, named);
  net.send(...tagged);
  await net.blocks(3);

  const [first] = tagged;
  expect(await amountsOf(first as Tx)).toEqual(
    units(MAX_BEYOND_LIMITS_PER_TRANSACTION, 50_000_000n + 7n * BigInt(40 - MAX_BEYOND_LIMITS_PER_TRANSACTION), 7n),
  );
  expect(await rowsOf(...tagged)).toBe(MAX_STORED_ON_HINTS_PER_HOUR);
  expect((await activity(wallet.address))?.skipped).toBe(400 - MAX_STORED_ON_HINTS_PER_HOUR + 10);
});

test('the tag of a session with another wallet or network makes no row', async () => {
  const wallet = await crowded();
  const elsewhere = await net.checkout(await net.wallet());
  const onEthereum = await net.app.merchant.live.createWallet({
    asset: 'USDC',
    network: 'ethereum',
    address: wallet.address,
  });
  const other = await net.app.merchant.live.createSession({ payout_wallet_id: onEthereum.id });
  for (const session of [elsewhere, other]) {
    const tagged = net.transaction(wallet.address, ...units(20, 60_000_000n, 7n));
    await tag(tagged, session);
    net.send(tagged);
    await net.blocks(3);
    expect(await rowsOf(tagged)).toBe(0);
  }
});

test('beyond all limits a payment by its own reference is paid, and one in a shared transaction is listed', async () => {
  const wallet = await crowded();
  const [spent, own, shared] = [await net.checkout(wallet), await net.checkout(wallet), await net.checkout(wallet)];
  const flood = Array.from({ length: 6 }, () => net.transaction(wallet.address, ...units(40, 50_000_000n, 7n)));
  for (const one of flood) await tag(one, spent);
  const payment = net.transaction(wallet.address, own.amountUnits + 1_000_000n);
  await tag(payment, own, 'carried');
  // Others' money comes in the same transaction, so that the tag proves nothing.
  const together = net.transaction(wallet.address, shared.amountUnits + 1_000_000n, ...units(30, 1_000_000n, 7n));
  await tag(together, shared);
  net.send(together, ...flood, payment);
  await net.blocks(5);

  expect(await net.status(own)).toBe('paid');
  expect(await amountsOf(together)).toContain(shared.amountUnits + 1_000_000n);
});

test('an unverified claim makes some rows of a transaction, and the payment of a contract wallet in it is paid', async () => {
  const wallet = await crowded();
  const [honest, floods] = [await net.checkout(wallet), await net.checkout(wallet)];
  const payment = net.transaction(wallet.address, honest.amountUnits + 1_000_000n);
  const [dust, many] = [
    net.transaction(wallet.address, ...units(100)),
    net.transaction(wallet.address, ...units(100, 50_000_000n, 7n)),
  ];
  await claim(payment, honest);
  for (const one of [dust, many]) await claim(one, floods);
  net.send(dust, many, payment);
  await net.blocks(3);

  expect(await rowsOf(dust)).toBeLessThanOrEqual(MAX_BEYOND_LIMITS_PER_TRANSACTION);
  expect(await rowsOf(many)).toBe(MAX_BEYOND_LIMITS_PER_TRANSACTION);
  net.ctx = { ...net.ctx, contractWallets: { isSigned: async () => true } };
  // The claims were stored by the clock of the database, which may be ahead of the network's.
  await net.app.ctx.db.query('test_due', `update signed_claims set due_at = '-infinity'`);
  while ((await claimsJob.run(net.ctx, new AbortController().signal, () => {})) === 'more');
  await net.blocks(4);
  expect(await net.status(honest)).toBe('paid');
});

/** A wallet that has listed as much as its address may in this hour. */
async function crowded() {
  const wallet = await net.wallet();
  await net.checkout(wallet);
  await net.blocks(1);
  net.send(net.transaction(wallet.address, ...units(MAX_LISTED_PER_HOUR + 10, 30_000_000n, 1n)));
  await net.blocks(2);
  return wallet;
}

/** Writes the tag of a session into a transaction: by its sender (`carried`), or by anyone. */
async function tag(tx: Tx, { id }: Pick<FakeCheckout, 'id'>, as: 'carried' | 'unproven' = 'unproven'): Promise<void> {
  const reference = await referenceOf(net.app.ctx.db, id);
  for (const movement of tx.movements) movement[as] = [reference];
}

/** A claim of the contract wallet that pays. */
async function claim(tx: Tx, { id }: FakeCheckout): Promise<void> {
  const { status, raw } = await net.app.inject('POST', `/v1/public/checkout/sessions/${id}/transactions`, {
    body: { tx_hash: tx.hash, signature: SIGNATURE, sender: tx.movements[0]?.from },
  });
  expect(status, raw).toBe(202);
  for (const movement of tx.movements) movement.from = await signerOf(tx.hash);
}

async function signerOf(txHash: string): Promise<string> {
  const [row] = await net.app.ctx.db.query<{ signer: string }>(
    'test_signer',
    'select signer from signed_claims where tx_hash = $1',
    [txHash],
  );
  return (row as { signer: string }).signer;
}

async function amountsOf({ hash }: Tx): Promise<bigint[]> {
  const rows = await net.app.ctx.db.query<{ amountUnits: bigint }>(
    'test_amounts',
    'select amount_units from transfers where tx_hash = $1 order by amount_units',
    [hash],
  );
  return rows.map((row) => row.amountUnits);
}

async function rowsOf(...transactions: Tx[]): Promise<number> {
  const [row] = await net.app.ctx.db.query<{ count: number }>(
    'test_rows',
    'select count(*)::int as count from transfers where tx_hash = any($1)',
    [transactions.map((one) => one.hash)],
  );
  return row?.count ?? -1;
}

async function activity(address: string) {
  const [row] = await net.app.ctx.db.query<Record<'stored' | 'skipped' | 'dust' | 'storedOnHints', number>>(
    'test_activity',
    `
    select sum(stored)::int as stored, sum(skipped)::int as skipped, sum(dust)::int as dust, sum(stored_on_hints)::int as stored_on_hints
      from address_activity where address = $1`,
    [address],
  );
  return row;
}
