import { base58 } from '@scure/base';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { balancesAt } from '../evm/balances.ts';
import * as evm from '../evm/calls.ts';
import type { Evm } from '../evm/evm.ts';
import { readHead as readEvmHead } from '../evm/head.ts';
import { transferLogs } from '../evm/logs.ts';
import { broadcast, createSignedPayments } from '../evm/signed-payments.ts';
import { createTracer } from '../evm/trace.ts';
import { accountAt } from '../solana/account-kind.ts';
import * as solana from '../solana/calls.ts';
import { readHead as readSolanaHead } from '../solana/head.ts';
import { accepts, broadcast as broadcastSolana } from '../solana/signed-payments.ts';
import { evaluate } from './failures.ts';
import { ProviderError, RpcError } from './errors.ts';
import type { Call, Provider } from './provider.ts';
import type { Providers } from './providers.ts';

const A = `0x${'aa'.repeat(20)}`;
const H = `0x${'11'.repeat(32)}`;
const TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const word = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;
const KEY = base58.encode(new Uint8Array(32).fill(7));
const SIGNATURE = base58.encode(new Uint8Array(64).fill(9));

const log = {
  address: A,
  topics: [TOPIC, word(A), word(A)],
  data: word('0x1'),
  blockNumber: '0x5',
  blockHash: H,
  transactionHash: H,
  logIndex: '0x0',
};
const transaction = { hash: H, blockNumber: '0x5', blockHash: H, from: A, to: A, value: '0x1', input: '0x' };
const receipt = { transactionHash: H, blockNumber: '0x5', blockHash: H, status: '0x1', gasUsed: '0x1', logs: [log] };
const header = { number: '0x5', hash: H, parentHash: H, timestamp: '0x5' };
const withdrawal = { address: A, amount: '0x1' };
const frame = { type: 'CALL', from: A, to: A, value: '0x1', input: '0x' };
const tree = { ...frame, calls: [frame, { ...frame, calls: [frame] }] };
const action = {
  type: 'call',
  action: { callType: 'call', from: A, to: A, value: '0x1', input: '0x' },
  blockHash: H,
  transactionHash: H,
  traceAddress: [0],
};
const slotBlock = { blockhash: KEY, parentSlot: 4, previousBlockhash: KEY, blockTime: 5 };
const balance = { accountIndex: 0, mint: KEY, owner: KEY, programId: KEY, uiTokenAmount: { amount: '1' } };
const instruction = { programIdIndex: 0, accounts: [0], data: 'a' };
const solanaTransaction = {
  slot: 5,
  transaction: {
    signatures: [SIGNATURE],
    message: {
      header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 0 },
      accountKeys: [KEY],
      instructions: [instruction],
    },
  },
  meta: {
    err: null,
    fee: 1,
    preBalances: [1],
    postBalances: [1],
    preTokenBalances: [balance],
    postTokenBalances: [balance],
    innerInstructions: [{ index: 0, instructions: [instruction] }],
    loadedAddresses: { writable: [], readonly: [] },
  },
};
const listed = {
  transaction: { signatures: [SIGNATURE], accountKeys: [{ pubkey: KEY }] },
  meta: solanaTransaction.meta,
};

/** The answers of honest nodes, by method; a method may answer in several forms. */
const HONEST: Record<string, unknown[]> = {
  eth_getBlockByNumber: [
    { ...header, transactions: [H] },
    { ...header, miner: A, transactions: [transaction], withdrawals: [withdrawal] },
  ],
  eth_getTransactionReceipt: [receipt],
  eth_getTransactionByHash: [transaction],
  eth_getBlockReceipts: [[receipt]],
  eth_getLogs: [[log]],
  eth_getCode: ['0x'],
  eth_getBalance: ['0x1'],
  eth_getTransactionCount: ['0x1'],
  eth_call: ['0x', word('0x1')],
  eth_sendRawTransaction: [H],
  debug_traceTransaction: [tree],
  debug_traceBlockByHash: [[{ txHash: H, result: tree }]],
  trace_transaction: [[action]],
  trace_block: [[action]],
  getSlot: [5],
  getBlocks: [[5]],
  getBlocksWithLimit: [[5]],
  getBlock: [
    { ...slotBlock, signatures: [SIGNATURE], transactions: [listed] },
    { ...slotBlock, transactions: [solanaTransaction] },
  ],
  getTransaction: [solanaTransaction],
  getSignaturesForAddress: [[{ signature: SIGNATURE, slot: 5, err: null }]],
  getMultipleAccounts: [{ value: [{ lamports: 1, data: ['', 'base64'] }] }],
  getAccountInfo: [{ value: { owner: KEY, executable: false } }],
  getLatestBlockhash: [{ value: { blockhash: KEY } }],
  sendTransaction: [SIGNATURE],
  simulateTransaction: [{ value: { err: null } }],
};

const DEEP = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
const DEEP_OBJECT = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`);
const strange: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(DEEP, DEEP_OBJECT, { toString: 1, valueOf: 1 }, { length: 1e9 }, [null], [[]], {}, '\ud800'),
  fc.constantFrom<unknown>(1e308, -1, 0.5, 2 ** 53, 8.64e15, '', '0x', '0xzz', `0x${'f'.repeat(64)}`, '0'.repeat(70)),
  fc.constantFrom<unknown>(null, true, false, 'CALL', A, H, KEY, SIGNATURE),
);

/** Replaces, removes or repeats one part anywhere in a value. */
function changed(value: unknown, steps: readonly number[], by: unknown): unknown {
  const [step, ...others] = steps;
  if (step === undefined || typeof value !== 'object' || value === null) return by;
  const keys = Object.keys(value);
  const key = keys[step % Math.max(1, keys.length)] ?? 'added';
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  copy[key] = changed(copy[key], others, by);
  return copy;
}

const steps = fc.array(fc.nat(30), { maxLength: 8 });
const answers = fc.infiniteStream(fc.tuple(fc.nat(9), steps, strange));

/** A provider that answers every call with an honest answer in which one part is replaced, or with the honest one. */
function generatedProvider(stream: Iterator<[number, number[], unknown]>, bugs: unknown[]): Provider {
  const silent = { error: (fields: unknown) => void bugs.push(fields) } as never;
  const answer = <T>(call: Call<T>): T => {
    const [choice, where, by] = stream.next().value as [number, number[], unknown];
    const forms = HONEST[call.method];
    if (!forms) throw new Error(`no honest answer to ${call.method}`);
    const form = forms[choice % forms.length];
    const value = choice < 2 ? form : changed(form, where, by);
    return evaluate(call, { provider: 'generated', log: silent }, () => call.parse(value));
  };
  const attempt = async <T>(calls: readonly Call<T>[]) =>
    calls.map((call) => {
      try {
        return { value: answer(call) };
      } catch (error) {
        if (error instanceof RpcError) return { error };
        throw error;
      }
    });
  return {
    name: 'generated',
    requests: 0,
    get proven() {
      return this;
    },
    call: async (call) => answer(call),
    batch: async (calls) => calls.map((call) => answer(call)) as never,
    attempt,
    recheckChain() {},
    close: async () => {},
  };
}

const watched = new Map([[A, A]]);
const network = { tokens: new Map([[A, 'USDC']]), nativeEmitter: null, maxFilteredWallets: 9 } as unknown as Evm;
const alone = { names: ['generated'] } as unknown as Providers;
const of = (provider: Provider) =>
  ({
    names: ['generated'],
    unreachableMs: () => 0,
    use: (work: (own: Provider) => unknown) => work(provider),
  }) as unknown as Providers;
const wanted = new Set([H]);
const authorization = {
  from: A,
  to: A,
  value: 1n,
  validAfter: 0n,
  validBefore: 1n,
  nonce: H,
  signature: `0x${'22'.repeat(64)}1b`,
};

/** All that the service asks nodes for. */
const ASKED: Record<string, (provider: Provider) => Promise<unknown>> = {
  'head of an EVM network': (provider) => readEvmHead(provider),
  'EVM block': (provider) => provider.call(evm.blockByNumber(5n)),
  'full EVM block': (provider) => provider.call(evm.fullBlockByNumber(5n)),
  'EVM block with some transactions': (provider) => provider.call(evm.blockWith(5n, wanted)),
  'contents of an EVM block': (provider) => provider.call(evm.blockContents(5n)),
  receipt: (provider) => provider.call(evm.receiptOf(H)),
  'receipts of a block': (provider) => provider.call(evm.receiptsIn(5n, wanted)),
  transaction: (provider) => provider.call(evm.transactionOf(H)),
  'lenient transaction': (provider) => provider.call(evm.orUnreadable(evm.transactionOf(H), 'hash', H, (why) => why)),
  code: (provider) => provider.batch([evm.hasCodeAt(A), evm.isContractAt(A)] as const),
  logs: (provider) => provider.batch(transferLogs(network, watched, { from: 1n, to: 9n })),
  'all logs': (provider) => provider.batch(transferLogs(network, watched, { from: 1n, to: 9n, everything: true })),
  balances: (provider) => balancesAt(provider, [A, A, A, A, A], H),
  'trace of a block': (provider) => createTracer(alone).block({ number: 5n, hash: H }, [H], provider),
  'trace of a transaction': (provider) => createTracer(alone).transaction(H, provider),
  'calls of an account': (provider) => createTracer(alone).callsFrom(A, H, provider),
  'tagged calls': (provider) => createTracer(alone).taggedCalls(H, provider),
  'domain of a token': (provider) => createSignedPayments(of(provider), 1).domain(A),
  'state of an authorization': (provider) => createSignedPayments(of(provider), 1).isUsed(A, A, H),
  'nonce of an account': (provider) => createSignedPayments(of(provider), 1).isNonceSpent(A, 0n),
  'simulation of an authorization': (provider) =>
    createSignedPayments(of(provider), 1).accepts(A, authorization as never),
  'raw transaction': (provider) => broadcast(of(provider), '0x'),
  'head of Solana': (provider) => readSolanaHead(provider),
  'Solana slots': (provider) =>
    provider.batch([solana.slotsBetween(1n, 9n, 'confirmed'), solana.slotsFrom(1n, 9, 'confirmed')] as const),
  'Solana block': (provider) => solana.findBlock(provider, 5n),
  'signatures of a block': (provider) => solana.findSignatures(provider, 5n, 'confirmed'),
  'accounts of a block': (provider) => solana.requireWithAccounts(provider, 5n, () => true),
  'transactions of a block': (provider) => solana.findBlockWith(provider, 5n, new Set([SIGNATURE])),
  'Solana transaction': (provider) => solana.findTransactions(provider, [SIGNATURE]),
  'lenient Solana transaction': (provider) => solana.readTransactionsLeniently(provider, [SIGNATURE]),
  history: (provider) => provider.call(solana.historyOf(KEY, { limit: 9, atLeast: 0n })),
  accounts: (provider) => provider.call(solana.fingerprints([KEY], 0n)),
  'owner of an account': (provider) => provider.call(accountAt(KEY)),
  blockhash: (provider) => provider.call(solana.latestBlockhash),
  'Solana simulation': (provider) => accepts(of(provider), ''),
  'sending on Solana': (provider) => broadcastSolana(of(provider), ''),
};

test.each(Object.entries(ASKED))(
  '%s: whatever a node answers is a failure of that node, and no bug',
  async (_, ask) => {
    await fc.assert(
      fc.asyncProperty(answers, async (stream) => {
        const bugs: unknown[] = [];
        try {
          await ask(generatedProvider(stream[Symbol.iterator](), bugs));
        } catch (error) {
          if (!(error instanceof ProviderError) && !(error instanceof RpcError)) throw error;
        }
        expect(bugs).toEqual([]);
      }),
      { numRuns: 300 },
    );
  },
);
