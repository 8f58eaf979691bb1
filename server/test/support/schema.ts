import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { startEmbeddedDatabase } from '../../src/platform/db/embedded/embedded.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { ask } from './ask.ts';

const FILE = fileURLToPath(new URL('../../../docs/schema.sql', import.meta.url));
const HEADER =
  '-- The schema after all migrations, to read. Written by `npm run docs`; the migrations are what is applied.\n';

/** Writes docs/schema.sql from a database that all migrations were applied to. */
export async function writeSchema(): Promise<void> {
  const log = pino({ level: 'silent' });
  const dataDir = await mkdtemp(join(tmpdir(), 'quittance-schema-'));
  const database = await startEmbeddedDatabase({ dataDir, log });
  try {
    await migrate({ url: database.url, log, strict: true });
    await writeFile(FILE, await readSchema(database.url));
  } finally {
    await database.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Every table with its columns, constraints and indexes, as the database itself describes them. */
export async function readSchema(url: string): Promise<string> {
  return [HEADER, ...(await ask<TableRow>(url, TABLES)).map(tableText)].join('\n');
}

interface TableRow {
  name: string;
  kind: string;
  partition: string | null;
  columns: string[];
  constraints: string[] | null;
  indexes: string[] | null;
}

function tableText({ name, kind, partition, columns, constraints, indexes }: TableRow): string {
  const lines = [...columns, ...(constraints ?? [])].map((line) => `  ${line}`).join(',\n');
  const end = partition === null ? '' : ` partition by ${partition}`;
  return `${[`create ${kind} ${name} (\n${lines}\n)${end};`, ...(indexes ?? []).map((index) => `${index};`)].join('\n')}\n`;
}

// Not-null constraints are rows of their own from PostgreSQL 18 on; here they stand with their column.
const TABLES = `
  select t.relname as name, case t.relpersistence when 'u' then 'unlogged table' else 'table' end as kind,
         case when t.relkind = 'p' then lower(pg_get_partkeydef(t.oid)) end as partition,
         (select array_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
                           case when a.attnotnull then 'not null' end,
                           case when a.attidentity <> '' then 'generated always as identity' end,
                           'default ' || pg_get_expr(d.adbin, d.adrelid)) order by a.attname)
            from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
           where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped) as columns,
         (select array_agg(pg_get_constraintdef(c.oid) order by c.contype, pg_get_constraintdef(c.oid))
            from pg_constraint c where c.conrelid = t.oid and c.contype in ('c', 'f', 'p', 'u')) as constraints,
         (select array_agg(regexp_replace(pg_get_indexdef(i.indexrelid), ' ON (ONLY )?public\\.', ' ON ')
           order by i.indexrelid::regclass::text)
            from pg_index i
           where i.indrelid = t.oid and not exists (select 1 from pg_constraint c where c.conindid = i.indexrelid)) as indexes
    from pg_class t
   where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
   order by t.relname`;
