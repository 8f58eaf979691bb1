import { PAY_ASSETS, RECEIVE_ASSETS, findAsset, type Asset } from '@quittance/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startOneClick, type OneClickServer, type QuoteAnswer } from '../../../../test/support/one-click-server.ts';
import { PermanentError, TemporaryError } from '../../../platform/errors.ts';
import { placeholderAddress } from '../placeholder-address.ts';
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

describe('a lying provider', () => {
  const lies: [string, (answer: QuoteAnswer) => QuoteAnswer][] = [];
  const other: Record<string, unknown> = {
    dry: true,
    swapType: 'EXACT_INPUT',
    slippageTolerance: 5_000,
    originAsset: 'nep141:eth.omft.near',
    depositType: 'INTENTS',
    destinationAsset: 'nep141:arb-bridged.omft.near',
    amount: '1',
    refundTo: '1Other',
    refundType: 'INTENTS',
    recipient: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    recipientType: 'INTENTS',
    deadline: '2099-01-01T00:00:00.000Z',
    referral: 'thief',
  };
  for (const [field, value] of Object.entries(other)) {
    const lie = (answer: QuoteAnswer): QuoteAnswer => ({
      ...answer,
      quoteRequest: { ...answer.quoteRequest, [field]: value },
    });
    lies.push(
      [`another ${field}, unsigned`, lie],
      [`another ${field}, well signed`, (answer) => server.sign(lie(answer))],
    );
    lies.push([
      `no ${field}, well signed`,
      (answer) => server.sign({ ...answer, quoteRequest: { ...answer.quoteRequest, [field]: undefined } }),
    ]);
    lies.push([
      `${field} as null, well signed`,
      (answer) => server.sign({ ...answer, quoteRequest: { ...answer.quoteRequest, [field]: null } }),
    ]);
  }
  const quoted: Record<string, unknown[]> = {
    amountIn: ['0', '-1', '1.5', '1e9', 5, null, '', 'x'],
    amountOut: ['48265016', '48265018', '0', '-48265017', 48265017, null],
    minAmountOut: ['1', '48265016', null, 'x'],
    minAmountIn: ['999999999999999999', '-1', 7, null, '0', '9'.repeat(70)],
    depositAddress: [
      null,
      '',
      7,
      'x'.repeat(3_000),
      'nowhere',
      '0x52908400098527886E0F7030069857D2E4169EE7',
      '1BitcoinEaterAddressDontSendf59kuF',
      'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdr',
    ],
    depositMemo: ['12345'],
    deadline: ['2020-01-01T00:00:00.000Z', 'soon', null],
    timeWhenInactive: ['2020-01-01T00:00:00.000Z', 'soon', new Date(Date.now() + 3_600_000).toISOString()],
  };
  for (const [field, values] of Object.entries(quoted)) {
    for (const value of values) {
      const lie = (answer: QuoteAnswer): QuoteAnswer => ({ ...answer, quote: { ...answer.quote, [field]: value } });
      lies.push(
        [`${field} ${JSON.stringify(value)?.slice(0, 30)}, unsigned`, lie],
        [`${field} ${JSON.stringify(value)?.slice(0, 30)}, well signed`, (answer) => server.sign(lie(answer))],
      );
    }
  }
  for (const [field, value] of [
    ['virtualChainRecipient', wallet],
    ['virtualChainRefundRecipient', wallet],
    ['customRecipientMsg', 'transfer'],
    ['depositMode', 'MEMO'],
    ['confidentiality', 'advanced'],
    ['quoteWaitingTimeMs', 1],
  ] as const) {
    lies.push([
      `the ${field} ${value}, well signed`,
      (answer) => server.sign({ ...answer, quoteRequest: { ...answer.quoteRequest, [field]: value } }),
    ]);
    if (/[cC]hain|Msg/.test(field))
      lies.push([
        `the ${field} ${value} in the quote, well signed`,
        (answer) => server.sign({ ...answer, quote: { ...answer.quote, [field]: value } }),
      ]);
  }
  for (const fees of [
    undefined,
    [],
    [null],
    [{ recipient: 'provider.near', fee: 150 }],
    [{ recipient: 'quittance.near', fee: 300 }],
    [{ recipient: 'quittance.near', fee: 75 }],
    [
      { recipient: 'quittance.near', fee: 150 },
      { recipient: 'provider.near', fee: 1 },
    ],
    [{ recipient: 'quittance.near', fee: '150' }],
    'all',
    [
      { recipient: 'quittance.near', fee: 74 },
      { recipient: 'provider.near', fee: 76 },
    ],
    [
      { recipient: 'quittance.near', fee: 1 },
      { recipient: 'provider.near', fee: 149 },
    ],
    [
      { recipient: 'quittance.near', fee: 300 },
      { recipient: 'provider.near', fee: -150 },
    ],
  ]) {
    lies.push([
      `fees ${JSON.stringify(fees)}`,
      (answer) => ({ ...answer, quoteRequest: { ...answer.quoteRequest, appFees: fees } }),
    ]);
  }
  for (const signature of [
    '',
    'ed25519:',
    'ed25519:1111',
    `ed25519:${'1'.repeat(64)}`,
    'secp256k1:abc',
    `ed25519:${'z'.repeat(88)}`,
  ]) {
    lies.push([`signature ${signature.slice(0, 20)}`, (answer) => ({ ...answer, signature })]);
  }
  lies.push([
    'a replayed answer to another order',
    () => [...server.orders.values()].find(({ answer }) => answer.quote.amountOut === '1000000')?.answer as QuoteAnswer,
  ]);
  lies.push([
    'an old answer, well signed',
    (answer) => server.sign({ ...answer, timestamp: new Date(Date.now() - 3_600_000).toISOString() }),
  ]);
  lies.push(['another timestamp', (answer) => ({ ...answer, timestamp: '2020-01-01T00:00:00.000Z' })]);

  test(`${lies.length} changed answers are all rejected`, async () => {
    expect(lies.length).toBeGreaterThanOrEqual(100);
    const oneClick = router();
    await oneClick.order({ ...order, outputUnits: 1_000_000n });
    const accepted: string[] = [];
    for (const [name, lie] of lies) {
      server.misbehave((path, honest) =>
        path === '/v0/quote' ? { ...honest, body: lie(honest.body as QuoteAnswer) } : honest,
      );
      await oneClick.order(order).then(
        () => accepted.push(name),
        () => undefined,
      );
    }
    expect(accepted).toEqual([]);
  });
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
  const lies: [string, (body: any) => unknown][] = [
    [
      'of another deposit address',
      (body) => {
        body.quoteResponse.quote.depositAddress = wallet;
        return body;
      },
    ],
    ...['originAsset', 'destinationAsset', 'amount', 'recipient', 'refundTo', 'swapType'].flatMap(
      (field): [string, (body: any) => unknown][] => [
        [
          `of an order with another ${field}`,
          (body) => {
            body.quoteResponse.quoteRequest[field] = 'other';
            return body;
          },
        ],
        [
          `of an order without ${field}`,
          (body) => {
            delete body.quoteResponse.quoteRequest[field];
            return body;
          },
        ],
      ],
    ),
    ['without an order', (body) => ({ ...body, quoteResponse: undefined })],
    ['with details that are a number', (body) => ({ ...body, swapDetails: 7 })],
    ['that is null', () => null],
    ['that is a list', () => []],
    ['with a NUL', (body) => ({ ...body, extra: '\u0000' })],
  ];

  test.each(lies)('%s is a failure of the provider and changes nothing', async (_name, lie) => {
    const oneClick = router();
    const placed = await oneClick.order(order);
    server.set(placed.depositAddress, 'SUCCESS', { amountOut: '48265017' });
    server.misbehave((path, honest) =>
      path === '/v0/status' ? { ...honest, body: lie(structuredClone(honest.body)) ?? 'null' } : honest,
    );
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
