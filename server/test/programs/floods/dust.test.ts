import { expect, test } from 'vitest';
import { startSettlement } from '../../support/settlement.ts';
import { type DustVariant, floodWithDust } from './dust.ts';

// The whole floods are `npm run program -- floods dust dust-tagged dust-claimed`.
test.for<{ variant: DustVariant; by: string }>([
  { variant: 'plain', by: '' },
  { variant: 'tagged', by: ' with the tag of a session' },
  { variant: 'claimed', by: ' that strangers claim' },
])(
  "thousands of one-unit transfers$by do not delay a payment to that wallet or another merchant's",
  async ({ variant }) => {
    await using shop = await startSettlement();
    const { failures, figures } = await floodWithDust(variant)(shop, { size: 2_000 });
    expect(failures, JSON.stringify(figures)).toEqual([]);
  },
);
