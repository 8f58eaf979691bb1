import { parseArgs } from 'node:util';
import { RECEIVE_NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import { type RescanProgress, rescan } from '../settlement/rescan.ts';
import { UsageError, print } from './print.ts';
import { withApp } from './with-app.ts';

/**
 * `quittance-server rescan <network> --from <block | time> [--to <block>]`: reads a network again from there, up to a
 * block or to the watcher's position, and settles what it finds. Does not disturb a running service.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { from: { type: 'string' }, to: { type: 'string' } },
  });
  const [network, ...others] = positionals;
  const { from, to } = values;
  if (!isNetwork(network) || others.length > 0)
    throw new UsageError(`The network must be one of ${RECEIVE_NETWORKS.join(', ')}.`);
  if (!isStart(from)) throw new UsageError('--from must be a block number, or a time like 2026-01-31T12:00:00Z.');
  if (to !== undefined && !isBlock(to)) throw new UsageError('--to must be a block number.');

  await withApp(async ({ ctx }) => {
    let [found, contested, setAside, unseen, readByOne] = [0, 0, 0, 0, 0];
    const start = isBlock(from) ? BigInt(from) : new Date(from);
    for await (const progress of rescan(ctx, network, start, to === undefined ? {} : { to: BigInt(to) })) {
      ({ found, contested, setAside, unseen, readByOne } = progress);
      print(`block ${progress.block} of ${progress.until}, ${found} new`);
    }
    print(`Done: ${found === 1 ? 'one new transfer' : `${found} new transfers`}.`);
    if (contested > 0)
      print(
        `${contested === 1 ? 'One known transfer was' : `${contested} known transfers were`} reported ` +
          'differently than stored, or not at all, and compared with every provider.',
      );
    const missing = whatIsMissing({ setAside, unseen, readByOne });
    for (const sentence of missing) print(sentence);
    if (missing.length === 0) return;
    process.exitCode = 1;
  });
}

/** What a rescan could not store or look for, a sentence each. */
export function whatIsMissing({ setAside, unseen, readByOne }: Missing): string[] {
  const sentences: string[] = [];
  if (setAside > 0)
    sentences.push(`${setAside} could not be stored: the log names each transaction (transaction_set_aside).`);
  if (unseen > 0)
    sentences.push(
      `In ${unseen} of these blocks, ether from contracts could not be looked for: no provider traces them or has their balances.`,
    );
  if (readByOne > 0)
    sentences.push(
      `Only one provider served ${readByOne} of these blocks: what it leaves out is not found. Run it again when another one answers.`,
    );
  return sentences;
}

type Missing = Pick<RescanProgress, 'setAside' | 'unseen' | 'readByOne'>;

function isNetwork(text: string | undefined): text is ReceiveNetwork {
  return (RECEIVE_NETWORKS as readonly string[]).includes(text ?? '');
}

function isStart(text: string | undefined): text is string {
  return text !== undefined && (isBlock(text) || !Number.isNaN(Date.parse(text)));
}

function isBlock(text: string): boolean {
  return /^[0-9]+$/.test(text);
}
