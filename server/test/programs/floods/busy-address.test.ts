import { expect, test } from 'vitest';
import { startSettlement } from '../../support/settlement.ts';
import { busyAddress } from './busy-address.ts';

// The whole flood: BUSY_BLOCKS=500 npx vitest run --project journeys server/test/programs/floods/busy-address.test.ts --testTimeout 3000000
const BLOCKS = Number(process.env.BUSY_BLOCKS ?? 12);

test("an address with 200 transfers a block does not delay another account's payments", async () => {
  await using shop = await startSettlement();
  const { failures, figures } = await busyAddress(shop, {
    size: BLOCKS,
    say: (line) => void process.stderr.write(`${line}\n`),
  });
  if (process.env.BUSY_BLOCKS) console.log(JSON.stringify(figures, null, 2));
  expect(failures, JSON.stringify(figures)).toEqual([]);
}, 180_000);
