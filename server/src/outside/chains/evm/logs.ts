import type { Call } from '../rpc/provider.ts';
import { list, MalformedAnswerError } from '../rpc/shapes.ts';
import type { Evm, Watched } from './evm.ts';
import { hex, type Log, toLog } from './shapes.ts';
import { isTransfer, TRANSFER_TOPIC } from './transfer-log.ts';

// What providers take in one topic position without complaint.
const MAX_RECIPIENTS = 500;

/**
 * The questions that together bring every token transfer to a watched wallet in these blocks. Up to a number of wallets
 * they are asked for by name; above it everything is read and sifted here, at a cost that no longer grows with wallets.
 */
export function transferLogs(
  evm: Evm,
  watched: Watched,
  from: bigint,
  to: bigint,
  options: { everything?: boolean } = {},
): Call<Log[]>[] {
  if (watched.size === 0) return [];
  const address = [...evm.tokens.keys(), ...(evm.nativeEmitter ? [evm.nativeEmitter] : [])];
  const parse = (result: unknown) =>
    sift(result === null ? [] : list(result, 'logs'), new Set(address), watched, from, to);
  const question = (topics: unknown[]): Call<Log[]> => ({
    method: 'eth_getLogs',
    params: [{ fromBlock: hex(from), toBlock: hex(to), address, topics }],
    parse,
  });
  if (options.everything ?? watched.size > evm.maxFilteredWallets) return [question([TRANSFER_TOPIC])];

  const recipients = [...topicsOf(watched)];
  return Array.from({ length: Math.ceil(recipients.length / MAX_RECIPIENTS) }, (_, chunk) =>
    question([TRANSFER_TOPIC, null, recipients.slice(chunk * MAX_RECIPIENTS, (chunk + 1) * MAX_RECIPIENTS)]),
  );
}

/** The logs that concern us. A block may hold thousands: the recipient is looked up as it stands before anything is parsed. */
function sift(raw: readonly unknown[], tokens: ReadonlySet<string>, watched: Watched, from: bigint, to: bigint): Log[] {
  const topics = topicsOf(watched);
  const ours: Log[] = [];
  for (const entry of raw) {
    const recipient = (entry as { topics?: readonly unknown[] } | null)?.topics?.[2];
    if (
      typeof recipient !== 'string' ||
      !(topics.has(recipient) || (UPPER_CASE.test(recipient) && topics.has(recipient.toLowerCase())))
    )
      continue;
    const log = toLog(entry);
    if ((entry as { removed?: unknown }).removed === true || !tokens.has(log.address) || !isTransfer(log)) continue;
    if (log.blockNumber < from || log.blockNumber > to)
      throw new MalformedAnswerError(`a log of block ${log.blockNumber} came for ${from} to ${to}`);
    if (BigInt(log.data) > 0n) ours.push(log);
  }
  return ours;
}

const UPPER_CASE = /[A-F]/;
const topicSets = new WeakMap<Watched, ReadonlySet<string>>();

/** Wallets as they stand in a log's topic; made once per watched set. */
function topicsOf(watched: Watched): ReadonlySet<string> {
  const known = topicSets.get(watched);
  if (known) return known;
  const topics = new Set([...watched.keys()].map((wallet) => `0x${wallet.slice(2).padStart(64, '0')}`));
  topicSets.set(watched, topics);
  return topics;
}
