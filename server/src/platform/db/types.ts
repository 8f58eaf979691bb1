import pg from 'pg';

const { builtins } = pg.types;
const ARRAY_OF_INT8 = 1016;
const ARRAY_OF_NUMERIC = 1231;

/** How PostgreSQL's types are returned: whole numbers that may not fit a JavaScript number as `bigint`. */
export const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return (format !== 'binary' && parsers.get(oid)) || pg.types.getTypeParser(oid, format);
  },
} as typeof pg.types;

const parsers = new Map<number, (text: string) => unknown>([
  [builtins.INT8, BigInt],
  [builtins.NUMERIC, numeric],
  [ARRAY_OF_INT8, (text) => arrayOf(text).map((item) => (item === null ? null : BigInt(item)))],
  [ARRAY_OF_NUMERIC, (text) => arrayOf(text).map((item) => (item === null ? null : numeric(item)))],
  // A date has no time zone, so it is not an instant and stays text.
  [builtins.DATE, (text) => text],
]);

/** Amounts are whole. Numbers with a fraction (rates) stay exact text. */
function numeric(text: string): bigint | string {
  return /^-?[0-9]+$/.test(text) ? BigInt(text) : text;
}

/** An array of numbers as PostgreSQL writes it: no quotes, no nesting. */
function arrayOf(text: string): (string | null)[] {
  const inner = text.slice(1, -1);
  return inner === '' ? [] : inner.split(',').map((item) => (item === 'NULL' ? null : item));
}
