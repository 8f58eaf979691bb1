import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killDuringRefunds } from '../programs/chaos/refunds-killed.ts';
import { createTestDatabase } from '../support/database.ts';
import { bundledService } from '../support/service-bundle.ts';

// The short form; the long one is `npm run program -- chaos-refunds --kills 200`.
test('a service that is killed between the signature and the record of refunds asks for none twice and loses none', async () => {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'quittance-killed-'));
  try {
    const service = (await bundledService()).main;
    const figures = await killDuringRefunds({ databaseUrl: database.url, dataDir, service, kills: 4, seed: 3 });
    expect(figures).toMatchObject({ kills: 4, refunds: 4, signed: 4, wrong: [], wrongSums: 0 });
  } finally {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 300_000);
