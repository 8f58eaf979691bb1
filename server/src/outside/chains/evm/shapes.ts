// A node's responses, parsed into validated types. A malformed response throws `MalformedAnswerError`.
import { list, MalformedAnswerError, record, whyUnreadable } from '../rpc/shapes.ts';

export interface Block {
  number: bigint;
  hash: string;
  parentHash: string;
  time: Date;
}

export interface FullBlock extends Block {
  miner: string;
  transactions: Transaction[];
  unreadable: UnreadableTransaction[];
  /** The hashes of all transactions, in block order. */
  hashes: string[];
  withdrawals: { address: string; amountWei: bigint }[];
}

/** A transaction that could not be parsed, such as one of a new type. It must not affect the others. */
export interface UnreadableTransaction {
  hash: string;
  blockHash: string;
  why: string;
  /** Sender and recipient, if they are readable. */
  parties: string[];
}

/** Addresses are lowercase here. Only a `Transfer` has checksums. */
export interface Transaction {
  hash: string;
  blockNumber: bigint | null;
  blockHash: string | null;
  from: string;
  to: string | null;
  valueWei: bigint;
  input: string;
}

export interface Log {
  address: string;
  topics: readonly string[];
  data: string;
  blockNumber: bigint;
  blockHash: string;
  txHash: string;
  logIndex: number;
}

export interface Receipt {
  txHash: string;
  blockNumber: bigint;
  blockHash: string;
  /** Null if the receipt has no status, as before Byzantium (2017). It is then unknown if the transaction reverted. */
  succeeded: boolean | null;
  feeWei: bigint;
  logs: Log[];
}

export function toBlock(value: unknown): Block {
  const raw = record(value, 'block');
  const seconds = quantity(raw.timestamp, 'block.timestamp');
  // A `Date` beyond this is invalid.
  if (seconds > 8_640_000_000_000n) throw new MalformedAnswerError('block.timestamp is out of range');
  return {
    number: quantity(raw.number, 'block.number'),
    hash: hash(raw.hash, 'block.hash'),
    parentHash: hash(raw.parentHash, 'block.parentHash'),
    time: new Date(Number(seconds) * 1000),
  };
}

export function toFullBlock(value: unknown): FullBlock {
  const raw = record(value, 'block');
  const block = toBlock(raw);
  const transactions: Transaction[] = [];
  const unreadable: UnreadableTransaction[] = [];
  const hashes = list(raw.transactions, 'block.transactions').map((entry) => {
    const transaction = transactionIn(entry, block.hash);
    if ('why' in transaction) unreadable.push(transaction);
    else transactions.push(transaction);
    return transaction.hash;
  });
  return {
    ...block,
    miner: typeof raw.miner === 'string' ? raw.miner.toLowerCase() : '',
    transactions,
    unreadable,
    hashes,
    withdrawals:
      raw.withdrawals == null
        ? []
        : list(raw.withdrawals, 'block.withdrawals').map((entry) => {
            const withdrawal = record(entry, 'withdrawal');
            return {
              address: address(withdrawal.address, 'withdrawal.address'),
              amountWei: quantity(withdrawal.amount, 'withdrawal.amount') * 1_000_000_000n,
            };
          }),
  };
}

function transactionIn(entry: unknown, blockHash: string): Transaction | UnreadableTransaction {
  const transaction = readTransaction(record(entry, 'transaction'));
  if (transaction.blockHash !== blockHash)
    throw new MalformedAnswerError('a transaction of the block names another block');
  return transaction;
}

function readTransaction(raw: Record<string, unknown>): Transaction | UnreadableTransaction {
  try {
    return toTransaction(raw);
  } catch (error) {
    const parties = [raw.from, raw.to].filter((party) => typeof party === 'string').map((party) => party.toLowerCase());
    return {
      hash: hash(raw.hash, 'transaction.hash'),
      blockHash: hash(raw.blockHash, 'transaction.blockHash'),
      why: whyUnreadable(error),
      parties,
    };
  }
}

export function toTransaction(value: unknown): Transaction {
  const raw = record(value, 'transaction');
  return {
    hash: hash(raw.hash, 'transaction.hash'),
    blockNumber: raw.blockNumber == null ? null : quantity(raw.blockNumber, 'transaction.blockNumber'),
    blockHash: raw.blockHash == null ? null : hash(raw.blockHash, 'transaction.blockHash'),
    from: address(raw.from, 'transaction.from'),
    to: raw.to == null ? null : address(raw.to, 'transaction.to'),
    valueWei: quantity(raw.value, 'transaction.value'),
    input: bytes(raw.input ?? raw.data, 'transaction.input'),
  };
}

export function toLog(value: unknown): Log {
  const raw = record(value, 'log');
  const topics = list(raw.topics, 'log.topics');
  if (topics.length > 4) throw new MalformedAnswerError('log.topics has more than four');
  const logIndex = quantity(raw.logIndex, 'log.logIndex');
  if (logIndex > 0xffff_ffffn) throw new MalformedAnswerError('log.logIndex is out of range');
  return {
    address: address(raw.address, 'log.address'),
    topics: topics.map((topic) => hash(topic, 'log.topics')),
    data: bytes(raw.data, 'log.data'),
    blockNumber: quantity(raw.blockNumber, 'log.blockNumber'),
    blockHash: hash(raw.blockHash, 'log.blockHash'),
    txHash: hash(raw.transactionHash, 'log.transactionHash'),
    logIndex: Number(logIndex),
  };
}

export function toReceipt(value: unknown): Receipt {
  const raw = record(value, 'receipt');
  const receipt = {
    txHash: hash(raw.transactionHash, 'receipt.transactionHash'),
    blockNumber: quantity(raw.blockNumber, 'receipt.blockNumber'),
    blockHash: hash(raw.blockHash, 'receipt.blockHash'),
    succeeded: toStatus(raw),
    feeWei:
      quantity(raw.gasUsed, 'receipt.gasUsed') *
        (raw.effectiveGasPrice == null ? 0n : quantity(raw.effectiveGasPrice, 'receipt.effectiveGasPrice')) +
      (raw.blobGasUsed == null || raw.blobGasPrice == null
        ? 0n
        : quantity(raw.blobGasUsed, 'receipt.blobGasUsed') * quantity(raw.blobGasPrice, 'receipt.blobGasPrice')),
    logs: list(raw.logs, 'receipt.logs')
      .map(toLog)
      .sort((a, b) => a.logIndex - b.logIndex),
  };
  for (const log of receipt.logs) {
    if (log.blockHash !== receipt.blockHash || log.txHash !== receipt.txHash)
      throw new MalformedAnswerError('a log of the receipt names another block or transaction');
  }
  if (receipt.succeeded === false && !receipt.logs.every(isPolygonFee))
    throw new MalformedAnswerError('the receipt of a reverted transaction has logs');
  return receipt;
}

// The first block of Ethereum's main network whose receipts have a status.
const BYZANTIUM_BLOCK = 4_370_000n;

function toStatus(receipt: Record<string, unknown>): boolean | null {
  if (
    receipt.status == null &&
    receipt.root != null &&
    quantity(receipt.blockNumber, 'receipt.blockNumber') < BYZANTIUM_BLOCK
  ) {
    hash(receipt.root, 'receipt.root');
    return null;
  }
  const status = quantity(receipt.status, 'receipt.status');
  if (status > 1n) throw new MalformedAnswerError('receipt.status is neither 0 nor 1');
  return status === 1n;
}

const POLYGON_FEE_CONTRACT = '0x0000000000000000000000000000000000001010';
/** keccak256("LogFeeTransfer(address,address,address,uint256,uint256,uint256,uint256,uint256)") */
const POLYGON_FEE_TOPIC = '0x4dfe1bbbcf077ddc3e01291eea2d5c70c2b422b415d95645b9adcfd678cb1d63';

/** Polygon logs the fee of every transaction after it ran, so a revert does not remove this log. */
function isPolygonFee(log: Log): boolean {
  return log.address === POLYGON_FEE_CONTRACT && log.topics[0] === POLYGON_FEE_TOPIC;
}

/** Null stays null: the node does not have the object (yet). */
export function orNull<T>(parse: (value: unknown) => T): (value: unknown) => T | null {
  return (value) => (value === null ? null : parse(value));
}

export function quantity(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value))
    throw new MalformedAnswerError(`${what} is not a quantity`);
  return BigInt(value);
}

export function hash(value: unknown, what: string): string {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(value))
    throw new MalformedAnswerError(`${what} is not 32 bytes`);
  return value.toLowerCase();
}

export function address(value: unknown, what: string): string {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value))
    throw new MalformedAnswerError(`${what} is not an address`);
  return value.toLowerCase();
}

export function bytes(value: unknown, what: string): string {
  if (typeof value !== 'string' || value.length % 2 !== 0 || !/^0x[0-9a-fA-F]*$/.test(value))
    throw new MalformedAnswerError(`${what} is not bytes`);
  return value.toLowerCase();
}

export function hex(number: bigint): string {
  return `0x${number.toString(16)}`;
}
