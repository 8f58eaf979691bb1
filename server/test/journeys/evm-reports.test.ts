import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chain, ReorgError, type Transfer } from '../../src/outside/chains/chain.ts';
import { createEvmChain } from '../../src/outside/chains/evm/chain.ts';
import { startAnvil, type TestChain } from '../support/anvil.ts';
import { type RpcProxy, startRpcProxy } from '../support/evm-rpc-proxy.ts';

const SHOP = '0x00000000000000000000000000000000000A11cE';
const WATCHING = { addresses: new Set<string>([SHOP]) };
let anvil: TestChain;
let token: `0x${string}`;

beforeAll(async () => {
  anvil = await startAnvil();
  token = await anvil.deployToken();
  await anvil.mine(20);
});
afterAll(() => anvil.stop());

function chainOf(...rpcUrls: string[]): Chain {
  return createEvmChain(
    {
      network: 'base',
      rpcUrls,
      chainId: anvil.chainId,
      tokens: { USDC: token },
      tuning: { pauseMs: { first: 1, longest: 2 } },
    },
    pino({ level: 'silent' }),
  );
}

/** A payment, as the first provider has read it; a block follows. */
async function readPayment(chain: Chain): Promise<Transfer> {
  const after = await anvil.head();
  await anvil.transferErc20({ token, to: SHOP, amount: 5_000_000n });
  await anvil.mine(1);
  const head = await chain.head('first', { tags: false });
  const { transfers } = await chain.read({ after, until: head, watching: WATCHING, pass: 'first' });
  return transfers[0] as Transfer;
}

test('a provider that has read a payment confirms it by its head and its receipt, and another one by the block too', async () => {
  const proxies: RpcProxy[] = [await startRpcProxy(anvil.url), await startRpcProxy(anvil.url)];
  const chain = chainOf(...proxies.map(({ url }) => url));
  const transfer = await readPayment(chain);
  for (const { heard } of proxies) heard.clear();

  expect(await chain.check(transfer, WATCHING, undefined, { tags: false })).toMatchObject({
    type: 'stands',
    providers: { length: 2 },
    head: { safe: -1n, finalized: -1n },
  });
  expect(proxies.map(({ heard }) => Object.fromEntries(heard))).toEqual([
    { eth_chainId: 1, eth_getBlockByNumber: 1, eth_getTransactionReceipt: 1 },
    { eth_chainId: 1, eth_getBlockByNumber: 2, eth_getTransactionReceipt: 1 },
  ]);

  // What decides which payment gets it, and when it is final, is still asked for.
  expect(await chain.check({ ...transfer, carried: [new Uint8Array(16).fill(7)] }, WATCHING)).toMatchObject({
    type: 'disagree',
  });
  expect(proxies.map(({ heard }) => heard.get('eth_getTransactionByHash'))).toEqual([1, 1]);
  await chain.close();
  await Promise.all(proxies.map((proxy) => proxy.stop()));
});

test('a receipt that a provider has kept from another branch confirms nothing', async () => {
  await using node = await startKeepingNode(anvil.url);
  const chain = chainOf(node.url);
  const transfer = await readPayment(chain);
  expect(await chain.check(transfer, WATCHING)).toMatchObject({ type: 'stands' });

  const cursor = await anvil.head();
  await anvil.reorg(3);
  await anvil.mine(3);
  const head = await chain.head('first');
  await expect(chain.read({ after: cursor, until: head, watching: WATCHING, pass: 'first' })).rejects.toThrow(
    ReorgError,
  );

  expect(await chain.check(transfer, WATCHING)).toMatchObject({ type: 'unknown' });
  await chain.close();
});

/** A node whose gateway answers a receipt as it did the first time. */
async function startKeepingNode(upstream: string): Promise<AsyncDisposable & { url: string }> {
  const kept = new Map<string, unknown>();
  const answer = async (call: { id: number; method: string; params: unknown[] }) => {
    const known = call.method === 'eth_getTransactionReceipt' ? kept.get(String(call.params[0])) : undefined;
    if (known !== undefined) return { jsonrpc: '2.0', id: call.id, result: known };
    const sent = await fetch(upstream, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call),
    });
    const got = (await sent.json()) as { result?: unknown };
    if (call.method === 'eth_getTransactionReceipt') kept.set(String(call.params[0]), got.result);
    return got;
  };
  const server = createServer(async (request, response) => {
    const asked = JSON.parse((await request.toArray()).join(''));
    const answers = Array.isArray(asked) ? await Promise.all(asked.map(answer)) : await answer(asked);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
