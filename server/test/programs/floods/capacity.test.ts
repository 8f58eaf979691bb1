import { expect, test } from 'vitest';
import { startSettlement } from '../../support/settlement.ts';
import { capacity } from './capacity.ts';

// The whole measurement is `npm run program -- floods capacity`.
test('one wallet serves more than 100 checkouts a minute of one price, each with an exact amount of its own', async () => {
  await using shop = await startSettlement();
  const { failures, figures } = await capacity(shop, { size: 20 });
  // A page's duration beside other tests is not meaningful.
  expect(
    failures.filter((failure) => !failure.startsWith('the first page')),
    JSON.stringify(figures),
  ).toEqual([]);
}, 180_000);
