import { PermanentFailure } from '../../../platform/errors.ts';
import { MINUTE_MS } from '../../../platform/time.ts';
import { isSignedQuote } from './signature.ts';
import { instantOf, objectOf, type QuoteRequest, type QuoteResponse, textOf, unitsOf } from './shapes.ts';

/** Fields of the request that must come back exactly as they were sent: a signature over another request proves nothing. */
const ECHOED = [
  'dry', 'swapType', 'slippageTolerance', 'originAsset', 'depositType', 'destinationAsset', 'amount', 'refundTo', 'refundType',
  'recipient', 'recipientType', 'referral',
] as const satisfies readonly (keyof QuoteRequest)[];

export interface CheckedQuote {
  inputUnits: bigint;
  minimumInputUnits: bigint;
  /** Only of binding quotes. */
  depositAddress: string | null;
  deadline: Date | null;
  response: QuoteResponse;
}

/** Reads an answer and holds it against what was asked: signed, for this request, for this output, with our fee. */
export function checkQuote(body: unknown, sent: QuoteRequest, { signer, feeSharePercent, now }: { signer: string; feeSharePercent: number; now: Date }): CheckedQuote {
  const answer = objectOf(body, 'a quote');
  const response: QuoteResponse = {
    timestamp: textOf(answer.timestamp, 'timestamp'),
    signature: textOf(answer.signature, 'signature'),
    quoteRequest: objectOf(answer.quoteRequest, 'an echoed request'),
    quote: objectOf(answer.quote, 'a quote'),
  };
  if (!isSignedQuote(response, signer)) throw new PermanentFailure('the quote is not signed by the provider');
  // A well-signed answer to an earlier request of ours would share its deposit address with that order.
  if (Math.abs(instantOf(response.timestamp, 'timestamp').getTime() - now.getTime()) > 5 * MINUTE_MS) throw new PermanentFailure('the quote was made at another time');
  for (const field of ECHOED) {
    if (response.quoteRequest[field] !== sent[field]) throw new PermanentFailure(`the quote is for another ${field}`);
  }
  if (new Date(String(response.quoteRequest.deadline)).getTime() !== new Date(sent.deadline).getTime()) throw new PermanentFailure('the quote is for another deadline');
  checkFees(response.quoteRequest.appFees, sent.appFees, feeSharePercent);

  const { quote } = response;
  const inputUnits = unitsOf(quote.amountIn, 'amount to pay');
  const minimumInputUnits = unitsOf(quote.minAmountIn, 'least amount');
  if (unitsOf(quote.amountOut, 'output') !== BigInt(sent.amount)) throw new PermanentFailure('the quote delivers another amount');
  if (quote.minAmountOut !== undefined && unitsOf(quote.minAmountOut, 'least output') < BigInt(sent.amount)) throw new PermanentFailure('the quote may deliver less');
  if (inputUnits === 0n || minimumInputUnits > inputUnits) throw new PermanentFailure('the quote’s amounts contradict each other');
  if (sent.dry) return { inputUnits, minimumInputUnits, depositAddress: null, deadline: null, response };

  if (quote.depositMemo !== undefined && quote.depositMemo !== null && quote.depositMemo !== '') throw new PermanentFailure('the deposit needs a memo, which no wallet of ours would send');
  const deadline = instantOf(quote.deadline, 'deadline');
  if (deadline.getTime() < new Date(sent.deadline).getTime()) throw new PermanentFailure('the deposit address ends before the time that was asked for');
  return { inputUnits, minimumInputUnits, depositAddress: textOf(quote.depositAddress, 'deposit address'), deadline, response };
}

/** Our fee comes back whole, perhaps shared with the provider, but never more of it and never less for us than was agreed. */
function checkFees(echoed: unknown, sent: QuoteRequest['appFees'], feeSharePercent: number): void {
  if (!sent) return;
  const entries = Array.isArray(echoed) ? (echoed as { recipient?: unknown; fee?: unknown }[]) : [];
  const total = entries.reduce((sum, { fee }) => sum + (Number.isInteger(fee) && (fee as number) >= 0 ? (fee as number) : Number.NaN), 0);
  const asked = sent.reduce((sum, { fee }) => sum + fee, 0);
  if (total !== asked) throw new PermanentFailure('the quote charges another fee');
  for (const { recipient, fee } of sent) {
    const ours = entries.reduce((sum, entry) => entry.recipient === recipient ? sum + (entry.fee as number) : sum, 0);
    if (ours * 100 < fee * feeSharePercent) throw new PermanentFailure('the quote leaves us less of our fee than was agreed');
  }
}
