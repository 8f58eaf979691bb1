import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ethereumGround } from '../programs/chaos/ethereum-ground.ts';
import { solanaGround } from '../programs/chaos/solana-ground.ts';
import { killWatchers } from '../programs/chaos/watchers-killed.ts';
import { createTestDatabase } from '../support/database.ts';
import { bundledService } from '../support/service-bundle.ts';

// The short form; the long one is `npm run program -- chaos-watcher --kills 200 --payments 1000 [--solana]`.
test.each([
  ['the Ethereum family', ethereumGround],
  ['Solana', solanaGround],
] as const)(
  'a worker that is killed while payments arrive on %s loses none and pays none twice',
  async (_chains, ground) => {
    const database = await createTestDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), 'quittance-killed-'));
    try {
      const figures = await killWatchers({
        ground,
        databaseUrl: database.url,
        dataDir,
        service: (await bundledService()).main,
        payments: 12,
        kills: 4,
        seed: 3,
      });
      expect(figures).toMatchObject({
        kills: 4,
        payments: 12,
        paidOnce: 12,
        wrong: [],
        transfersWrong: 0,
        transfersInvented: 0,
        webhooksWrong: 0,
      });
    } finally {
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
  300_000,
);
