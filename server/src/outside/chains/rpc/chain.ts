import { MAX_REST_SECONDS } from '@quittance/contract';
import type { Logger } from 'pino';
import { TemporaryError } from '../../../platform/errors.ts';
import { MINUTE_MS, SECOND_MS } from '../../../platform/time.ts';
import {
  type AnswerCache,
  type BlockRef,
  type Chain,
  type ChainHealth,
  type CheckOptions,
  DOWN_TO_ONE_AFTER_MS,
  NOT_ASKED,
  ReorgError,
  type FoundTransaction,
  type Head,
  type HeadOptions,
  type Pass,
  type Reading,
  type ReportedHead,
  type ReadStep,
  type Transfer,
  UNREACHABLE_MIN_MS,
  type Verdict,
  type Watching,
} from '../chain.ts';
import { Branches } from './branches.ts';
import { checkTransfer, keepErrorsApart } from './check.ts';
import { NothingNewerError, ProviderBehindError, ProviderError } from './errors.ts';
import { FailureRun } from './failure-run.ts';
import { type BugLog, oncePerMinute } from './failures.ts';
import { createHeads, type Heads, isDatedBack } from './heads.ts';
import { createHints, HINT_LIMITS } from './hints.ts';
import { cacheAnswers } from './answer-cache.ts';
import type { Provider } from './provider.ts';
import type { Providers, ProvidersOptions } from './providers.ts';
import { ReadLimit } from './read-limit.ts';
import { decideYesOrNo, type Question, type Report } from './quorum.ts';
import { findReplacements } from './replacements.ts';

/**
 * The family-specific calls to one provider. Choosing providers and comparing their answers is the same for all
 * families.
 */
export interface ChainAdapter {
  /** How far apart the nodes behind one load balancer may be, in blocks. */
  maxLag: bigint;
  /** The network's usual block time; null on a test chain, see `heads.ts`. */
  usualBlockMs: number | null;
  /** The setting that makes the network a test chain. */
  testChainSetting?: string;
  log: Logger;
  /** Proves the chain with its last request. May leave out tags that are not asked for. */
  readHead(provider: Provider, options: HeadOptions): Promise<ReportedHead>;
  /** Names the newest block by its number alone: the cheapest call that a node itself answers. Proves the chain. */
  readNewest(provider: Provider): Promise<bigint>;
  /** The provider's current block with this number, or undefined if it has none. */
  findBlock(provider: Provider, number: bigint): Promise<BlockRef | undefined>;
  /** Throws `ReorgError` if the provider no longer has the block that the step starts after. */
  read(provider: Provider, step: ReadStep): Promise<Reading>;
  report(provider: Provider, question: Question): Promise<Report>;
  /** Forgets what providers have shown before and were not asked for again: not all of them agree. */
  forgetShown?(): void;
  /** The canonical form of a transaction hash; undefined if the text is not a hash of this chain. */
  toTxHash(text: string): string | undefined;
  findTransaction(provider: Provider, txHash: string, watching: Watching): Promise<LookedUp | undefined>;
}

/** A transaction as one provider shows it. */
export type LookedUp = Pick<FoundTransaction, 'transfers' | 'reverted' | 'emptyIn'>;

/** Overrides of defaults, for tests. */
export interface RpcTuning extends Pick<ProvidersOptions, 'deadlineMs' | 'pauseMs' | 'nowMs' | 'open'> {
  /** Enables the plausibility rules of heads on a test chain. */
  usualBlockMs?: number;
}

/** The operations that are the same for all families, with the providers of one network. */
export function createRpcChain(
  providers: Providers,
  adapter: ChainAdapter,
  tuning: RpcTuning,
): Pick<Chain, keyof RpcChain | 'close'> {
  const chain = new RpcChain(providers, adapter, tuning);
  // The families add their own operations with a spread, which would lose the methods of a class.
  return {
    head: (pass, options) => chain.head(pass, options),
    block: (number, by) => chain.block(number, by),
    isHeldByMost: (block) => chain.isHeldByMost(block),
    read: (step) => chain.read(step),
    check: (...asked) => chain.check(...asked),
    transaction: (txHash, watching, options) => chain.transaction(txHash, watching, options),
    replacements: (...asked) => chain.replacements(...asked),
    probe: () => chain.probe(),
    health: () => chain.health(),
    close: () => providers.close(),
  };
}

class RpcChain {
  readonly #providers: Providers;
  readonly #adapter: ChainAdapter;
  readonly #bugs: BugLog;
  readonly #heads: Heads;
  readonly #branches: Branches;
  /** The provider of the first pass's latest reading in this process. */
  #firstReader: string | undefined;
  /** A network that rests is read a second time at each of its looks only. */
  readonly #secondReads = new FailureRun(MAX_REST_SECONDS * SECOND_MS + MINUTE_MS);
  readonly #limits = { first: new ReadLimit(), second: new ReadLimit() };
  readonly #nowMs: () => number;
  readonly #budgets = {
    hint: createHints(),
    proof: createHints(),
    payout: createHints({ ...HINT_LIMITS, cacheMs: 0 }),
  };

  constructor(providers: Providers, adapter: ChainAdapter, tuning: RpcTuning) {
    this.#providers = providers;
    this.#adapter = adapter;
    this.#bugs = oncePerMinute(adapter.log);
    this.#branches = new Branches(providers, (provider, number) => adapter.findBlock(provider, number));
    this.#nowMs = tuning.nowMs ?? Date.now;
    this.#heads = createHeads({
      maxLag: adapter.maxLag,
      usualBlockMs: tuning.usualBlockMs ?? adapter.usualBlockMs,
      testChainSetting: adapter.testChainSetting,
      nowMs: this.#nowMs,
      log: adapter.log,
    });
  }

  async head(pass: Pass, options: HeadOptions = { tags: true }): Promise<Head> {
    let wasBehind = false;
    try {
      return await this.#providers.use(async (provider): Promise<Head> => {
        try {
          const reported = await this.#adapter.readHead(provider, options);
          await this.#requireNotDatedBack(reported, provider.name);
          // A lower head on another branch is followed at once, so one provider alone could hold or move a pass.
          const replaced = this.#heads.replacedBy(reported);
          if (replaced && (await this.#branches.isHeldByMost(replaced)))
            throw new ProviderError(`${provider.name} alone has another block ${reported.number}`);
          return this.#heads.accept(pass, { safe: NOT_ASKED, finalized: NOT_ASKED, ...reported }, provider.name);
        } catch (error) {
          wasBehind ||= error instanceof ProviderBehindError;
          throw error;
        }
      }, this.#preferred(pass));
    } catch (error) {
      const last = this.#heads.last(pass);
      if (wasBehind && last && error instanceof TemporaryError) return last;
      throw error;
    }
  }

  block(number: bigint, by: Pass | { only: string } = 'first'): Promise<BlockRef | undefined> {
    const choice = typeof by === 'string' ? this.#preferred(by) : { only: [by.only] };
    return this.#providers.use((provider) => this.#adapter.findBlock(provider.proven, number), choice);
  }

  isHeldByMost(block: BlockRef): Promise<boolean> {
    return this.#branches.isHeldByMost(block);
  }

  async read(step: ReadStep): Promise<Reading> {
    const { after, pass, firstReader } = step;
    if (step.only !== undefined) return this.#readFrom(step.only, step);
    // A second pass that read from the first pass's provider would miss again what that one leaves out.
    const only = pass === 'second' ? this.#others(firstReader) : this.#providers.names;
    let isBehind = false;
    let reachedBy: string | undefined;
    try {
      const readBy = async (provider: Provider) => {
        try {
          const found = await this.#readOnMajorityFork(provider, step);
          this.#heads.requireReached(found, provider.name);
          await this.#requireNotDatedBack(found.covered, provider.name);
          return found;
        } catch (error) {
          isBehind ||= error instanceof ProviderBehindError;
          if (error instanceof NothingNewerError) reachedBy = provider.name;
          throw error;
        }
      };
      const use = (limitMs: number) => this.#providers.use(readBy, { only, limitMs });
      const reading = await this.#limits[pass].over(Number(step.until.number - after.number), use);
      if (pass === 'second') this.#secondReads.succeeded();
      else if (reading.covered.number > after.number) this.#firstReader = reading.provider;
      return reading;
    } catch (error) {
      // A provider that is behind will get there, and is waited for.
      if (pass === 'second' && isBehind) this.#secondReads.succeeded();
      else if (pass === 'second' && error instanceof TemporaryError) this.#secondReads.failed(this.#nowMs());
      // The head may be one provider's invention, which must not stop the network: nothing follows yet.
      if (reachedBy !== undefined && error instanceof TemporaryError)
        return { transfers: [], reverted: [], covered: after, provider: reachedBy, isStalled: true };
      throw error;
    }
  }

  /** Changes nothing about the passes. */
  #readFrom(name: string, step: ReadStep): Promise<Reading> {
    return this.#providers.use(
      async (provider) => {
        const found = await this.#adapter.read(provider, step);
        this.#heads.requireReached(found, provider.name);
        return found;
      },
      { only: [name] },
    );
  }

  async check(
    transfer: Transfer,
    watching: Watching,
    cache?: AnswerCache,
    { tags, isEnough }: CheckOptions = { tags: true },
  ): Promise<Verdict> {
    const own = keepErrorsApart(watching);
    const report = async (provider: Provider) => {
      const given = await this.#adapter.report(this.#cached(provider, cache), { transfer, watching: own, tags });
      if (given.type === 'stands')
        this.#heads.requirePlausible({ number: given.head.number, time: given.transfer.block.time }, provider.name);
      return given;
    };
    const verdict = await checkTransfer(this.#providers, report, { log: this.#adapter.log, isEnough });
    // What a provider had wrong for a moment must not be held against it.
    if (verdict.type !== 'stands') this.#adapter.forgetShown?.();
    return verdict;
  }

  async transaction(
    text: string,
    watching: Watching,
    { budget, client = null, cache }: Parameters<Chain['transaction']>[2] & {} = {},
  ): Promise<FoundTransaction | undefined> {
    // Customers submit these, so malformed hashes are rejected without a provider call.
    const txHash = this.#adapter.toTxHash(text);
    if (txHash === undefined) return undefined;
    const look = () => this.#findTransaction(txHash, watching, cache);
    const key = [txHash, ...watching.addresses, ...(watching.selfTransfers ? ['self'] : [])].join(' ');
    return budget ? this.#budgets[budget].lookUp(key, look, client) : look();
  }

  replacements(gone: Transfer, cache?: AnswerCache): Promise<Transfer[]> {
    const watching = { addresses: new Set([gone.to]) };
    const find = async (provider: Provider) => (await this.#findAt(provider, gone.txHash, watching, cache))?.transfers;
    return findReplacements(this.#providers, gone, find, this.#adapter.log);
  }

  async probe(): Promise<void> {
    // One sign is enough, and a provider that hangs must not delay the turn. The others are still asked.
    const signs = this.#providers.names.map((name) =>
      this.#providers.use((provider) => this.#adapter.readNewest(provider.proven), { only: [name] }),
    );
    await Promise.any(signs).catch(({ errors }: AggregateError) => {
      const reasons = errors as Error[];
      throw (
        reasons.find((error) => !(error instanceof TemporaryError)) ??
        new TemporaryError(reasons.map(({ message }) => message).join('; '))
      );
    });
  }

  health(): ChainHealth {
    const health = this.#providers.health();
    const unreachable = this.#providers.names.filter((name) => this.#isUnreachable(name));
    return {
      reachable: health.some((provider) => provider.healthy),
      isDownToOne:
        health.length > 1 &&
        (unreachable.length >= health.length - 1 || this.#secondReads.lengthMs(this.#nowMs()) >= UNREACHABLE_MIN_MS),
      providers: health,
    };
  }

  /** For the second pass, another provider than the first pass's, as long as one answers. */
  #preferred(pass: Pass) {
    if (pass === 'first' || this.#providers.names.length < 2) return {};
    const others = this.#others().filter((name) => !this.#isUnreachable(name));
    return others.length > 0 ? { only: others } : { avoid: this.#firstReader ?? this.#providers.names[0] };
  }

  /** All providers but the first pass's: if it is not known, most likely the first one in the settings. */
  #others(firstReader = this.#firstReader ?? this.#providers.names[0]): readonly string[] {
    const { names } = this.#providers;
    return names.length < 2 ? names : names.filter((name) => name !== firstReader);
  }

  #cached(provider: Provider, cache: AnswerCache | undefined): Provider {
    return cache ? cacheAnswers(provider.proven, cache, this.#bugs) : provider.proven;
  }

  #isUnreachable(name: string): boolean {
    return this.#providers.unreachableMs(name) >= DOWN_TO_ONE_AFTER_MS;
  }

  /** Payments expire by the time that is covered: one of three that dates its blocks in the past would stop that. */
  async #requireNotDatedBack(block: BlockRef, provider: string): Promise<void> {
    const earlier = this.#heads.datedLater(block, provider);
    if (!earlier) return;
    if (await this.#branches.isTrueForMost(earlier.number, (held) => isDatedBack(block, held)))
      this.#heads.refuseDate(block, provider);
    this.#heads.forgetDate(earlier);
  }

  /**
   * A provider that reports a reorg is compared with all others. If more of them still have the block, that provider is
   * on a minority fork and is skipped. On a tie, the first pass keeps its position and the second follows its own
   * provider, so that one pass follows the honest provider.
   */
  async #readOnMajorityFork(provider: Provider, step: ReadStep): Promise<Reading> {
    const { after, pass } = step;
    try {
      return await this.#adapter.read(provider, step);
    } catch (error) {
      if (!(error instanceof ReorgError)) throw error;
      // An endpoint that answers for another chain now has none of our blocks. That is not a reorg.
      await this.#adapter.findBlock(provider.proven, after.number);
      const others = this.#providers.names.filter((name) => name !== provider.name);
      const elsewhere = await this.#branches.count(after, others);
      const [same, other] = [elsewhere.same, 1 + elsewhere.other];
      if (same > other || (same === other && pass === 'first'))
        throw new ProviderError(`${provider.name} alone has another block ${after.number}`, { cause: error });
      throw error;
    }
  }

  /**
   * A node that does not know the transaction yet proves nothing, so every provider is asked. One that says that it failed,
   * or that it pays no watched address, must not hide money that another one has, and one that is unreachable may have it
   * too.
   */
  async #findTransaction(
    txHash: string,
    watching: Watching,
    cache?: AnswerCache,
  ): Promise<FoundTransaction | undefined> {
    let asked = this.#providers.names;
    let failure: TemporaryError | undefined;
    let reverted: FoundTransaction | undefined;
    let other: FoundTransaction | undefined;
    const movedNothing = () => this.#agreeThatNothingMoved(asked) && ({ movedNothing: true } as const);
    while (asked.length > 0 && !failure && !(reverted?.alsoBy !== undefined && movedNothing())) {
      try {
        const { provider, found } = await this.#providers.use(
          async (provider) => ({
            provider: provider.name,
            found: await this.#findAt(provider, txHash, watching, cache),
          }),
          { only: asked, ignoreFailures: true },
        );
        if (found && !found.reverted && found.transfers.length > 0) return { ...found, provider };
        if (found?.reverted) reverted = alsoEmpty(reverted, { ...found, provider });
        else if (found) other = alsoEmpty(other, { ...found, provider });
        asked = asked.filter((name) => name !== provider);
      } catch (error) {
        if (!(error instanceof TemporaryError)) throw error;
        failure = error;
      }
    }
    if (reverted && (!other || (reverted.alsoBy && !other.alsoBy))) return { ...reverted, ...movedNothing() };
    if (failure && !movedNothing()) throw failure;
    return other;
  }

  async #findAt(
    provider: Provider,
    txHash: string,
    watching: Watching,
    cache?: AnswerCache,
  ): Promise<LookedUp | undefined> {
    const found = await this.#adapter.findTransaction(this.#cached(provider, cache), txHash, watching);
    if (found) this.#heads.requireReached(found, provider.name);
    return found;
  }

  /** Whether the answers of all but these providers, each of which is that no money came, are enough for a verdict. */
  #agreeThatNothingMoved(unasked: readonly string[]): boolean {
    const answers = this.#providers.names.map((name) => ({
      answer: unasked.includes(name) ? undefined : false,
      unreachableMs: this.#providers.unreachableMs(name),
    }));
    return decideYesOrNo(answers) === false;
  }
}

/** Of two blocks that providers name, the later one becomes final last. */
function alsoEmpty(first: FoundTransaction | undefined, found: FoundTransaction): FoundTransaction {
  if (!first) return found;
  const isLater = (found.emptyIn ?? 0n) > (first.emptyIn ?? 0n);
  return { ...(isLater ? found : first), provider: first.provider, alsoBy: found.provider };
}
