import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// A table that grows with the traffic must not be locked while an index is built.
const folder = fileURLToPath(new URL('../src/platform/db/migrations', import.meta.url));

test('new migrations build indexes of existing tables concurrently, each migration nothing else', () => {
  const blocking = globSync('*.sql', { cwd: folder })
    .filter((file) => !file.startsWith('0001-'))
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
