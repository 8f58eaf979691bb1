import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../support/database.ts';
import { simulateAbuse } from './abuse.ts';

// The whole hour is `npm run program -- abuse`.
test('strangers who ask for all that the service answers keep no customer from paying and no merchant from logging in', async () => {
  const { failures, figures } = await simulateAbuse(await createTestDatabase(), { size: 4, minutes: 1 });
  expect(failures, JSON.stringify(figures)).toEqual([]);
  expect(figures).toMatchObject({ honestActions: 14, honestDone: 14, answered5xx: 0 });
  // The strangers reached the limits; how often depends on the speed of the machine.
  expect(figures.answered429).toBeGreaterThan(0);
}, 180_000);
