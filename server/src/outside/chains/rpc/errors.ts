import { toRetryAfterMs } from './retry-after.ts';

/** An error response of a node: it processed the request and rejected it. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;

  constructor(method: string, code: number, message: string) {
    super(`${method}: ${message} (${code})`);
    this.code = code;
  }
}

/**
 * The provider failed: no response, a malformed one, the wrong chain, or inconsistent data. Another provider may
 * succeed.
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  /** The delay that the provider requested. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The evaluation of an answer failed in an unforeseen way: a bug, which the answers of one provider trigger. */
export class AnswerNotEvaluatedError extends ProviderError {}

/** This server failed while it evaluated a provider's answers, for example its database. The provider did nothing wrong. */
export class LocalError extends Error {
  override readonly name = 'LocalError';
}

/** No answer, or one that says to come back later. Another request at once would not help. */
export class UnansweredError extends ProviderError {}

/** The provider takes no more requests for now, whatever they ask: a matter of pace, and not of size. */
export class RateLimitError extends UnansweredError {}

/** The provider is reachable but has not reached the requested block. It never counts as unreachable for that. */
export class ProviderBehindError extends ProviderError {}

/** The provider has the block that reading starts after, and no newer one. */
export class NothingNewerError extends ProviderBehindError {}

/**
 * The provider reported a head that is not plausible yet: too far ahead for the elapsed time, or dated in the future.
 */
export class ImplausibleHeadError extends ProviderError {}

const RATE =
  /rate.?limit|too many requests|request count|requests per|per second|quota|capacity|credits|throttl|exceeded (the|your).*(plan|limit)/i;

/** Whether the provider is rate-limiting, in any wording. */
export function isRateLimit(error: unknown): boolean {
  return (
    error instanceof RpcError &&
    (error.code === 429 || error.code === -32029 || error.code === -32097 || RATE.test(error.message))
  );
}

const CUT_OFF = new Set([
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'ERR_BUFFER_TOO_LARGE',
]);

/**
 * What a node says outside of JSON-RPC where it takes no request, as Tron's do with any status: `{"Error": "… lack of
 * computing resources"}`. Some name the seconds for which they take none.
 */
export function refusalWithoutEnvelope(answer: unknown): { why: string; retryAfterMs: number | undefined } | undefined {
  const why = (answer as { Error?: unknown } | null)?.Error;
  if (typeof why !== 'string') return undefined;
  const seconds = /suspended for (\d+) ?s/.exec(why)?.[1];
  return { why: why.slice(0, 200), retryAfterMs: toRetryAfterMs(seconds, Date.now()) };
}

/** Whether the response may have been too large to arrive in time. A smaller request may help. */
export function mayBeTooLarge(error: unknown): boolean {
  const cause = error instanceof ProviderError ? error.cause : undefined;
  return (
    cause instanceof Error && (cause.name === 'TimeoutError' || CUT_OFF.has(String((cause as { code?: unknown }).code)))
  );
}
