import { RECEIVE_NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import { rescan } from '../server/src/settlement/rescan.ts';
import { beside, words } from './beside.ts';

// `npm run rescan -- <network> --from <block | time> [--to <block>]`: reads a network again from there on, up to a block
// or as far as the watcher has come, and settles what it finds. Safe to repeat and to break off; a running service is
// not disturbed.
const { network, from, to, rest } = words('network', 'from', 'to');
if (!isNetwork(network) || rest !== undefined || !isStart(from) || (to !== undefined && !isBlock(to))) {
  console.error(
    `npm run rescan -- <${RECEIVE_NETWORKS.join(' | ')}> --from <a block, or a time like 2026-01-31T12:00:00Z> [--to <block>]`,
  );
  process.exit(2);
}

await beside(async ({ ctx }) => {
  let found = 0;
  for await (const progress of rescan(
    ctx,
    network,
    isBlock(from) ? BigInt(from) : new Date(from),
    to === undefined ? undefined : BigInt(to),
  )) {
    found = progress.found;
    console.log(`block ${progress.block} of ${progress.until}, ${found} new`);
  }
  console.log(`Done: ${found === 1 ? 'one transfer' : `${found} transfers`} that nobody had seen.`);
});

function isNetwork(text: string | undefined): text is ReceiveNetwork {
  return (RECEIVE_NETWORKS as readonly string[]).includes(text ?? '');
}

function isStart(text: string | undefined): text is string {
  return text !== undefined && (isBlock(text) || !Number.isNaN(Date.parse(text)));
}

function isBlock(text: string): boolean {
  return /^[0-9]+$/.test(text);
}
