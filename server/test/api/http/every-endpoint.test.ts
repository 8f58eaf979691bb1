import { endpoints } from '@quittance/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test.each(Object.values(endpoints).map((endpoint) => [endpoint.operationId, endpoint] as const))(
  '%s is answered by this service',
  (_name, { method, path }) => {
    expect(app.server.hasRoute({ method, url: path.replaceAll(/\{(\w+)\}/g, ':$1') })).toBe(true);
  },
);
