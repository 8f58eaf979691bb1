import type { Provider } from '../rpc/provider.ts';
import type { Providers } from '../rpc/providers.ts';
import { blockByNumber, blockContents, receiptsIn } from './calls.ts';
import type { Evm } from './evm.ts';
import { isTransfer, transferLogs } from './logs.ts';
import { isUnsupported } from './refusals.ts';
import type { Log } from './shapes.ts';

/** An index may be behind its node, and one node of a provider behind another: this many of the newest blocks prove nothing. */
const BLOCKS_BEHIND = 5n;
/** How many blocks before them are looked at for a transfer to compare. */
const MAX_BLOCKS = 5n;

/**
 * Whether the filter that the reader uses finds a transfer that the provider's own receipts show. A node of Tron whose
 * JSON-RPC was switched on after it had read its blocks, or that began from a snapshot, has no index of logs: it answers
 * every filter with none, and no error.
 */
export function findsLogs(providers: Providers, evm: Evm): Promise<boolean | null> {
  return providers.use(async (provider) => {
    const last = ((await provider.call(blockByNumber('latest')))?.number ?? 0n) - BLOCKS_BEHIND;
    let isMissing = false;
    for (let number = last; number > 0n && number > last - MAX_BLOCKS; number -= 1n) {
      const shown = await transferIn(provider, evm, number);
      if (!shown) continue;
      if ((await filtered(provider, evm, shown)).some((log) => log.txHash === shown.txHash)) return true;
      // An older transfer may still be found.
      isMissing = true;
    }
    return isMissing ? false : null;
  });
}

async function transferIn(provider: Provider, evm: Evm, number: bigint): Promise<Log | undefined> {
  const block = await provider.call(blockContents(number));
  if (!block || block.transactions.size === 0) return undefined;
  const [receipts] = await provider.attempt([receiptsIn(number, block.transactions)]);
  if (receipts && 'error' in receipts && !isUnsupported(receipts.error)) throw receipts.error;
  const shown = receipts && 'value' in receipts ? [...(receipts.value ?? []).values()] : [];
  return shown
    .flatMap(({ logs }) => logs)
    .find((log) => evm.tokens.has(log.address) && isTransfer(log) && BigInt(log.data) > 0n);
}

async function filtered(provider: Provider, evm: Evm, { topics, blockNumber }: Log): Promise<Log[]> {
  const to = `0x${topics[2]?.slice(26)}`;
  const range = { from: blockNumber, to: blockNumber, everything: false };
  return (await provider.batch(transferLogs(evm, new Map([[to, to]]), range))).flat();
}
