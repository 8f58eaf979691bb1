import { afterAll, beforeAll, expect, test } from 'vitest';
import { toApiError } from '../../../src/platform/http/server/errors.ts';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test.each([
  ['a text', `select $1::text`, 'a\0b'],
  ['a text in JSON', `select ($1::jsonb) ->> 'a'`, '{"a":"\\u0000"}'],
])("text that the database cannot represent is the request's fault: %s", async (name, sql, value) => {
  const thrown = await app.ctx.db.query(`test_${name}`, sql, [value]).catch((error: unknown) => error);
  expect(toApiError(thrown)).toMatchObject({ status: 400, code: 'invalid_request' });
});
