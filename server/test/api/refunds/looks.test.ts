import type { Address } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Chain } from '../../../src/outside/chains/chain.ts';
import { rpcCalls } from '../../../src/platform/metrics.ts';
import { refundsJob } from '../../../src/resources/refunds/verify.ts';
import { transferCalldata } from '../../support/anvil.ts';
import { type Settlement, startSettlement } from '../../support/settlement.ts';

type Data = any;

let shop: Settlement;
let payment: string;
beforeAll(async () => {
  shop = await startSettlement();
  const { id, amountUnits, tag } = await shop.checkout({ amount: '98.00' });
  await shop.send(amountUnits, { tag });
  await shop.settle();
  payment = (await shop.payment(id)).id;
});
afterAll(() => shop[Symbol.asyncDispose]());

/** The recipient of a transfer of a batch. */
const toOf = (at: number): Address => shop.chain.accounts[1 + (at % 4)]?.address as Address;
const refund = (txHash: string, at = 0): Promise<Data> =>
  shop.merchant.post(`/payments/${payment}/refunds`, { to: toOf(at), amount: '5.00', tx_hash: txHash });
const statusOf = async ({ id }: Data): Promise<string> => (await shop.merchant.get(`/refunds/${id}`)).status;

/** Looks at what is due until nothing is. */
async function look(ctx = shop.ctx): Promise<void> {
  while ((await refundsJob.run(ctx, new AbortController().signal, () => {})) === 'more');
}

test("many refunds of one account wait for the next minute after 300 looks, while another's go on", async () => {
  const batcher = await deployBatcher(10n);
  const mine = await refund(await batch(batcher, 1));
  await shop.ctx.db.query(
    'test_invent_refunds',
    `
    insert into refunds
    select (jsonb_populate_record(r, jsonb_build_object(
             'id', 'rf_' || n, 'account_id', 'acc_other', 'due_at', r.due_at - interval '1 hour',
             'tx_hash', '0x' || lpad(to_hex(n), 64, '0')))).*
      from refunds r, generate_series(1, 700) n where r.id = $1`,
    [mine.id],
  );
  const others = async (): Promise<Data> =>
    (
      await shop.ctx.db.query(
        'test_looks',
        `select sum(looks)::int as looks, max(looks) as most, count(*) filter (where looks = 0 and due_at < $1)::int as due
           from refunds where account_id = 'acc_other'`,
        [await shop.ctx.db.now()],
      )
    )[0];
  let asked = 0;
  const chain = shop.ctx.chains.get('ethereum') as Chain;
  const transaction: Chain['transaction'] = (...of) => {
    asked += 1;
    return chain.transaction(...of);
  };
  const ctx = { ...shop.ctx, chains: new Map([['ethereum' as const, { ...chain, transaction }]]) };
  await shop.pass(20 * 60);
  await refundsJob.run(ctx, new AbortController().signal, () => {});
  expect(await statusOf(mine)).toBe('final');
  await look(ctx);
  // What is not looked at stays due.
  expect(await others()).toEqual({ looks: 319, most: 1, due: 381 });
  expect(asked).toBe(320);

  const next = await refund(await batch(batcher, 1));
  await shop.pass(10);
  await look(ctx);
  expect(await statusOf(next)).toBe('final');
  expect((await others()).looks).toBe(319);

  await shop.pass(60);
  await look(ctx);
  expect((await others()).looks).toBe(619);
  await shop.ctx.db.query('test_delete_invented', `delete from refunds where account_id = 'acc_other'`);
});

test('all refunds of one transaction cost the calls of one', async () => {
  const batcher = await deployBatcher(45n);
  const costOf = async (count: number): Promise<number> => {
    const hash = await batch(batcher, count);
    const made: Data[] = [];
    for (let at = 0; at < count; at += 1) made.push(await refund(hash, at));
    await shop.pass(20 * 60);
    const before = await receiptsAsked();
    await look();
    expect(await Promise.all(made.map(statusOf))).toEqual(made.map(() => 'final'));
    return (await receiptsAsked()) - before;
  };
  const one = await costOf(1);
  expect(one).toBeGreaterThan(0);
  expect(await costOf(8)).toBe(one);
});

async function deployBatcher(dollars: bigint): Promise<Address> {
  const batcher = await shop.chain.deploy('Batcher');
  await shop.chain.transferErc20({ token: shop.usdc, to: batcher, amount: dollars * 1_000_000n });
  return batcher;
}

/** One transaction that returns 5.00 this many times, which is final. */
async function batch(batcher: Address, count: number): Promise<string> {
  const call = (_: unknown, at: number) => ({ target: shop.usdc, data: transferCalldata(toOf(at), 5_000_000n) });
  const hash = await shop.chain.batch(batcher, Array.from({ length: count }, call));
  await shop.chain.mine(3);
  return hash;
}

async function receiptsAsked(): Promise<number> {
  // Of all networks: those of the tests before it in this process are counted too, but none of them goes on.
  const { values } = await rpcCalls.get();
  return values
    .filter(({ labels }) => labels.method === 'eth_getTransactionReceipt')
    .reduce((sum, { value }) => sum + value, 0);
}
