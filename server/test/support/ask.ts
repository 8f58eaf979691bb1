import pg from 'pg';

/** The rows of one statement, over a connection of its own to a database. */
export async function ask<Row extends pg.QueryResultRow = Record<string, unknown>>(
  url: string,
  sql: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  // A server that is killed meanwhile fails the statement.
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
