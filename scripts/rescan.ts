import { RECEIVE_NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import { createApp } from '../server/src/app.ts';
import { readConfig } from '../server/src/config.ts';
import { CannotStart } from '../server/src/platform/errors.ts';
import { rescan } from '../server/src/resources/payments/rescan.ts';

// `npm run rescan -- <network> --from <block | time> [--to <block>]`: reads a network again from there on, up to a block
// or as far as the watcher has come, and settles what it finds. Safe to repeat and to break off; the running service is not disturbed.
const [network, flag, from, toFlag, to] = process.argv.slice(2);
const isEnd = toFlag === undefined || (toFlag === '--to' && /^[0-9]+$/.test(to ?? ''));
if (!(RECEIVE_NETWORKS as readonly string[]).includes(network ?? '') || flag !== '--from' || !isStart(from) || !isEnd) {
  console.error(`npm run rescan -- <${RECEIVE_NETWORKS.join(' | ')}> --from <a block, or a time like 2026-01-31T12:00:00Z> [--to <block>]`);
  process.exit(2);
}

try {
  const app = await createApp(readConfig({ LOG_LEVEL: 'warn', ...process.env }));
  try {
    let found = 0;
    for await (const progress of rescan(app.ctx, network as ReceiveNetwork, /^[0-9]+$/.test(from) ? BigInt(from) : new Date(from), to === undefined ? undefined : BigInt(to))) {
      found = progress.found;
      console.log(`block ${progress.block} of ${progress.until}, ${found} new`);
    }
    console.log(`Done: ${found === 1 ? 'one transfer' : `${found} transfers`} that nobody had seen.`);
  } finally {
    await app.close();
  }
} catch (error) {
  if (!(error instanceof CannotStart)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function isStart(text: string | undefined): text is string {
  return text !== undefined && (/^[0-9]+$/.test(text) || !Number.isNaN(Date.parse(text)));
}
