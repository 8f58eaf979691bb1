import {
  type AccessList,
  getAddress,
  type Hex,
  isHex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
} from 'viem';

/** A signed transaction that makes exactly one token transfer. Addresses are checksummed. */
export interface SignedTransfer {
  txHash: Hex;
  chainId: number;
  from: string;
  token: string;
  to: string;
  amountUnits: bigint;
  nonce: number;
  data: Hex;
  gas: bigint;
  /** Of older types the gas price. */
  maxFeePerGas: bigint;
  accessList: AccessList;
}

/** The field for which no block takes a signed transaction, or that it would not succeed for another reason. */
export type TransferFault = 'gas' | 'maxFeePerGas' | 'other';

const MAX_BYTES = 2_048;
// Selector, recipient and amount. A token ignores further data, but it could name another checkout.
const CALL = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/;
const TYPES = new Set(['legacy', 'eip2930', 'eip1559']);

/** Reads a raw signed EVM transaction; undefined unless it is exactly one `transfer(to, amount)`. */
export async function readSignedTransfer(raw: string): Promise<SignedTransfer | undefined> {
  if (!isHex(raw) || raw.length % 2 !== 0 || raw.length > 2 + 2 * MAX_BYTES) return undefined;
  try {
    const transaction = parseTransaction(raw);
    const call = CALL.exec((transaction.data ?? '').toLowerCase());
    if (!call || !transaction.to || !TYPES.has(String(transaction.type)) || (transaction.value ?? 0n) !== 0n)
      return undefined;
    if (transaction.chainId === undefined) return undefined;
    return {
      txHash: keccak256(raw),
      chainId: transaction.chainId,
      from: getAddress(await recoverTransactionAddress({ serializedTransaction: raw as never })),
      token: getAddress(transaction.to),
      to: getAddress(`0x${call[1]}`),
      amountUnits: BigInt(`0x${call[2]}`),
      nonce: transaction.nonce ?? 0,
      data: transaction.data as Hex,
      gas: transaction.gas ?? 0n,
      maxFeePerGas: transaction.maxFeePerGas ?? transaction.gasPrice ?? 0n,
      accessList: transaction.accessList ?? [],
    };
  } catch {
    // viem throws on every malformed encoding.
    return undefined;
  }
}
