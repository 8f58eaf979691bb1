import { expect, test } from 'vitest';
import { startSettlement } from '../../support/settlement.ts';
import { floodWithClaims } from './claims.ts';

// The whole flood is `npm run program -- floods claims`.
test('thousands of claims of the greatest length for one transaction do not stop its network or fill the memory', async () => {
  await using shop = await startSettlement();
  const { failures, figures } = await floodWithClaims(shop, { size: 3_000 });
  expect(failures, JSON.stringify(figures)).toEqual([]);
});
