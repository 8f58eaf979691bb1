import type { Logger } from 'pino';
import type { ProviderHealth } from '../chain.ts';
import { TemporaryError } from '../../../platform/errors.ts';
import { SECOND_MS } from '../../../platform/time.ts';
import { createProvider, type Provider, type ProviderOptions } from './provider.ts';
import { ReorgError } from '../chain.ts';
import { LocalError, ProviderBehindError, ProviderError, RpcError, UnansweredError } from './errors.ts';
import { FailureRun } from './failure-run.ts';
import { type BugLog, notEvaluated, oncePerMinute } from './failures.ts';
import { Stop, StoppedError } from './stop.ts';

/** The providers of one network, with their health. */
export interface Providers {
  /** Names in the order of the settings, which contain each host only once. */
  readonly names: readonly string[];
  /**
   * Runs work with the best provider and, if it fails, with the next one. Throws `TemporaryError` if all fail. The next
   * one also starts if the first takes far longer than usual, and the first answer counts. `avoid` is the provider to
   * use last, so that a second check is independent. With `ignoreFailures`, failures do not count: a stranger chose the
   * request and must not be able to pause a provider for everyone. After `limitMs` it throws too, and those that have
   * worked for ten seconds have failed.
   */
  use<T>(work: (provider: Provider) => Promise<T>, choice?: Choice): Promise<T>;
  /**
   * How long every call to a provider has failed; 0 while any call succeeds. A run of failures counts only if calls
   * follow each other closely, so that a provider that was unused for hours is not unreachable after one failure,
   * unless it has asked not to be called meanwhile.
   */
  unreachableMs(name: string): number;
  health(): ProviderHealth[];
  close(): Promise<void>;
}

/** Which providers may be used, see `Providers.use`. */
export interface Choice {
  avoid?: string | undefined;
  only?: readonly string[];
  ignoreFailures?: boolean;
  limitMs?: number;
}

/** What one provider does of a use. */
interface Attempt {
  member: Member;
  startedMs: number;
  stop: Stop;
}

export interface ProvidersOptions extends ProviderOptions {
  /** First and longest pause after failures. */
  pauseMs?: { first: number; longest: number };
  /** The clock for failures and heads, in Unix milliseconds. */
  nowMs?: () => number;
  /** Opens an RPC endpoint. Tests and simulations supply their own providers. */
  open?: (address: string, options: ProviderOptions) => Provider;
}

interface Member {
  provider: Provider;
  /** Between 0 (never fails) and 1 (always fails); recent calls weigh most. */
  failureShare: number;
  failuresInARow: number;
  /** What a request takes, recent ones weigh most; null before the first. */
  latencyMs: number | null;
  pausedUntilMs: number;
  failingSinceMs: number | null;
  calls: FailureRun;
  lastError: string | null;
  answeredAtMs: number | null;
}

const WEIGHT = 0.15;
const MAX_DOUBLINGS = 16;
/** A request that takes this many times as long as usual, and at least this long, is overdue. */
const OVERDUE_FACTOR = 3;
const OVERDUE_MIN_MS = 1_000;
/** Work of many requests is overdue after this long, however soon each of them is answered. */
const LONG_WORK_MS = 10_000;
/** What each of its requests is then taken to need. */
const LONG_WORK_LATENCY_MS = 4_000;
/** Providers may be asked beside an overdue one this often in a row, and then with every tenth use. */
const MAX_HEDGES = 5;
const HEDGES_PER_USE = 0.1;
/** In tenths of failures: a provider that needs this long is worse than one that fails as often. */
const LATENCY_RANKS: readonly { fromMs: number; rank: number }[] = [
  { fromMs: 4_000, rank: 6 },
  { fromMs: 1_000, rank: 3 },
];

export function createProviders(urls: readonly string[], options: ProvidersOptions, log: Logger): Providers {
  return new ProviderPool(urls, options, log);
}

class ProviderPool implements Providers {
  readonly names: readonly string[];
  readonly #members: readonly Member[];
  readonly #pause: { first: number; longest: number };
  readonly #clockMs: () => number;
  readonly #log: Logger;
  readonly #bugs: BugLog;
  #hedges = MAX_HEDGES;

  constructor(urls: readonly string[], options: ProvidersOptions, log: Logger) {
    const open = options.open ?? createProvider;
    this.#bugs = oncePerMinute(log);
    this.#members = urls.map((url) => ({
      provider: open(url, { ...options, log: this.#bugs }),
      failureShare: 0,
      failuresInARow: 0,
      latencyMs: null,
      pausedUntilMs: 0,
      failingSinceMs: null,
      calls: new FailureRun(),
      lastError: null,
      answeredAtMs: null,
    }));
    this.names = this.#members.map((member) => member.provider.name);
    this.#pause = options.pauseMs ?? { first: 500, longest: 15_000 };
    this.#clockMs = options.nowMs ?? Date.now;
    this.#log = log;
  }

  use<T>(work: (provider: Provider) => Promise<T>, choice: Choice = {}): Promise<T> {
    const candidates = this.#inOrder(choice);
    const failures: string[] = [];
    const running = new Set<Attempt>();
    this.#hedges = Math.min(MAX_HEDGES, this.#hedges + HEDGES_PER_USE);
    return new Promise((resolve, reject) => {
      let isSettled = false;
      const settle = (how: () => void) => {
        isSettled = true;
        stopTimer();
        for (const { stop } of running) stop.beforeNext(new StoppedError('stopped: its answer is not needed any more'));
        how();
      };
      const stopTimer = onceOver(choice.limitMs, () => {
        const late = [...running].map((attempt) => failAtLimit(attempt, choice.limitMs));
        settle(() => reject(new TemporaryError([...failures, ...late].join('; '))));
      });
      const startNext = (): void => {
        const member = candidates.shift();
        if (!member) return settle(() => reject(new TemporaryError(this.#whyNone(failures))));
        const attempt = { member, startedMs: performance.now(), stop: new Stop() };
        running.add(attempt);
        const stopWaiting = this.#onceOverdue(attempt, () => {
          if (isSettled || candidates.length === 0 || this.#hedges < 1) return;
          this.#hedges -= 1;
          startNext();
        });
        this.#attempt(attempt, work, choice)
          .finally(stopWaiting)
          .then(
            (outcome) => {
              running.delete(attempt);
              if ('answer' in outcome) return settle(() => resolve(outcome.answer));
              failures.push(outcome.failure);
              if (!isSettled && running.size === 0) startNext();
            },
            (error: unknown) => settle(() => reject(error)),
          );
      };
      startNext();
    });
  }

  unreachableMs(name: string): number {
    const member = this.#members.find((candidate) => candidate.provider.name === name);
    return member?.calls.lengthMs(this.#clockMs()) ?? 0;
  }

  health(): ProviderHealth[] {
    return this.#members.map((member) => ({
      name: member.provider.name,
      healthy: member.failingSinceMs === null,
      lastError: member.failingSinceMs === null ? null : member.lastError,
      lastAnsweredAt: member.answeredAtMs === null ? null : new Date(member.answeredAtMs),
    }));
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.provider.close()));
  }

  #inOrder({ avoid, only }: Choice): Member[] {
    const nowMs = performance.now();
    // Rounded to tenths, so that a single failure does not change the order.
    const rank = (member: Member) =>
      (member.provider.name === avoid ? 100 : 0) + Math.round(member.failureShare * 10) + latencyRank(member);
    return this.#members
      .filter((member) => member.pausedUntilMs <= nowMs && (!only || only.includes(member.provider.name)))
      .sort((a, b) => rank(a) - rank(b));
  }

  /** One provider's answer, or why it has none. Its health is noted. */
  async #attempt<T>(
    { member, startedMs, stop }: Attempt,
    work: (provider: Provider) => Promise<T>,
    { ignoreFailures = false }: Choice,
  ): Promise<{ answer: T } | { failure: string }> {
    const before = member.provider.requests;
    try {
      const answer = await stop.over(() => work(member.provider));
      const requests = member.provider.requests - before;
      if (requests > 0) {
        this.#succeeded(member);
        noteLatency(member, (performance.now() - startedMs) / requests);
      }
      return { answer };
    } catch (error) {
      if (error instanceof StoppedError) {
        // Between two requests, so it has answered the one before.
        if (error === stop.why && member.provider.requests > before) this.#answered(member);
        return { failure: error.message };
      }
      const failure = this.#failureOf(member.provider, error);
      if (failure instanceof ProviderBehindError) this.#fellBehind(member, failure);
      else if (!ignoreFailures) this.#failed(member, failure);
      return { failure: failure.message };
    }
  }

  /**
   * Calls back once a request of the provider is overdue, and ranks it by that: its answer may come much later. Each
   * request that it sends meanwhile shows that it has answered the one before. That counts for ten seconds only: no
   * provider holds the network by many answers of which each comes just in time. Returns a function that ends the wait.
   */
  #onceOverdue({ member, startedMs }: Attempt, then: () => void): () => void {
    let timer: NodeJS.Timeout | undefined;
    const wait = () => {
      const { requests } = member.provider;
      const leftMs = startedMs + LONG_WORK_MS - performance.now();
      const ms = Math.min(Math.max(OVERDUE_MIN_MS, OVERDUE_FACTOR * (member.latencyMs ?? 0)), leftMs);
      timer = setTimeout(() => {
        const isLong = performance.now() - startedMs >= LONG_WORK_MS;
        if (!isLong && member.provider.requests > requests) return wait();
        member.latencyMs = Math.max(member.latencyMs ?? 0, isLong ? LONG_WORK_LATENCY_MS : ms);
        then();
      }, ms);
      timer.unref();
    };
    // The work has not sent its first request yet.
    queueMicrotask(wait);
    return () => clearTimeout(timer);
  }

  #whyNone(failures: readonly string[]): string {
    return failures.length > 0
      ? failures.join('; ')
      : `no provider can be queried yet: ${this.#members.map((member) => member.lastError).join('; ')}`;
  }

  /** A provider's answers, however malformed, must not stop the network. Only what is not about the provider is thrown on. */
  #failureOf({ name }: Provider, error: unknown): ProviderError {
    if (error instanceof ProviderError) return error;
    if (error instanceof RpcError) return new ProviderError(`${name}: ${error.message}`, { cause: error });
    if (error instanceof ReorgError || error instanceof TemporaryError || error instanceof LocalError) throw error;
    return notEvaluated(error, { provider: name, log: this.#bugs });
  }

  #succeeded(member: Member): void {
    if (member.failingSinceMs !== null) this.#log.info({ provider: member.provider.name }, 'provider recovered');
    member.failureShare *= 1 - WEIGHT;
    member.failuresInARow = 0;
    member.failingSinceMs = null;
    this.#answered(member);
  }

  #answered(member: Member): void {
    member.calls.succeeded();
    member.answeredAtMs = this.#clockMs();
    // It was asked before the pause that it wants, and is not asked again until the end of that.
    const pauseMs = member.pausedUntilMs - performance.now();
    if (pauseMs > this.#pause.longest) member.calls.failed(member.answeredAtMs, member.answeredAtMs + pauseMs);
  }

  /** It answered, so it is reachable. Others are preferred until it has caught up. */
  #fellBehind(member: Member, error: ProviderBehindError): void {
    this.#succeeded(member);
    member.failureShare += (1 - member.failureShare) * WEIGHT;
    member.lastError = error.message;
  }

  #failed(member: Member, error: ProviderError): void {
    const nowMs = performance.now();
    if (member.failingSinceMs === null)
      this.#log.warn({ provider: member.provider.name, error: error.message }, 'provider failed');
    member.provider.recheckChain();
    member.failureShare += (1 - member.failureShare) * WEIGHT;
    member.failuresInARow += 1;
    member.failingSinceMs ??= nowMs;
    member.calls.failed(this.#clockMs(), this.#clockMs() + (error.retryAfterMs ?? 0));
    member.lastError = error.message;
    member.pausedUntilMs =
      nowMs +
      Math.max(
        error.retryAfterMs ?? 0,
        Math.min(this.#pause.first * 2 ** Math.min(member.failuresInARow - 1, MAX_DOUBLINGS), this.#pause.longest),
      );
  }
}

/** Rough, so that providers that are about as fast stay in the order of the settings. */
function latencyRank({ latencyMs }: Member): number {
  return LATENCY_RANKS.find(({ fromMs }) => (latencyMs ?? 0) >= fromMs)?.rank ?? 0;
}

function noteLatency(member: Member, tookMs: number): void {
  member.latencyMs = member.latencyMs === null ? tookMs : member.latencyMs + (tookMs - member.latencyMs) * WEIGHT;
}

/** Calls back after the limit, if there is one. Returns a function that ends the wait. */
function onceOver(limitMs: number | undefined, then: () => void): () => void {
  if (limitMs === undefined) return () => {};
  const timer = setTimeout(then, limitMs);
  timer.unref();
  return () => clearTimeout(timer);
}

/** A provider has failed by the limit only if it had time enough, and not if others were asked before it. */
function failAtLimit({ member, startedMs, stop }: Attempt, limitMs = 0): string {
  const why = `${member.provider.name} had not finished after ${limitMs / SECOND_MS} s`;
  if (performance.now() - startedMs >= LONG_WORK_MS) stop.now(new UnansweredError(why));
  return why;
}
