import { PermanentFailure, TemporaryFailure } from '../../../platform/errors.ts';

/** What Relay is asked; field names are the provider's own. */
export interface RelayQuoteRequest {
  user: string;
  recipient: string;
  originChainId: number;
  originCurrency: string;
  destinationChainId: number;
  destinationCurrency: string;
  amount: string;
  tradeType: 'EXACT_OUTPUT';
  useDepositAddress: true;
  strict: true;
  refundTo: string;
  slippageTolerance: string;
  ttl: number;
  referrer: string;
  appFees?: { recipient: string; fee: string }[];
}

export interface RelayQuote {
  requestId: string;
  depositAddress: string;
  inputUnits: bigint;
}

/** Reads a quote and holds it against what was asked. Relay signs nothing, so every field that it repeats is compared. */
export function checkQuote(body: unknown, sent: RelayQuoteRequest): RelayQuote {
  const step = at(body, 'steps', 0);
  const details = at(body, 'details');
  same('recipient', at(details, 'recipient'), sent.recipient);
  for (const [side, chainId, currency] of [
    ['currencyIn', sent.originChainId, sent.originCurrency], ['currencyOut', sent.destinationChainId, sent.destinationCurrency],
  ] as const) {
    if (at(details, side, 'currency', 'chainId') !== chainId) throw new PermanentFailure(`the quote is for another chain (${side})`);
    same(side, at(details, side, 'currency', 'address'), currency);
  }
  if (units(at(details, 'currencyOut', 'amount'), 'output') !== BigInt(sent.amount)) throw new PermanentFailure('the quote delivers another amount');
  const minimum = at(details, 'currencyOut', 'minimumAmount');
  if (minimum !== undefined && units(minimum, 'least output') < BigInt(sent.amount)) throw new PermanentFailure('the quote may deliver less');
  const inputUnits = units(at(details, 'currencyIn', 'amount'), 'amount to pay');
  if (inputUnits === 0n) throw new PermanentFailure('the quote costs nothing');
  if (at(step, 'id') !== 'deposit') throw new PermanentFailure('the quote begins with something other than a deposit');
  return { requestId: text(at(step, 'requestId'), 'request id'), depositAddress: text(at(step, 'depositAddress'), 'deposit address'), inputUnits };
}

/** A member of an answer whose shape nobody guarantees. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let here = value;
  for (const name of path) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = (here as Record<string | number, unknown>)[name];
  }
  return here;
}

export function units(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !/^[0-9]{1,78}$/.test(value)) throw new TemporaryFailure(`Relay answered no whole ${what}`);
  return BigInt(value);
}

function text(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '' || value.length > 200) throw new TemporaryFailure(`Relay answered no ${what}`);
  return value;
}

/** Hex addresses are compared without case, all others exactly. */
function same(what: string, answered: unknown, asked: string): void {
  const isHex = asked.startsWith('0x');
  const equal = typeof answered === 'string' && (isHex ? answered.toLowerCase() === asked.toLowerCase() : answered === asked);
  if (!equal) throw new PermanentFailure(`the quote is for another ${what}`);
}
