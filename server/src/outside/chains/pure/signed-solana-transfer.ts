import { ed25519 } from '@noble/curves/ed25519.js';
import { base58, base64 } from '@scure/base';
import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit';
import { readSolanaKey } from '../solana-key.ts';
import { MEMO_PROGRAMS, SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../solana/programs.ts';
import { associatedTokenAccount } from '../solana/token-accounts.ts';

/** A signed transaction that makes exactly one transfer and otherwise moves no money. */
export interface SignedSolanaTransfer {
  /** The debited account, which signed. */
  payer: string;
  feePayer: string;
  /** Whether all required signatures are present and valid. The fee payer's may be added by a facilitator. */
  isComplete: boolean;
  /** The transaction's signature if the fee payer has signed; null otherwise. */
  txHash: string | null;
  /** The payer's own signature. It identifies the transaction regardless of the fee payer. */
  payerSignature: Uint8Array;
  /** Null for SOL. */
  mint: string | null;
  /** What is debited: the payer for SOL, otherwise a token account, which may belong to another whose delegate the payer is. */
  source: string;
  /** A wallet for SOL, a token account for a token. */
  destination: string;
  amountUnits: bigint;
  memos: string[];
}

const MAX_BYTES = 1_232;
const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';
const MAX_INSTRUCTIONS = 8;
const [SYSTEM_TRANSFER, TRANSFER_CHECKED] = [2, 12];

/** Reads a transaction in base64; undefined unless it is exactly one transfer plus memos and compute limits. */
export function readSignedSolanaTransfer(text: string): SignedSolanaTransfer | undefined {
  try {
    const bytes = base64.decode(text);
    if (bytes.length > MAX_BYTES) return undefined;
    return readTransfer(bytes);
  } catch {
    // The decoders throw on every malformed encoding.
    return undefined;
  }
}

/** The token account in which a wallet receives a mint. */
export function tokenAccountOf(wallet: string, mint: string): Promise<string> {
  return associatedTokenAccount(wallet, mint);
}

function readTransfer(bytes: Uint8Array): SignedSolanaTransfer | undefined {
  const { messageBytes, signatures } = getTransactionDecoder().decode(bytes);
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  if (!('instructions' in message)) return undefined;
  // Accounts from a lookup table cannot be resolved without the chain.
  if ('addressTableLookups' in message && (message.addressTableLookups?.length ?? 0) > 0) return undefined;
  const keys = message.staticAccounts as readonly string[];
  if (message.instructions.length > MAX_INSTRUCTIONS) return undefined;

  const memos: string[] = [];
  const transfers: Pick<SignedSolanaTransfer, 'payer' | 'mint' | 'source' | 'destination' | 'amountUnits'>[] = [];
  for (const { programAddressIndex, accountIndices = [], data = new Uint8Array() } of message.instructions) {
    const program = keys[programAddressIndex] ?? '';
    if (program === COMPUTE_BUDGET_PROGRAM) continue;
    if (MEMO_PROGRAMS.includes(program)) {
      memos.push(Buffer.from(data as Uint8Array).toString('utf8'));
      continue;
    }
    const transfer = transferOf(
      program,
      Buffer.from(data as Uint8Array),
      accountIndices.map((at) => keys[at] ?? ''),
    );
    if (!transfer) return undefined;
    transfers.push(transfer);
  }
  const [transfer] = transfers;
  const feePayer = keys[0];
  if (!transfer || transfers.length > 1 || feePayer === undefined) return undefined;

  const signedBy = (address: string) => {
    const [signature, key] = [(signatures as Record<string, Uint8Array | null>)[address], readSolanaKey(address)];
    const isRight =
      signature && key && ed25519.verify(signature, messageBytes as unknown as Uint8Array, key, { zip215: false });
    return isRight ? signature : undefined;
  };
  const payerSignature = signedBy(transfer.payer);
  if (!payerSignature) return undefined;
  const feeSignature = signedBy(feePayer);
  return {
    ...transfer,
    feePayer,
    memos,
    isComplete: Object.keys(signatures).every((address) => signedBy(address) !== undefined),
    txHash: feeSignature ? base58.encode(feeSignature) : null,
    payerSignature,
  };
}

function transferOf(program: string, data: Buffer, accounts: readonly string[]) {
  const [first = '', second = '', third = '', fourth = ''] = accounts;
  if (program === SYSTEM_PROGRAM && data.length === 12 && data.readUInt32LE(0) === SYSTEM_TRANSFER)
    return { payer: first, mint: null, source: first, destination: second, amountUnits: data.readBigUInt64LE(4) };
  if (program === TOKEN_PROGRAM && data.length === 10 && data.readUInt8(0) === TRANSFER_CHECKED)
    return { payer: fourth, mint: second, source: first, destination: third, amountUnits: data.readBigUInt64LE(1) };
  return undefined;
}
