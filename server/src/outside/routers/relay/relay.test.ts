import { findAsset, type Asset } from '@quittance/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RelayServer, startRelay } from '../../../../test/support/relay-server.ts';
import { PermanentError, TemporaryError } from '../../../platform/errors.ts';
import { placeholderAddress } from '../placeholder-address.ts';
import { RouteRefusedError } from '../router.ts';
import { createRelay } from './relay.ts';
let server: RelayServer;
beforeAll(async () => {
  server = await startRelay();
});
afterAll(() => server.stop());
beforeEach(() => server.misbehave(undefined));

const asset = (symbol: string, network: string) => findAsset(symbol, network) as Asset;
const fees = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const wallet = '0x52908400098527886E0F7030069857D2E4169EE7';
const relay = () => createRelay({ url: server.url, key: 'key', feeRecipient: fees, timeoutMs: 1_500 });
const request = {
  pay: asset('BNB', 'bnb'),
  receive: asset('USDC', 'base'),
  outputUnits: 48_265_017n,
  recipient: wallet,
};
const order = { ...request, refundAddress: fees, deadline: new Date(Date.now() + 1_800_000), reference: 'cs_1' };

const seconds = (instant: Date) => Math.floor(instant.getTime() / 1_000);

test('an order requests a strict deposit address with the exact output to the wallet', async () => {
  const placed = await relay().order(order);
  expect(placed).toMatchObject({ provider: 'relay', outputUnits: 48_265_017n, refundAddress: fees });
  expect(placed.minimumInputUnits).toBe(placed.inputUnits);
  expect(server.requests.at(-1)?.body).toMatchObject({
    strict: true,
    useDepositAddress: true,
    tradeType: 'EXACT_OUTPUT',
    recipient: wallet,
    refundTo: fees,
    amount: '48265017',
    appFees: [{ recipient: fees, fee: '150' }],
  });
});

test('an order ends with the earliest deadline of its quote, and is followed to the last one', async () => {
  const asked = seconds(order.deadline);
  for (const more of [-30, 0, 3_600]) {
    server.misbehave((path, honest) => {
      if (path !== '/quote/v2') return honest;
      const body = honest.body as Answer;
      body.protocol.v2.orderData.output.deadline = asked + more;
      return { ...honest, body };
    });
    const placed = await relay().order(order);
    expect([seconds(placed.expiresAt), seconds(placed.deadline)]).toEqual([
      asked + Math.min(more, 0),
      asked + Math.max(more, 0),
    ]);
  }
});

test('only assets that may be sent to a deposit address are offered', async () => {
  expect(await relay().supports(asset('BTC', 'bitcoin'), request.receive)).toBe(true);
  expect(await relay().supports(asset('TRX', 'tron'), request.receive)).toBe(false);
});

const lies: [string, (body: Answer) => unknown][] = [
  [
    'recipient',
    (body) => {
      body.details.recipient = fees;
      return body;
    },
  ],
  [
    'no recipient',
    (body) => {
      delete (body.details as Partial<Answer['details']>).recipient;
      return body;
    },
  ],
  [
    'output',
    (body) => {
      body.details.currencyOut.amount = '48265016';
      return body;
    },
  ],
  [
    'more output',
    (body) => {
      body.details.currencyOut.amount = '48265018';
      return body;
    },
  ],
  [
    'least output',
    (body) => {
      body.details.currencyOut.minimumAmount = '1';
      return body;
    },
  ],
  [
    'output currency',
    (body) => {
      body.details.currencyOut.currency.address = fees;
      return body;
    },
  ],
  [
    'output chain',
    (body) => {
      body.details.currencyOut.currency.chainId = 1;
      return body;
    },
  ],
  [
    'input currency',
    (body) => {
      body.details.currencyIn.currency.address = fees;
      return body;
    },
  ],
  [
    'input chain',
    (body) => {
      body.details.currencyIn.currency.chainId = 1;
      return body;
    },
  ],
  [
    'input amount (zero)',
    (body) => {
      body.details.currencyIn.amount = '0';
      return body;
    },
  ],
  [
    'amount as a number',
    (body) => {
      body.details.currencyIn.amount = 5 as never;
      return body;
    },
  ],
  [
    'no deposit address',
    (body) => {
      body.steps[0].depositAddress = '';
      return body;
    },
  ],
  ['deposit address on another network', (body) => elsewhere(body, '1BitcoinEaterAddressDontSendf59kuE')],
  ['deposit address with a wrong checksum', (body) => elsewhere(body, '0x52908400098527886E0F7030069857D2E4169eE7')],
  ['deposit address (zero)', (body) => elsewhere(body, `0x${'0'.repeat(40)}`)],
  [
    'deposit address than the recipient of its transaction',
    (body) => {
      body.steps[0].depositAddress = fees;
      return body;
    },
  ],
  [
    'recipient of the deposit transaction',
    (body) => {
      body.steps[0].items[0].data.to = fees;
      return body;
    },
  ],
  [
    'amount of the deposit transaction',
    (body) => {
      body.steps[0].items[0].data.value = '1';
      return body;
    },
  ],
  [
    'deposit transaction with calldata',
    (body) => {
      body.steps[0].items[0].data.data = '0xa9059cbb';
      return body;
    },
  ],
  [
    'status address',
    (body) => {
      body.steps[0].items[0].check.endpoint = '/intents/status/v3?requestId=0x1';
      return body;
    },
  ],
  ['second step', (body) => ({ ...body, steps: [...body.steps, body.steps[0]] })],
  [
    'recipient of the order',
    (body) => {
      body.protocol.v2.orderData.output.payments[0].recipient = fees;
      return body;
    },
  ],
  [
    'refund recipient of the order',
    (body) => {
      (body.protocol.v2.orderData.inputs[0].refunds[0] as { recipient: string }).recipient = wallet;
      return body;
    },
  ],
  [
    'order that calls a contract',
    (body) => {
      body.protocol.v2.orderData.output.calls = ['0x00'];
      return body;
    },
  ],
  ...[-3_600, -120, 15 * 86_400, null, 'soon', 1.5, {}].flatMap((value): [string, (body: Answer) => unknown][] => {
    const deadline = Number.isInteger(value) ? seconds(order.deadline) + Number(value) : value;
    const lie = (change: (data: OrderData) => void) => (body: Answer) => {
      change(body.protocol.v2.orderData);
      return body;
    };
    const ofOutput = lie((data) => Object.assign(data.output, { deadline }));
    const ofRefund = lie(({ inputs: [{ refunds }] }) => refunds.push({ recipient: fees, deadline }));
    // A refund may stay open for long.
    const output = `deadline of the output (${JSON.stringify(value)})`;
    return value === 15 * 86_400
      ? [[output, ofOutput]]
      : [
          [output, ofOutput],
          [`deadline of a refund (${JSON.stringify(value)})`, ofRefund],
        ];
  }),
  [
    'service fee',
    (body) => {
      body.fees.app.amountUsd = '9';
      return body;
    },
  ],
  [
    'service fee (zero)',
    (body) => {
      body.fees.app.amount = '0';
      return body;
    },
  ],
  [
    'no request id',
    (body) => {
      body.steps[0].requestId = null as never;
      return body;
    },
  ],
  [
    'first step (approval)',
    (body) => {
      body.steps[0].id = 'approve';
      return body;
    },
  ],
  ['no steps', (body) => ({ ...body, steps: [] })],
  ['no details', (body) => ({ ...body, details: null })],
  ['nothing', () => null],
  ['a list', () => []],
  ['a text', () => 'quote'],
];
test.each(lies)('a quote with another %s is refused', async (_name, lie) => {
  server.misbehave((path, honest) => (path === '/quote/v2' ? { ...honest, body: lie(honest.body as Answer) } : honest));
  await expect(relay().order(order)).rejects.toThrow();
});

test.each([
  [400, 'AMOUNT_TOO_LOW', RouteRefusedError],
  [400, 'NO_SWAP_ROUTES_FOUND', RouteRefusedError],
  [400, 'SANCTIONED_WALLET_ADDRESS', RouteRefusedError],
  [503, 'PRICE_FETCH_FAILED', TemporaryError],
  [429, undefined, TemporaryError],
  [400, 'REQUEST_TIMED_OUT', TemporaryError],
  [401, 'UNAUTHORIZED', TemporaryError],
])('status %i with %s is classified', async (status, errorCode, kind) => {
  server.misbehave((path, honest) => (path === '/quote/v2' ? { status, body: { message: 'no', errorCode } } : honest));
  await expect(relay().preview(request)).rejects.toBeInstanceOf(kind);
});

test('the progress of an order is read in each of its states', async () => {
  const placed = await relay().order(order);
  const hash = `0x${'ab'.repeat(32)}`;
  const after = async (status: string, details = {}) => {
    server.set(placed.reference, status, details);
    return relay().progress(placed);
  };
  expect(await after('waiting')).toEqual({ state: 'waiting' });
  expect(await after('depositing')).toMatchObject({ state: 'seen' });
  expect(await after('pending')).toMatchObject({ state: 'converting' });
  expect(await after('delayed')).toMatchObject({ state: 'converting' });
  expect(await after('submitted', { txHashes: [hash] })).toEqual({ state: 'delivering', payoutTxHashes: [hash] });
  expect(await after('success')).toEqual({ state: 'done', payoutTxHashes: [hash], outputUnits: null });
  expect(await after('refund', { failReason: 'TTL_EXPIRED' })).toEqual({
    state: 'returned',
    reason: 'TTL_EXPIRED',
    refundedUnits: null,
  });
  expect(await after('failure', { inTxHashes: [hash], failReason: 'X' })).toEqual({
    state: 'stuck',
    reason: 'route_failed',
  });
  expect(await after('failure', { inTxHashes: [], failReason: 'BLOCKED_WALLET_ADDRESS' })).toEqual({
    state: 'stuck',
    reason: 'compliance_hold',
  });
  expect(await after('failure', { inTxHashes: [], failReason: 'X' })).toEqual({
    state: 'dead',
    reason: 'route_failed',
  });
  expect(await after('teleported')).toEqual({ state: 'waiting' });
});

test.each<[string, Record<string, unknown>]>([
  ['another origin', { originChainId: 1 }],
  ['another destination', { destinationChainId: 1 }],
  ['no origin', { originChainId: undefined }],
  ['another request', { requestId: `0x${'ab'.repeat(32)}` }],
  ['a request that is an object', { requestId: {} }],
  ['a NUL', { details: '\u0000' }],
])('a status with %s is a failure of the provider and changes nothing', async (_name, change) => {
  const placed = await relay().order(order);
  server.set(placed.reference, 'success', change);
  await expect(relay().progress(placed)).rejects.toBeInstanceOf(PermanentError);
});

test('a status that omits both chains while there is nothing to report has no effect on the order', async () => {
  const placed = await relay().order(order);
  server.misbehave((path, honest) =>
    path === '/intents/status/v3' ? { status: 200, body: { status: 'waiting' } } : honest,
  );
  expect(await relay().progress(placed)).toEqual({ state: 'waiting', isUnknown: true });
  server.misbehave((path, honest) =>
    path === '/intents/status/v3' ? { status: 200, body: { status: 'success' } } : honest,
  );
  await expect(relay().progress(placed)).rejects.toBeInstanceOf(PermanentError);
});

test.each(['USDC_BASE', 'BNB_BNB', 'SOL_SOLANA', 'BTC_BITCOIN'])(
  'an honest order paid in %s is accepted, including order data and deposit transaction',
  async (key) => {
    const [symbol = '', network = ''] = key.split('_');
    const pay = asset(symbol, network);
    const receive = asset('USDC', 'ethereum');
    expect(
      await relay().order({ ...order, pay, receive, refundAddress: placeholderAddress(pay.network) }),
    ).toMatchObject({ outputUnits: 48_265_017n });
  },
);

test.each([
  'null',
  '[]',
  '7',
  '"x"',
  '{"chains":{}}',
  '{"chains":[null,7,"x",[],{}]}',
  '{"chains":[{"id":56,"depositEnabled":true,"solverCurrencies":[null,7,{"address":5}]}]}',
  `{"chains":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  '',
  '<html>',
])('a chain list like %s yields no pair, and no error other than a provider failure', async (body) => {
  server.misbehave((path, honest) => (path === '/chains' ? { ...honest, body } : honest));
  const answer = await relay()
    .supports(request.pay, request.receive)
    .catch((error: Error) => error.name);
  expect([false, 'PermanentError', 'TemporaryError']).toContain(answer);
});

/** The same quote with another deposit address in all places. */
function elsewhere(body: Answer, address: string): Answer {
  return JSON.parse(JSON.stringify(body).replaceAll(body.steps[0].depositAddress, address));
}

interface Side {
  amount: string;
  minimumAmount: string;
  currency: { chainId: number; address: string };
}
interface OrderData {
  inputs: [{ refunds: { recipient: string; deadline: unknown }[] }];
  output: { deadline: unknown; calls: unknown[]; payments: [{ recipient: string }] };
}
interface Answer {
  steps: [
    {
      id: string;
      requestId: string;
      depositAddress: string;
      items: [{ data: Record<string, unknown>; check: { endpoint: string } }];
    },
  ];
  fees: { app: { amount: string; amountUsd: string } };
  protocol: {
    v2: {
      orderData: OrderData;
    };
  };
  details: { recipient: string; currencyIn: Side; currencyOut: Side };
}
