import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { camelCase } from '../src/platform/db/pool.ts';
import { createTestDatabase, type TestDatabase } from './support/database.ts';
import { isTest, readSources, type Source } from './support/sources.ts';
import { readStatements, type Statement } from './support/statements.ts';

// The row types are only declared to the compiler; this test compares them with the live schema.

const { statements, unreadable } = readStatements();
const TEST_STATEMENT = /'(test_\w+)',\s*('[^']*'|`[^`]*`)/g;
const ofNouns = statements.filter(({ place }) => !place.startsWith('server/src/platform/db/'));

let database: TestDatabase;
let client: pg.Client;
let nullable: Set<string>;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ table: number; column: number }>(
    'select attrelid::integer as table, attnum as column from pg_attribute where not attnotnull and attnum > 0',
  );
  nullable = new Set(rows.map((row) => `${row.table}.${row.column}`));
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

test('every statement is text that can be read without running the service', () => {
  // Statements for the database itself, and partitions, whose names contain a month.
  const built =
    /^server\/src\/(platform\/(db|http\/server\/handle\.ts)|resources\/webhooks\/events\/partition-store\.ts)/;
  expect(unreadable.filter((place) => !built.test(place))).toEqual([]);
  expect(ofNouns.length).toBeGreaterThan(100);
});

test('a name belongs to one text', () => {
  const texts = new Map<string, string>();
  const twice = ofNouns.filter(({ name, texts: [text = ''] }) => {
    const known = texts.get(name);
    texts.set(name, text);
    return known !== undefined && known !== text;
  });
  expect(twice.map(({ place, name }) => `${place} ${name}`)).toEqual([]);
});

test('a name of the tests belongs to one text in all that a test imports', () => {
  // A connection refuses a second text under a prepared name, and which connection answers is chance.
  const files = new Map(readSources().map((source) => [source.path, source]));
  const twice = [...files.values()].filter(isTest).flatMap(({ path }) => {
    const reached = reach(files, path, new Set());
    const texts = [...reached].flatMap((file) => [...(files.get(file)?.text ?? '').matchAll(TEST_STATEMENT)]);
    return Object.entries(Object.groupBy(texts, ([, name]) => name as string))
      .filter(([, found = []]) => new Set(found.map(([, , text]) => text?.replace(/\s+/g, ' '))).size > 1)
      .map(([name]) => `${path} ${name}`);
  });
  expect(twice).toEqual([]);
});

test('the names that an operator sees in the log use the words of the database', () => {
  const wrong = ofNouns.filter(({ name }) => /^(remember|forget|return)_|rubbish|doubted|_taken|_over$/.test(name));
  expect(wrong.map(({ place, name }) => `${place} ${name}`)).toEqual([]);
});

describe('each statement fits the schema, and its rows have the types their reader believes in', () => {
  test.each(
    ofNouns.map(
      (statement) =>
        [`${statement.name} (${statement.place.replace('server/src/resources/', '')})`, statement] as const,
    ),
  )('%s', async (_name, statement) => {
    for (const text of statement.texts) {
      const fields = await describeStatement(text);
      expect(complaints(statement, text, fields)).toEqual([]);
    }
  });
});

/** A file of tests and all that it imports, without the service. */
function reach(files: Map<string, Source>, path: string, seen: Set<string>): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const other of files.get(path)?.imports ?? []) if (isTest({ path: other })) reach(files, other, seen);
  return seen;
}

interface Field {
  name: string;
  dataTypeID: number;
  tableID: number;
  columnID: number;
}

const STRING = /^string$/;
const ANYTHING = /./;
/** How the pool returns each PostgreSQL type. */
const TYPES = new Map<number, RegExp>([
  [16, /^boolean$/],
  [19, STRING],
  [17, /^(Buffer|Uint8Array)\b/],
  [20, /^bigint$/],
  [21, /^number$/],
  [23, /^number$/],
  [25, STRING],
  [1043, STRING],
  [701, /^number$/],
  [1184, /^Date$/],
  [1700, /^(bigint|string|string \| bigint|bigint \| string)$/],
  [114, ANYTHING],
  [3802, ANYTHING],
  [1009, /^(readonly )?(string|\(?".*)\[\]$|\)\[\]$/],
  [1001, /^(Buffer|Uint8Array)\b.*\[\]$/],
  [1016, /^bigint\[\]$/],
  [1231, /^bigint\[\]$/],
]);

function complaints({ row }: Statement, text: string, fields: Field[]): string[] {
  const byName = new Map(fields.map((field) => [camelCase(field.name), field]));
  return [...(row ?? [])].flatMap(([name, believed]) => {
    const field = byName.get(name);
    if (!field) return believed.type === 'undefined' ? [] : [`${name} is not among the columns`];
    const expected = TYPES.get(field.dataTypeID);
    if (!expected) return [`${name} has the type ${field.dataTypeID}, which the pool does not translate`];
    if (!expected.test(believed.type))
      return [`${name} is believed to be ${believed.type}, but has the PostgreSQL type ${field.dataTypeID}`];
    if (!believed.nullable && nullable.has(`${field.tableID}.${field.columnID}`) && !isCompared(field.name, text))
      return [`${name} may be null`];
    return [];
  });
}

/**
 * A row whose column is null passes no comparison, so a statement that compares the column never returns null in it.
 */
function isCompared(name: string, text: string): boolean {
  return new RegExp(`\\b${name} (is not null|[<>]=?|=) `).test(`${text.replaceAll(/\s+/g, ' ')} `);
}

/** Parses and describes the statement without running it. */
function describeStatement(text: string): Promise<Field[]> {
  return new Promise((resolve, reject) => {
    let fields: Field[] = [];
    // The driver has no call for this; it sends objects that implement its own protocol.
    client.query({
      submit(connection: { parse(message: object): void; describe(message: object): void; sync(): void }) {
        connection.parse({ text, name: '', types: [] });
        connection.describe({ type: 'S', name: '' });
        connection.sync();
      },
      handleRowDescription(message: { fields: Field[] }) {
        fields = message.fields;
      },
      handleError(error: Error) {
        reject(new Error(`${error.message} in ${text}`));
      },
      handleReadyForQuery() {
        resolve(fields);
      },
      callback() {},
    } as unknown as pg.Submittable);
  });
}
