import { findAsset, type Asset } from '@quittance/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RelayServer, startRelay } from '../../../../test/support/relay-server.ts';
import type { Facts } from '../../../../test/support/routes/mutation.ts';
import { adapterMutations, isOfProvider } from '../../../../test/support/routes/mutations.ts';
import { PermanentError, TemporaryError } from '../../../platform/errors.ts';
import { placeholderAddress } from '../addresses.ts';
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

test('every wrong answer to an order is refused', { timeout: 60_000 }, async () => {
  const wrong: string[] = [];
  for (const { name, change } of adapterMutations('relay')) {
    server.misbehave((path, honest) => {
      if (path !== '/quote/v2') return honest;
      const { status = honest.status, text } = change(honest.body, {} as Facts);
      return { status, body: text };
    });
    const said = await relay()
      .order(order)
      .catch((error: Error) => error);
    if (!isOfProvider(said)) wrong.push(`${name}: ${said}`);
  }
  expect(wrong).toEqual([]);
});

// A refund may stay open for long.
test.each([
  ['output', -3_600],
  ['output', -120],
  ['output', 15 * 86_400],
  ['refund', -3_600],
  ['refund', -120],
])('a deadline of the %s that is %i seconds from the one that was asked for is refused', async (of, more) => {
  server.misbehave((path, honest) => {
    if (path !== '/quote/v2') return honest;
    const { output, inputs } = (honest.body as Answer).protocol.v2.orderData;
    const deadline = seconds(order.deadline) + more;
    if (of === 'output') output.deadline = deadline;
    else inputs[0].refunds.push({ recipient: fees, deadline });
    return honest;
  });
  await expect(relay().order(order)).rejects.toBeInstanceOf(PermanentError);
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

interface Answer {
  protocol: {
    v2: {
      orderData: { inputs: [{ refunds: { recipient: string; deadline: number }[] }]; output: { deadline: number } };
    };
  };
}
