import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Chain, Verdict, Transfer } from '../../src/outside/chains/chain.ts';
import type { Context } from '../../src/context.ts';
import { tick } from '../../src/settlement/watching/turns.ts';
import { createWatcher } from '../../src/settlement/watching/watcher.ts';
import { type Settlement, startSettlement } from '../support/settlement.ts';

let shop: Settlement;
beforeAll(async () => {
  shop = await startSettlement();
});
afterAll(() => shop[Symbol.asyncDispose]());

test('a contradicted transfer is verified in every turn, even when slow providers use up the time of the others', async () => {
  const contradicted = await shop.checkout();
  const doubted = await shop.send(contradicted.amountUnits);
  await withChecks(async () => ({ type: 'disagree', details: 'one of two' }));
  const waiting = await payAnotherMerchant();

  const checked: string[] = [];
  let slowMs = 0;
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + slowMs);
  await withChecks(async ({ txHash }) => {
    checked.push(txHash);
    if (txHash === waiting) slowMs += 60_000;
    return { type: 'wait', details: 'a slow provider' };
  });
  clock.mockRestore();
  expect(checked).toContain(waiting);
  expect(checked).toContain(doubted);
});

/** Each account has its own share of a turn, so the slow transfer belongs to another account. */
async function payAnotherMerchant(): Promise<string> {
  const merchant = await shop.app.newMerchant({ mode: 'live' });
  const [, , address] = shop.chain.accounts.map((account) => account.address);
  if (!address) throw new Error('the chain has no third account');
  await merchant.createWallet({ asset: 'USDC', network: 'ethereum', address });
  const session = await merchant.createSession();
  const { payment } = await shop.choose(session.id);
  return shop.send(BigInt(payment.amount.replace('.', '')), { to: address });
}

/** One turn of the watcher with these verdicts. */
async function withChecks(check: (transfer: Transfer) => Promise<Verdict>): Promise<void> {
  await shop.chain.mine(20);
  const chain = shop.ctx.chains.get('ethereum') as Chain;
  const ctx: Context = { ...shop.ctx, chains: new Map([['ethereum', { ...chain, check }]]) };
  const watcher = createWatcher('slow');
  while ((await tick(ctx, 'ethereum', watcher)) === 'more');
}
