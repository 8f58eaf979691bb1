import { PermanentError } from '../../../platform/errors.ts';
import { at, readUnits, readUsd, requireFormatted, requireSame, toUnits } from '../answer.ts';
import { readDepositStep } from './deposit-step.ts';
import { checkOrderData } from './order-data.ts';
import type { RelayPair, RelayQuoteRequest } from './quote-request.ts';

export interface RelayQuote {
  requestId: string;
  depositAddress: string;
  inputUnits: bigint;
  /** Until when the solver fills the order, if the quote contains the order. */
  fillDeadline: Date | null;
}

/**
 * The fee may differ by this divisor (one half). Fees are rounded and use the provider's own dollar prices, but this
 * detects another fee.
 */
const FEE_TOLERANCE = 2n;

/** Parses a quote and compares it with the request. Relay signs nothing, so every repeated field is compared. */
export function checkQuote(body: unknown, sent: RelayQuoteRequest, pair: RelayPair): RelayQuote {
  const details = at(body, 'details');
  requireSame('recipient', at(details, 'recipient'), sent.recipient);
  requireSame('sender', at(details, 'sender'), sent.user);
  const inputUnits = readSide('amount to pay', at(details, 'currencyIn'), {
    chainId: sent.originChainId,
    address: sent.originCurrency,
    decimals: pair.pay.decimals,
  });
  const outputUnits = readSide('output', at(details, 'currencyOut'), {
    chainId: sent.destinationChainId,
    address: sent.destinationCurrency,
    decimals: pair.receive.decimals,
  });
  if (outputUnits !== BigInt(sent.amount)) throw new PermanentError('the quote delivers another amount');
  const minimumOutput = at(details, 'currencyOut', 'minimumAmount');
  if (minimumOutput !== undefined && readUnits(minimumOutput, 'least output') < outputUnits)
    throw new PermanentError('the quote may deliver less');
  const minimumInput = at(details, 'currencyIn', 'minimumAmount');
  if (minimumInput !== undefined && readUnits(minimumInput, 'least amount') > inputUnits)
    throw new PermanentError('the quote’s amounts contradict each other');

  checkFee(body, sent);
  const { requestId, depositAddress } = readDepositStep(body, sent, { inputUnits, network: pair.pay.network });
  const fillDeadline = checkOrderData(body, sent, { ...pair, inputUnits, depositAddress });
  return { requestId, depositAddress, inputUnits, fillDeadline };
}

/** A currency as Relay states it. The field names are the provider's. */
interface RelayCurrency {
  chainId: number;
  address: string;
  decimals: number;
}

/** One side of the trade: the requested chain and currency, with consistent amounts. */
function readSide(what: string, side: unknown, { chainId, address, decimals }: RelayCurrency): bigint {
  requireSame(`chain (${what})`, at(side, 'currency', 'chainId'), chainId);
  requireSame(`currency (${what})`, at(side, 'currency', 'address'), address);
  requireSame(`number of decimals (${what})`, at(side, 'currency', 'decimals'), decimals);
  const units = readUnits(at(side, 'amount'), what);
  requireFormatted(what, at(side, 'amountFormatted'), units, decimals);
  readUsd(what, at(side, 'amountUsd'));
  return units;
}

/** The requested service fee, and no other. Relay states it as an amount, so it is compared in dollars. */
function checkFee(body: unknown, sent: RelayQuoteRequest): void {
  const app = at(body, 'fees', 'app');
  const units = toUnits(at(app, 'amount'));
  if (units === undefined) throw new PermanentError('the quote does not state the service fee');
  const bps = (sent.appFees ?? []).reduce((sum, entry) => sum + BigInt(entry.fee), 0n);
  if ((bps === 0n) !== (units === 0n)) throw new PermanentError('the quote charges another fee');
  const [feeUsd, inputUsd] = [
    readUsd('service fee', at(app, 'amountUsd')),
    readUsd('amount to pay', at(body, 'details', 'currencyIn', 'amountUsd')),
  ];
  if (feeUsd === undefined || inputUsd === undefined) return;
  const expected = (inputUsd * bps) / 10_000n;
  const difference = feeUsd > expected ? feeUsd - expected : expected - feeUsd;
  if (difference * FEE_TOLERANCE > expected) throw new PermanentError('the quote charges another fee');
}
