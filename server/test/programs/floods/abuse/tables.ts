import pg from 'pg';

export interface TableSize {
  rows: number;
  /** Including its indexes, after dead rows are removed. */
  bytes: number;
}

/** Rows and bytes of every table, including its partitions. */
export async function measureTables(url: string): Promise<Map<string, TableSize>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('vacuum full');
    const { rows: tables } = await client.query<{ name: string; bytes: string }>(`
      select c.relname as name,
             coalesce((select sum(pg_total_relation_size(part.relid)) from pg_partition_tree(c.oid) part),
               pg_total_relation_size(c.oid)) as bytes
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'test_clock'
       order by c.relname`);
    const sizes = new Map<string, TableSize>();
    for (const { name, bytes } of tables) {
      const { rows } = await client.query<{ count: string }>(`select count(*) from ${pg.escapeIdentifier(name)}`);
      sizes.set(name, { rows: Number(rows[0]?.count), bytes: Number(bytes) });
    }
    return sizes;
  } finally {
    await client.end();
  }
}
