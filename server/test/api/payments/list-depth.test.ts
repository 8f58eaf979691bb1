import { afterAll, beforeAll, expect, test } from 'vitest';
import { pageOf } from '../../../src/resources/payments/list-store.ts';
import { fillPayments } from '../../support/fill.ts';
import { startApp, type TestApp } from '../../support/index.ts';

const PAYMENTS = 20_000;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  const session = await app.merchant.createSession();
  await fillPayments(app.ctx.db, session.id, { numbers: `generate_series(1, ${PAYMENTS}) n` });
  await app.ctx.db.query('test_analyze', 'analyze checkout_sessions, payments');
});
afterAll(() => app.stop());

test.each([
  ['anywhere', `started_at is not null`, '{direct,routed}'],
  ['of one status', `status = 'paid'`, '{direct,routed}'],
  ['of a status that no payment has', `status = 'failed'`, '{direct,routed}'],
  ['of a route that no payment took', `started_at is not null`, '{routed}'],
])('a page %s costs the same at the end of a long list as at its beginning', async (_name, condition, routes) => {
  const ends = [PAYMENTS, PAYMENTS / 2, 30];
  const pagesRead = await Promise.all(ends.map((end) => blocksRead(condition, routes, end)));
  for (const blocks of pagesRead) expect(blocks).toBeLessThan(250);
});

let explained = 0;

/** How many blocks PostgreSQL reads for the page after the payment with this number. */
async function blocksRead(condition: string, routes: string, number: number): Promise<number> {
  const literals = [
    `'${app.merchant.accountId}'`,
    'false',
    `'${routes}'`,
    'null',
    `timestamptz '2026-01-01' + ${number} * interval '1 second'`,
    `'pay_' || lpad('${number}', 24, '0')`,
    '21',
  ];
  const sql = pageOf(condition).replaceAll(/\$(\d)/g, (_match, at) => `(${literals[Number(at) - 1]})`);
  const [row] = await app.ctx.db.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
    `test_explain_${(explained += 1)}`,
    `explain (analyze, buffers, format json) ${sql}`,
  );
  const plan = row?.['QUERY PLAN'][0]?.Plan;
  return Number(plan?.['Shared Hit Blocks']) + Number(plan?.['Shared Read Blocks']);
}
