/** A position in a list that is newest first. The id decides between objects of one instant. */
export interface Position {
  createdAt: Date;
  id: string;
}

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
/** The first step of rows of which nothing is known. */
const TRIAL_ROWS = 8;
const MAX_ROWS = 200;
/** What takes the thread for about a millisecond, so that requests of others come between. */
const STEP_BYTES = 64 * 1024;

export interface StepsFrom {
  after?: Position | null;
  most?: number;
  /** The bytes of a row so far, if known: the first step takes no more of large ones than it has to. */
  rowBytes?: number | undefined;
  /** Waits between two steps. */
  rest?: () => Promise<void>;
}

/**
 * Rows in their order, some at a time: fewer at once if they are large, because a merchant decides how large one is. A
 * step is at most twice as long as the one before it, so that large rows after many small ones are met in time.
 */
export async function* inSteps<Row, Item>(
  { fetch, position, present, bytesOf }: Steps<Row, Item>,
  { after = null, most = Number.POSITIVE_INFINITY, rowBytes, rest }: StepsFrom = {},
): AsyncGenerator<Weighed<Row, Item>[]> {
  let start = after;
  let limit = rowBytes === undefined ? TRIAL_ROWS : Math.min(FIRST_ROWS, rowsOf(rowBytes));
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
    if (left > 0) await rest?.();
    start = position(last);
    limit = Math.min(2 * asked, MAX_ROWS, rowsOf(meanBytes(weighed)));
  }
}

export function meanBytes(weighed: readonly { bytes: number }[]): number {
  return weighed.reduce((sum, { bytes }) => sum + bytes, 0) / weighed.length;
}

/** The rows of this size that fill a step. */
function rowsOf(bytes: number): number {
  return Math.ceil(STEP_BYTES / Math.max(bytes, 1));
}
