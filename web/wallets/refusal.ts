/** Why a wallet did not do what it was asked. `unknown` may also have happened after it sent something. */
export type Refusal = 'rejected' | 'busy' | 'locked' | 'no_network' | 'no_fee' | 'unknown';

/** What a wallet's error means; each page has its own sentences for it. */
export function refusalOf(error: unknown): Refusal {
  const { code, message = '' } = innermost(error);
  if (code === 4001 || /user (rejected|denied|cancel)|rejected by user|request was rejected/i.test(message))
    return 'rejected';
  if (code === -32002) return 'busy';
  if (code === 4100) return 'locked';
  if (code === 4902) return 'no_network';
  return /insufficient (funds|lamports|balance)/i.test(message) ? 'no_fee' : 'unknown';
}

interface RawError {
  code?: number;
  message?: string;
}

/** Some wallets wrap the chain's error. */
function innermost(error: unknown): RawError {
  const outer = (error ?? {}) as RawError & { data?: { originalError?: RawError } };
  return outer.code === -32603 && outer.data?.originalError ? outer.data.originalError : outer;
}
