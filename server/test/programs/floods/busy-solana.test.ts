import { expect, test } from 'vitest';
import { startSolanaShop } from '../../support/solana/shop.ts';
import { busySolana } from './busy-solana.ts';

// The whole flood: BUSY_SLOTS=200 npx vitest run --project journeys server/test/programs/floods/busy-solana.test.ts --testTimeout 3000000
const SLOTS = Number(process.env.BUSY_SLOTS ?? 8);

test("a Solana address with many transfers a slot does not delay another account's payments", async () => {
  await using shop = await startSolanaShop();
  const { failures, figures } = await busySolana(shop, {
    size: SLOTS,
    say: (line) => void process.stderr.write(`${line}\n`),
  });
  if (process.env.BUSY_SLOTS) console.log(JSON.stringify(figures, null, 2));
  expect(failures, JSON.stringify(figures)).toEqual([]);
}, 180_000);
