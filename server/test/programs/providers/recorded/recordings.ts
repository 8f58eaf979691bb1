import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

/** A real node's recorded answer. The answers must not be published, so they are outside the repository. */
export interface Recording {
  /** The file, which names the chain and the source. */
  file: string;
  source: string;
  method: string;
  params: readonly unknown[];
  result: unknown;
  error: { code: number; message: string } | undefined;
}

const FOLDER = process.env.REALDATA_DIR ?? fileURLToPath(new URL('../../../../../../shared/realdata', import.meta.url));

/** Without the folder there is nothing to replay, and the tests are reported as skipped. */
export const areMissing = !existsSync(FOLDER);
if (areMissing)
  console.warn(
    `SKIPPED: the recorded answers of real nodes are not replayed, because ${FOLDER} does not exist. Set ` +
      'REALDATA_DIR to the folder that holds them.',
  );

/** The recordings of some files, or of all. */
export function recordings(file = /./): Recording[] {
  if (areMissing) return [];
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.ndjson.gz') && file.test(name))
    .toSorted()
    .flatMap((name) =>
      gunzipSync(readFileSync(join(FOLDER, name)))
        .toString('utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => {
          const { source, method, params, result, error } = JSON.parse(line) as Omit<
            Recording,
            'file' | 'result' | 'error'
          > & { result?: string; error?: string };
          // Each answer is stored as the text that the node sent.
          return {
            file: name.replace('.ndjson.gz', ''),
            source,
            method,
            params,
            result: parsed(result),
            error: parsed(error) as Recording['error'],
          };
        }),
    );
}

/** How many of each kind, as a line for the log. */
export function count(kinds: readonly string[]): string {
  return [...Map.groupBy(kinds, (kind) => kind)]
    .map(([kind, { length }]) => `${kind} ${length}`)
    .toSorted()
    .join(', ');
}

/** A node's JSON object before validation. */
export type Raw = Record<string, any>;

/** All full blocks, transactions and receipts in these recordings, without duplicates. */
export function contentsOf(all: readonly Recording[]): { blocks: Raw[]; transactions: Raw[]; receipts: Raw[] } {
  const answers = (method: RegExp) =>
    all
      .filter(
        (recording) => method.test(recording.method) && recording.result !== null && recording.error === undefined,
      )
      .flatMap(({ result }) => result as Raw);
  // Some sources cut the same block down to fewer transactions; the longest is what the node sent.
  const blocks = answers(/^eth_getBlockBy/).toSorted((a, b) => a.transactions.length - b.transactions.length);
  const listed = blocks.flatMap((block) =>
    (block.transactions as unknown[]).filter((entry): entry is Raw => typeof entry === 'object'),
  );
  const once = (objects: Raw[], key: string) => [...new Map(objects.map((object) => [object[key], object])).values()];
  return {
    blocks: once(blocks, 'hash'),
    transactions: once([...listed, ...answers(/^eth_getTransactionBy/)], 'hash'),
    receipts: once(answers(/^eth_getTransactionReceipt$|^eth_getBlockReceipts$/), 'transactionHash'),
  };
}

function parsed(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text);
}
