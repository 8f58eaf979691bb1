import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prune } from '../../../src/retention/prune.ts';
import { TABLES } from '../../../src/retention/tables.ts';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('every table of the live schema declares its owner, its budget, its expiry and how it is pruned, and no other does', async () => {
  const rows = await app.ctx.db.query<{ name: string }>(
    'tables_of_schema',
    `
    select c.relname as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not exists (select from pg_inherits i where i.inhrelid = c.oid)
     order by 1`,
  );
  expect(Object.keys(TABLES).sort()).toEqual(rows.map(({ name }) => name).sort());
  for (const [name, { owner, budget, expiry, pruning }] of Object.entries(TABLES)) {
    for (const sentence of [owner, budget, expiry]) expect(sentence, name).toMatch(/\S/);
    if (pruning.by === 'parent') expect(Object.keys(TABLES), name).toContain(pruning.table);
  }
});

test('every table that refers to a payment, a choice or a session is named where unpaid checkouts are deleted', async () => {
  const rows = await app.ctx.db.query<{ name: string }>(
    'referring_tables',
    `
    select distinct c.relname as name from pg_constraint k join pg_class c on c.oid = k.conrelid
     where k.contype = 'f' and k.confrelid in ('payments'::regclass, 'payment_targets'::regclass, 'checkout_sessions'::regclass)`,
  );
  const source = readFileSync(
    new URL('../../../src/resources/checkout-sessions/unpaid-store.ts', import.meta.url),
    'utf8',
  );
  const missing = rows.filter(({ name }) => !new RegExp(`(from|delete from) ${name} `).test(source));
  expect(missing).toEqual([]);
});

test('a table that fails is left to the next pass and does not delay another', async () => {
  const seen: string[] = [];
  const policy = (batch: () => Promise<'more' | 'done'>) => ({
    owner: 'a',
    budget: 'b',
    expiry: 'c',
    pruning: { by: 'batches' as const, begin: () => batch },
  });
  let left = 3;
  await prune(app.ctx, new AbortController().signal, {
    broken: policy(async () => {
      seen.push('broken');
      throw new Error('canceling statement due to statement timeout');
    }),
    long: policy(async () => {
      seen.push('long');
      left -= 1;
      return left > 0 ? 'more' : 'done';
    }),
    short: policy(async () => {
      seen.push('short');
      return 'done';
    }),
  });
  expect(seen).toEqual(['broken', 'long', 'short', 'long', 'long']);
});
