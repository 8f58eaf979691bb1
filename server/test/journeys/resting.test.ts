import { afterAll, beforeAll, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../src/platform/time.ts';
import { tick } from '../../src/settlement/watching/turns.ts';
import { createWatcher, type Tick, type Watcher } from '../../src/settlement/watching/watcher.ts';
import { startAnvil, type TestChain, transferCalldata } from '../support/anvil.ts';
import { type RpcProxy, startRpcProxy } from '../support/evm-rpc-proxy.ts';
import { type Settlement, startSettlement } from '../support/settlement.ts';

// The pace of the service, on a real chain that two providers serve.
const PACE = { restMs: 10 * MINUTE_MS, openMs: 0, secondMs: 30 * SECOND_MS };
let chain: TestChain;
let proxies: RpcProxy[];
let shop: Settlement;
let watcher: Watcher;

beforeAll(async () => {
  chain = await startAnvil();
  proxies = [await startRpcProxy(chain.url), await startRpcProxy(chain.url)];
  shop = await startSettlement({ chain, env: { RPC_ETHEREUM_URLS: proxies.map(({ url }) => url).join(',') } });
  watcher = createWatcher('resting');
  await chain.mine(40);
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await chain.stop();
});

function turn(): Promise<Tick> {
  return tick(shop.ctx, 'ethereum', watcher, PACE);
}

/** Turns until the network rests, a minute after the last reason to read it, while blocks come. */
async function untilRest(): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    if ((await turn()) === 'resting') return;
    await shop.chain.mine(3);
    await shop.pass(5);
  }
  throw new Error('the network does not rest');
}

function asked(method: string): number {
  return proxies.reduce((sum, { heard }) => sum + (heard.get(method) ?? 0), 0);
}

test('late money is found at the next look, and an order that a customer begins meanwhile is read at once', async () => {
  const late = await shop.checkout({ expires_in: 600 });
  await turn();
  await shop.pass(700);
  await untilRestAfterExpiry();
  expect(await shop.walk(late.id)).toEqual(['created', 'pending', 'expired']);

  await shop.send(late.amountUnits);
  const before = asked('eth_getBlockByNumber') + asked('eth_getLogs');
  expect(await turn()).toBe('resting');
  expect(asked('eth_getBlockByNumber') + asked('eth_getLogs')).toBe(before);

  // The choice has the network read, and with it the late money, which pays nothing but its own order.
  const other = await shop.checkout({});
  expect(await turn()).not.toBe('resting');
  await shop.send(other.amountUnits);
  await shop.chain.mine(4);
  await turn();
  await turn();
  expect(await shop.walk(other.id)).toEqual(['created', 'pending', 'paid']);
  expect(await shop.walk(late.id)).toEqual(['created', 'pending', 'expired', 'refund_required']);
  await untilRest();
});

test('a look reads what a reorganization during the rest has left', async () => {
  const late = await shop.checkout({ expires_in: 600 });
  await turn();
  await shop.pass(700);
  await untilRestAfterExpiry();

  const lost = await shop.send(late.amountUnits);
  await shop.chain.mine(2);
  await shop.chain.reorg(6, [
    {
      block: 1,
      transaction: {
        from: shop.customer,
        to: shop.usdc,
        data: transferCalldata(shop.wallet, late.amountUnits),
        gas: 900_000n,
      },
    },
  ]);
  expect(await turn()).toBe('resting');
  await shop.pass(600);
  expect(await turn()).not.toBe('resting');
  await untilRest();
  expect(await shop.walk(late.id)).toEqual(['created', 'pending', 'expired', 'refund_required']);
  const { tx_hashes: hashes } = await shop.payment(late.id);
  expect([hashes.length, hashes.includes(lost)]).toEqual([1, false]);
});

/** The payment that is due ends once both passes are past its end. */
async function untilRestAfterExpiry(): Promise<void> {
  expect(await turn()).not.toBe('resting');
  await shop.expire();
  await untilRest();
}
