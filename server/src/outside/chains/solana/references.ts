import { base58 } from '@scure/base';
import { memosOf, type Movement } from './movements.ts';
import type { Key, Transaction } from './shapes.ts';

const REFERENCE_BYTES = 32;
// A transaction with more references is not a payment.
const MAX_REFERENCES = 32;

/**
 * References in the instructions of these movements themselves, as Solana Pay adds them: read-only keys that do not
 * sign.
 */
export function boundReferences(transaction: Transaction, movements: readonly Movement[]): Uint8Array[] {
  return distinct(
    movements.flatMap((movement) =>
      movement.extras.filter((at) => isReference(transaction.keys[at])).map((at) => addressAt(transaction, at)),
    ),
  );
}

/**
 * References elsewhere: in memos, and among the accounts of an instruction whose program made the transfer. They count
 * only if the transaction has a single transfer to watched wallets and the debited account signed it. Otherwise the
 * account that triggers a payment by a delegate or a program controls the data beside it.
 */
export function looseReferences(
  transaction: Transaction,
  movements: readonly Movement[],
  payer: string | null,
): Uint8Array[] {
  if (!transaction.keys.some((key) => key.signer && key.address === payer)) return [];
  return writtenReferences(transaction, movements);
}

/** The loose references of a transaction, regardless of their author. */
export function writtenReferences(transaction: Transaction, movements: readonly Movement[]): Uint8Array[] {
  const known = knownNames(transaction);
  const callers = movements
    .flatMap((movement) => movement.calledBy?.accounts ?? [])
    .filter((at) => isReference(transaction.keys[at]))
    .map((at) => addressAt(transaction, at))
    .filter((address) => !known.has(address));
  return distinct([...memosOf(transaction).flatMap(wordsOf), ...callers]);
}

export function distinct(references: readonly string[]): Uint8Array[] {
  return [...new Set(references)].slice(0, MAX_REFERENCES).map((reference) => base58.decode(reference));
}

/** Removes duplicates and excluded references. */
export function distinctBytes(references: readonly Uint8Array[], without: readonly Uint8Array[] = []): Uint8Array[] {
  const excluded = new Set(without.map((reference) => base58.encode(reference)));
  return distinct(
    references.map((reference) => base58.encode(reference)).filter((reference) => !excluded.has(reference)),
  );
}

/** The words of a memo that are references in their presented form. */
function wordsOf(memo: string): string[] {
  return (memo.match(/[1-9A-HJ-NP-Za-km-z]+/g) ?? []).filter(
    (word) => word.length >= 32 && word.length <= 44 && base58.decode(word).length === REFERENCE_BYTES,
  );
}

/** An instruction's accounts also contain programs, mints and owners. */
function knownNames({ instructions, tokensBefore, tokensAfter }: Transaction): Set<string> {
  return new Set([
    ...instructions.map((instruction) => instruction.program),
    ...[...tokensBefore, ...tokensAfter].flatMap((balance) => [balance.mint, balance.owner]),
  ]);
}

function isReference(key: Key | undefined): boolean {
  return key !== undefined && !key.signer && !key.writable;
}

function addressAt(transaction: Transaction, at: number): string {
  return (transaction.keys[at] as Key).address;
}
