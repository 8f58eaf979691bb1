import { expect, test } from 'vitest';
import { startSettlement } from '../../support/settlement.ts';
import { floodWithDust } from './dust.ts';

// The whole flood is `npm run program -- floods dust`.
test("thousands of one-unit transfers do not delay a payment to that wallet or another merchant's", async () => {
  await using shop = await startSettlement();
  const { failures, figures } = await floodWithDust(shop, { size: 2_000 });
  expect(failures, JSON.stringify(figures)).toEqual([]);
});
