import {
  getBase64Encoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type KeyPairSigner,
  signTransaction,
} from '@solana/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/index.ts';
import type { Merchant } from '../../support/merchant.ts';
import { type Settlement, startSettlement } from '../../support/settlement.ts';
import { type SolanaShop, startSolanaShop } from '../../support/solana/shop.ts';

type Data = any;

/** Asks like the dashboard, by default in this merchant's live mode. */
async function ask(
  app: TestApp,
  merchant: Merchant,
  path: string,
  { body, mode = 'live' }: { body?: object; mode?: string } = {},
) {
  const method = body ? 'POST' : 'GET';
  return app.inject(method, `/dashboard/api${path}`, {
    body,
    headers: { cookie: `session=${merchant.loginToken}`, 'service-mode': mode, 'sec-fetch-site': 'same-origin' },
  });
}

async function data(...asked: Parameters<typeof ask>): Promise<Data> {
  const { status, body, raw } = await ask(...asked);
  if (status !== 200) throw new Error(`${asked[2]} answered ${status} ${raw}`);
  return body.data;
}

describe('on the Ethereum family', () => {
  let shop: Settlement;
  let payment: Data;
  beforeAll(async () => {
    shop = await startSettlement();
    const { id, amountUnits, tag } = await shop.checkout();
    await shop.send(amountUnits, { tag });
    await shop.settle();
    payment = await shop.payment(id);
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  const check = (address: string, mode = 'live', network = 'ethereum') =>
    data(shop.app, shop.merchant, `/address-check?network=${network}&asset=USDC&address=${address}`, { mode });

  test('an address that a contract lives at is warned of, and can be saved', async () => {
    const contract = await shop.chain.deploy('Balances');
    expect(await check(contract)).toMatchObject({ valid: true, warnings: ['contract'] });
    expect(await shop.merchant.createWallet({ asset: 'USDC', network: 'ethereum', address: contract })).toMatchObject({
      address: contract,
    });
    expect(await check(contract)).toMatchObject({ valid: true, warnings: ['saved_already', 'contract'] });
  });

  test('an ordinary wallet causes no warning, nor does one that delegates to a contract', async () => {
    const [, , plain, lent] = shop.chain.accounts.map(({ address }) => address) as [string, string, string, string];
    await shop.chain.rpc('anvil_setCode', [lent, `0xef0100${'12'.repeat(20)}`]);
    expect(await check(plain)).toMatchObject({ valid: true, warnings: [] });
    expect(await check(lent)).toMatchObject({ valid: true, warnings: [] });
  });

  test('in test mode no network is asked, and where none answers that is said', async () => {
    expect(await check(shop.wallet, 'test')).toMatchObject({ valid: true, warnings: [] });
    expect((await check(shop.wallet)).warnings).toContain('saved_already');
    expect((await check(shop.wallet, 'live', 'base')).warnings).toEqual(
      expect.arrayContaining(['saved_elsewhere', 'not_looked_up']),
    );
  });

  test("a supported token's contract is rejected as it is when it is saved", async () => {
    expect(await check(shop.usdc)).toMatchObject({ valid: false, why: expect.stringContaining('token contract') });
  });

  test('a refund is looked up on the chain: its sender, recipient and amount', async () => {
    const [, customer, other] = shop.chain.accounts.map(({ address }) => address) as [
      `0x${string}`,
      `0x${string}`,
      `0x${string}`,
    ];
    const look = (txHash: string, address: string = customer) =>
      data(shop.app, shop.merchant, `/payments/${payment.id}/check-refund`, { body: { tx_hash: txHash, address } });
    const plan = await data(shop.app, shop.merchant, `/payments/${payment.id}/refund-plan?to=${customer}`);
    expect(plan).toMatchObject({ suggestions: [{ address: customer, kind: 'sender' }], warnings: [] });

    const right = await shop.send(12_000_000n, { from: other, to: customer });
    expect(await look(right)).toEqual({
      verdict: 'found',
      transfers: [{ asset: 'USDC', amount: '12.000000', from: other, to: customer, from_payout_wallet: false }],
    });
    expect(await look(right.toUpperCase().replace('0X', '0x'))).toMatchObject({ verdict: 'found' });
    // To another address, of another token, never sent, reverted.
    expect(await look(await shop.send(12_000_000n, { from: other, to: shop.wallet }))).toEqual({
      verdict: 'unknown',
      transfers: [],
    });
    expect(await look(`0x${'ab'.repeat(32)}`)).toEqual({ verdict: 'unknown', transfers: [] });
    const reverted = await shop.chain.send({ from: other, to: shop.usdc, data: '0xdeadbeef', gas: 100_000n } as never);
    expect(await look(reverted)).toEqual({ verdict: 'reverted', transfers: [] });
    expect(
      (
        await ask(shop.app, shop.merchant, `/payments/${payment.id}/check-refund`, {
          body: {
            tx_hash: 'nonsense',
            address: customer,
          },
        })
      ).status,
    ).toBe(400);
  });

  test("a stranger who adds 1 % with the payment's public reference is listed with what they sent, and is suggested no more", async () => {
    const [, customer, stranger] = shop.chain.accounts.map(({ address }) => address) as [
      `0x${string}`,
      `0x${string}`,
      `0x${string}`,
    ];
    const { id, amountUnits, tag } = await shop.checkout({ amount: '1000.00' });
    await shop.send(891_000_000n, { tag });
    await shop.settle();
    await shop.send(9_000_000n, { tag, from: stranger });
    await shop.settle();
    await shop.pass(7_200);
    await shop.settle();
    await shop.expire();
    const short = await shop.payment(id);
    expect([short.status, short.actual_output, amountUnits > 900_000_000n]).toEqual([
      'refund_required',
      '900.000000',
      true,
    ]);

    const planned = (query = '') => data(shop.app, shop.merchant, `/payments/${short.id}/refund-plan${query}`);
    expect((await planned()).suggestions).toEqual([
      { address: customer, kind: 'sender', amount: '891.000000', is_small: false, resembles: null },
      { address: stranger, kind: 'sender', amount: '9.000000', is_small: true, resembles: null },
    ]);
    expect(await planned(`?to=${stranger}`)).toMatchObject({
      uri: expect.stringContaining('uint256=9000000'),
      warnings: ['small_sender'],
    });
    expect(await planned(`?to=${stranger}&amount=900`)).toMatchObject({ warnings: ['more_than_sent', 'small_sender'] });
    expect(await planned(`?to=${customer}`)).toMatchObject({
      uri: expect.stringContaining('uint256=891000000'),
      warnings: [],
    });
    expect(await planned(`?to=${shop.chain.accounts[5]?.address}&amount=1`)).toMatchObject({
      warnings: ['not_a_sender'],
    });
  });

  test('its transaction is not ours to build there', async () => {
    const { status, body } = await ask(shop.app, shop.merchant, `/payments/${payment.id}/refund-transaction`, {
      body: {
        from: shop.wallet,
        to: shop.customer,
        amount: '1',
      },
    });
    expect([status, body.error.code]).toEqual([400, 'invalid_payment_state']);
  });
});

describe('on Solana', () => {
  let shop: SolanaShop;
  let payment: Data;
  let inSol: Data;
  beforeAll(async () => {
    shop = await startSolanaShop();
    payment = await paid('USDC');
    inSol = await paid('SOL');
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  async function paid(asset: 'USDC' | 'SOL'): Promise<Data> {
    const { id, amountUnits, reference } = await shop.checkout(asset);
    await (asset === 'SOL'
      ? shop.sendSol(amountUnits, { references: [reference] })
      : shop.sendUsdc(amountUnits, { references: [reference] }));
    await shop.settle();
    return shop.payment(id);
  }
  const check = (address: string) =>
    data(shop.app, shop.merchant, `/address-check?network=solana&asset=USDC&address=${address}`);
  const build = (id: string, body: object) =>
    ask(shop.app, shop.merchant, `/payments/${id}/refund-transaction`, { body });
  const look = (id: string, txHash: string, address: string) =>
    data(shop.app, shop.merchant, `/payments/${id}/check-refund`, { body: { tx_hash: txHash, address } });

  test('neither the account of a token nor its mint is an address to pay; a wallet is', async () => {
    const account = await shop.cluster.tokenAccount(shop.usdc, shop.customer.address);
    const why = expect.stringContaining(`token account, not a wallet. Its owner is ${shop.customer.address}`);
    expect(await check(account)).toEqual({ valid: false, address: null, why, warnings: [] });
    const plan = `/payments/${payment.id}/refund-plan?to=${account}`;
    expect(await data(shop.app, shop.merchant, plan)).toMatchObject({ objection: why, uri: null });
    const { status, body } = await build(payment.id, { from: shop.wallet.address, to: account, amount: '1' });
    expect([status, body.error]).toEqual([400, expect.objectContaining({ param: 'to', message: why })]);
    expect(await check(shop.customer.address)).toMatchObject({ valid: true, warnings: [] });
    expect(await check((await shop.cluster.newWallet(0n)).address)).toMatchObject({ valid: true, warnings: [] });
    const mint = await shop.cluster.createMint();
    expect(await check(mint)).toMatchObject({ valid: false, why: expect.stringContaining('mint of a token') });
  });

  test('no refund is to the account or the mint of a token, whether the merchant or the customer names it', async () => {
    const account = await shop.cluster.tokenAccount(shop.usdc, shop.customer.address);
    const refund = (fields: object) =>
      shop.merchant.post(`/payments/${payment.id}/refunds`, { amount: '1.00', ...fields });
    const asked = await refund({ link: {} });
    const answer = (fields: Record<string, string>) =>
      shop.app.server.inject({
        method: 'POST',
        url: new URL(asked.link.url).pathname,
        payload: new URLSearchParams(fields).toString(),
        headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      });
    for (const [to, why] of [
      [account, `Its owner is ${shop.customer.address}`],
      [await shop.cluster.createMint(), 'mint of a token'],
    ] as const) {
      const refused = { status: 400, code: 'invalid_refund', param: 'to', message: expect.stringContaining(why) };
      await expect(refund({ to })).rejects.toMatchObject(refused);
      expect((await answer({ address: to, review: '1' })).statusCode).toBe(400);
      expect((await answer({ address: to })).statusCode).toBe(400);
    }
    const unanswered = { status: 'requested', link: { status: 'open', address: null } };
    expect(await shop.merchant.get(`/refunds/${asked.id}`)).toMatchObject(unanswered);
    expect((await answer({ address: shop.customer.address })).statusCode).toBe(303);
    await shop.merchant.post(`/refunds/${asked.id}/cancel`);
  });

  test.each(['USDC', 'SOL'] as const)(
    'a refund in %s is built, signed by the payout wallet, found on the chain and recorded',
    async (asset) => {
      const { id } = asset === 'SOL' ? inSol : payment;
      const to = (await shop.cluster.newWallet()).address;
      const amount = asset === 'SOL' ? '0.25' : '20.5';
      const { body } = await build(id, { from: shop.wallet.address, to, amount });
      const signature = await signAndSend(shop.wallet, body.data.transaction);
      shop.cluster.finalize();

      expect(await look(id, signature, to)).toEqual({
        verdict: 'found',
        transfers: [
          {
            asset,
            amount: asset === 'SOL' ? '0.250000000' : '20.500000',
            from: shop.wallet.address,
            to,
            from_payout_wallet: true,
          },
        ],
      });
      expect(await look(id, signature, shop.customer.address)).toEqual({ verdict: 'unknown', transfers: [] });
      const recorded = await shop.merchant.post(`/payments/${id}/refund`, {
        amount: '20.50',
        address: to,
        reason: 'One fern had withered',
      });
      expect(recorded).toMatchObject({ status: 'refunded', refund: { amount: '20.50', address: to } });
    },
  );

  test.each([
    ['a sender that is not an address', { from: 'nonsense' }, 'from'],
    ['a recipient that is a token', { to: 'usdc' }, 'to'],
    ['nothing', { amount: '0' }, 'amount'],
    ['more decimals than there are', { amount: '0.0000001' }, 'amount'],
    ['more than fits', { amount: '18446744073709.551616' }, 'amount'],
  ])('no transaction for %s', async (_name, wrong, param) => {
    const body = { from: shop.wallet.address, to: shop.customer.address, amount: '1', ...wrong };
    if (body.to === 'usdc') body.to = shop.usdc;
    const answer = await build(payment.id, body);
    expect([answer.status, answer.body.error?.param]).toEqual([400, param]);
  });

  test('no transaction for another account, and none in test mode', async () => {
    const body = { from: shop.wallet.address, to: shop.customer.address, amount: '1' };
    const stranger = await shop.app.newMerchant();
    expect((await ask(shop.app, stranger, `/payments/${payment.id}/refund-transaction`, { body })).status).toBe(404);
    const session = await shop.merchant.test.createSession();
    await shop.app.inject('POST', `/v1/public/checkout/sessions/${session.id}/test`, { body: { action: 'paid' } });
    const { payment: id } = await shop.merchant.test.get(`/checkout/sessions/${session.id}`);
    expect(
      (await ask(shop.app, shop.merchant, `/payments/${id}/refund-transaction`, { body, mode: 'test' })).body.error
        .code,
    ).toBe('invalid_payment_state');
  });

  test('an unreachable network is reported, with the time for a retry', async () => {
    await using app = await startApp({
      env: { RPC_SOLANA_URLS: 'http://127.0.0.1:9', GENESIS_SOLANA: shop.cluster.genesisHash },
    });
    const merchant = app.merchant.live;
    const wallet = await merchant.createWallet({ asset: 'USDC', network: 'solana', address: shop.wallet.address });
    const { id: sessionId } = await merchant.createSession({ payout_wallet_id: wallet.id });
    const [row] = await app.ctx.db.query<{ id: string }>(
      'test_payment_id',
      'select payment_id as id from checkout_sessions where id = $1',
      [sessionId],
    );
    const answer = await ask(app, merchant, `/payments/${row?.id}/refund-transaction`, {
      body: {
        from: shop.wallet.address,
        to: shop.customer.address,
        amount: '1',
      },
    });
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '10']);
  });

  async function signAndSend(signer: KeyPairSigner, base64: string): Promise<string> {
    const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(base64));
    const signed = await signTransaction([signer.keyPair], transaction as never);
    const wire = Buffer.from(Uint8Array.from(getTransactionEncoder().encode(signed as never))).toString('base64');
    return shop.cluster.rpc<string>('sendTransaction', [wire, { encoding: 'base64' }]);
  }
});
