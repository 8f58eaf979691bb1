import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// A table that grows with the traffic must not be locked while an index is built.
const folder = fileURLToPath(new URL('../src/platform/db/migrations', import.meta.url));
/** Earlier migrations are older than the rule. */
const FIRST_MIGRATION = 85;

test.each([
  ['an index', 'create index notes_by_payment on notes (payment_id);'],
  ['a unique index', 'create unique index if not exists notes_once on only notes using btree (payment_id);'],
  ['a unique constraint', 'alter table notes add constraint notes_once unique (payment_id);'],
  ['a unique column', 'alter table notes add column token text unique;'],
  ['a primary key', 'alter table notes add primary key (id);'],
])('a migration that builds %s of an existing table while writers wait is refused', (_, sql) => {
  expect(blockingStatements(sql)).toHaveLength(1);
});

test('a concurrent index beside other statements is refused, because it cannot run in their transaction', () => {
  const sql = 'create index concurrently if not exists notes_by_id on notes (id); alter table notes add column n text;';
  expect(blockingStatements(sql)).toHaveLength(1);
});

test.each([
  ['concurrently', 'create index concurrently if not exists notes_by_payment on notes (payment_id);'],
  [
    'on a table of the same migration',
    'create table notes (id text primary key); create index notes_by_id on notes (id);',
  ],
  ['from an index', 'alter table notes add constraint notes_once unique using index notes_once;'],
])('a migration may build an index %s', (_, sql) => {
  expect(blockingStatements(sql)).toEqual([]);
});

test('new migrations build indexes of existing tables concurrently, each migration nothing else', () => {
  const blocking = globSync('*.sql', { cwd: folder })
    .filter((file) => Number(file.slice(0, 4)) >= FIRST_MIGRATION)
    .flatMap((file) => blockingStatements(readFileSync(join(folder, file), 'utf8')).map((one) => `${file}: ${one}`));
  expect(blocking).toEqual([]);
});

/** Statements that build an index of an existing table under a lock, or concurrently beside other statements. */
function blockingStatements(sql: string): string[] {
  const statements = sql
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim().replaceAll(/\s+/g, ' '))
    .filter(Boolean);
  const created = statements.map((one) => /^create table (?:if not exists )?([^\s(]+)/i.exec(one)?.[1]);
  const isConcurrent = (one: string) => /^create (?:unique )?index concurrently\b/i.test(one);
  const isMixed = !statements.every(isConcurrent);
  return statements.filter((one) => {
    if (isConcurrent(one)) return isMixed;
    const table =
      /^create (?:unique )?index .*? on (?:only )?([^\s(]+)/i.exec(one)?.[1] ??
      /^alter table (?:only )?(\S+) .*\b(?:unique|primary key|exclude)\b(?! using index)/i.exec(one)?.[1];
    return table !== undefined && !created.includes(table);
  });
}
