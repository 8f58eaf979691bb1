import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** Every path outside the API that names an object. */
const PAGES = [
  'GET /checkout/:id',
  'POST /checkout/:id',
  'GET /checkout/:id/logo',
  'GET /checkout/:id/pay',
  'POST /checkout/:id/pay',
  'POST /checkout/:id/again',
  'POST /checkout/:id/transactions',
  'POST /checkout/:id/test',
  'GET /checkout/:id/authorization',
  'POST /checkout/:id/authorization',
  'GET /checkout/:id/solana-pay',
  'POST /checkout/:id/solana-pay',
  'GET /checkout/:id/receipt',
  'POST /checkout/:id/paymaster',
  'POST /checkout/:id/paymaster/x',
  'GET /receipt/:id',
  'GET /pay/:id',
  'POST /pay/:id',
  'POST /pay/:id/open',
  'GET /pay/:id/logo',
  'GET /logos/:id',
  'GET /.well-known/jwks/:id/live.json',
];
const PROGRAM = { accept: 'application/json' };
const VISITORS: Record<string, string>[] = [{}, PROGRAM];

const STRANGE = [
  '%00',
  'cs_%00aaaaaaaaaaaaaaaaaaaaaaa',
  'pl_%00aaaaaaaaaaaaaaaaaaaaaaa',
  'cs_aaaaaaaaaaaaaaaaaaaaaaaa%00',
  'pl_aaaaaaaaaaaaaaaaaaaaaaaa%00',
  '%ED%A0%80',
  '%E0%A4%A',
  'cs_%F0%9F%92%A9aaaaaaaaaaaaaaaaaaaaaaa',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '%252e%00%0d%0aset-cookie:a=b',
  `cs_${'a'.repeat(90)}`,
  `cs_${'a'.repeat(3_000)}`,
  '%27%3B--',
];

describe.each(PAGES)('%s', (page) => {
  const [method, path = ''] = page.split(' ') as ['GET' | 'POST', string];

  test.each(STRANGE)('%j is refused or not found', async (id) => {
    for (const visitor of VISITORS) {
      const headers = { ...visitor, 'content-type': 'application/x-www-form-urlencoded' };
      const form = 'option=USDC_BASE&action=paid&tx_hash=%00';
      const { status } = await app.inject(method, path.replace(':id', id), {
        headers: method === 'POST' ? headers : visitor,
        ...(method === 'POST' && { body: form }),
      });
      expect([400, 404, 405, 414, 415]).toContain(status);
    }
  });
});
