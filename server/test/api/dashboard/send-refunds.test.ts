import {
  getBase64Encoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type KeyPairSigner,
  signTransaction,
} from '@solana/kit';
import { type Address, getAddress, type Hex, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refundsJob } from '../../../src/resources/refunds/verify.ts';
import { transferCalldata } from '../../support/anvil.ts';
import type { TestApp } from '../../support/index.ts';
import type { Merchant } from '../../support/merchant.ts';
import { type Settlement, startSettlement } from '../../support/settlement.ts';
import { type SolanaShop, startSolanaShop } from '../../support/solana/shop.ts';

type Data = any;

const plan = (app: TestApp, merchant: Merchant, body: object, mode = 'live') =>
  app.inject('POST', '/dashboard/api/refunds/send', {
    body,
    headers: { cookie: `session=${merchant.loginToken}`, 'service-mode': mode, 'sec-fetch-site': 'same-origin' },
  });

/** Plans a refund of 1.00 to each of new addresses. */
async function planned(merchant: Merchant, payment: string, recipients: readonly string[]): Promise<Data[]> {
  const made: Data[] = [];
  for (const to of recipients)
    made.push(await merchant.post(`/payments/${payment}/refunds`, { coin_amount: '1.000000', to }));
  return made;
}

describe('on the Ethereum family', () => {
  let shop: Settlement;
  let payment: string;
  const wallets = Array.from({ length: 10 }, (_, at) => getAddress(toHex(BigInt(at + 1) << 32n, { size: 20 })));
  beforeAll(async () => {
    shop = await startSettlement();
    const { id, amountUnits, tag } = await shop.checkout({ amount: '98.00' });
    await shop.send(amountUnits, { tag });
    await shop.settle();
    payment = (await shop.payment(id)).id;
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  test('ten refunds are one signature, each is verified and recorded once, and an altered one is found', async () => {
    const refunds = await planned(shop.merchant, payment, wallets);
    const ids = refunds.map(({ id }) => id);
    const { body } = await plan(shop.app, shop.merchant, { refunds: [...ids, ids[0]], from: shop.wallet });
    expect(body.data).toMatchObject({ network: 'ethereum', transaction: null });
    expect(body.data.refunds.map(({ id }: Data) => id)).toEqual(ids);
    expect(body.data.refunds[3]).toEqual({
      id: ids[3],
      to: wallets[3],
      coin_amount: '1.000000',
      uri: `ethereum:${shop.usdc}@${shop.chain.chainId}/transfer?address=${wallets[3]}&uint256=1000000`,
      // A stranger with a key may have planned it.
      warnings: ['not_a_sender'],
    });
    // Nothing changes by the plan.
    expect((await shop.merchant.get('/refunds', { status: 'planned' })).data).toHaveLength(10);

    const batcher = await shop.chain.deploy('Batcher');
    await shop.chain.transferErc20({ token: shop.usdc, to: batcher, amount: 50_000_000n });
    const calls = body.data.refunds.map(({ to }: Data, at: number) => ({
      target: shop.usdc,
      data: transferCalldata(to as Address, at === 7 ? 2_000_000n : 1_000_000n) as Hex,
    }));
    const hash = await shop.chain.batch(batcher, calls);
    for (const id of ids) await shop.merchant.post(`/refunds/${id}/sent`, { tx_hash: hash });
    await shop.chain.mine(3);
    await shop.pass(20 * 60);
    await refundsJob.run(shop.ctx, new AbortController().signal, () => {});
    const after = await Promise.all(ids.map((id) => shop.merchant.get(`/refunds/${id}`)));
    expect(after.map(({ status, verified }) => `${status} ${verified}`)).toEqual(
      ids.map((_id, at) => (at === 7 ? 'sent false' : 'final true')),
    );
    expect(after[7].mismatch).toMatchObject({ asset: 'USDC', coin_amount: '2.000000' });
    expect(await shop.merchant.get(`/payments/${payment}`)).toMatchObject({ refunded_amount: '9.00', status: 'paid' });
  });

  test('an address is shown too if the service knows no sender of the money', async () => {
    const { id, amountUnits, tag } = await shop.checkout({ amount: '5.00' });
    await shop.send(amountUnits, { tag });
    await shop.settle();
    const { id: unknown } = await shop.payment(id);
    const forget = 'update transfers set from_address = null where payment_id = $1';
    await shop.ctx.db.query('test_forget_sender', forget, [unknown]);
    const [one] = await planned(shop.merchant, unknown, wallets.slice(0, 1));
    const { body } = await plan(shop.app, shop.merchant, { refunds: [one.id], from: shop.wallet });
    expect(body.data.refunds).toMatchObject([{ to: wallets[0], warnings: ['not_a_sender'] }]);
    await shop.merchant.post(`/refunds/${one.id}/cancel`);
  });

  test('only what is planned, of one network, is offered to a wallet', async () => {
    const [one] = await planned(shop.merchant, payment, [shop.customer]);
    const own = await plan(shop.app, shop.merchant, { refunds: [one.id], from: shop.wallet });
    expect(own.body.data.refunds).toMatchObject([{ to: shop.customer, warnings: [] }]);
    const asked = async (body: object, mode?: string) => (await plan(shop.app, shop.merchant, body, mode)).body.error;
    const from = shop.wallet;
    expect(await asked({ refunds: [one.id], from: 'nonsense' })).toMatchObject({ param: 'from' });
    expect(await asked({ refunds: [one.id, 'rf_000000000000000000000000'], from })).toMatchObject({
      code: 'not_found',
    });
    expect(await asked({ refunds: [], from })).toMatchObject({ code: 'invalid_request', param: 'refunds' });
    await shop.merchant.post(`/refunds/${one.id}/cancel`);
    expect(await asked({ refunds: [one.id], from })).toMatchObject({ code: 'invalid_payment_state' });
    expect(await asked({ refunds: [one.id], from }, 'test')).toMatchObject({ code: 'invalid_payment_state' });
  });
});

describe('on Solana', () => {
  let shop: SolanaShop;
  beforeAll(async () => {
    shop = await startSolanaShop();
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  test('eight refunds are one transaction, which the payout wallet signs, and each is verified', async () => {
    const { id, amountUnits, reference } = await shop.checkout('USDC');
    await shop.sendUsdc(amountUnits, { references: [reference] });
    await shop.settle();
    const { id: payment } = await shop.payment(id);
    const wallets = await Promise.all(Array.from({ length: 9 }, async () => (await shop.cluster.newWallet()).address));
    const ids = (await planned(shop.merchant, payment, wallets)).map((refund) => refund.id);
    const from = shop.wallet.address;
    expect((await plan(shop.app, shop.merchant, { refunds: ids, from })).body.error).toMatchObject({
      code: 'invalid_payment_state',
    });
    const some = ids.slice(0, 8);
    const { body } = await plan(shop.app, shop.merchant, { refunds: some, from });
    expect(body.data.refunds[0]).toMatchObject({ to: wallets[0], uri: null });
    const hash = await signAndSend(shop.wallet, body.data.transaction);
    for (const refund of some) await shop.merchant.post(`/refunds/${refund}/sent`, { tx_hash: hash });
    shop.cluster.finalize();
    await shop.pass(60);
    await refundsJob.run(shop.ctx, new AbortController().signal, () => {});
    const after = await Promise.all(some.map((refund) => shop.merchant.get(`/refunds/${refund}`)));
    expect(after.map(({ status, verified }) => `${status} ${verified}`)).toEqual(some.map(() => 'final true'));

    // The network did not answer when this one was planned.
    const lost = await shop.cluster.tokenAccount(shop.usdc, shop.customer.address);
    await shop.ctx.db.query('test_unfit', 'update refunds set to_address = $2 where id = $1', [ids[8], lost]);
    expect((await plan(shop.app, shop.merchant, { refunds: [ids[8]], from })).body.error).toMatchObject({
      code: 'invalid_payment_state',
      message: expect.stringContaining('This is a token account, not a wallet.'),
    });
  });

  test('one that was altered by hand in such a transaction is found, and the other counts', async () => {
    const { id, amountUnits, reference } = await shop.checkout('USDC');
    await shop.sendUsdc(amountUnits, { references: [reference] });
    await shop.settle();
    const { id: payment } = await shop.payment(id);
    const wallets = [(await shop.cluster.newWallet()).address, (await shop.cluster.newWallet()).address];
    const [right, altered] = await planned(shop.merchant, payment, wallets);
    const twice = { coin_amount: '2.000000', to: wallets[1] };
    const { id: other } = await shop.merchant.post(`/payments/${payment}/refunds`, twice);
    const from = shop.wallet.address;
    const { body } = await plan(shop.app, shop.merchant, { refunds: [right.id, other], from });
    await shop.merchant.post(`/refunds/${other}/cancel`);
    const hash = await signAndSend(shop.wallet, body.data.transaction);
    for (const refund of [right, altered]) await shop.merchant.post(`/refunds/${refund.id}/sent`, { tx_hash: hash });
    shop.cluster.finalize();
    await shop.pass(60);
    await refundsJob.run(shop.ctx, new AbortController().signal, () => {});
    expect(await shop.merchant.get(`/refunds/${right.id}`)).toMatchObject({ status: 'final', verified: true });
    expect(await shop.merchant.get(`/refunds/${altered.id}`)).toMatchObject({
      status: 'sent',
      mismatch: { asset: 'USDC', coin_amount: '2.000000' },
    });
  });

  async function signAndSend(wallet: KeyPairSigner, base64: string): Promise<string> {
    const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(base64));
    const signed = await signTransaction([wallet.keyPair], transaction as never);
    const wire = Buffer.from(Uint8Array.from(getTransactionEncoder().encode(signed as never))).toString('base64');
    return shop.cluster.rpc<string>('sendTransaction', [wire, { encoding: 'base64' }]);
  }
});
