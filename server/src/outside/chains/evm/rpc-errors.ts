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
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  /** How long the provider asked us to stay away. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
  }
}

const RATE = /rate.?limit|too many requests|request count|requests per|per second|quota|capacity|credits|throttl|exceeded (the|your).*(plan|limit)/i;
const RANGE = /range|more than|too large|too many (results|logs|blocks)|limit|timeout|timed out|response size|exceed/i;
const RANGE_CODES = new Set([-32005, -32602, -32000, -32701, -32614, -32600]);
const UNSUPPORTED = /not (supported|available|found|exist|allowed|whitelisted)|unsupported|does not exist|unknown method|disabled|archive|paid|upgrade|permission|forbidden/i;
const STATE = /missing trie node|state .*(not available|unavailable|pruned)|historical state|header not found|pruned|distance to target block|block is out of range|BlockOutOfRange/i;
const BEHIND = /header not found|unknown block|block not found|invalid block (height|number|range)|beyond (the )?(current )?head|after last|cannot find block|greater than latest/i;

export function isRateLimit(error: unknown): boolean {
  return error instanceof RpcError && (error.code === 429 || error.code === -32029 || error.code === -32097 || RATE.test(error.message));
}

/** Whether asking for fewer blocks may help. Providers agree on no code, so several codes and words are taken for it. */
export function isWindowTooWide(error: unknown): boolean {
  if (!(error instanceof RpcError) || isRateLimit(error) || BEHIND.test(error.message)) return false;
  return RANGE_CODES.has(error.code) || RANGE.test(error.message);
}

/** Whether the provider does not serve this method (to us) at all. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof RpcError && (error.code === -32601 || error.code === -32004 || (!isRateLimit(error) && !STATE.test(error.message) && UNSUPPORTED.test(error.message)));
}
