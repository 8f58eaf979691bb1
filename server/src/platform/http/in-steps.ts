import type { Position } from './pagination.ts';

/** A row as it is answered, and its bytes there. */
export interface Weighed<Row, Item> {
  row: Row;
  item: Item;
  bytes: number;
}

export interface Steps<Row, Item> {
  /** The rows after the position (null: from the first on), up to the limit. */
  fetch: (page: { after: Position | null; limit: number }) => Promise<Row[]>;
  position: (row: Row) => Position;
  present: (row: Row) => Item;
  bytesOf: (item: Item) => number;
}

/** A page of the usual size, and the row that shows whether there are more, is one step. */
const FIRST_ROWS = 26;
const MAX_ROWS = 200;
const STEP_BYTES = 256 * 1024;

/**
 * Rows in their order, some at a time: fewer at once if they are large, because a merchant decides how large one is. A step is at
 * most twice as long as the one before it, so that large rows after many small ones are met in time.
 */
export async function* inSteps<Row, Item>(
  { fetch, position, present, bytesOf }: Steps<Row, Item>,
  { after = null, most = Number.POSITIVE_INFINITY }: { after?: Position | null; most?: number } = {},
): AsyncGenerator<Weighed<Row, Item>[]> {
  let start = after;
  let limit = FIRST_ROWS;
  for (let left = most; left > 0; ) {
    const asked = Math.min(limit, left);
    const rows = await fetch({ after: start, limit: asked });
    const last = rows.at(-1);
    if (!last) return;
    const weighed = rows.map((row) => {
      const item = present(row);
      return { row, item, bytes: bytesOf(item) };
    });
    yield weighed;
    if (rows.length < asked) return;
    left -= rows.length;
    start = position(last);
    const mean = weighed.reduce((sum, { bytes }) => sum + bytes, 0) / rows.length;
    limit = Math.max(1, Math.min(2 * asked, MAX_ROWS, Math.floor(STEP_BYTES / Math.max(mean, 1))));
  }
}
