import { ConnectionError, errorOf, NotFoundError, RateLimitError } from './errors.ts';

export interface ClientOptions {
  /** The server's URL, with or without `/v1`. Default `http://localhost:3000`. */
  baseUrl?: string | undefined;
  /** Maximum number of retries of a safe request. Default 2. */
  maxRetries?: number;
  /** Timeout of one attempt. Default 30,000. A longer `Retry-After`, or one above 30 seconds, is not waited for. */
  timeoutMs?: number;
  /** Test or live mode, for login tokens only. A secret key has its own mode. */
  mode?: 'live' | 'test';
  /** A custom `fetch`, for proxies and tests. */
  fetch?: typeof globalThis.fetch;
}

export interface RequestOptions {
  /** A retry with the same key returns the first result. Created automatically if omitted. */
  idempotencyKey?: string;
  timeoutMs?: number;
  maxRetries?: number;
  signal?: AbortSignal;
}

/** Details of the response of an object. Not included in `JSON.stringify`. */
export interface ResponseInfo {
  requestId: string | null;
  status: number;
  headers: Headers;
  /** Whether this is the stored response to an earlier request with the same idempotency key. */
  replayed: boolean;
}

/** An object of the API, with the details of its response. */
export type Answered<T> = T & { readonly lastResponse: ResponseInfo };

export type Query = Record<string, string | number | boolean | Date | undefined>;

export interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  query?: object;
  body?: unknown;
  options?: RequestOptions;
  /** A POST without an idempotency key, which is never retried. */
  once?: boolean;
}

/** A proxy or a limit per day may ask for hours, and the caller holds a customer's request open. */
const MAX_RETRY_AFTER_MS = 30_000;

type Outcome =
  | { body: unknown; info: ResponseInfo }
  | { error: Error; mayRetry: boolean; retryAfterSeconds: number | null; answer?: ResponseInfo };

/** Sends requests to the server, with one credential, retries with jitter, and typed errors. */
export class Requester {
  readonly #credential: string;
  readonly #options: ClientOptions;
  readonly #baseUrl: string;

  constructor(credential: string, options: ClientOptions) {
    this.#credential = credential;
    this.#options = options;
    this.#baseUrl = checkedBaseUrl(options.baseUrl ?? 'http://localhost:3000');
  }

  /** The object inside `data`, with `lastResponse` beside its fields. */
  async object<T>(call: Call): Promise<Answered<T>> {
    const { body, info } = await this.send(call);
    return attach((body as { data: T & object }).data, info);
  }

  /** The whole response, for lists. */
  async whole<T extends object>(call: Call): Promise<Answered<T>> {
    const { body, info } = await this.send(call);
    return attach(body as T, info);
  }

  async send(call: Call): Promise<{ body: unknown; info: ResponseInfo }> {
    const most = call.options?.maxRetries ?? this.#options.maxRetries ?? 2;
    // One key for all attempts, so that a retry gets the first attempt's result.
    const key = call.method === 'POST' && !call.once ? (call.options?.idempotencyKey ?? newKey()) : undefined;
    let mayBeDeleted = false;
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#attempt(call, key);
      if ('info' in outcome) return outcome;
      // An earlier attempt whose answer was lost has deleted it.
      if (mayBeDeleted && outcome.error instanceof NotFoundError && outcome.answer)
        return { body: { data: { id: idOf(call), deleted: true } }, info: outcome.answer };
      mayBeDeleted ||= call.method === 'DELETE' && !(outcome.error instanceof RateLimitError);
      if (attempt >= most || !outcome.mayRetry || call.options?.signal?.aborted) throw outcome.error;
      if ((outcome.retryAfterSeconds ?? 0) * 1_000 > Math.min(MAX_RETRY_AFTER_MS, this.#timeoutMs(call)))
        throw outcome.error;
      await pause(delayMs(attempt, outcome.retryAfterSeconds), call.options?.signal);
    }
  }

  async #attempt(call: Call, key: string | undefined): Promise<Outcome> {
    const url = new URL(this.#baseUrl + call.path);
    for (const [name, value] of Object.entries((call.query ?? {}) as Query)) {
      if (value !== undefined) url.searchParams.set(name, value instanceof Date ? value.toISOString() : String(value));
    }
    const timeout = AbortSignal.timeout(this.#timeoutMs(call));
    const doFetch = this.#options.fetch ?? globalThis.fetch;
    let response: Response;
    let text: string;
    try {
      response = await doFetch(url, {
        method: call.method,
        headers: {
          authorization: `Bearer ${this.#credential}`,
          accept: 'application/json',
          ...(call.body !== undefined && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': key }),
          ...(this.#options.mode !== undefined && { 'service-mode': this.#options.mode }),
        },
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
        redirect: 'error',
        signal: call.options?.signal ? AbortSignal.any([timeout, call.options.signal]) : timeout,
      });
      text = await response.text();
    } catch (cause) {
      const error = new ConnectionError(
        `${call.method} ${this.#baseUrl}${call.path} got no response: ${reasonOf(cause)}`,
        { cause },
      );
      return { error, mayRetry: !call.once, retryAfterSeconds: null };
    }

    const body = parse(text);
    const requestId = response.headers.get('request-id');
    const replayed = response.headers.get('idempotent-replayed') === 'true';
    const info = { requestId, status: response.status, headers: response.headers, replayed };
    if (response.ok && body !== undefined) return { body, info };
    const apiError = (body as { error?: { code: string; message: string; param: string | null } } | undefined)?.error;
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
    const retryAfterSeconds = Number.isFinite(retryAfter) ? retryAfter : null;
    const error = errorOf({
      status: response.ok ? 502 : response.status,
      code: apiError?.code ?? 'unreadable_answer',
      message: apiError?.message ?? `The service answered ${response.status} without a readable body.`,
      param: apiError?.param ?? null,
      requestId,
      retryAfterSeconds,
    });
    const mayRetry =
      error.status === 429 || (!call.once && (error.status >= 500 || error.code === 'idempotency_in_progress'));
    return { error, mayRetry, retryAfterSeconds, answer: info };
  }

  #timeoutMs({ options }: Call): number {
    return options?.timeoutMs ?? this.#options.timeoutMs ?? 30_000;
  }
}

/** A UUID of version 7: it begins with the time, so that the service stores the sessions of one moment side by side. */
function newKey(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

/** The id of the object that a DELETE names: the last part of its path. */
function idOf({ path }: Call): string {
  return decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
}

/** Without a trailing slash or `/v1`. */
function checkedBaseUrl(address: string): string {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw new TypeError(`baseUrl must be a URL like https://pay.example.com, not "${address}".`);
  }
  return address.replace(/\/+$/, '').replace(/\/v1$/, '');
}

/** The network error; `fetch` itself only reports that it failed. */
function reasonOf(failure: unknown): string {
  const { cause, message } = failure as { cause?: { message?: string; code?: string }; message: string };
  return cause?.message || cause?.code || message;
}

function attach<T extends object>(value: T, info: ResponseInfo): Answered<T> {
  return Object.defineProperty(value, 'lastResponse', { value: info, enumerable: false }) as Answered<T>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Doubles from half a second to eight, minus up to half at random; never sooner than `Retry-After`. */
function delayMs(attempt: number, retryAfterSeconds: number | null): number {
  const backOffMs = Math.min(500 * 2 ** attempt, 8_000) * (1 - Math.random() / 2);
  return Math.max(backOffMs, (retryAfterSeconds ?? 0) * 1_000);
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
