import { TemporaryError } from '../../../platform/errors.ts';
import { ProviderError, RpcError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import type { Providers } from '../rpc/providers.ts';
import { list, MalformedAnswerError, record } from '../rpc/shapes.ts';
import { blockByNumber } from './calls.ts';
import { isUnsupported } from './refusals.ts';
import { address, type Block, bytes, hash, orNull, quantity } from './shapes.ts';
import { taggedHead } from './tag.ts';

/** An internal transfer from a trace or the chain's own log. Counted from 1; the transaction's own value is 0. */
export interface Frame {
  ordinal: number;
  from: string;
  to: string;
  valueWei: bigint;
}

/** An executed call whose data begins with a tag, or with a token transfer and a tag. Only that beginning is stored. */
export interface TaggedCall {
  from: string;
  to: string;
  valueWei: bigint;
  input: string;
}

/** A plain call by one address, with the beginning of its data. */
export interface PlainCall {
  to: string;
  input: string;
}

/** The internal transfers of a block, by transaction. */
export type BlockTrace = Map<string, Frame[]>;

/** Traces of one provider each. Undefined if it does not trace. */
export interface Tracer {
  /** The internal transfers of a block in this provider's own trace; undefined as well if that failed. */
  block(
    block: Pick<Block, 'number' | 'hash'>,
    transactionHashes: readonly string[],
    provider: Provider,
  ): Promise<BlockTrace | undefined>;
  /** The traces of the other providers, which prove nothing in the name of this one. */
  otherBlocks(
    block: Pick<Block, 'number' | 'hash'>,
    transactionHashes: readonly string[],
    provider: Provider,
  ): AsyncIterable<BlockTrace>;
  /** The internal transfers in this provider's own trace; undefined as well if that failed. */
  transaction(txHash: string, provider: Provider): Promise<Frame[] | undefined>;
  /** The executed calls from one address, in this provider's own trace; undefined if it does not trace. */
  callsFrom(caller: string, txHash: string, provider: Provider): Promise<PlainCall[] | undefined>;
  /** The executed tagged calls, in this provider's own trace; undefined if it does not trace. */
  taggedCalls(txHash: string, provider: Provider): Promise<TaggedCall[] | undefined>;
}

type Dialect = 'debug' | 'trace';

// Providers change their plans, so an unsupported method is tried again after this time.
const UNSUPPORTED_PAUSE_MS = 10 * 60_000;

export function createTracer(providers: Providers): Tracer {
  return new RpcTracer(providers);
}

class RpcTracer implements Tracer {
  readonly #providers: Providers;
  readonly #unsupportedAtMs = new Map<string, number>();
  readonly #dialects = new Map<string, Dialect>();

  constructor(providers: Providers) {
    this.#providers = providers;
  }

  block(
    block: Pick<Block, 'number' | 'hash'>,
    transactionHashes: readonly string[],
    provider: Provider,
  ): Promise<BlockTrace | undefined> {
    return this.#framesOfBlock(block, transactionHashes, provider).catch(undefinedIfFailed);
  }

  async *otherBlocks(
    block: Pick<Block, 'number' | 'hash'>,
    transactionHashes: readonly string[],
    { name: own }: Provider,
  ): AsyncGenerator<BlockTrace> {
    for (const name of this.#providers.names) {
      if (name === own || (this.#isPaused(name, 'debug') && this.#isPaused(name, 'trace'))) continue;
      const trace = (provider: Provider) => this.#framesOfBlock(block, transactionHashes, provider);
      const frames = await this.#providers.use(trace, { only: [name] }).catch(undefinedIfFailed);
      if (frames !== undefined) yield frames;
    }
  }

  transaction(txHash: string, provider: Provider): Promise<Frame[] | undefined> {
    return this.#framesIn(txHash, provider).catch(undefinedIfFailed);
  }

  callsFrom(caller: string, txHash: string, provider: Provider): Promise<PlainCall[] | undefined> {
    return this.#ask<PlainCall[]>(provider, (dialect) =>
      traceOf(dialect, txHash, (value) =>
        (dialect === 'debug' ? plainCallsOf(value) : plainActionsOf(value, txHash)).filter(
          (call) => call.from === caller,
        ),
      ),
    );
  }

  taggedCalls(txHash: string, provider: Provider): Promise<TaggedCall[] | undefined> {
    return this.#ask<TaggedCall[]>(provider, (dialect) =>
      traceOf(dialect, txHash, (value) =>
        dialect === 'debug' ? taggedByCallTracer(value) : taggedByParity(value, txHash),
      ),
    );
  }

  async #framesOfBlock(
    block: Pick<Block, 'number' | 'hash'>,
    transactionHashes: readonly string[],
    provider: Provider,
  ): Promise<BlockTrace | undefined> {
    const frames = await this.#ask(provider, (dialect) => traceOfBlock(dialect, block, transactionHashes));
    // A trace by number belongs to the block that is canonical now.
    if (frames && (await provider.call(blockByNumber(block.number)))?.hash !== block.hash)
      throw new ProviderError(`${provider.name} traced another block ${block.number}`);
    return frames;
  }

  #framesIn(txHash: string, provider: Provider): Promise<Frame[] | undefined> {
    return this.#ask<Frame[]>(provider, (dialect) =>
      traceOf(
        dialect,
        txHash,
        dialect === 'debug'
          ? orNull((value) => framesOf(record(value, 'trace')))
          : orNull((value) => fromParity(value).get(txHash) ?? null),
      ),
    );
  }

  /** Asks one provider in the dialect that it supports. Undefined if it supports none, or has no such trace. */
  async #ask<T>(provider: Provider, callFor: (dialect: Dialect) => Call<T | null>): Promise<T | undefined> {
    for (const dialect of this.#dialects.get(provider.name) === 'trace'
      ? (['trace', 'debug'] as const)
      : (['debug', 'trace'] as const)) {
      if (this.#isPaused(provider.name, dialect)) continue;
      try {
        const answer = await provider.call(callFor(dialect));
        // A node that has no trace of this block or transaction (yet) may still support the method.
        if (answer === null) continue;
        this.#dialects.set(provider.name, dialect);
        return answer;
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        if (isUnsupported(error)) this.#unsupportedAtMs.set(`${provider.name} ${dialect}`, performance.now());
      }
    }
    return undefined;
  }

  #isPaused(provider: string, dialect: Dialect): boolean {
    const atMs = this.#unsupportedAtMs.get(`${provider} ${dialect}`) ?? Number.NEGATIVE_INFINITY;
    return performance.now() - atMs < UNSUPPORTED_PAUSE_MS;
  }
}

function undefinedIfFailed(error: unknown): undefined {
  if (error instanceof ProviderError || error instanceof TemporaryError) return undefined;
  throw error;
}

function traceOfBlock(
  dialect: Dialect,
  block: Pick<Block, 'number' | 'hash'>,
  transactionHashes: readonly string[],
): Call<Map<string, Frame[]> | null> {
  return dialect === 'debug'
    ? {
        method: 'debug_traceBlockByHash',
        params: [block.hash, { tracer: 'callTracer' }],
        parse: orNull((value) => wholeBlockOrNull(fromCallTracer(value, transactionHashes), transactionHashes)),
      }
    : {
        method: 'trace_block',
        params: [`0x${block.number.toString(16)}`],
        parse: orNull((value) => wholeBlockOrNull(fromParity(value, block.hash), transactionHashes)),
      };
}

function traceOf<T>(dialect: Dialect, txHash: string, parse: (result: unknown) => T): Call<T> {
  return dialect === 'debug'
    ? { method: 'debug_traceTransaction', params: [txHash, { tracer: 'callTracer' }], parse }
    : { method: 'trace_transaction', params: [txHash], parse };
}

/** `[{txHash, result}]`, each result a tree of calls. Older nodes omit the hash and keep the order. */
export function fromCallTracer(value: unknown, transactionHashes: readonly string[]): Map<string, Frame[]> {
  const traces = list(value, 'traces');
  if (traces.length !== transactionHashes.length)
    throw new MalformedAnswerError(`${traces.length} traces for ${transactionHashes.length} transactions`);
  return new Map(
    traces.flatMap((entry, at) => {
      const raw = record(entry, 'trace');
      const txHash = raw.txHash === undefined ? (transactionHashes[at] as string) : hash(raw.txHash, 'trace.txHash');
      // A node reports a failed trace in place of the transaction's result.
      if (raw.result === undefined && typeof raw.error === 'string') return [];
      return [[txHash, framesOf(record(raw.result, 'trace.result'))] as const];
    }),
  );
}

const MOVES_MONEY = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']);

/** The calls below the outermost one that moved money, in execution order. */
function framesOf(root: Record<string, unknown>): Frame[] {
  const frames: Frame[] = [];
  for (const { frame, isRoot } of executedFrames(root)) {
    if (!isRoot && MOVES_MONEY.has(kindOf(frame)) && frame.to != null) {
      addFrame(
        frames,
        address(frame.from, 'frame.from'),
        address(frame.to, 'frame.to'),
        frame.value == null ? 0n : quantity(frame.value, 'frame.value'),
      );
    }
  }
  return frames;
}

function kindOf({ type }: Record<string, unknown>): string {
  if (type === undefined) return '';
  if (typeof type !== 'string') throw new MalformedAnswerError('frame.type is not a text');
  return type.toUpperCase();
}

/** The executed calls in order. A failed call reverts everything below it. */
function* executedFrames(
  root: Record<string, unknown>,
): Generator<{ frame: Record<string, unknown>; isRoot: boolean }> {
  const waiting: { frame: Record<string, unknown>; isRoot: boolean }[] = [{ frame: root, isRoot: true }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { frame } = next;
    if (frame.error !== undefined && frame.error !== null) continue;
    yield next;
    const calls = frame.calls === undefined ? [] : list(frame.calls, 'frame.calls');
    for (const call of calls.toReversed()) waiting.push({ frame: record(call, 'frame'), isRoot: false });
  }
}

/** Only plain calls: a delegate call runs another contract's code and does not move that contract's money. */
export function taggedByCallTracer(value: unknown): TaggedCall[] {
  return [...executedFrames(record(value, 'trace'))].flatMap(({ frame }) =>
    kindOf(frame) === 'CALL' ? taggedCall(frame.from, frame.to, frame.value, frame.input) : [],
  );
}

// Selector, recipient and amount of a token transfer.
const CALL_HEAD_LENGTH = 2 + 8 + 64 + 64;

function plainCallsOf(value: unknown): (PlainCall & { from: string })[] {
  return [...executedFrames(record(value, 'trace'))].flatMap(({ frame }) =>
    kindOf(frame) === 'CALL' ? plainCall(frame.from, frame.to, frame.input) : [],
  );
}

function plainActionsOf(value: unknown, txHash: string): (PlainCall & { from: string })[] {
  return [...actionsOf(value)].flatMap(({ raw, hash: own, ran }) => {
    if (!ran || own !== txHash || raw.type !== 'call') return [];
    const action = record(raw.action, 'trace.action');
    return action.callType === 'call' ? plainCall(action.from, action.to, action.input) : [];
  });
}

function plainCall(from: unknown, to: unknown, data: unknown): (PlainCall & { from: string })[] {
  if (typeof data !== 'string' || to == null) return [];
  return [
    {
      from: address(from, 'call.from'),
      to: address(to, 'call.to'),
      input: data.slice(0, CALL_HEAD_LENGTH).toLowerCase(),
    },
  ];
}

export function taggedByParity(value: unknown, txHash: string): TaggedCall[] {
  return [...actionsOf(value)].flatMap(({ raw, hash: own, ran }) => {
    if (!ran || own !== txHash || raw.type !== 'call') return [];
    const action = record(raw.action, 'trace.action');
    return action.callType === 'call' ? taggedCall(action.from, action.to, action.value, action.input) : [];
  });
}

function taggedCall(from: unknown, to: unknown, value: unknown, data: unknown): TaggedCall[] {
  // Not every node shows calls to precompiles, whose addresses are no wallets.
  const isPrecompile = typeof to === 'string' && /^0x0{36}/.test(to);
  const head = typeof data === 'string' && !isPrecompile ? taggedHead(data) : undefined;
  const input = head && bytes(head, 'call.input');
  return input === undefined
    ? []
    : [
        {
          from: address(from, 'call.from'),
          to: address(to, 'call.to'),
          valueWei: value == null ? 0n : quantity(value, 'call.value'),
          input,
        },
      ];
}

/**
 * Null if a transaction is missing: each has at least its outermost call. Nodes send an empty list for a block that
 * they did not trace.
 */
function wholeBlockOrNull(
  traces: Map<string, Frame[]>,
  transactionHashes: readonly string[],
): Map<string, Frame[]> | null {
  return transactionHashes.every((txHash) => traces.has(txHash)) ? traces : null;
}

/** A flat list of actions, each with its path in the tree. */
export function fromParity(value: unknown, blockHash?: string): Map<string, Frame[]> {
  const byTransaction = new Map<string, Frame[]>();
  for (const { raw, hash: txHash, isRoot, ran } of actionsOf(value, blockHash)) {
    // A failed transaction was traced too. It moved nothing.
    const frames = byTransaction.get(txHash) ?? [];
    byTransaction.set(txHash, frames);
    if (isRoot || !ran) continue;

    const action = record(raw.action, 'trace.action');
    if (raw.type === 'call' && action.callType === 'call')
      addFrame(
        frames,
        address(action.from, 'action.from'),
        address(action.to, 'action.to'),
        quantity(action.value, 'action.value'),
      );
    if (raw.type === 'create' && raw.result != null)
      addFrame(
        frames,
        address(action.from, 'action.from'),
        address(record(raw.result, 'trace.result').address, 'result.address'),
        quantity(action.value, 'action.value'),
      );
    if (raw.type === 'suicide')
      addFrame(
        frames,
        address(action.address, 'action.address'),
        address(action.refundAddress, 'action.refundAddress'),
        quantity(action.balance, 'action.balance'),
      );
  }
  return byTransaction;
}

/** All actions of a flat trace. `ran` is false for failed actions and those below one. */
function* actionsOf(
  value: unknown,
  blockHash?: string,
): Generator<{ raw: Record<string, unknown>; hash: string; isRoot: boolean; ran: boolean }> {
  const failed = new Map<string, string[]>();
  for (const entry of list(value, 'traces')) {
    const raw = record(entry, 'trace');
    if (raw.transactionHash == null) continue;
    if (blockHash !== undefined && hash(raw.blockHash, 'trace.blockHash') !== blockHash)
      throw new MalformedAnswerError('a trace of another block');
    const txHash = hash(raw.transactionHash, 'trace.transactionHash');
    const places = list(raw.traceAddress, 'trace.traceAddress');
    if (!places.every(Number.isSafeInteger)) throw new MalformedAnswerError('trace.traceAddress is not a path');
    const path = places.join('.');
    const failedPaths = failed.get(txHash) ?? [];
    failed.set(txHash, failedPaths);
    if (raw.error != null) failedPaths.push(path);
    const ran = !failedPaths.some((above) => above === '' || path === above || path.startsWith(`${above}.`));
    yield { raw, hash: txHash, isRoot: path === '', ran };
  }
}

function addFrame(frames: Frame[], from: string, to: string, valueWei: bigint): void {
  if (valueWei > 0n && from !== to) frames.push({ ordinal: frames.length + 1, from, to, valueWei });
}
