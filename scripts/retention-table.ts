import { readFileSync, writeFileSync } from 'node:fs';
import type { Pruning } from '../server/src/retention/table.ts';
import { TABLES } from '../server/src/retention/tables.ts';
import { replaceBetween } from './between.ts';

// Writes the retention table of docs/operating.md from the declaration that the prune job uses.
const MARKERS = ['<!-- tables: written by `npm run docs` -->', '<!-- end of tables -->'] as const;

export const OPERATING = new URL('../docs/operating.md', import.meta.url);

export function writeTables(): void {
  writeFileSync(OPERATING, withTables(readFileSync(OPERATING, 'utf8')));
}

export function withTables(text: string): string {
  return replaceBetween(text, MARKERS, table());
}

function table(): string {
  const rows = Object.entries(TABLES).map(
    ([name, { owner, budget, expiry, pruning }]) =>
      `| \`${name}\` | ${owner} | ${budget} | ${expiry} | ${sentenceOf(pruning)} |`,
  );
  return ['| Table | Belongs to | Budget | Kept for | Pruned |', '|---|---|---|---|---|', ...rows].join('\n');
}

function sentenceOf(pruning: Pruning): string {
  switch (pruning.by) {
    case 'batches':
      return 'by age, in batches';
    case 'month':
      return 'by the month';
    case 'parent':
      return `with \`${pruning.table}\``;
    case 'writer':
      return 'by its writer';
    case 'nothing':
      return 'never';
  }
}
