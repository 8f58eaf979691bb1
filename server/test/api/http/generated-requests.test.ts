import { expect, test } from 'vitest';
import { fuzz } from '../../programs/fuzz/run.ts';
import { createWorld } from '../../programs/fuzz/world.ts';
import { startApp } from '../../support/index.ts';

test('every answer to a generated request is documented, and none is a 500', async () => {
  await using app = await startApp({ listen: true, work: true });
  const { world, close } = await createWorld(app.ctx, app.url);

  const { findings } = await fuzz(app.url, world, { requests: 1200, seed: 20_260_314 });

  await close();
  expect(findings).toEqual([]);
}, 120_000);
