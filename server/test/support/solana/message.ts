import { base58 } from '@scure/base';
import { type Address, getBase58Decoder, type getCompiledTransactionMessageDecoder } from '@solana/kit';
import type { TransactionMetadata } from 'litesvm';
import type { Executed, Key } from './ledger.ts';

const MEMO_PROGRAMS = ['MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo'];

export type Message = ReturnType<ReturnType<typeof getCompiledTransactionMessageDecoder>['decode']>;

/** What the message of a transaction says about it. */
export function partsOf(message: Exclude<Message, { version: 1 }>) {
  return {
    version: message.version,
    header: {
      numRequiredSignatures: message.header.numSignerAccounts,
      numReadonlySignedAccounts: message.header.numReadonlySignerAccounts,
      numReadonlyUnsignedAccounts: message.header.numReadonlyNonSignerAccounts,
    },
    recentBlockhash: message.lifetimeToken,
    lookups: lookupsOf(message).map((lookup) => ({
      accountKey: lookup.lookupTableAddress,
      writableIndexes: [...lookup.writableIndexes],
      readonlyIndexes: [...lookup.readonlyIndexes],
    })),
    instructions: message.instructions.map((instruction) => ({
      programIdIndex: instruction.programAddressIndex,
      accounts: [...(instruction.accountIndices ?? [])],
      data: getBase58Decoder().decode(instruction.data ?? new Uint8Array()),
      stackHeight: 1,
    })),
  };
}

export function innerOf(meta: TransactionMetadata): Executed['inner'] {
  return meta
    .innerInstructions()
    .map((list, index) => ({
      index,
      instructions: list.map((inner) => ({
        programIdIndex: inner.instruction().programIdIndex(),
        accounts: [...inner.instruction().accounts()],
        data: base58.encode(Uint8Array.from(inner.instruction().data())),
        stackHeight: inner.stackHeight(),
      })),
    }))
    .filter((entry) => entry.instructions.length > 0);
}

export function lookupsOf(
  message: Message,
): readonly { lookupTableAddress: Address; writableIndexes: readonly number[]; readonlyIndexes: readonly number[] }[] {
  return 'addressTableLookups' in message ? (message.addressTableLookups ?? []) : [];
}

export function memoOf(message: Message, keys: readonly Key[]): string | null {
  if (message.version === 1) return null;
  const texts = message.instructions
    .filter((instruction) => MEMO_PROGRAMS.includes(keys[instruction.programAddressIndex]?.address ?? ''))
    .map((instruction) => Buffer.from(instruction.data ?? []).toString());
  return texts.map((text) => `[${Buffer.byteLength(text)}] ${text}`).join('; ') || null;
}
