import { randomBytes } from 'node:crypto';
import { type Address, getAddress, toHex } from 'viem';
import { expect, test } from 'vitest';
import { fromHexAddress } from '../../src/outside/chains/pure/tron-address.ts';
import { startAnvil } from '../support/anvil.ts';
import { startApp } from '../support/index.ts';
import { openCheckout } from '../support/open-checkout.ts';
import { startTronRpc, TRON_REFUSALS } from '../support/tron-rpc.ts';

// A few by default; measured: TRON_PAYMENTS=1000 npx vitest run --project networks server/test/networks/tron-delay.test.ts
const ROUNDS = Number(process.env.TRON_PAYMENTS ?? 8) / 8;
const IN_A_ROUND = 2;
/** How much later another network's payments may be paid while all of Tron's providers refuse, on average. */
const MAX_RATIO = 1.1;
/** Fewer say nothing: a block waits for the next look for half a second at most. */
const MEASURES = ROUNDS * IN_A_ROUND >= 100;

test(`payments on another network are paid as soon while Tron's providers hit every limit`, async () => {
  await using base = await startAnvil({ chainId: 4_933 });
  await using tron = await startAnvil({ chainId: 4_934 });
  const [usdc, usdt] = [await base.deployToken(), await tron.deployToken({ symbol: 'USDT' })];
  await using stack = new AsyncDisposableStack();
  const providers = [];
  for (const seed of [1, 2, 3]) providers.push(stack.use(await startTronRpc(tron.url, { seed })));
  await using app = await startApp({
    work: true,
    env: {
      RPC_BASE_URLS: base.url,
      CHAIN_ID_BASE: String(base.chainId),
      CONFIRMATIONS_BASE: '1',
      TOKEN_USDC_BASE: usdc,
      RPC_TRON_URLS: providers.map(({ url }) => url).join(),
      CHAIN_ID_TRON: String(tron.chainId),
      TOKEN_USDT_TRON: fromHexAddress(usdt),
    },
  });
  /** From the block of the transfer to the status of the payment. */
  async function delayMs(): Promise<number> {
    const to = getAddress(toHex(randomBytes(20))) as Address;
    const { due, state } = await openCheckout(app, { asset: 'USDC', network: 'base', address: to });
    await base.transferErc20({ token: usdc, to, amount: due });
    const began = performance.now();
    await expect.poll(state, { interval: 10, timeout: 60_000 }).toBe('paid');
    return performance.now() - began;
  }

  // So that Tron is read all the time.
  await openCheckout(app, { asset: 'USDT', network: 'tron', address: fromHexAddress(toHex(randomBytes(20))) });
  await delayMs();
  const [calm, limited]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [refused, delays] of [
      [[], calm],
      [TRON_REFUSALS, limited],
    ] as const) {
      for (const provider of providers) provider.refuse(refused);
      await tron.mine(20);
      for (let at = 0; at < IN_A_ROUND; at += 1) delays.push(await delayMs());
    }
  const [usual, delayed] = [calm, limited].map((all) => all.reduce((sum, one) => sum + one, 0) / all.length) as [
    number,
    number,
  ];
  if (MEASURES) {
    const figures = [usual, delayed].map((ms) => `${Math.round(ms)} ms`).join(' and ');
    console.log(`mean delay of ${calm.length} payments each: ${figures}, ratio ${(delayed / usual).toFixed(3)}`);
    expect(delayed / usual).toBeLessThanOrEqual(MAX_RATIO);
  }
  expect(providers.every(({ refused }) => refused.size > 0)).toBe(true);
}, 1_800_000);
