import type pg from 'pg';

const names = new Map<string, string>();

/**
 * Returns the columns of a connection's statements in camel case: `tx_hash` as `txHash`. The description of a result,
 * which comes once, before its rows, is renamed, so that no row costs more. Values stay as they are, JSON too.
 */
export function nameFieldsInCamelCase(client: pg.PoolClient): void {
  // Before the driver's own listener, which builds the rows by these names.
  client.connection.prependListener('rowDescription', ({ fields }: { fields: { name: string }[] }) => {
    for (const field of fields) field.name = camelCase(field.name);
  });
}

/** The property of a column. */
export function camelCase(column: string): string {
  let name = names.get(column);
  if (name === undefined)
    names.set(column, (name = column.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())));
  return name;
}
