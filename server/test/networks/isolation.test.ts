import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { type Address, getAddress, toHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromHexAddress } from '../../src/outside/chains/pure/tron-address.ts';
import { tick } from '../../src/settlement/watching/turns.ts';
import { createWatcher } from '../../src/settlement/watching/watcher.ts';
import { startAnvil, type TestChain } from '../support/anvil.ts';
import { startApp, type TestApp } from '../support/index.ts';
import { openCheckout } from '../support/open-checkout.ts';
import { startTronRpc, type TronRpc } from '../support/tron-rpc.ts';

let node: TestChain;
let usdc: Address;
let limited: TronRpc;
beforeAll(async () => {
  node = await startAnvil({ chainId: 4_833 });
  usdc = await node.deployToken();
  limited = await startTronRpc(node.url);
});
afterAll(async () => {
  await limited[Symbol.asyncDispose]();
  await node.stop();
});

/** Base works. What the settings say of Tron is broken in some way. */
const startShop = (tron: Record<string, string>): Promise<TestApp> =>
  startApp({
    env: {
      RPC_BASE_URLS: node.url,
      CHAIN_ID_BASE: String(node.chainId),
      CONFIRMATIONS_BASE: '2',
      TOKEN_USDC_BASE: usdc,
      ...tron,
    },
  });

/** A customer pays on Base, from opening the page to the status. */
async function payOnBase(app: TestApp): Promise<string> {
  const to = getAddress(toHex(randomBytes(20)));
  const { due, state } = await openCheckout(app, { asset: 'USDC', network: 'base', address: to });
  await node.transferErc20({ token: usdc, to, amount: due });
  await node.mine(3);
  const watcher = createWatcher('base');
  while ((await tick(app.ctx, 'base', watcher)) === 'more');
  return state();
}

/** What a merchant does in the settings, on the broken network too. */
async function useSettings({ inject, merchant }: TestApp): Promise<Record<string, number>> {
  const headers = { cookie: `session=${merchant.loginToken}`, 'service-mode': 'live', 'sec-fetch-site': 'same-origin' };
  const address = fromHexAddress(toHex(randomBytes(20)));
  const ask = async (method: 'GET' | 'PATCH' | 'POST', path: string, body?: object) =>
    (await inject(method, path, { headers, ...(body && { body }) })).status;
  return {
    account: await ask('GET', '/v1/account'),
    assets: await ask('GET', '/dashboard/api/assets'),
    check: await ask('GET', `/dashboard/api/address-check?network=tron&asset=USDT&address=${address}`),
    defaults: await ask('PATCH', '/v1/account', { session_defaults: { accepted_assets: ['USDC_BASE', 'USDT_TRON'] } }),
    wallet: await ask('POST', '/v1/payout-wallets', { asset: 'USDT', network: 'tron', address }),
    wallets: await ask('GET', '/v1/payout-wallets'),
  };
}

const WORKS = { account: 200, assets: 200, check: 200, defaults: 200, wallet: 201, wallets: 200 };

test.each<[string, () => Record<string, string>]>([
  [
    'whose providers all refuse with a rate limit outside of JSON-RPC',
    () => {
      limited.refuse(['no_resources']);
      return { RPC_TRON_URLS: limited.url, CHAIN_ID_TRON: String(node.chainId) };
    },
  ],
  ['whose provider is on another chain', () => ({ RPC_TRON_URLS: node.url, CHAIN_ID_TRON: '1' })],
  ['whose provider is not there', () => ({ RPC_TRON_URLS: 'http://127.0.0.1:9' })],
  ['that is switched off', () => ({ RPC_TRON_URLS: ',' })],
])('a network %s hides no other network and locks no page of the settings', async (_, settings) => {
  await using app = await startShop(settings());
  expect(await useSettings(app)).toEqual(WORKS);
  await tick(app.ctx, 'tron', createWatcher('tron')).catch(() => {});
  expect(await payOnBase(app)).toBe('paid');
  expect(await useSettings(app)).toEqual(WORKS);
  expect(app.ctx.chains.get('base')?.health().reachable).toBe(true);
});

test('a network that never answers delays no payment of another', async () => {
  const held = new Set<ServerResponse>();
  let isSilent = false;
  limited.refuse([]);
  const server = createServer(async (request, response) => {
    if (isSilent) return void held.add(response);
    const body = (await request.toArray()).join('');
    response.end(await (await fetch(limited.url, { method: 'POST', body })).text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await using app = await startShop({ RPC_TRON_URLS: url, CHAIN_ID_TRON: String(node.chainId) });
  await openCheckout(app, { asset: 'USDT', network: 'tron', address: fromHexAddress(toHex(randomBytes(20))) });
  isSilent = true;
  let isOver = false;
  const waiting = tick(app.ctx, 'tron', createWatcher('tron'))
    .catch(() => {})
    .finally(() => {
      isOver = true;
    });
  expect(await payOnBase(app)).toBe('paid');
  expect(isOver).toBe(false);
  expect(held.size).toBeGreaterThan(0);
  for (const response of held) response.destroy();
  server.closeAllConnections();
  server.close();
  await waiting;
});

test('settings of a network that cannot be meant are named at the start, all at once', async () => {
  // The last one has a mistyped character.
  for (const address of [usdc, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u'])
    await expect(startShop({ TOKEN_USDT_TRON: address, RPC_BNB_URLS: 'nowhere' })).rejects.toThrow(
      /RPC_BNB_URLS must be .*\n.*TOKEN_USDT_TRON must be an address on tron/s,
    );
});
