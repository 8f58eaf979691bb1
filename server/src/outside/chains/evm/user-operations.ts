import { toEventSelector } from 'viem';
import type { Receipt, Transaction } from './shapes.ts';

/** A call that a smart account signed and an entry point executed (ERC-4337). */
export interface UserOperation {
  sender: string;
  /** In hex, as one word. */
  nonce: string;
  callData: string;
}

// The entry points 0.6, 0.7, 0.8 and 0.9. Each has the same address on every network.
const ENTRY_POINTS = new Set([
  '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
  '0x0000000071727de22e5e9d8baf0edac6f37da032',
  '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
  '0x433709009b8330fda32311df1c2afa402ed8d009',
]);
// `handleOps` of 0.6, and of 0.7 and later. Both forms begin with sender, nonce, initCode and callData.
const HANDLE_OPS = ['0x1fad948c', '0x765e827f'];
const USER_OPERATION_EVENT = toEventSelector(
  'UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)',
);
const MAX_OPERATIONS = 256;
const WORD = 64;

/**
 * The successful operations of a bundle, with the calldata that each account signed. The rest of the bundle was
 * composed by others.
 */
export function executedOperations(
  transaction: Pick<Transaction, 'to' | 'input'>,
  receipt: Pick<Receipt, 'logs'>,
): UserOperation[] {
  const { to, input } = transaction;
  if (!isBundle(transaction)) return [];
  const succeeded = new Set(
    receipt.logs
      .filter(
        (log) =>
          log.address === to &&
          log.topics[0] === USER_OPERATION_EVENT &&
          log.topics.length === 4 &&
          log.data.slice(2 + WORD, 2 + 2 * WORD).endsWith('1'),
      )
      .map((log) => operationKey(`0x${log.topics[2]?.slice(26)}`, log.data.slice(2, 2 + WORD))),
  );
  return operationsIn(input.slice(10)).filter((operation) =>
    succeeded.has(operationKey(operation.sender, operation.nonce)),
  );
}

/**
 * Whether a transaction submits a bundle of operations to an entry point. Its sender does not act for the operations'
 * accounts.
 */
export function isBundle({ to, input }: Pick<Transaction, 'to' | 'input'>): boolean {
  return to !== null && ENTRY_POINTS.has(to) && HANDLE_OPS.includes(input.slice(0, 10));
}

/** Reads only senders, nonces and calldata, so that the rest of the bundle cannot make parsing expensive. */
function operationsIn(data: string): UserOperation[] {
  const start = numberAt(data, 0);
  const count = start === undefined ? undefined : numberAt(data, start);
  if (start === undefined || count === undefined) return [];
  const first = start + WORD;
  return Array.from({ length: Math.min(count / 2, MAX_OPERATIONS) }, (_, place) =>
    operationAt(data, first, first + place * WORD),
  ).filter((operation) => operation !== undefined);
}

function operationAt(data: string, first: number, pointer: number): UserOperation | undefined {
  const offset = numberAt(data, pointer);
  if (offset === undefined) return undefined;
  const operation = first + offset;
  const callDataOffset = numberAt(data, operation + 3 * WORD);
  if (callDataOffset === undefined) return undefined;
  const length = numberAt(data, operation + callDataOffset);
  if (length === undefined) return undefined;
  const begin = operation + callDataOffset + WORD;
  return begin + length > data.length
    ? undefined
    : {
        sender: `0x${data.slice(operation + 24, operation + WORD)}`,
        nonce: data.slice(operation + WORD, operation + 2 * WORD),
        callData: `0x${data.slice(begin, begin + length)}`,
      };
}

/** A word of the data as a count of hex digits (two per byte); undefined if it points beyond the data. */
function numberAt(data: string, at: number): number | undefined {
  const word = data.slice(at, at + WORD);
  if (word.length < WORD || !word.startsWith('0'.repeat(WORD - 8))) return undefined;
  const digits = Number.parseInt(word.slice(-8), 16) * 2;
  return digits <= data.length ? digits : undefined;
}

function operationKey(sender: string, nonce: string): string {
  return `${sender} ${nonce}`;
}
