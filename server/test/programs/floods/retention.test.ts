import { expect, test } from 'vitest';
import { startSettlement } from '../../support/settlement.ts';
import { floodRetention } from './retention.ts';

// The whole flood is `npm run program -- floods retention`.
test('thousands of old parked deliveries and sessions that were never started are pruned while other accounts go on', async () => {
  await using shop = await startSettlement();
  const { failures, figures } = await floodRetention(shop, { size: 2_000 });
  expect(failures, JSON.stringify(figures)).toEqual([]);
});
