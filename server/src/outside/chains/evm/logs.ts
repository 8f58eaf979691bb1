import type { Call } from '../rpc/provider.ts';
import { list, MalformedAnswerError } from '../rpc/shapes.ts';
import type { Evm, WatchedWallets } from './evm.ts';
import { hex, type Log, toLog } from './shapes.ts';

/** keccak256("Transfer(address,address,uint256)") */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Whether a log is an ERC-20 transfer: three topics (an NFT's has four) and one word of data. */
export function isTransfer(log: Pick<Log, 'topics' | 'data'>): boolean {
  return log.topics[0] === TRANSFER_TOPIC && log.topics.length === 3 && log.data.length === 66;
}

// The number of values per topic position that providers accept.
const MAX_RECIPIENTS = 500;

/** The logs to request, from the first to the last block, both included. */
export interface LogQuery {
  from: bigint;
  to: bigint;
  /** Whether all transfers are requested and filtered here. By default the number of wallets decides. */
  everything?: boolean | undefined;
}

/**
 * The calls that together return every token transfer to a watched wallet in these blocks. Up to a number of wallets
 * they filter by recipient. Above it they return all transfers, which are filtered here, so that the cost does not grow
 * with the wallets.
 */
export function transferLogs(evm: Evm, watched: WatchedWallets, query: LogQuery): Call<Log[]>[] {
  if (watched.size === 0) return [];
  const address = [...evm.tokens.keys(), ...(evm.nativeEmitter ? [evm.nativeEmitter] : [])];
  const parse = (result: unknown) =>
    selectLogs(result === null ? [] : list(result, 'logs'), new Set(address), watched, query);
  const call = (topics: unknown[]): Call<Log[]> => ({
    method: 'eth_getLogs',
    params: [{ fromBlock: hex(query.from), toBlock: hex(query.to), address, topics }],
    parse,
  });
  if (query.everything ?? watched.size > evm.maxFilteredWallets) return [call([TRANSFER_TOPIC])];

  const recipients = [...watched.keys()].map((wallet) => `${PADDING}${wallet.slice(2)}`);
  return Array.from({ length: Math.ceil(recipients.length / MAX_RECIPIENTS) }, (_, chunk) =>
    call([TRANSFER_TOPIC, null, recipients.slice(chunk * MAX_RECIPIENTS, (chunk + 1) * MAX_RECIPIENTS)]),
  );
}

/**
 * Selects the relevant logs. A block may have thousands, so the raw recipient is looked up before anything is parsed.
 */
function selectLogs(
  raw: readonly unknown[],
  tokens: ReadonlySet<string>,
  watched: WatchedWallets,
  { from, to }: LogQuery,
): Log[] {
  const selected: Log[] = [];
  for (const entry of raw) {
    const recipient = (entry as { topics?: readonly unknown[] } | null)?.topics?.[2];
    if (typeof recipient !== 'string' || !isTopicOf(watched, recipient)) continue;
    const log = toLog(entry);
    if ((entry as { removed?: unknown }).removed === true || !tokens.has(log.address) || !isTransfer(log)) continue;
    if (log.blockNumber < from || log.blockNumber > to)
      throw new MalformedAnswerError(`a log of block ${log.blockNumber} came for ${from} to ${to}`);
    if (BigInt(log.data) > 0n) selected.push(log);
  }
  return selected;
}

/** What stands before an address in a log's topic. */
const PADDING = `0x${'0'.repeat(24)}`;
const UPPER_CASE = /[A-F]/;

function isTopicOf(watched: WatchedWallets, topic: string): boolean {
  if (!topic.startsWith(PADDING)) return false;
  const wallet = `0x${topic.slice(PADDING.length)}`;
  return watched.has(wallet) || (UPPER_CASE.test(wallet) && watched.has(wallet.toLowerCase()));
}
