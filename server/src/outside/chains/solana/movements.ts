import { MEMO_PROGRAMS, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import type { Instruction, Transaction } from './shapes.ts';

/** Money that an instruction moves, between indexes of the transaction's keys. */
export interface Movement {
  kind: 'lamports' | 'tokens';
  /** Null for a mint. */
  from: number | null;
  to: number;
  amountUnits: bigint;
  /** Its position in execution order, which does not depend on the watched wallets. */
  ordinal: number;
  /** The key that authorized it; null if the program does not require the payer. */
  authority: number | null;
  /** Further accounts of the instruction, where references are. */
  extras: readonly number[];
  /** The top-level instruction that made it through a program call, if any. */
  calledBy: Instruction | null;
}

/** Every explicit transfer in the instructions of a transaction, regardless of the caller. */
export function movementsOf(transaction: Transaction): Movement[] {
  return transaction.instructions.flatMap((instruction) => {
    if (instruction.program === SYSTEM_PROGRAM) return some(systemMovement(instruction));
    if (instruction.program === TOKEN_PROGRAM) return tokenMovements(instruction);
    return [];
  });
}

export function memosOf(transaction: Transaction): string[] {
  return transaction.instructions
    .filter((instruction) => MEMO_PROGRAMS.includes(instruction.program))
    .map((instruction) => Buffer.from(instruction.data).toString('utf8'));
}

// A batch with more is not a payment, and is not worth parsing.
const MAX_BATCH = 64;

/** Where an instruction that moves money has its accounts. */
interface Layout {
  kind: Movement['kind'];
  /** Indexes of payer, payee and authority among the instruction's accounts. */
  from: number | null;
  to: number;
  authority: number | null;
  /** The number of the instruction's own accounts. Further ones may be references. */
  accounts: number;
}

/** By instruction number of the system program. */
const SYSTEM: Record<number, Layout> = {
  2: { kind: 'lamports', from: 0, to: 1, authority: 0, accounts: 2 }, // transfer
  5: { kind: 'lamports', from: 0, to: 1, authority: null, accounts: 5 }, // withdraw from a nonce account
  11: { kind: 'lamports', from: 0, to: 2, authority: null, accounts: 3 }, // transfer with seed
};

function systemMovement(instruction: Instruction): Movement | undefined {
  const data = view(instruction.data);
  if (data.byteLength < 12) return undefined;
  const layout = SYSTEM[data.getUint32(0, true)];
  return layout && movement(instruction, instruction.accounts, layout, data.getBigUint64(4, true));
}

/** By instruction number of the token program. */
const TOKEN: Record<number, Layout> = {
  3: { kind: 'tokens', from: 0, to: 1, authority: 2, accounts: 3 }, // transfer
  7: { kind: 'tokens', from: null, to: 1, authority: null, accounts: 3 }, // mint to
  12: { kind: 'tokens', from: 0, to: 2, authority: 3, accounts: 4 }, // transfer checked
  14: { kind: 'tokens', from: null, to: 1, authority: null, accounts: 3 }, // mint to, checked
};
const BATCH = 255;

function tokenMovements(instruction: Instruction): Movement[] {
  if (instruction.data[0] !== BATCH) return some(tokenMovement(instruction, instruction.accounts, instruction.data, 0));

  // Each entry: number of accounts, number of bytes, and the data of one instruction of the same program.
  const moved: Movement[] = [];
  let account = 0;
  for (let at = 1, entry = 0; at + 2 <= instruction.data.length && entry < MAX_BATCH; entry += 1) {
    const accounts = instruction.data[at] as number;
    const length = instruction.data[at + 1] as number;
    const data = instruction.data.subarray(at + 2, at + 2 + length);
    moved.push(
      ...some(tokenMovement(instruction, instruction.accounts.slice(account, account + accounts), data, entry)),
    );
    account += accounts;
    at += 2 + length;
  }
  return moved;
}

function tokenMovement(
  instruction: Instruction,
  accounts: readonly number[],
  data: Uint8Array,
  entry: number,
): Movement | undefined {
  const layout = TOKEN[data[0] as number];
  if (!layout || data.length < 9) return undefined;
  const moved = movement(instruction, accounts, layout, view(data).getBigUint64(1, true));
  return moved && { ...moved, ordinal: moved.ordinal + entry };
}

function movement(
  instruction: Instruction,
  accounts: readonly number[],
  layout: Layout,
  amountUnits: bigint,
): Movement | undefined {
  const from = layout.from === null ? null : accounts[layout.from];
  const to = accounts[layout.to];
  if (from === undefined || to === undefined) return undefined;
  return {
    kind: layout.kind,
    from,
    to,
    authority: layout.authority === null ? null : (accounts[layout.authority] ?? null),
    amountUnits,
    ordinal: instruction.ordinal * MAX_BATCH,
    extras: accounts.slice(layout.accounts),
    calledBy: instruction.calledBy,
  };
}

function view(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}

function some<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}
