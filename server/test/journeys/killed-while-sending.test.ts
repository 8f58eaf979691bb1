import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killDuringPayouts } from '../programs/chaos/payouts-killed.ts';
import { killDuringRefunds } from '../programs/chaos/refunds-killed.ts';
import { createTestDatabase } from '../support/database.ts';
import { bundledService } from '../support/service-bundle.ts';

// The short forms; the long ones are `npm run program -- chaos-refunds --kills 200` and `chaos-payouts`.
test.each([
  ['refunds', killDuringRefunds, 4],
  ['payouts', killDuringPayouts, 12],
])(
  'a service that is killed between the signature and the record of %s asks for none twice and loses none',
  async (_what, kill, planned) => {
    const database = await createTestDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), 'quittance-killed-'));
    try {
      const service = (await bundledService()).main;
      const figures = await kill({ databaseUrl: database.url, dataDir, service, kills: 4, seed: 3 });
      expect(figures).toMatchObject({ kills: 4, planned, toSign: 4, signed: 4, wrong: [], wrongSums: 0 });
    } finally {
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
  300_000,
);
