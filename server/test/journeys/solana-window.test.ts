import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatUnits } from '../../src/platform/money.ts';
import { ratesJob } from '../../src/settlement/outcome/sample-rates.ts';
import { type SolanaShop, startSolanaShop } from '../support/solana/shop.ts';

let shop: SolanaShop;

beforeAll(async () => {
  shop = await startSolanaShop();
});
afterAll(() => shop[Symbol.asyncDispose]());

// A separate shop each, because moving its time would end the price locks of the others.
describe.each(['USDC', 'SOL'] as const)('%s at the end of the window', (asset) => {
  const decimal = (units: bigint) => formatUnits(units, asset === 'USDC' ? 6 : 9);

  test('that comes later is late: it passes through expired to refund_required', async () => {
    await using own = await startSolanaShop();
    const { id, amountUnits } = await own.checkout(asset, { expires_in: 600 });
    await own.pass(601);
    // An asset with a moving price is valued by the sample of its minute.
    await ratesJob.run(own.ctx, new AbortController().signal, () => {});
    const txHash = await (asset === 'USDC' ? own.sendUsdc : own.sendSol)(amountUnits);
    await own.settle();
    expect(await own.walk(id)).toEqual(['created', 'pending', 'expired', 'refund_required']);
    expect(await own.payment(id)).toMatchObject({
      failure_reason: 'paid_late',
      actual_output: decimal(amountUnits),
      tx_hashes: [txHash],
    });
  });

  test('that is short by then needs a refund', async () => {
    await using own = await startSolanaShop();
    const { id, reference, amountUnits } = await own.checkout(asset, { expires_in: 600 });
    await (asset === 'USDC' ? own.sendUsdc : own.sendSol)(amountUnits / 2n, { references: [reference] });
    await own.settle();
    await own.pass(601);
    await own.settle();
    await own.expire();
    expect(await own.walk(id)).toEqual(['created', 'pending', 'refund_required']);
    expect(await own.payment(id)).toMatchObject({
      failure_reason: 'underpaid',
      actual_output: decimal(amountUnits / 2n),
    });
  });
});

describe('the end of the window', () => {
  test('nothing pending expires before the cluster has been read past it', async () => {
    const { id, amountUnits } = await shop.checkout('USDC', { expires_in: 600 });
    await shop.watch();
    await shop.sendUsdc(amountUnits);
    await shop.pass(6000);
    await shop.expire();
    expect((await shop.payment(id)).status).toBe('pending');

    await shop.settle();
    await shop.expire();
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
  });

  test('with nothing in sight it expires', async () => {
    const { id } = await shop.checkout('USDC', { expires_in: 600 });
    await shop.pass(601);
    await shop.settle();
    await shop.expire();
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'expired']);
  });

  test.each([
    ['that its customer submitted', true, 'failed'],
    ['that anyone may have sent', false, 'expired'],
  ])('of a failed transaction with its reference %s the payment says so or not', async (_, isSubmitted, status) => {
    const { id, reference } = await shop.checkout('USDC', { expires_in: 600 });
    const txHash = await shop.sendUsdc(10n ** 15n, { references: [reference] });
    if (isSubmitted) await shop.claim(id, txHash);
    await shop.settle();
    await shop.pass(601);
    await shop.settle();
    await shop.expire();
    expect(await shop.payment(id)).toMatchObject({ status });
  });
});
