import { PAY_ASSETS, RECEIVE_ASSETS, findAsset, type Asset } from '@quittance/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startOneClick, type OneClickServer, type QuoteAnswer } from '../../../../test/support/one-click-server.ts';
import { changed, type Facts, FEE_RECIPIENT, GONE } from '../../../../test/support/routes/mutation.ts';
import { adapterMutations, isOfProvider } from '../../../../test/support/routes/mutations.ts';
import { PermanentError, TemporaryError } from '../../../platform/errors.ts';
import { HOUR_MS } from '../../../platform/time.ts';
import { placeholderAddress } from '../addresses.ts';
import { RouteRefusedError } from '../router.ts';
import { createOneClick } from './one-click.ts';
import { isSignedQuote } from './signature.ts';

let server: OneClickServer;
beforeAll(async () => {
  server = await startOneClick();
});
afterAll(() => server.stop());
beforeEach(() => server.misbehave(undefined));

const asset = (symbol: string, network: string) => findAsset(symbol, network) as Asset;
const router = (feeRecipient: string | null = 'quittance.near') =>
  createOneClick({ url: server.url, key: null, signer: server.signer, feeRecipient, timeoutMs: 1_500 });
const wallet = '0x52908400098527886E0F7030069857D2E4169EE7';
const request = {
  pay: asset('BTC', 'bitcoin'),
  receive: asset('USDC', 'base'),
  outputUnits: 48_265_017n,
  recipient: wallet,
};
const order = {
  ...request,
  refundAddress: placeholderAddress('bitcoin'),
  deadline: new Date(Date.now() + 3 * 3_600_000),
  reference: 'cs_1',
};

test('all 128 routed pairs are previewed with the exact output', async () => {
  const oneClick = router();
  for (const pay of PAY_ASSETS) {
    for (const receive of RECEIVE_ASSETS) {
      if (pay.key === receive.key) continue;
      expect(await oneClick.supports(pay, receive)).toBe(true);
      const recipient = receive.network === 'solana' ? placeholderAddress('solana') : wallet;
      const preview = await oneClick.preview({ pay, receive, outputUnits: 10n ** BigInt(receive.decimals), recipient });
      expect(preview.outputUnits).toBe(10n ** BigInt(receive.decimals));
      expect(preview.inputUnits).toBeGreaterThan(0n);
    }
  }
});

test('an order is bound to the wallet, the refund address and the exact output', async () => {
  const placed = await router().order(order);
  expect(placed.depositAddress).toMatch(/^1/);
  expect(placed.minimumInputUnits).toBeLessThan(placed.inputUnits);
  const sent = server.requests.findLast(({ path }) => path === '/v0/quote')?.body;
  expect(sent).toMatchObject({
    dry: false,
    swapType: 'EXACT_OUTPUT',
    recipient: wallet,
    refundTo: order.refundAddress,
    amount: '48265017',
    depositType: 'ORIGIN_CHAIN',
    refundType: 'ORIGIN_CHAIN',
    recipientType: 'DESTINATION_CHAIN',
    appFees: [{ recipient: 'quittance.near', fee: 150 }],
  });
});

test('every wrong answer to an order is refused', { timeout: 60_000 }, async () => {
  const oneClick = router(FEE_RECIPIENT);
  const bnb = { ...order, pay: asset('BNB', 'bnb'), refundAddress: placeholderAddress('bnb') };
  const facts = { sign: server.sign } as Facts;
  // What follows is refused for what is changed alone.
  expect(await oneClick.order(bnb)).toMatchObject({ outputUnits: 48_265_017n });
  const wrong: string[] = [];
  for (const { name, change } of adapterMutations('one-click')) {
    server.misbehave((path, honest) => {
      if (path !== '/v0/quote') return honest;
      const { status = honest.status, text } = change(honest.body, facts);
      return { status, body: text };
    });
    const said = await oneClick.order(bnb).catch((error: Error) => error);
    if (!isOfProvider(said)) wrong.push(`${name}: ${said}`);
  }
  expect(wrong).toEqual([]);
});

test.each([
  ['quote.deadline', new Date(order.deadline.getTime() - HOUR_MS).toISOString()],
  ['quote.timeWhenInactive', new Date(order.deadline.getTime() - HOUR_MS).toISOString()],
  ['quoteRequest.dry', true],
])('%s = %s is refused, though it is well signed: the address may not wait for the deposit', async (path, value) => {
  server.misbehave((where, honest) =>
    where === '/v0/quote' ? { ...honest, body: server.sign(changed(honest.body, path, value)) } : honest,
  );
  await expect(router().order(order)).rejects.toBeInstanceOf(PermanentError);
});

test('the answer to another order is refused, though it is well signed', async () => {
  const oneClick = router();
  await oneClick.order({ ...order, outputUnits: 1_000_000n });
  const [{ answer } = {}] = [...server.orders.values()].slice(-1);
  server.misbehave((path, honest) => (path === '/v0/quote' ? { ...honest, body: answer } : honest));
  await expect(oneClick.order(order)).rejects.toBeInstanceOf(PermanentError);
});

test.each([
  [{ status: 400, body: { message: 'Amount is too low for bridge, try at least 10000' } }, RouteRefusedError],
  [{ status: 400, body: { message: 'No liquidity available' } }, RouteRefusedError],
  [{ status: 403, body: { message: 'Address is blocked by compliance policy' } }, RouteRefusedError],
  [{ status: 451, body: {} }, RouteRefusedError],
  [{ status: 500, body: { message: 'Internal server error' } }, TemporaryError],
  [{ status: 429, body: { message: 'slow down' } }, TemporaryError],
  [{ status: 401, body: { message: 'Unauthorized' } }, TemporaryError],
  [{ status: 201, body: '<html>' }, TemporaryError],
  [{ status: 201, body: 'null' }, PermanentError],
  [{ status: 201, body: '{"quote":"\\u0000"}' }, PermanentError],
])('a response of %j is a rejection or an outage', async (answer, kind) => {
  const oneClick = router();
  await oneClick.supports(request.pay, request.receive);
  server.misbehave((path, honest) => (path === '/v0/quote' ? answer : honest));
  await expect(oneClick.order(order)).rejects.toBeInstanceOf(kind);
});

test('a rejection of a small amount includes the minimum amount', async () => {
  await expect(router().order({ ...order, outputUnits: 100n })).rejects.toMatchObject({
    minimumInputUnits: expect.any(BigInt),
  });
});

test('a provider that does not respond is an outage after the deadline', async () => {
  server.misbehave(() => 'silent');
  await expect(router().preview(request)).rejects.toBeInstanceOf(TemporaryError);
});

test('the progress of an order is read in each of its states', async () => {
  const oneClick = router();
  const placed = await oneClick.order(order);
  const progress = () => oneClick.progress(placed);
  expect(await progress()).toEqual({ state: 'waiting' });
  server.set(placed.depositAddress, 'KNOWN_DEPOSIT_TX');
  expect(await progress()).toMatchObject({ state: 'seen' });
  server.deposit(placed.depositAddress, placed.minimumInputUnits - 1n);
  expect(await progress()).toEqual({ state: 'short', depositedUnits: placed.minimumInputUnits - 1n });
  server.deposit(placed.depositAddress, 1n);
  expect(await progress()).toMatchObject({ state: 'converting' });
  const hash = `0x${'ab'.repeat(32)}`;
  server.set(placed.depositAddress, 'PROCESSING', { destinationChainTxHashes: [{ hash, explorerUrl: '' }] });
  expect(await progress()).toEqual({ state: 'delivering', payoutTxHashes: [hash] });
  server.set(placed.depositAddress, 'SUCCESS', { amountOut: '48265017' });
  expect(await progress()).toEqual({ state: 'done', payoutTxHashes: [hash], outputUnits: 48_265_017n });
  server.set(placed.depositAddress, 'REFUNDED', { refundReason: 'PRICE_MOVED', refundedAmount: '10' });
  expect(await progress()).toEqual({ state: 'returned', reason: 'PRICE_MOVED', refundedUnits: 10n });
  server.set(placed.depositAddress, 'FAILED');
  expect(await progress()).toEqual({ state: 'stuck', reason: 'route_failed' });
  server.set(placed.depositAddress, 'FAILED', { depositedAmount: '0' });
  expect(await progress()).toEqual({ state: 'dead', reason: 'route_failed' });
  expect(await oneClick.progress({ ...placed, reference: 'unknown' })).toEqual({ state: 'waiting', isUnknown: true });
});

describe('a status', () => {
  const asked = ['originAsset', 'destinationAsset', 'amount', 'recipient', 'refundTo', 'swapType'];
  test.each<[string, unknown]>([
    ['quoteResponse.quote.depositAddress', wallet],
    ...asked.flatMap((field) =>
      ['other', GONE].map((value): [string, unknown] => [`quoteResponse.quoteRequest.${field}`, value]),
    ),
    ['quoteResponse', GONE],
    ['swapDetails', 7],
    ['extra', '\u0000'],
    ['', null],
    ['', []],
  ])('with %s = %j is a failure of the provider and changes nothing', async (path, value) => {
    const oneClick = router();
    const placed = await oneClick.order(order);
    server.set(placed.depositAddress, 'SUCCESS', { amountOut: '48265017' });
    server.misbehave((where, honest) => {
      if (where !== '/v0/status') return honest;
      return { ...honest, body: JSON.stringify(path ? changed(honest.body, path, value) : value) };
    });
    await expect(oneClick.progress(placed)).rejects.toBeInstanceOf(PermanentError);
  });

  test('with an unknown state means waiting', async () => {
    const oneClick = router();
    const placed = await oneClick.order(order);
    server.misbehave((_path, honest) => ({
      ...honest,
      body: { ...(honest.body as object), status: 'DELIVERED_MAYBE' },
    }));
    expect(await oneClick.progress(placed)).toEqual({ state: 'waiting' });
  });
});

test('optional fields that are missing, null or empty are signed alike, in the request and in the quote', async () => {
  const oneClick = router();
  for (const empty of [null, '', 0, false, undefined]) {
    server.misbehave((path, honest) => {
      if (path !== '/v0/quote') return honest;
      const { quoteRequest, quote, ...rest } = honest.body as QuoteAnswer;
      const blank = { virtualChainRecipient: empty, virtualChainRefundRecipient: empty, customRecipientMsg: empty };
      // The signature was made before: the provider adds empty fields that it did not sign.
      return {
        ...honest,
        body: {
          ...rest,
          quoteRequest: { ...quoteRequest, ...blank },
          quote: { ...quote, ...blank, depositMemo: empty },
        },
      };
    });
    expect(await oneClick.order(order)).toMatchObject({ outputUnits: 48_265_017n });
  }
});

test.each([
  'null',
  '{}',
  '7',
  '"x"',
  '[null, 7, "x", [], {}]',
  '[{"assetId":7,"symbol":null,"blockchain":[],"decimals":"6"}]',
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  '',
  '<html>',
])('a token list like %s yields no pair, and no error other than a provider failure', async (body) => {
  server.misbehave((path, honest) => (path === '/v0/tokens' ? { ...honest, body } : honest));
  const answer = await router()
    .supports(request.pay, request.receive)
    .catch((error: Error) => error.name);
  expect([false, 'PermanentError', 'TemporaryError']).toContain(answer);
});

test('a key of small order has no valid signature', () => {
  const response = { timestamp: 't', signature: `ed25519:${'1'.repeat(64)}`, quoteRequest: {}, quote: {} };
  expect(isSignedQuote(response, `ed25519:${'1'.repeat(32)}`)).toBe(false);
});
