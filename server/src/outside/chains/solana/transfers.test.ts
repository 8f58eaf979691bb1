import { base58 } from '@scure/base';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { MalformedAnswerError } from '../rpc/shapes.ts';
import { toBlock, toTransaction } from './shapes.ts';
import { MEMO_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import { revertedPayments, transfersOf } from './transfers.ts';

// Responses of nodes for a program wallet, whose vault pays from within the program's own instruction.
const key = (fill: number) => base58.encode(new Uint8Array(32).fill(fill));
const [SIGNER, VAULT, VAULT_TOKENS, MERCHANT, MERCHANT_TOKENS, MULTISIG, MINT, REFERENCE, OTHER] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9,
].map(key) as [string, string, string, string, string, string, string, string, string];
const KEYS = [
  SIGNER,
  VAULT,
  VAULT_TOKENS,
  MERCHANT_TOKENS,
  MERCHANT,
  MULTISIG,
  TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  MEMO_PROGRAM,
  MINT,
  REFERENCE,
  OTHER,
];
const at = (address: string) => KEYS.indexOf(address);

const SOLANA = {
  mints: new Map([[MINT, 'USDC' as const]]),
  log: pino({ level: 'silent' }),
  unreadable: new Map<string, number>(),
  shown: new Map(),
};
const BLOCK = toBlock(
  { blockhash: key(20), previousBlockhash: key(21), parentSlot: 76, blockTime: 1_700_000_000 },
  77n,
);
const WATCHED = new Set([MERCHANT]);

interface TransactionParts {
  instructions?: unknown[];
  inner?: unknown[];
  tokens?: readonly [before: string, after: string][];
  lamports?: Record<string, [before: number, after: number]>;
  /** How many of the first keys sign. With two, the vault is a wallet that signs for itself. */
  signers?: number;
  changes?: object;
}

function transaction({
  instructions = [],
  inner = [],
  tokens = [
    ['100', '60'],
    ['0', '40'],
  ],
  lamports = {},
  signers = 1,
  changes = {},
}: TransactionParts) {
  const balance = (address: string, owner: string, amount: string) => ({
    accountIndex: at(address),
    mint: MINT,
    owner,
    programId: TOKEN_PROGRAM,
    uiTokenAmount: { amount, decimals: 6 },
  });
  const [vault, merchant] = tokens as [[string, string], [string, string]];
  return {
    slot: 77,
    blockTime: 1_700_000_000,
    version: 0,
    transaction: {
      signatures: [base58.encode(new Uint8Array(64).fill(1))],
      message: {
        header: { numRequiredSignatures: signers, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 7 },
        accountKeys: KEYS,
        recentBlockhash: key(30),
        instructions,
      },
    },
    meta: {
      err: null,
      fee: 5_000,
      preBalances: KEYS.map((address) => lamports[address]?.[0] ?? 10_000),
      postBalances: KEYS.map((address, place) => lamports[address]?.[1] ?? (place === 0 ? 5_000 : 10_000)),
      preTokenBalances: [balance(VAULT_TOKENS, VAULT, vault[0]), balance(MERCHANT_TOKENS, MERCHANT, merchant[0])],
      postTokenBalances: [balance(VAULT_TOKENS, VAULT, vault[1]), balance(MERCHANT_TOKENS, MERCHANT, merchant[1])],
      innerInstructions: inner.length > 0 ? [{ index: 0, instructions: inner }] : [],
      loadedAddresses: { writable: [], readonly: [] },
      ...changes,
    },
  };
}

const data = (bytes: number[], amount: bigint) => {
  const tail = Buffer.alloc(8);
  tail.writeBigUInt64LE(amount);
  return base58.encode(Uint8Array.from([...bytes, ...tail]));
};
const execute = (...accounts: string[]) => ({ programIdIndex: at(MULTISIG), accounts: accounts.map(at), data: '2' });
const tokenMove = (amount: bigint) => ({
  programIdIndex: at(TOKEN_PROGRAM),
  accounts: [VAULT_TOKENS, MERCHANT_TOKENS, VAULT].map(at),
  data: data([3], amount),
  stackHeight: 2,
});
const lamportMove = (amount: bigint) => ({
  programIdIndex: at(SYSTEM_PROGRAM),
  accounts: [VAULT, MERCHANT].map(at),
  data: data([2, 0, 0, 0], amount),
  stackHeight: 2,
});
const read = (spent: TransactionParts) =>
  transfersOf(SOLANA, { transaction: toTransaction(transaction(spent)), block: BLOCK }, WATCHED);

describe("paid by a program's vault", () => {
  test('tokens are reported with the vault as the sender', () => {
    expect(read({ instructions: [execute(SIGNER, TOKEN_PROGRAM, MINT)], inner: [tokenMove(40n)] })).toMatchObject([
      { asset: 'USDC', from: VAULT, to: MERCHANT, amountUnits: 40n, carried: [] },
    ]);
  });

  const beside = { programIdIndex: at(MEMO_PROGRAM), accounts: [], data: base58.encode(Buffer.from(OTHER)) };
  test("a reference that another party added, in a memo or among the program's accounts, is not the vault's", () => {
    expect(read({ instructions: [execute(SIGNER, REFERENCE), beside], inner: [tokenMove(40n)] })).toMatchObject([
      { from: VAULT, carried: [], unproven: [base58.decode(OTHER), base58.decode(REFERENCE)] },
    ]);
  });

  test('if the owner of the money signed too, the reference is carried', () => {
    expect(
      read({
        instructions: [execute(SIGNER, REFERENCE, TOKEN_PROGRAM, MINT), beside],
        inner: [tokenMove(40n)],
        signers: 2,
      }),
    ).toMatchObject([{ from: VAULT, carried: [base58.decode(OTHER), base58.decode(REFERENCE)] }]);
  });

  test('a reference in the transfer itself is carried, regardless of the signers', () => {
    const move = tokenMove(40n);
    expect(
      read({ instructions: [execute(SIGNER)], inner: [{ ...move, accounts: [...move.accounts, at(REFERENCE)] }] }),
    ).toMatchObject([{ from: VAULT, carried: [base58.decode(REFERENCE)] }]);
  });

  test('lamports are reported the same way', () => {
    expect(
      read({
        tokens: [
          ['0', '0'],
          ['0', '0'],
        ],
        instructions: [execute(SIGNER)],
        inner: [lamportMove(300n)],
        lamports: { [VAULT]: [10_000, 9_700], [MERCHANT]: [10_000, 10_300] },
      }),
    ).toMatchObject([{ asset: 'SOL', from: VAULT, amountUnits: 300n, carried: [] }]);
  });

  test('lamports that a program moves itself are taken from the balance, without a sender', () => {
    expect(
      read({
        tokens: [
          ['0', '0'],
          ['0', '0'],
        ],
        instructions: [execute(SIGNER)],
        lamports: { [VAULT]: [10_000, 9_700], [MERCHANT]: [10_000, 10_300] },
      }),
    ).toMatchObject([{ asset: 'SOL', from: null, to: MERCHANT, amountUnits: 300n }]);
  });

  test('a memo of a signer that lost more lamports is unproven beside such a transfer', () => {
    expect(
      read({
        tokens: [
          ['0', '0'],
          ['0', '0'],
        ],
        instructions: [execute(SIGNER), beside],
        lamports: { [SIGNER]: [100_000, 5_000], [VAULT]: [10_000, 9_700], [MERCHANT]: [10_000, 10_300] },
      }),
    ).toMatchObject([{ from: null, amountUnits: 300n, carried: [], unproven: [base58.decode(OTHER)] }]);
  });

  test("beside another transfer to the same merchant, a reference among the program's accounts does not count", () => {
    const spent = {
      signers: 2,
      instructions: [execute(SIGNER, REFERENCE)],
      inner: [tokenMove(40n), lamportMove(300n)],
      lamports: { [VAULT]: [10_000, 9_700], [MERCHANT]: [10_000, 10_300] },
    } satisfies TransactionParts;
    expect(read(spent).map((transfer) => transfer.carried)).toEqual([[], []]);
  });
});

describe('instructions that the balances do not confirm', () => {
  test('an instruction that claims more than arrived counts with the arrived amount', () => {
    expect(read({ instructions: [execute(SIGNER)], inner: [tokenMove(1_000_000n)] })).toMatchObject([
      { amountUnits: 40n, from: null },
    ]);
  });

  test("a transfer between the merchant's own accounts is not income, even beside other money", () => {
    const holds = (owner: string, amount: string) => ({
      accountIndex: at(owner === VAULT ? VAULT_TOKENS : MERCHANT_TOKENS),
      mint: MINT,
      owner: MERCHANT,
      programId: TOKEN_PROGRAM,
      uiTokenAmount: { amount },
    });
    const changes = {
      preTokenBalances: [holds(VAULT, '100'), holds(MERCHANT, '0')],
      postTokenBalances: [holds(VAULT, '60'), holds(MERCHANT, '40')],
    };
    expect(read({ instructions: [execute(SIGNER)], inner: [tokenMove(40n)], changes })).toEqual([]);
  });

  test('an instruction without a balance change is not a transfer', () => {
    expect(
      read({
        tokens: [
          ['100', '100'],
          ['5', '5'],
        ],
        instructions: [execute(SIGNER)],
        inner: [tokenMove(40n)],
      }),
    ).toEqual([]);
  });

  test('a failed transaction makes no transfer', () => {
    expect(
      read({
        instructions: [execute(SIGNER)],
        inner: [tokenMove(40n)],
        changes: { err: { InstructionError: [0, { Custom: 1 }] } },
      }),
    ).toEqual([]);
  });

  test('tokens of another program do not count, although they name a supported mint', () => {
    const foreign = transaction({});
    for (const balance of [...foreign.meta.preTokenBalances, ...foreign.meta.postTokenBalances])
      balance.programId = OTHER;
    expect(transfersOf(SOLANA, { transaction: toTransaction(foreign), block: BLOCK }, WATCHED)).toEqual([]);
  });
});

describe('memos', () => {
  const withMemo = (text: string) =>
    read({
      instructions: [
        { programIdIndex: at(MEMO_PROGRAM), accounts: [], data: base58.encode(Buffer.from(text)) },
        tokenMove(40n),
      ],
      signers: 2,
    })[0]?.carried;

  test.each([
    [REFERENCE, 1],
    [`order:${REFERENCE}!`, 1],
    [`${REFERENCE} ${OTHER} ${REFERENCE}`, 2],
    ['', 0],
    ['thanks for the coffee', 0],
    [REFERENCE.slice(1), 0],
    [`${REFERENCE}${REFERENCE}`, 0],
    ['\u{1f600}', 0],
  ])('%s carries %i', (text, count) => expect(withMemo(text)).toHaveLength(count));
});

describe('data that strangers add beside a payment', () => {
  // The longest data that a program may be called with is 10 KiB.
  const long = '2'.repeat(14_000);
  test.each([
    ['data too long to read, for an unknown program', [{ programIdIndex: at(MULTISIG), accounts: [], data: long }]],
    ['data too long to read, for the token program', [{ programIdIndex: at(TOKEN_PROGRAM), accounts: [], data: long }]],
    ['a memo too long to read', [{ programIdIndex: at(MEMO_PROGRAM), accounts: [], data: long }]],
    [
      'a memo that is not text',
      [
        {
          programIdIndex: at(MEMO_PROGRAM),
          accounts: [],
          data: base58.encode(Uint8Array.from([0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80])),
        },
      ],
    ],
    [
      'a transfer without accounts, and one without data',
      [
        { programIdIndex: at(TOKEN_PROGRAM), accounts: [], data: data([3], 1n) },
        { programIdIndex: at(SYSTEM_PROGRAM), accounts: [0, 4], data: '' },
      ],
    ],
    [
      'a truncated token batch',
      [{ programIdIndex: at(TOKEN_PROGRAM), accounts: [2, 3], data: base58.encode(Uint8Array.from([255, 9, 200, 3])) }],
    ],
  ])('%s hides no money and does not invalidate the response', (_, beside) => {
    expect(read({ instructions: [execute(SIGNER)], inner: [tokenMove(40n), ...beside] })).toMatchObject([
      { asset: 'USDC', from: VAULT, to: MERCHANT, amountUnits: 40n, carried: [] },
    ]);
  });
});

describe('malformed responses', () => {
  test.each([
    ['a balance for each key', { preBalances: [1] }],
    ['whole balances', { postBalances: KEYS.map(() => -1) }],
    ['a fee', { fee: '5000' }],
    [
      'amounts in digits',
      {
        postTokenBalances: [
          { accountIndex: 3, mint: MINT, owner: MERCHANT, programId: TOKEN_PROGRAM, uiTokenAmount: { amount: '1e9' } },
        ],
      },
    ],
    [
      'token accounts among the keys',
      {
        postTokenBalances: [
          { accountIndex: 99, mint: MINT, owner: MERCHANT, programId: TOKEN_PROGRAM, uiTokenAmount: { amount: '1' } },
        ],
      },
    ],
    [
      'instructions with accounts among the keys',
      { innerInstructions: [{ index: 0, instructions: [{ programIdIndex: 99, accounts: [], data: '' }] }] },
    ],
    ['loaded addresses that are addresses', { loadedAddresses: { writable: ['what'], readonly: [] } }],
  ])('a transaction without %s is rejected', (_, changes) => {
    expect(() => toTransaction(transaction({ instructions: [execute(SIGNER)], changes }))).toThrow(
      MalformedAnswerError,
    );
  });

  test.each([
    ['null', null],
    ['a string', 'block'],
    ['no hash', { parentSlot: 1 }],
    ['an invalid hash', { blockhash: 'what', previousBlockhash: key(1), parentSlot: 1, blockTime: 1 }],
    ['no time', { blockhash: key(1), previousBlockhash: key(1), parentSlot: 1, blockTime: null }],
  ])('a block with %s is rejected', (_, value) => expect(() => toBlock(value, 1n)).toThrow(MalformedAnswerError));
});

describe('the payer of a transaction that failed', () => {
  const failed = (parts: TransactionParts) => {
    const seen = toTransaction(
      transaction({
        tokens: [
          ['100', '100'],
          ['0', '0'],
        ],
        ...parts,
        changes: { err: { InstructionError: [0, 'Custom'] } },
      }),
    );
    return revertedPayments(SOLANA, seen, WATCHED);
  };
  const instructions = [
    ['tokens', { ...tokenMove(40n), stackHeight: undefined }],
    ['lamports', { ...lamportMove(40n), stackHeight: undefined }],
  ] as const;

  test.each(instructions)('is named only if its key signed: %s', (_, instruction) => {
    expect(failed({ instructions: [instruction], signers: 2 })).toMatchObject([{ from: VAULT, to: MERCHANT }]);
    expect(failed({ instructions: [instruction], signers: 1 })).toMatchObject([{ from: null, to: MERCHANT }]);
  });
});
