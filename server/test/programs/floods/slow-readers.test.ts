import { expect, test } from 'vitest';
import { startApp } from '../../support/app.ts';
import { floodWithSlowReaders } from './slow-readers.ts';

const TIMEOUT_MS = 2_000;

// The whole flood is `npm run program -- floods slow-readers`, with the service's own timeouts.
test('dozens of connections that never read are closed, and other clients are answered meanwhile', async () => {
  await using app = await startApp({ listen: true });
  app.server.server.setTimeout(TIMEOUT_MS).keepAliveTimeout = TIMEOUT_MS;
  const { failures, figures } = await floodWithSlowReaders(app, { size: 60 });
  expect(failures, JSON.stringify(figures)).toEqual([]);
});
