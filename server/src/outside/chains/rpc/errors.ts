/** A node's own error answer: it heard us and said no. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;

  constructor(method: string, code: number, message: string) {
    super(`${method}: ${message} (${code})`);
    this.code = code;
  }
}

/** The provider did not do what a provider does: silence, garbage, another chain, a contradiction. Another one may. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  /** How long the provider asked us to stay away. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The provider is alive, but has not come as far as it was asked about. It never counts as unreachable for that. */
export class ProviderBehindError extends ProviderError {}

/** The provider reported a head that cannot be true yet: too far ahead for the time that has passed, or dated in the future. */
export class ImplausibleHeadError extends ProviderError {}

const RATE =
  /rate.?limit|too many requests|request count|requests per|per second|quota|capacity|credits|throttl|exceeded (the|your).*(plan|limit)/i;

/** Whether the provider wants to be asked less often, however it words that. */
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

/** Whether the answer may have been too large to arrive in time: asking for less may help. */
export function mayBeTooLarge(error: unknown): boolean {
  const cause = error instanceof ProviderError ? error.cause : undefined;
  return (
    cause instanceof Error && (cause.name === 'TimeoutError' || CUT_OFF.has(String((cause as { code?: unknown }).code)))
  );
}
