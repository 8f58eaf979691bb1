import pg from 'pg';
import { types } from '../../../src/platform/db/pool.ts';

/** Reads committed data over a separate connection; several queries are sent together. */
export interface Observer {
  query<Row>(name: string, sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The sessions as they were first seen, by id. */
  prints: Map<string, string>;
  /** Payments that have expired. */
  ended: Set<string>;
  close(): Promise<void>;
}

export async function createObserver(url: string): Promise<Observer> {
  const client = new pg.Client({ connectionString: url, types, pipeline: true });
  await client.connect();
  return {
    query: async (name, text, values) =>
      (await client.query({ name, text, values: values as unknown[] | undefined })).rows,
    prints: new Map(),
    ended: new Set(),
    close: () => client.end(),
  };
}
