import {
  getBase64Encoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type KeyPairSigner,
  signTransaction,
} from '@solana/kit';
import { type Address, getAddress, type Hex, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_SENT_TOGETHER } from '@quittance/contract';
import type { Context } from '../../../src/context.ts';
import { payoutsJob } from '../../../src/resources/payouts/verify.ts';
import { refundsJob } from '../../../src/resources/refunds/verify.ts';
import { transferCalldata } from '../../support/anvil.ts';
import type { TestApp } from '../../support/index.ts';
import type { Merchant } from '../../support/merchant.ts';
import { type Settlement, startSettlement } from '../../support/settlement.ts';
import { type SolanaShop, startSolanaShop } from '../../support/solana/shop.ts';

type Data = any;

const dashboardOf =
  (shop: { app: TestApp; merchant: Merchant }) =>
  async (method: 'GET' | 'POST', path: string, body?: object): Promise<Data> => {
    const headers = {
      cookie: `session=${shop.merchant.loginToken}`,
      'service-mode': 'live',
      'sec-fetch-site': 'same-origin',
    };
    const answer = await shop.app.inject(method, `/dashboard/api/payouts${path}`, { headers, ...(body && { body }) });
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status} ${answer.raw.slice(0, 300)}`);
    return answer.body.data;
  };

/** Looks at every payout that is sent, as often as it takes. */
async function verify(ctx: Context): Promise<void> {
  while ((await payoutsJob.run(ctx, new AbortController().signal, () => {})) === 'more');
}

describe('on the Ethereum family', () => {
  let shop: Settlement;
  let batcher: Address;
  let ask: ReturnType<typeof dashboardOf>;
  beforeAll(async () => {
    shop = await startSettlement();
    ask = dashboardOf(shop);
    batcher = await shop.chain.deploy('Batcher');
    await shop.chain.transferErc20({ token: shop.usdc, to: batcher, amount: 500_000_000n });
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  /** Plans these payouts and returns them in the order of the lines. */
  async function plan(lines: readonly [to: string, amount: string][]): Promise<Data[]> {
    const name = lines.map(String).join().replaceAll(/\W/g, '-').slice(0, 64);
    const csv = lines.map(([to, amount], at) => `${to},USDC,ethereum,${amount},${at}`).join('\n');
    await ask('POST', '', { csv, import: name });
    const planned: Data[] = await ask('GET', '?status=planned&limit=100');
    return planned.sort((one, other) => Number(one.note) - Number(other.note));
  }
  const idsOf = (payouts: readonly Data[]) => payouts.map(({ id }) => id);
  const send = (payouts: readonly Data[], more: object = {}) =>
    ask('POST', '/send', { payouts: idsOf(payouts), from: shop.wallet, holder: 'browser', ...more });
  const report = (payouts: readonly Data[], hash: string) =>
    ask('POST', '/sent', { payouts: idsOf(payouts), tx_hash: hash });
  /** What the wallet signs. `units` may differ from what was planned. */
  const sign = (transfers: readonly { to: string; units: bigint }[]) =>
    shop.chain.batch(
      batcher,
      transfers.map(({ to, units }) => ({ target: shop.usdc, data: transferCalldata(to as Address, units) as Hex })),
    );
  const unitsOf = ({ coin_amount: amount }: { coin_amount: string }) => BigInt(amount.replace('.', ''));
  async function settle(): Promise<void> {
    await shop.chain.mine(3);
    await shop.pass(20 * 60);
    await verify(shop.ctx);
  }
  async function after(payouts: readonly Data[]): Promise<Data[]> {
    const all: Data[] = [...(await ask('GET', '?limit=100')), ...(await ask('GET', '?limit=100&status=final'))];
    return payouts.map(({ id }) => all.find((one) => one.id === id));
  }
  const used = async () =>
    (
      await shop.ctx.db.query<{ count: number }>(
        'test_used',
        'select count(distinct (tx_hash, index))::int as count from outgoing_transfers',
      )
    )[0]?.count;

  test('a hundred payouts are one signature, each is verified and recorded once, and an altered one is found', async () => {
    const wallets = Array.from({ length: 100 }, (_, at) => getAddress(toHex(BigInt(at + 1) << 32n, { size: 20 })));
    const payouts = await plan(wallets.map((to, at) => [to, `1.${String(at).padStart(2, '0')}`]));
    const { payouts: prepared, transactions, others } = await send(payouts);
    expect({ transactions, others }).toEqual({ transactions: [], others: [] });
    expect(prepared[7]).toEqual({
      id: payouts[7].id,
      to: wallets[7],
      coin_amount: '1.070000',
      uri: `ethereum:${shop.usdc}@${shop.chain.chainId}/transfer?address=${wallets[7]}&uint256=1070000`,
    });
    const hash = await sign(
      prepared.map((one: Data, at: number) => ({ to: one.to, units: unitsOf(one) + (at === 42 ? 1n : 0n) })),
    );
    expect(await report(payouts, hash)).toEqual({ reported: 100 });
    await settle();
    const found = await after(payouts);
    expect(found.map(({ status, verified }) => `${status} ${verified}`)).toEqual(
      wallets.map((_to, at) => (at === 42 ? 'sent false' : 'final true')),
    );
    expect(found[42].mismatch).toEqual({ asset: 'USDC', coin_amount: '1.420001', to: wallets[42] });
    expect(await used()).toBe(99);
    await ask('POST', '/cancel', { payouts: [payouts[42].id] });
    expect((await after([payouts[42]]))[0]).toMatchObject({ status: 'cancelled', tx_hash: hash });
  });

  test('equal payouts of one signature need a transfer each', async () => {
    const to = getAddress(toHex(7n << 40n, { size: 20 }));
    const payouts = await plan(Array.from({ length: 6 }, () => [to, '2'] as [string, string]));
    const before = (await used()) ?? 0;
    const hash = await sign(Array.from({ length: 5 }, () => ({ to, units: 2_000_000n })));
    await report(payouts, hash);
    await settle();
    expect((await after(payouts)).map(({ status }) => status).sort()).toEqual([...Array(5).fill('final'), 'sent']);
    expect(await used()).toBe(before + 5);
    const [left] = (await after(payouts)).filter(({ status }) => status === 'sent');
    expect(left.mismatch).toMatchObject({ coin_amount: '2.000000' });
    await ask('POST', '/cancel', { payouts: [left.id] });
  });

  test('a transfer that has returned a refund makes no payout, and the other way around', async () => {
    const { id, amountUnits, tag } = await shop.checkout({ amount: '20.00' });
    await shop.send(amountUnits, { tag });
    await shop.settle();
    const payment = (await shop.payment(id)).id;
    const refund = await shop.merchant.post(`/payments/${payment}/refunds`, {
      coin_amount: '3.000000',
      to: shop.customer,
    });
    const [payout] = await plan([[shop.customer, '3']]);
    const hash = await sign([{ to: shop.customer, units: 3_000_000n }]);
    await report([payout], hash);
    await shop.merchant.post(`/refunds/${refund.id}/sent`, { tx_hash: hash });
    await shop.chain.mine(3);
    await shop.pass(20 * 60);
    await Promise.all([verify(shop.ctx), refundsJob.run(shop.ctx, new AbortController().signal, () => {})]);
    await shop.pass(20 * 60);
    await Promise.all([verify(shop.ctx), refundsJob.run(shop.ctx, new AbortController().signal, () => {})]);
    const both = [(await after([payout]))[0], await shop.merchant.get(`/refunds/${refund.id}`)];
    expect(both.map(({ status }) => status).sort()).toEqual(['final', 'sent']);
    expect(both.find(({ status }) => status === 'sent').mismatch).toMatchObject({ coin_amount: '3.000000' });
  });

  test('a transfer that another account has named for itself first still counts for this one', async () => {
    const { id, amountUnits, tag } = await shop.checkout({ amount: '20.00' });
    await shop.send(amountUnits, { tag });
    await shop.settle();
    const refund = await shop.merchant.post(`/payments/${(await shop.payment(id)).id}/refunds`, {
      coin_amount: '3.500000',
      to: shop.customer,
    });
    const [payout] = await plan([[shop.customer, '4.5']]);
    const hash = await sign([3_500_000n, 4_500_000n].map((units) => ({ to: shop.customer, units })));
    const askAsStranger = dashboardOf({ app: shop.app, merchant: await shop.app.newMerchant() });
    const csv = ['3.5', '4.5'].map((amount) => `${shop.customer},USDC,ethereum,${amount}`).join('\n');
    await askAsStranger('POST', '', { csv, import: 'same' });
    await askAsStranger('POST', '/sent', { payouts: idsOf(await askAsStranger('GET', '')), tx_hash: hash });
    await settle();
    expect(await askAsStranger('GET', '')).toMatchObject([{ status: 'final' }, { status: 'final' }]);

    await report([payout], hash);
    await shop.merchant.post(`/refunds/${refund.id}/sent`, { tx_hash: hash });
    await settle();
    await refundsJob.run(shop.ctx, new AbortController().signal, () => {});
    expect(await after([payout])).toMatchObject([{ status: 'final', verified: true }]);
    expect(await shop.merchant.get(`/refunds/${refund.id}`)).toMatchObject({ status: 'final', verified: true });
  });

  test('a transfer from before the import, or that was reverted, makes no payout', async () => {
    const to = getAddress(toHex(9n << 40n, { size: 20 }));
    const early = await sign([{ to, units: 4_000_000n }]);
    await shop.pass(60 * 60);
    const tooMuch = { target: shop.usdc, data: transferCalldata(to, 10n ** 30n) as Hex };
    const lost = await shop.chain.batch(batcher, [tooMuch], { gas: 200_000n });
    const payouts = await plan([
      [to, '4'],
      [to, '5'],
    ]);
    await shop.ctx.db.query('test_imported_now', `update payouts set created_at = $2 where id = any ($1)`, [
      idsOf(payouts),
      await shop.ctx.db.now(),
    ]);
    await report([payouts[0]], early);
    await report([payouts[1]], lost);
    await settle();
    expect((await after(payouts)).map(({ status }) => status)).toEqual(['sent', 'failed']);
    // What was sent after that is found.
    const right = await sign([
      { to, units: 4_000_000n },
      { to, units: 5_000_000n },
    ]);
    await report(payouts, right);
    await settle();
    expect((await after(payouts)).map(({ status }) => status)).toEqual(['final', 'final']);
  });

  test('a payout that two wallets sent after a take-over keeps both transactions', async () => {
    const to = getAddress(toHex(13n << 40n, { size: 20 }));
    const payouts = await plan([[to, '8']]);
    await send(payouts);
    await send(payouts, { holder: 'other', take_over: true });
    const hashes = [await sign([{ to, units: 8_000_000n }]), await sign([{ to, units: 8_000_000n }])];
    await report(payouts, hashes[0] as string);
    await settle();
    await report(payouts, hashes[1] as string);
    expect(await after(payouts)).toMatchObject([{ status: 'final', tx_hash: hashes[0], other_tx_hashes: [hashes[1]] }]);
  });

  test('what a browser gave to its wallet is given to no other one, unless a person takes it over', async () => {
    const to = getAddress(toHex(11n << 40n, { size: 20 }));
    const payouts = await plan([
      [to, '6'],
      [to, '7'],
    ]);
    expect((await send([payouts[0]])).others).toEqual([]);
    const theirs = await send(payouts, { holder: 'other' });
    expect(theirs).toMatchObject({
      payouts: [],
      transactions: [],
      others: [{ id: payouts[0].id, address: shop.wallet, until: expect.any(String) }],
    });
    expect((await send(payouts, { holder: 'other', take_over: true })).payouts).toHaveLength(2);
    await ask('POST', '/cancel', { payouts: idsOf(payouts), take_over: true });
    await expect(send(payouts)).rejects.toThrow('invalid_payment_state');
  });

  test('a payout that a wallet has is not cancelled meanwhile, unless a person says that it was not sent', async () => {
    const to = getAddress(toHex(14n << 40n, { size: 20 }));
    const payouts = await plan([
      [to, '9'],
      [to, '10'],
    ]);
    const cancel = (more: object = {}) => ask('POST', '/cancel', { payouts: idsOf(payouts), ...more });
    await send([payouts[0]]);
    await expect(cancel()).rejects.toThrow('take_over');
    expect((await after(payouts)).map(({ status }) => status)).toEqual(['planned', 'planned']);
    expect(await cancel({ take_over: true })).toEqual({ cancelled: 2 });

    const later = await plan([[to, '11']]);
    await send(later);
    await shop.ctx.db.query(
      'test_hold_ends',
      `update payouts set wallet = jsonb_set(wallet, '{until}', to_jsonb(now() - interval '1 second')) where id = any ($1)`,
      [idsOf(later)],
    );
    expect(await ask('POST', '/cancel', { payouts: idsOf(later) })).toEqual({ cancelled: 1 });
  });
});

describe('on Solana', () => {
  let shop: SolanaShop;
  beforeAll(async () => {
    shop = await startSolanaShop();
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  test('a hundred payouts are one request to the wallet, each is verified, and an altered one is found', async () => {
    const ask = dashboardOf(shop);
    await shop.sendUsdc(500_000_000n);
    const wallets = await Promise.all(
      Array.from({ length: 100 }, async () => (await shop.cluster.newWallet()).address),
    );
    const amounts = wallets.map((_to, at) => `1.${String(at).padStart(2, '0')}`);
    const csv = wallets.map((to, at) => `${to},USDC,solana,${amounts[at]},${at}`).join('\n');
    await ask('POST', '', { csv, import: 'all' });
    const payouts = (await ask('GET', '?status=planned&limit=100')).sort(
      (one: Data, other: Data) => Number(one.note) - Number(other.note),
    );
    const ids: string[] = payouts.map(({ id }: Data) => id);
    const { transactions } = await ask('POST', '/send', { payouts: ids, from: shop.wallet.address, holder: 'browser' });
    expect(transactions).toHaveLength(Math.ceil(100 / MAX_SENT_TOGETHER.solana));
    const hashes = await signAllAndSend(shop.wallet, transactions, { from: 1_420_000n, to: 1_420_001n });
    for (const [at, hash] of hashes.entries()) {
      const some = ids.slice(at * MAX_SENT_TOGETHER.solana, (at + 1) * MAX_SENT_TOGETHER.solana);
      await ask('POST', '/sent', { payouts: some, tx_hash: hash });
    }
    shop.cluster.finalize();
    await shop.pass(60);
    await verify(shop.ctx);
    const final: Data[] = await ask('GET', '?status=final&limit=100');
    expect(final).toHaveLength(99);
    expect(final.every(({ verified }) => verified)).toBe(true);
    expect(await ask('GET', '?status=sent')).toMatchObject([
      { id: ids[42], mismatch: { asset: 'USDC', coin_amount: '1.420001', to: wallets[42] } },
    ]);
  });

  test('a payout to a token account is sent by no wallet', async () => {
    const ask = dashboardOf(shop);
    const to = await shop.cluster.tokenAccount(shop.usdc, shop.customer.address);
    await ask('POST', '', { csv: `${to},USDC,solana,1`, import: 'lost' });
    const [one] = await ask('GET', '?status=planned');
    await expect(
      ask('POST', '/send', { payouts: [one.id], from: shop.wallet.address, holder: 'browser' }),
    ).rejects.toThrow('This is a token account, not a wallet.');
  });

  /** What a wallet does that is given all of them by one request and asked once. The one transfer of `from` is altered. */
  async function signAllAndSend(
    wallet: KeyPairSigner,
    transactions: readonly string[],
    { from, to }: { from: bigint; to: bigint },
  ): Promise<string[]> {
    let altered = 0;
    const signed = await Promise.all(
      transactions.map((base64) => {
        const { messageBytes, ...rest } = getTransactionDecoder().decode(getBase64Encoder().encode(base64));
        const message = Buffer.from(messageBytes);
        const at = message.indexOf(unitsBytes(from));
        if (at >= 0) {
          message.set(unitsBytes(to), at);
          altered += 1;
        }
        return signTransaction([wallet.keyPair], { ...rest, messageBytes: new Uint8Array(message) } as never);
      }),
    );
    expect(altered).toBe(1);
    const sent = [];
    for (const one of signed) {
      const wire = Buffer.from(Uint8Array.from(getTransactionEncoder().encode(one as never))).toString('base64');
      sent.push(await shop.cluster.rpc<string>('sendTransaction', [wire, { encoding: 'base64' }]));
    }
    return sent;
  }

  function unitsBytes(units: bigint): Buffer {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(units);
    return bytes;
  }
});
