import { afterAll, beforeAll, expect, test } from 'vitest';
import { refundsJob } from '../../../src/resources/refunds/verify.ts';
import { type Settlement, startSettlement } from '../../support/settlement.ts';

let shop: Settlement;
let customer: `0x${string}`;
let sender: `0x${string}`;
beforeAll(async () => {
  shop = await startSettlement();
  [, customer, sender] = shop.chain.accounts.map(({ address }) => address) as [string, `0x${string}`, `0x${string}`];
});
afterAll(() => shop[Symbol.asyncDispose]());

/** A live payment of 98.00 that was paid. */
async function paid(): Promise<string> {
  const { id, amountUnits, tag } = await shop.checkout({ amount: '98.00' });
  await shop.send(amountUnits, { tag });
  await shop.settle();
  return (await shop.payment(id)).id;
}

const create = (id: string, body: object) => shop.merchant.post(`/payments/${id}/refunds`, { to: customer, ...body });
const read = (id: string) => shop.merchant.get(`/refunds/${id}`);
const sendReverted = () => shop.chain.send({ from: sender, to: shop.usdc, data: '0xdeadbeef', gas: 100_000n } as never);

/** Looks once at every refund that is sent. */
async function look(): Promise<void> {
  await shop.pass(20 * 60);
  await refundsJob.run(shop.ctx, new AbortController().signal, () => {});
}

test('a transaction that reverted fails no refund while its block is not final', async () => {
  const refund = await create(await paid(), { tx_hash: await sendReverted() });
  await look();
  expect(await read(refund.id)).toMatchObject({ status: 'sent', failure_reason: null });
  await shop.chain.mine(3);
  await look();
  expect(await read(refund.id)).toMatchObject({ status: 'failed', failure_reason: 'transaction_reverted' });
});
