import { base58 } from '@scure/base';
import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  type EncodedAccount,
  generateKeyPairSigner,
  getTransactionEncoder,
  type Instruction,
  type KeyPairSigner,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getTransferSolInstruction } from '@solana-program/system';
import { getTransferCheckedInstruction, getTransferInstruction } from '@solana-program/token';
import type { Ledger } from './ledger.ts';

const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address;
const TABLE_PROGRAM = 'AddressLookupTab1e1111111111111111111111111' as Address;

export function newSigner(): Promise<KeyPairSigner> {
  return generateKeyPairSigner();
}

/** A system transfer, with references as Solana Pay adds them: read-only keys after its own accounts. */
export function solTransfer(
  from: KeyPairSigner,
  to: string,
  amount: bigint,
  references: readonly string[] = [],
): Instruction {
  return withReferences(getTransferSolInstruction({ source: from, destination: address(to), amount }), references);
}

export function tokenTransfer(request: {
  source: Address;
  mint: string;
  destination: Address;
  authority: KeyPairSigner;
  amount: bigint;
  decimals: number;
  program: Address;
  references?: readonly string[] | undefined;
  checked?: boolean | undefined;
}): Instruction {
  const { source, destination, authority, amount, program } = request;
  const instruction =
    request.checked === false
      ? getTransferInstruction({ source, destination, authority, amount }, { programAddress: program })
      : getTransferCheckedInstruction(
          { source, mint: address(request.mint), destination, authority, amount, decimals: request.decimals },
          { programAddress: program },
        );
  return withReferences(instruction, request.references ?? []);
}

export function memo(text: string | undefined): Instruction[] {
  return text === undefined ? [] : [getAddMemoInstruction({ memo: text }, { programAddress: MEMO_PROGRAM })];
}

function withReferences(instruction: Instruction, references: readonly string[]): Instruction {
  return {
    ...instruction,
    accounts: [
      ...(instruction.accounts ?? []),
      ...references.map((reference) => ({ address: address(reference), role: AccountRole.READONLY })),
    ],
  };
}

/** The serialized transaction, signed by everyone its instructions name. */
export async function signAndEncode(
  ledger: Ledger,
  instructions: readonly Instruction[],
  options: { feePayer: KeyPairSigner; tables: readonly string[]; legacy: boolean },
): Promise<Uint8Array> {
  const lifetime = { blockhash: uniqueHash() as never, lastValidBlockHeight: ledger.head.slot + 150n };
  const tables = Object.fromEntries(options.tables.map((table) => [table, addressesIn(ledger, table)]));
  if (options.legacy) {
    const message = pipe(
      createTransactionMessage({ version: 'legacy' }),
      (draft) => setTransactionMessageFeePayerSigner(options.feePayer, draft),
      (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
      (draft) => appendTransactionMessageInstructions(instructions, draft),
    );
    return Uint8Array.from(getTransactionEncoder().encode(await signTransactionMessageWithSigners(message)));
  }
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayerSigner(options.feePayer, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
    (draft) => appendTransactionMessageInstructions(instructions, draft),
    (draft) => compressTransactionMessageUsingAddressLookupTables(draft, tables as never),
  );
  return Uint8Array.from(getTransactionEncoder().encode(await signTransactionMessageWithSigners(message)));
}

/** A table as its program stores it: 56 bytes of header, then the addresses. */
export function tableAccount(table: Address, addresses: readonly string[]): EncodedAccount {
  const head = Buffer.alloc(56);
  head.writeUInt32LE(1, 0);
  head.writeBigUInt64LE(0xffff_ffff_ffff_ffffn, 4);
  const data = Buffer.concat([head, ...addresses.map((entry) => base58.decode(entry))]);
  return {
    address: table,
    lamports: lamports(1_000_000_000n),
    programAddress: TABLE_PROGRAM,
    executable: false,
    space: BigInt(data.length),
    data,
  };
}

function addressesIn(ledger: Ledger, table: string): Address[] {
  const account = ledger.svm.getAccount(address(table));
  if (!account.exists) return [];
  return Array.from({ length: (account.data.length - 56) / 32 }, (_, at) =>
    address(base58.encode(account.data.slice(56 + at * 32, 88 + at * 32))),
  );
}

// Two equal payments in one slot would otherwise be one transaction.
function uniqueHash(): string {
  return base58.encode(crypto.getRandomValues(new Uint8Array(32)));
}
