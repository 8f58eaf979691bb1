import { isRateLimit, RpcError } from '../rpc/errors.ts';

const RANGE = /range|more than|too large|too many (results|logs|blocks)|limit|timeout|timed out|response size|exceed/i;
const RANGE_CODES = new Set([-32005, -32602, -32000, -32701, -32614, -32600]);
const UNSUPPORTED = anyOf(
  /not (supported|available|found|exist|allowed|whitelisted)|unsupported|does not exist|unknown method/,
  /disabled|archive|paid|upgrade|permission|forbidden/,
);
const STATE = anyOf(
  /missing trie node|state .*(not available|unavailable|pruned)|historical state|header not found|pruned/,
  /distance to target block|block is out of range|BlockOutOfRange/,
);
const METHOD_NOT_FOUND = -32601;
const METHOD_NOT_SUPPORTED = -32004;
const BEHIND = anyOf(
  /header not found|unknown block|block not found|cannot find block|invalid block (height|number|range)/,
  /beyond (the )?(current )?head|after last|greater than latest/,
);

// The node supports the method but does not have the requested object.
const OBJECT = /\b(transaction|tx|block|header|receipt|trace|genesis|resource|hash)s?\b/;
const MISSING = /\b(not (found|available|known|exist)|does not exist|unavailable|unknown)/;
const MISSING_DATA = new RegExp(`${OBJECT.source}.{0,120}${MISSING.source}`, 'i');
const METHOD = /\b(method|namespace|module|endpoint|api|tier|plan)s?\b/i;

function anyOf(...patterns: RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), 'i');
}

/** Whether a narrower range may help. Providers use no common code, so several codes and words are matched. */
export function isWindowTooWide(error: unknown): boolean {
  if (!(error instanceof RpcError) || isRateLimit(error) || BEHIND.test(error.message)) return false;
  return RANGE_CODES.has(error.code) || RANGE.test(error.message);
}

/** Whether the provider does not support this method at all (for this account). */
export function isUnsupported(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  if (error.code === METHOD_NOT_FOUND) return true;
  if (
    isRateLimit(error) ||
    STATE.test(error.message) ||
    (MISSING_DATA.test(error.message) && !METHOD.test(error.message))
  )
    return false;
  return error.code === METHOD_NOT_SUPPORTED || UNSUPPORTED.test(error.message);
}

// EIP-4444.
const PRUNED_HISTORY = 4444;

/** Whether the provider supports the method and says that it does not have what is that old. */
export function isMissingHistory(error: unknown): boolean {
  if (!(error instanceof RpcError) || isRateLimit(error)) return false;
  return error.code === PRUNED_HISTORY || STATE.test(error.message) || MISSING_DATA.test(error.message);
}

const EXECUTION_REVERTED = 3;

/** Whether the node executed the call and it reverted, as opposed to a node failure. */
export function isRevert(error: unknown): boolean {
  return error instanceof RpcError && (error.code === EXECUTION_REVERTED || /\brevert/i.test(error.message));
}
