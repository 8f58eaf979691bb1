import { encodeFunctionData, type Hex, parseAbi, toHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { transferCalldata } from '../support/anvil.ts';
import { type Listening, serve } from '../support/listen.ts';
import { type MachineShop, startMachineShop } from '../support/machine-shop.ts';

type Data = any;

const RESULT = { paymaster: `0x${'ab'.repeat(20)}`, paymasterData: `0x${'cd'.repeat(2_000)}` };
const ENTRY_POINT = `0x${'42'.repeat(20)}`;
let shop: MachineShop;
let server: Listening;
let url: string;
let origin: string;
const asked: Data[] = [];

beforeAll(async () => {
  server = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    asked.push({ path: request.url, ...JSON.parse(Buffer.concat(chunks).toString()) });
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: RESULT }));
  });
  url = `${server.url}/v1/secret-key-of-the-merchant`;
  shop = await startMachineShop();
  ({ origin } = new URL(shop.app.config.publicUrl));
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
  await server.stop();
});

const account = (changes: Data) =>
  shop.inject('PATCH', '/v1/account', { token: shop.app.merchant.loginToken, body: changes });
const ticketFor = (session: Data, headers: Record<string, string> = { origin }) =>
  shop.inject('POST', `/checkout/${session.id}/paymaster`, { headers });

async function chosen(): Promise<{ session: Data; operation: Data; params: Data[] }> {
  const session = await shop.session();
  const body = { pay_asset: 'USDC', pay_network: 'ethereum' };
  const { data } = (await shop.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, { body })).body;
  const amount = BigInt(data.payment.amount_due.replace('.', ''));
  const operation = { sender: ENTRY_POINT, callData: callsOf(shop.wallet, amount) };
  return { session, operation, params: [operation, ENTRY_POINT, toHex(shop.chain.chainId), {}] };
}

/** `execute(token, 0, data)`, and bytes behind the transfer. */
function callsOf(to: string, amount: bigint, more = ''): Hex {
  const data: Hex = `${transferCalldata(to as never, amount)}${more}`;
  return encodeFunctionData({ abi: EXECUTE, functionName: 'execute', args: [shop.usdc as Hex, 0n, data] });
}

const EXECUTE = parseAbi(['function execute(address target, uint256 value, bytes data)']);
/** What the wallet adds before it asks for the final data. */
const COST = {
  nonce: '0x1',
  callGasLimit: '0x186a0',
  verificationGasLimit: '0x493e0',
  preVerificationGas: '0xc350',
  maxFeePerGas: '0x77359400',
  maxPriorityFeePerGas: '0x1',
  signature: '0x',
};

test('the host of a paymaster is shown, and its address never again', async () => {
  const { body } = await account({ paymaster_url: url });
  expect(body.data.paymaster_host).toBe(new URL(url).host);
  const { session } = await chosen();
  const page = await shop.inject('GET', `/checkout/${session.id}`, { headers: { accept: 'text/html' } });
  for (const text of [JSON.stringify(body), page.raw, JSON.stringify((await ticketFor(session)).body)])
    expect(text).not.toContain('secret-key-of-the-merchant');
  const rows = await shop.app.ctx.db.query<{ text: string }>(
    'test_account_text',
    `select accounts::text as text from accounts`,
    [],
  );
  expect(JSON.stringify(rows)).not.toContain(Buffer.from('secret-key-of-the-merchant').toString('hex'));
  for (const bad of ['http://paymaster.example', 'ftp://a.example', 'https://user:word@a.example', 'a'])
    expect((await account({ paymaster_url: bad })).status).toBe(400);
  const own = await account({ paymaster_url: `${shop.app.config.publicUrl}/checkout/${session.id}/paymaster/1.a` });
  expect([own.status, own.body.error]).toMatchObject([400, { param: 'paymaster_url' }]);
});

test("a wallet reaches the merchant's paymaster for this checkout's transfer", async () => {
  await account({ paymaster_url: url });
  const { session, params } = await chosen();
  const ticket = await ticketFor(session);
  const path = new URL(ticket.body.url).pathname;
  expect(ticket.body.url.startsWith(`${shop.app.config.publicUrl}/checkout/${session.id}/paymaster/`)).toBe(true);
  asked.length = 0;
  const whole = [{ ...params[0], ...COST }, ...params.slice(1)];
  for (const [method, sent] of [
    ['pm_getPaymasterStubData', params],
    ['pm_getPaymasterData', whole],
  ] as const) {
    const answer = await shop.inject('POST', path, { body: { jsonrpc: '2.0', id: 7, method, params: sent } });
    expect([answer.status, answer.body]).toEqual([200, { jsonrpc: '2.0', id: 7, result: RESULT }]);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
  }
  expect(asked.map(({ method }) => method)).toEqual(['pm_getPaymasterStubData', 'pm_getPaymasterData']);
  expect(asked[0].path).toBe('/v1/secret-key-of-the-merchant');
  expect(asked[0].params).toEqual(params);
  expect(asked[1].params).toEqual(whole);
});

test('a wallet cannot add its own context to the request', async () => {
  await account({ paymaster_url: url });
  const { session, params } = await chosen();
  const path = new URL((await ticketFor(session)).body.url).pathname;
  asked.length = 0;
  const body = { ...METHOD, params: [...params.slice(0, 3), { policyId: 'the-generous-one' }] };
  expect((await shop.inject('POST', path, { body })).status).toBe(200);
  expect(asked[0].params).toEqual(params);
});

test.each<[string, (one: { params: Data[]; operation: Data }) => Data]>([
  ['another method', ({ params }) => ({ method: 'eth_sendUserOperation', params })],
  ['another amount', ({ params, operation }) => from(params, { ...operation, callData: callsOf(shop.wallet, 1n) })],
  [
    'another recipient',
    ({ params, operation }) => from(params, { ...operation, callData: callsOf(ENTRY_POINT, 49_000_000n) }),
  ],
  [
    'the transfer as dead bytes behind another call',
    ({ params, operation }) =>
      from(params, { ...operation, callData: callsOf(ENTRY_POINT, 1n, operation.callData.slice(2)) }),
  ],
  [
    'bytes behind the operation',
    ({ params, operation }) => from(params, { ...operation, callData: `${operation.callData}00` }),
  ],
  [
    'a factory that nobody knows',
    ({ params, operation }) => from(params, { ...operation, factory: ENTRY_POINT, factoryData: '0x' }),
  ],
  [
    'an account that is created by other code',
    ({ params, operation }) => from(params, { ...operation, initCode: `${ENTRY_POINT}3ffba36f` }),
  ],
  [
    '30 million gas',
    ({ params, operation }) => from(params, { ...operation, ...COST, callGasLimit: toHex(30_000_000) }),
  ],
  [
    'a price out of this world',
    ({ params, operation }) => from(params, { ...operation, ...COST, maxFeePerGas: toHex(10n ** 13n) }),
  ],
  ['a field that no operation has', ({ params, operation }) => from(params, { ...operation, eip7702Auth: {} })],
  ['another network', ({ params }) => ({ ...METHOD, params: [params[0], params[1], '0x1'] })],
  ['deep nesting', ({ params }) => ({ ...METHOD, params: [...params.slice(0, 3), nested(1_000)] })],
  ['an id that is a list', ({ params }) => ({ ...METHOD, id: [1], params })],
  ['no operation', () => ({ ...METHOD, params: [null, null, null] })],
  ['no parameters', () => METHOD],
  ['a list', () => []],
])('nothing is passed on for %s', async (_name, make) => {
  await account({ paymaster_url: url });
  const one = await chosen();
  const path = new URL((await ticketFor(one.session)).body.url).pathname;
  asked.length = 0;
  expect((await shop.inject('POST', path, { body: make(one) })).status).toBe(400);
  expect(asked).toEqual([]);
});

test("another page gets no ticket, and another checkout's or an old one opens nothing", async () => {
  await account({ paymaster_url: url });
  const [first, second] = [await chosen(), await chosen()];
  for (const headers of [{ origin: 'https://evil.example' }, {}] as Record<string, string>[])
    expect((await ticketFor(first.session, headers)).status).toBe(404);
  const path = new URL((await ticketFor(first.session)).body.url).pathname;
  const ticket = path.split('/').at(-1) as string;
  const [end, hash] = ticket.split('.');
  asked.length = 0;
  for (const wrong of [`${Number(end) + 1}.${hash}`, `1.${hash}`, `${end}.${'A'.repeat(43)}`, 'x', `${end}`])
    expect(
      (await shop.inject('POST', path.replace(ticket, wrong), { body: { ...METHOD, params: first.params } })).status,
    ).toBe(404);
  const elsewhere = path.replace(first.session.id, second.session.id);
  expect((await shop.inject('POST', elsewhere, { body: { ...METHOD, params: second.params } })).status).toBe(404);
  expect(asked).toEqual([]);
});

test('a checkout asks its paymaster at most twenty times an hour, and an account without one never', async () => {
  await account({ paymaster_url: url });
  const { session, params } = await chosen();
  const path = new URL((await ticketFor(session)).body.url).pathname;
  const statuses: number[] = [];
  for (let time = 0; time < 22; time += 1)
    statuses.push((await shop.inject('POST', path, { body: { ...METHOD, params } })).status);
  expect([statuses.filter((status) => status === 200).length, statuses.at(-1)]).toEqual([20, 429]);
  const { body } = await shop.inject('POST', path, { body: { ...METHOD, params } });
  expect(body.error.message).toContain('This checkout');
  expect((await account({ paymaster_url: null })).body.data).not.toHaveProperty('paymaster_host');
  const other = await chosen();
  expect((await ticketFor(other.session)).body).toEqual({ url: null });
});

const METHOD = { method: 'pm_getPaymasterStubData' };
const from = (params: Data[], operation: Data) => ({ ...METHOD, params: [operation, ...params.slice(1)] });
const nested = (levels: number): Data => (levels === 0 ? 1 : [nested(levels - 1)]);
