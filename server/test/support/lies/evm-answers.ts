import { type Address, getAddress, type Hex, toHex } from 'viem';
import type { Raw } from '../evm-rpc-proxy.ts';

/** What one provider changes about the real chain: one field of one transaction, everywhere it shows that. */
export interface Lies {
  /** Transfer logs of these transactions are those of another token, or show another amount or sender. */
  tokens: Map<string, Address>;
  amounts: Map<string, bigint>;
  senders: Map<string, Address>;
  /** Transfers of these transactions to one address show another recipient. */
  recipients: Map<string, { real: Address; shown: Address }>;
  /** The blocks with these numbers are dated this many seconds later, or earlier if negative; `all` are all blocks. */
  times: Map<bigint | 'all', number>;
  /** It shows zeros instead of these tags and memos (hex digits): in all calldata, or in that of traces only. */
  marks: Map<string, 'everywhere' | 'in traces'>;
  /** The authorization of these transactions used another nonce. */
  nonces: Map<string, Hex>;
  /** These two logs of these transactions are in the other order. */
  swapped: Map<string, readonly [Raw, Raw]>;
  /** These transactions moved nothing. */
  leftOut: Set<string>;
  /** Ether by its exact value: what is shown instead, of the transaction itself if it has the hash. */
  ether: Map<bigint, EtherLie>;
}

interface EtherLie {
  hash: string | null;
  /** Null if the liar does not show it at all. */
  shown: { value?: bigint; from?: Address; to?: Address } | null;
}

export function noLies(): Lies {
  return {
    tokens: new Map(),
    amounts: new Map(),
    senders: new Map(),
    recipients: new Map(),
    times: new Map(),
    marks: new Map(),
    nonces: new Map(),
    swapped: new Map(),
    leftOut: new Set(),
    ether: new Map(),
  };
}

const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const AUTHORIZATION_TOPIC = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5';

/** Changes whatever object of an answer a lie is about: blocks, transactions, receipts and logs. */
export function lieAbout(lies: Lies): (raw: Raw) => Raw | null {
  return (raw) => {
    if (Array.isArray(raw.topics)) return lieAboutLog(lies, raw);
    if (typeof raw.timestamp === 'string') return lieAboutBlock(lies, raw);
    const ether = etherLie(lies, raw);
    if (ether?.shown === null) return null;
    const shown = ether ? { ...raw, ...etherFields(raw, ether.shown) } : raw;
    return typeof raw.input === 'string' ? { ...shown, input: withoutMarks(lies, raw as { input: string }) } : shown;
  };
}

function lieAboutBlock({ times, ether }: Lies, block: Raw): Raw {
  const seconds = times.get(BigInt(block.number as string)) ?? times.get('all') ?? 0;
  const hidden = new Set<unknown>([...ether.values()].flatMap(({ hash, shown }) => (shown === null ? [hash] : [])));
  const transactions = (block.transactions as unknown[] | undefined)?.filter((one) => !hidden.has(one));
  return {
    ...block,
    timestamp: toHex(BigInt(block.timestamp as string) + BigInt(seconds)),
    ...(transactions && { transactions }),
  };
}

function withoutMarks({ marks }: Lies, { hash, input }: Raw & { input: string }): string {
  return [...marks].reduce(
    (data, [mark, where]) =>
      where === 'everywhere' || hash === undefined ? data.replaceAll(mark, '0'.repeat(mark.length)) : data,
    input,
  );
}

/** The lie about a call of a trace, a transaction, its receipt, or the entry with its trace. */
function etherLie({ ether }: Lies, raw: Raw): EtherLie | undefined {
  const known = isQuantity(raw.value) ? ether.get(BigInt(raw.value)) : undefined;
  if (known) return known;
  const hash = raw.transactionHash ?? raw.txHash;
  return [...ether.values()].find((one) => one.hash !== null && one.hash === hash);
}

function etherFields(raw: Raw, { value, from, to }: NonNullable<EtherLie['shown']>): Raw {
  return {
    ...(value !== undefined && raw.value !== undefined && { value: toHex(value) }),
    ...(from !== undefined && raw.from !== undefined && { from: from.toLowerCase() }),
    ...(to !== undefined && raw.to !== undefined && { to: to.toLowerCase() }),
  };
}

function isQuantity(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]+$/.test(value);
}

function lieAboutLog(lies: Lies, log: Raw): Raw | null {
  const txHash = log.transactionHash as string;
  const [topic, ...others] = log.topics as string[];
  if (topic === AUTHORIZATION_TOPIC && lies.nonces.has(txHash))
    return { ...log, topics: [topic, others[0], lies.nonces.get(txHash)] };
  if (topic !== TRANSFER_TOPIC) return log;
  if (lies.leftOut.has(txHash)) return null;
  const [one, two] = lies.swapped.get(txHash) ?? [];
  const instead = log.logIndex === one?.logIndex ? two : log.logIndex === two?.logIndex ? one : undefined;
  if (instead) return { ...log, topics: instead.topics, data: instead.data };
  const [from = '', to = ''] = others;
  const [amount, sender, recipient] = [lies.amounts.get(txHash), lies.senders.get(txHash), lies.recipients.get(txHash)];
  return {
    ...log,
    address: lies.tokens.get(txHash)?.toLowerCase() ?? log.address,
    topics: [
      topic,
      sender ? word(sender) : from,
      recipient && to === word(recipient.real) ? word(recipient.shown) : to,
    ],
    data: amount === undefined ? log.data : toHex(amount, { size: 32 }),
  };
}

export function isTransfer({ topics }: Raw): boolean {
  return (topics as string[])[0] === TRANSFER_TOPIC;
}

function word(address: string): string {
  return `0x${getAddress(address).slice(2).toLowerCase().padStart(64, '0')}`;
}
