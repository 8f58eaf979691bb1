import { isRateLimit, RpcError } from '../rpc/errors.ts';

const RANGE = /range|more than|too large|too many (results|logs|blocks)|limit|timeout|timed out|response size|exceed/i;
const RANGE_CODES = new Set([-32005, -32602, -32000, -32701, -32614, -32600]);
const UNSUPPORTED = /not (supported|available|found|exist|allowed|whitelisted)|unsupported|does not exist|unknown method|disabled|archive|paid|upgrade|permission|forbidden/i;
const STATE = /missing trie node|state .*(not available|unavailable|pruned)|historical state|header not found|pruned|distance to target block|block is out of range|BlockOutOfRange/i;
const BEHIND = /header not found|unknown block|block not found|invalid block (height|number|range)|beyond (the )?(current )?head|after last|cannot find block|greater than latest/i;

/** Whether asking for fewer blocks may help. Providers agree on no code, so several codes and words are taken for it. */
export function isWindowTooWide(error: unknown): boolean {
  if (!(error instanceof RpcError) || isRateLimit(error) || BEHIND.test(error.message)) return false;
  return RANGE_CODES.has(error.code) || RANGE.test(error.message);
}

/** Whether the provider does not serve this method (to us) at all. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof RpcError && (error.code === -32601 || error.code === -32004 || (!isRateLimit(error) && !STATE.test(error.message) && UNSUPPORTED.test(error.message)));
}
