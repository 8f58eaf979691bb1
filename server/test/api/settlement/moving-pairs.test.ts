import { afterAll, beforeAll, expect, test } from 'vitest';
import { CURRENCIES, RECEIVE_ASSETS } from '@quittance/contract';
import { HAS_MOVING_PRICE, HAS_PEGGED_PRICE } from '../../../src/settlement/outcome/open-price-store.ts';
import { peggedRate } from '../../../src/settlement/records/amounts.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const PAIRS = RECEIVE_ASSETS.flatMap(({ asset }) => CURRENCIES.map((currency) => ({ asset, currency })));
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('a pair is sampled as moving exactly if it has no pegged rate, and as pegged if it has one', async () => {
  const rows = await database.db.query<{ asset: string; currency: string; moving: boolean; pegged: boolean }>(
    'test_pairs',
    `select s.receive_asset as asset, s.currency, ${HAS_MOVING_PRICE} as moving, ${HAS_PEGGED_PRICE} as pegged
       from unnest($1::text[], $2::text[]) with ordinality as s (receive_asset, currency, place)
      order by s.place`,
    [PAIRS.map(({ asset }) => asset), PAIRS.map(({ currency }) => currency)],
  );
  expect(rows).toEqual(
    PAIRS.map(({ asset, currency }) => {
      const pegged = peggedRate(asset, currency) !== undefined;
      return { asset, currency, moving: !pegged, pegged };
    }),
  );
});
