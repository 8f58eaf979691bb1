import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { Pool } from 'undici';
import { plainConnector } from '../../http/answers.ts';
import { rpcCalls, rpcRequests } from '../../../platform/metrics.ts';
import { BatchSize } from './batch-size.ts';
import { ProviderError, RateLimitError, refusalWithoutEnvelope, RpcError, UnansweredError } from './errors.ts';
import { type BugLog, evaluate, hasError, refusalOfBatch, requireNoRateLimit, toRpcError } from './failures.ts';
import { toRetryAfterMs } from './retry-after.ts';
import { MalformedAnswerError, record } from './shapes.ts';
import { requireWanted } from './stop.ts';

export interface Call<T> {
  method: string;
  params: readonly unknown[];
  parse(result: unknown): T;
  /** Whether the answer may have a megabyte: nodes limit the bytes of a batch. */
  isLarge?: true;
}

/** One RPC endpoint. No answer is used before it has proved to be on the right chain. */
export interface Provider {
  /** The host name only, because the rest of the address may contain a key. */
  readonly name: string;
  /** The parsed result. Throws `RpcError` if the node rejects the call, otherwise `ProviderError`. */
  call<T>(call: Call<T>): Promise<T>;
  /** All results, or the first error. Uses one request if the provider accepts batches. */
  batch<T extends readonly Call<unknown>[]>(
    calls: T,
  ): Promise<{ [Index in keyof T]: Awaited<ReturnType<T[Index]['parse']>> }>;
  /** All results, each with its own error. Throws only if the provider as a whole failed. */
  attempt<T>(calls: readonly Call<T>[]): Promise<({ value: T } | { error: RpcError })[]>;
  /** The number of requests sent. Cached answers say nothing about the provider. */
  readonly requests: number;
  /** Marks it as failed: its chain is checked again before its next answer is used. */
  recheckChain(): void;
  /**
   * The same provider, for answers that must not come from another chain: each request asks for the chain too. An
   * endpoint may be pointed at another chain at any moment.
   */
  readonly proven: Provider;
  /** While whole blocks are not asked for; `tryWholeBlock` sets it. */
  wholeBlocksPausedUntilMs?: number;
  close(): Promise<void>;
}

/** How a provider proves which chain it is on. */
export interface ChainPin {
  method: string;
  /** The expected parsed result. */
  expected: string;
  parse(result: unknown): string;
}

export interface ProviderOptions {
  pin: ChainPin;
  /** For the metrics. */
  network?: string;
  /** The limit for connecting, waiting and reading together. */
  deadlineMs?: number;
  /** The log of bugs that answers trigger. */
  log?: BugLog;
}

const DEADLINE_MS = 12_000;
const CONNECTIONS = 8;
const CHAIN_CHECK_MS = 60_000;
/** Well below what nodes send in one answer; geth's default is 25 MB. */
const MAX_BATCH_BYTES = 8_000_000;
/** What a large answer is taken for before there was one. */
const FIRST_LARGE_BYTES = 1_000_000;
const LARGE_WEIGHT = 0.3;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

const gunzip = promisify(zlib.gunzip);

export function createProvider(address: string, options: ProviderOptions): Provider {
  return new HttpProvider(address, options);
}

class HttpProvider implements Provider {
  readonly name: string;
  readonly proven: Provider;
  wholeBlocksPausedUntilMs?: number;
  readonly #url: URL;
  readonly #pin: ChainPin;
  readonly #network: string;
  readonly #deadlineMs: number;
  readonly #log: BugLog | undefined;
  readonly #pool: Pool;
  readonly #headers: Record<string, string> = { 'content-type': 'application/json', 'accept-encoding': 'gzip' };
  #requests = 0;
  #nextId = 1;
  readonly #batch = new BatchSize();
  /** What a large answer has, the last ones weigh most. */
  #largeBytes = FIRST_LARGE_BYTES;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #checking: Promise<void> | undefined;

  constructor(address: string, options: ProviderOptions) {
    const url = new URL(address);
    this.#url = url;
    this.name = url.host;
    this.proven = this.#createProven();
    this.#pin = options.pin;
    this.#network = options.network ?? '';
    this.#log = options.log;
    this.#deadlineMs = options.deadlineMs ?? DEADLINE_MS;
    this.#pool = new Pool(url.origin, {
      connect: plainConnector(),
      connections: CONNECTIONS,
      pipelining: 1,
      maxResponseSize: MAX_ANSWER_BYTES,
      headersTimeout: this.#deadlineMs,
      bodyTimeout: this.#deadlineMs,
    });
    if (url.username) {
      const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
      this.#headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    }
  }

  get requests(): number {
    return this.#requests;
  }

  async call<T>(call: Call<T>): Promise<T> {
    await this.#ensureChain();
    requireWanted();
    return this.#single(call);
  }

  async batch<T extends readonly Call<unknown>[]>(
    calls: T,
  ): Promise<{ [Index in keyof T]: Awaited<ReturnType<T[Index]['parse']>> }> {
    return (await this.attempt(calls)).map(resultOrThrow) as never;
  }

  async attempt<T>(calls: readonly Call<T>[]): Promise<({ value: T } | { error: RpcError })[]> {
    await this.#ensureChain();
    const answers: ({ value: T } | { error: RpcError })[] = [];
    while (answers.length < calls.length) {
      requireWanted();
      const next = this.#nextOf(calls.slice(answers.length), this.#batch.calls);
      if (next.length === 1) {
        answers.push(await orRpcError(() => this.#single(next[0] as Call<T>)));
        continue;
      }
      const some = await this.#postBatch(next);
      if (some) answers.push(...some);
    }
    return answers;
  }

  /** The leading calls whose answers fit into one batch by number and bytes; at least one. */
  #nextOf<T>(calls: readonly Call<T>[], max: number): readonly Call<T>[] {
    const maxLarge = Math.floor(MAX_BATCH_BYTES / this.#largeBytes);
    let [large, end] = [0, 0];
    while (end < calls.length && end < max && (large += calls[end]?.isLarge ? 1 : 0) <= maxLarge) end += 1;
    return calls.slice(0, Math.max(1, end));
  }

  #createProven(): Provider {
    const plain = this;
    return {
      name: this.name,
      get requests() {
        return plain.requests;
      },
      get proven() {
        return this;
      },
      call: async (call) => resultOrThrow((await this.#attemptProven([call]))[0] as { value: never }),
      batch: async (calls) => (await this.#attemptProven(calls)).map(resultOrThrow) as never,
      attempt: (calls) => this.#attemptProven(calls),
      recheckChain: () => this.recheckChain(),
      close: () => this.close(),
    };
  }

  /** The chain is asked in the same request or, if the provider takes one call at a time, after the others. */
  async #attemptProven<T>(calls: readonly Call<T>[]): Promise<({ value: T } | { error: RpcError })[]> {
    const pin: Call<T | string> = { method: this.#pin.method, params: [], parse: this.#pin.parse };
    const answers: ({ value: T } | { error: RpcError })[] = [];
    let isProven = true;
    while (answers.length < calls.length) {
      requireWanted();
      const next = this.#nextOf(calls.slice(answers.length), this.#batch.calls - 1);
      const isTogether = this.#batch.calls > 1;
      const some = isTogether ? await this.#postBatch([...next, pin]) : undefined;
      if (some) {
        this.#requireChain(some.pop() as { value: string } | { error: RpcError });
        answers.push(...(some as typeof answers));
        continue;
      }
      if (isTogether) continue;
      isProven = false;
      answers.push(await orRpcError(() => this.#single(next[0] as Call<T>)));
    }
    if (!isProven) this.#requireChain(await orRpcError(() => this.#single(pin as Call<string>)));
    return answers;
  }

  recheckChain(): void {
    this.#checkedAtMs = Number.NEGATIVE_INFINITY;
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  #ensureChain(): Promise<void> {
    if (performance.now() - this.#checkedAtMs < CHAIN_CHECK_MS) return Promise.resolve();
    this.#checking ??= orRpcError(() => this.#single({ method: this.#pin.method, params: [], parse: this.#pin.parse }))
      .then((answer) => this.#requireChain(answer))
      .finally(() => {
        this.#checking = undefined;
      });
    return this.#checking;
  }

  #requireChain(answer: { value: string } | { error: RpcError }): void {
    if ('error' in answer) throw new ProviderError(`${this.name}: ${answer.error.message}`, { cause: answer.error });
    if (answer.value !== this.#pin.expected) {
      this.recheckChain();
      throw new ProviderError(`${this.name} is on chain ${answer.value}, not ${this.#pin.expected}`);
    }
    this.#checkedAtMs = performance.now();
  }

  async #post(body: unknown): Promise<{ answer: unknown; bytes: number }> {
    const stop = rpcRequests.startTimer({ provider: this.name });
    try {
      const sent = await this.#send(body);
      stop({ outcome: hasError(sent.answer) ? 'refused' : 'answered' });
      return sent;
    } catch (error) {
      stop({ outcome: 'failed' });
      throw error;
    }
  }

  async #send(body: unknown): Promise<{ answer: unknown; bytes: number }> {
    let status: number;
    let text: string;
    let retryAfter: string | undefined;
    this.#requests += 1;
    try {
      const response = await this.#pool.request({
        method: 'POST',
        path: this.#url.pathname + this.#url.search,
        headers: this.#headers,
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(this.#deadlineMs),
      });
      status = response.statusCode;
      retryAfter = [response.headers['retry-after']].flat()[0];
      const data = Buffer.from(await response.body.arrayBuffer());
      text = (
        response.headers['content-encoding'] === 'gzip'
          ? await gunzip(data, { maxOutputLength: MAX_ANSWER_BYTES })
          : data
      ).toString('utf8');
    } catch (error) {
      throw new UnansweredError(`${this.name} did not answer: ${(error as Error).message}`, { cause: error });
    }
    const retryAfterMs = toRetryAfterMs(retryAfter, Date.now());
    if (status === 429 || (status === 503 && retryAfterMs !== undefined))
      throw new RateLimitError(
        status === 429 ? `${this.name} rate-limited the server` : `${this.name} answered HTTP ${status}`,
        retryAfterMs === undefined ? {} : { retryAfterMs },
      );
    let answer: unknown;
    try {
      answer = JSON.parse(text);
    } catch (error) {
      throw new ProviderError(
        status === 200 ? `${this.name} returned invalid JSON` : `${this.name} answered HTTP ${status}`,
        { cause: error },
      );
    }
    const refusal = refusalWithoutEnvelope(answer);
    if (refusal) {
      const waitMs = retryAfterMs ?? refusal.retryAfterMs;
      const took = `${this.name} took no request${status === 200 ? '' : ` (HTTP ${status})`}`;
      throw new RateLimitError(`${took}: ${refusal.why}`, waitMs ? { retryAfterMs: waitMs } : {});
    }
    // Many providers send the node's error with status 400 or 403. The status matters only without such an error.
    if (status !== 200 && !hasError(answer))
      throw new ProviderError(`${this.name} answered HTTP ${status}`, { cause: new Error(text.slice(0, 100)) });
    return { answer, bytes: text.length };
  }

  async #single<T>(call: Call<T>): Promise<T> {
    const id = this.#nextId++;
    this.#count([call]);
    const { answer, bytes } = await this.#post({ jsonrpc: '2.0', id, method: call.method, params: call.params });
    this.#learnBytes([call], bytes);
    const result = this.#result(call, answer, id);
    this.#batch.answered(1);
    return result;
  }

  #result<T>(call: Call<T>, answer: unknown, id: number): T {
    return evaluate(call, { provider: this.name, log: this.#log }, () => {
      const raw = record(answer, 'answer');
      if (raw.error != null) throw toRpcError(call.method, raw.error);
      if (raw.id !== id) throw new MalformedAnswerError('the response is for a different request');
      if (raw.result === undefined) throw new MalformedAnswerError('the response has no result');
      return call.parse(raw.result);
    });
  }

  /** Sends these calls in one request; undefined if the provider does not accept that many at once. */
  async #postBatch<T>(calls: readonly Call<T>[]): Promise<({ value: T } | { error: RpcError })[] | undefined> {
    const firstId = this.#nextId;
    this.#nextId += calls.length;
    this.#count(calls);
    let isAnswered = false;
    try {
      const { answer, bytes } = await this.#post(
        calls.map((call, at) => ({ jsonrpc: '2.0', id: firstId + at, method: call.method, params: call.params })),
      );
      isAnswered = true;
      const refusal = refusalOfBatch(answer, calls.length);
      if (refusal !== undefined) {
        requireNoRateLimit(this.name, refusal);
        this.#batch.refused(calls.length, refusal);
        return undefined;
      }
      this.#learnBytes(calls, bytes);
      const outcomes = await this.#resultsOf(calls, answer as readonly unknown[], firstId);
      this.#batch.answered(calls.length);
      return outcomes;
    } catch (error) {
      if (error instanceof RateLimitError) this.#batch.limited(calls.length);
      // Some providers reject large batches only by status. The next batch is smaller in case that was the reason.
      else if (!isAnswered) this.#batch.refused(calls.length);
      throw error;
    }
  }

  async #resultsOf<T>(
    calls: readonly Call<T>[],
    answers: readonly unknown[],
    firstId: number,
  ): Promise<({ value: T } | { error: RpcError })[]> {
    const byId = new Map(answers.map((entry) => [(entry as { id?: unknown } | null)?.id, entry]));
    const outcomes: ({ value: T } | { error: RpcError })[] = [];
    for (const [index, call] of calls.entries())
      outcomes.push(
        await orRpcError(() => {
          const entry = byId.get(firstId + index);
          if (entry === undefined)
            throw new ProviderError(`${this.name} left ${call.method} unanswered in a batch`, {
              cause: new Error(`${answers.length} answers`),
            });
          return this.#result(call, entry, firstId + index);
        }),
      );
    return outcomes;
  }

  #count(calls: readonly Call<unknown>[]): void {
    for (const { method } of calls) rpcCalls.inc({ network: this.#network, provider: this.name, method });
  }

  #learnBytes(calls: readonly Call<unknown>[], bytes: number): void {
    const large = calls.filter(({ isLarge }) => isLarge).length;
    if (large > 0) this.#largeBytes += (bytes / large - this.#largeBytes) * LARGE_WEIGHT;
  }
}

function resultOrThrow<T>(answer: { value: T } | { error: RpcError }): T {
  if ('error' in answer) throw answer.error;
  return answer.value;
}

/** The value, or the node's own error as a value. Other errors are thrown. */
async function orRpcError<T>(run: () => T | Promise<T>): Promise<{ value: T } | { error: RpcError }> {
  try {
    return { value: await run() };
  } catch (error) {
    if (error instanceof RpcError) return { error };
    throw error;
  }
}
