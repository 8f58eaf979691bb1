import type { Logger } from 'pino';
import type { ProviderHealth } from '../chain.ts';
import { TemporaryError } from '../../../platform/errors.ts';
import { createProvider, type Provider, type ProviderOptions } from './provider.ts';
import { ReorgError } from '../chain.ts';
import { LocalError, ProviderBehindError, ProviderError, RpcError } from './errors.ts';
import { FailureRun } from './failure-run.ts';
import { notEvaluated } from './failures.ts';

/** The providers of one network, with their health. */
export interface Providers {
  /** Names in the order of the settings, which contain each host only once. */
  readonly names: readonly string[];
  /**
   * Runs work with the best provider and, if it fails, with the next one. Throws `TemporaryError` if all fail. `avoid`
   * is the provider to use last, so that a second check is independent. With `ignoreFailures`, failures do not count: a
   * stranger chose the request and must not be able to pause a provider for everyone.
   */
  use<T>(work: (provider: Provider) => Promise<T>, choice?: Choice): Promise<T>;
  /**
   * How long every call to a provider has failed; 0 while any call succeeds. A run of failures counts only if calls
   * follow each other closely, so that a provider that was unused for hours is not unreachable after one failure.
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
  pausedUntilMs: number;
  failingSinceMs: number | null;
  calls: FailureRun;
  lastError: string | null;
  answeredAtMs: number | null;
}

const WEIGHT = 0.15;
const MAX_DOUBLINGS = 16;

export function createProviders(urls: readonly string[], options: ProvidersOptions, log: Logger): Providers {
  return new ProviderPool(urls, options, log);
}

class ProviderPool implements Providers {
  readonly names: readonly string[];
  readonly #members: readonly Member[];
  readonly #pause: { first: number; longest: number };
  readonly #clockMs: () => number;
  readonly #log: Logger;

  constructor(urls: readonly string[], options: ProvidersOptions, log: Logger) {
    const open = options.open ?? createProvider;
    this.#members = urls.map((url) => ({
      provider: open(url, { ...options, log }),
      failureShare: 0,
      failuresInARow: 0,
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

  async use<T>(
    work: (provider: Provider) => Promise<T>,
    { avoid, only, ignoreFailures = false }: Choice = {},
  ): Promise<T> {
    const failures: string[] = [];
    for (const member of this.#inOrder(avoid, only)) {
      const before = member.provider.requests;
      try {
        const answer = await work(member.provider);
        if (member.provider.requests !== before) this.#succeeded(member);
        return answer;
      } catch (error) {
        const failure = this.#failureOf(member.provider, error);
        if (failure instanceof ProviderBehindError) this.#fellBehind(member, failure);
        else if (!ignoreFailures) this.#failed(member, failure);
        failures.push(failure.message);
      }
    }
    throw new TemporaryError(
      failures.length > 0
        ? failures.join('; ')
        : `no provider can be queried yet: ${this.#members.map((member) => member.lastError).join('; ')}`,
    );
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

  #inOrder(avoid: string | undefined, only: readonly string[] | undefined): Member[] {
    const nowMs = performance.now();
    // Rounded to tenths, so that a single failure does not change the order.
    const rank = (member: Member) => (member.provider.name === avoid ? 100 : 0) + Math.round(member.failureShare * 10);
    return this.#members
      .filter((member) => member.pausedUntilMs <= nowMs && (!only || only.includes(member.provider.name)))
      .sort((a, b) => rank(a) - rank(b));
  }

  /** A provider's answers, however malformed, must not stop the network. Only what is not about the provider is thrown on. */
  #failureOf({ name }: Provider, error: unknown): ProviderError {
    if (error instanceof ProviderError) return error;
    if (error instanceof RpcError) return new ProviderError(`${name}: ${error.message}`, { cause: error });
    if (error instanceof ReorgError || error instanceof TemporaryError || error instanceof LocalError) throw error;
    return notEvaluated(error, { provider: name, log: this.#log });
  }

  #succeeded(member: Member): void {
    if (member.failingSinceMs !== null) this.#log.info({ provider: member.provider.name }, 'provider recovered');
    member.failureShare *= 1 - WEIGHT;
    member.failuresInARow = 0;
    member.failingSinceMs = null;
    member.calls.succeeded();
    member.answeredAtMs = this.#clockMs();
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
    member.calls.failed(this.#clockMs());
    member.lastError = error.message;
    member.pausedUntilMs =
      nowMs +
      Math.max(
        error.retryAfterMs ?? 0,
        Math.min(this.#pause.first * 2 ** Math.min(member.failuresInARow - 1, MAX_DOUBLINGS), this.#pause.longest),
      );
  }
}
