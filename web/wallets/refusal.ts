/** Why a wallet did not do what it was asked. `unknown` may also have happened after it sent something. */
export type Refusal = 'rejected' | 'busy' | 'locked' | 'no_network' | 'no_fee' | 'unable' | 'unknown';

/** Codes by which a wallet refuses a request before it sends anything (EIP-1193, EIP-1474, EIP-3085, EIP-5792). */
const REFUSED: Partial<Record<number, Refusal>> = {
  4001: 'rejected',
  4100: 'locked',
  4200: 'unable',
  4902: 'no_network',
  5700: 'unable',
  5710: 'unable',
  5740: 'unable',
  // The user did not let their account be upgraded.
  5750: 'rejected',
  5760: 'unable',
  [-32002]: 'busy',
  [-32601]: 'unable',
  [-32602]: 'unable',
};

/** What a wallet's error means; each page has its own sentences for it. */
export function refusalOf(error: unknown): Refusal {
  const { code = 0, message = '' } = innermost(error);
  if (/user (rejected|denied|cancel)|rejected by user|request was rejected/i.test(message)) return 'rejected';
  // Behind the wallet, the chain may refuse a method or its input after another provider has got the transaction.
  const refused = REFUSED[code];
  if (refused && (refused !== 'unable' || code === (error as RawError).code)) return refused;
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
