import { PermanentError } from '../../../platform/errors.ts';
import { MINUTE_MS } from '../../../platform/time.ts';
import {
  isAbsent,
  readText,
  readUnits,
  readUsd,
  requireDeadline,
  requireFormatted,
  requireSame,
  toUnits,
} from '../answer.ts';
import { isSignedQuote } from './signature.ts';
import { instantOf, objectOf, type QuoteRequest, type QuoteResponse } from './shapes.ts';

/** Fields that must be repeated exactly: a signature over another request proves nothing. */
const REPEATED = [
  'dry',
  'swapType',
  'slippageTolerance',
  'originAsset',
  'depositType',
  'destinationAsset',
  'amount',
  'refundTo',
  'refundType',
  'recipient',
  'recipientType',
  'referral',
] as const satisfies readonly (keyof QuoteRequest)[];
/** Fields that would send money elsewhere. They are never sent. */
const NEVER_SENT = ['virtualChainRecipient', 'virtualChainRefundRecipient', 'customRecipientMsg', 'rebates'] as const;

const MAX_QUOTE_AGE_MS = 5 * MINUTE_MS;
const MAX_TIME_ESTIMATE_SECONDS = 30 * 86_400;
/** Without an operator fee, 1Click adds one of its own. */
const MAX_PROVIDER_FEE_BPS = 100;

export interface QuoteTerms {
  signer: string;
  feeSharePercent: number;
  now: Date;
  decimals: { pay: number; receive: number };
}

export interface CheckedQuote {
  inputUnits: bigint;
  minimumInputUnits: bigint;
  /** Only for binding quotes. */
  depositAddress: string | null;
  deadline: Date | null;
  response: QuoteResponse;
}

/**
 * Parses a response and compares it with the request: signed, recent, all repeated fields equal, and with the
 * operator's fee.
 */
export function checkQuote(body: unknown, sent: QuoteRequest, terms: QuoteTerms): CheckedQuote {
  const answer = objectOf(body, 'answer');
  const response: QuoteResponse = {
    timestamp: readText(answer.timestamp, 'timestamp', 40),
    signature: readText(answer.signature, 'signature', 200),
    quoteRequest: objectOf(answer.quoteRequest, 'repeated request'),
    quote: objectOf(answer.quote, 'quote'),
  };
  if (!isSignedQuote(response, terms.signer)) throw new PermanentError('the quote is not signed by the provider');
  // A correctly signed response to an earlier request would share its deposit address with that order.
  if (Math.abs(instantOf(response.timestamp, 'timestamp').getTime() - terms.now.getTime()) > MAX_QUOTE_AGE_MS)
    throw new PermanentError('the quote was made at another time');
  checkRequest(response.quoteRequest, sent, terms.feeSharePercent);

  const { quote } = response;
  const inputUnits = readUnits(quote.amountIn, 'amount to pay');
  const minimumInputUnits = readUnits(quote.minAmountIn, 'least amount');
  const outputUnits = readUnits(quote.amountOut, 'output');
  if (outputUnits !== BigInt(sent.amount)) throw new PermanentError('the quote delivers another amount');
  if (readUnits(quote.minAmountOut, 'least output') < outputUnits)
    throw new PermanentError('the quote may deliver less');
  if (minimumInputUnits > inputUnits) throw new PermanentError('the quote’s amounts contradict each other');
  requireFormatted('amount to pay', quote.amountInFormatted, inputUnits, terms.decimals.pay);
  requireFormatted('output', quote.amountOutFormatted, outputUnits, terms.decimals.receive);
  readUsd('amount to pay', quote.amountInUsd);
  readUsd('output', quote.amountOutUsd);
  requireNeverSent(quote);
  if (sent.dry) return { inputUnits, minimumInputUnits, depositAddress: null, deadline: null, response };

  if (!isAbsent(quote.depositMemo)) throw new PermanentError('the deposit needs a memo, which customers do not send');
  checkDetails(quote);
  return {
    inputUnits,
    minimumInputUnits,
    depositAddress: readText(quote.depositAddress, 'deposit address', 100),
    deadline: readDeadline(quote, sent),
    response,
  };
}

function checkRequest(repeated: Record<string, unknown>, sent: QuoteRequest, feeSharePercent: number): void {
  for (const field of REPEATED)
    if (repeated[field] !== sent[field]) throw new PermanentError(`the quote is for another ${field}`);
  for (const [field, value] of [
    ['depositMode', sent.depositMode],
    ['quoteWaitingTimeMs', sent.quoteWaitingTimeMs],
    ['confidentiality', 'public'],
  ] as const) {
    if (!isAbsent(repeated[field])) requireSame(field, repeated[field], value);
  }
  requireNeverSent(repeated);
  if (instantOf(repeated.deadline, 'deadline').getTime() !== new Date(sent.deadline).getTime())
    throw new PermanentError('the quote is for another deadline');
  checkFees(repeated.appFees, sent.appFees, feeSharePercent);
}

function requireNeverSent(holder: Record<string, unknown>): void {
  for (const field of NEVER_SENT)
    if (!isAbsent(holder[field])) throw new PermanentError(`the quote names a ${field}, which was not sent`);
}

function checkDetails(quote: Record<string, unknown>): void {
  const { timeEstimate } = quote;
  const isSoon = typeof timeEstimate === 'number' && timeEstimate >= 0 && timeEstimate <= MAX_TIME_ESTIMATE_SECONDS;
  if (!isAbsent(timeEstimate) && !isSoon) throw new PermanentError('the time estimate is not a number of seconds');
  for (const fee of ['refundFee', 'withdrawFee']) {
    if (!isAbsent(quote[fee]) && toUnits(quote[fee]) === undefined)
      throw new PermanentError(`the ${fee} is not a whole number`);
  }
}

function readDeadline(quote: Record<string, unknown>, sent: QuoteRequest): Date {
  const deadline = instantOf(quote.deadline, 'deadline');
  const inactive = isAbsent(quote.timeWhenInactive)
    ? deadline
    : instantOf(quote.timeWhenInactive, 'time of inactivity');
  for (const end of [deadline, inactive]) requireDeadline('deposit address', end, new Date(sent.deadline));
  return deadline;
}

/**
 * The operator's fee must be repeated in full, possibly shared with the provider: never more in total, and never less
 * for the operator than agreed.
 */
function checkFees(repeated: unknown, sent: QuoteRequest['appFees'], feeSharePercent: number): void {
  const entries = isAbsent(repeated) ? [] : readFees(repeated);
  const total = entries.reduce((sum, { fee }) => sum + fee, 0);
  if (!sent) {
    if (total > MAX_PROVIDER_FEE_BPS) throw new PermanentError('the quote charges a fee that was not asked for');
    return;
  }
  if (total !== sent.reduce((sum, { fee }) => sum + fee, 0)) throw new PermanentError('the quote charges another fee');
  for (const { recipient, fee } of sent) {
    const ours = entries.reduce((sum, entry) => (entry.recipient === recipient ? sum + entry.fee : sum), 0);
    if (ours * 100 < fee * feeSharePercent)
      throw new PermanentError('the quote leaves a smaller share of the fee than was agreed');
  }
}

function readFees(repeated: unknown): { recipient: string; fee: number }[] {
  if (!Array.isArray(repeated)) throw new PermanentError('the fees are not a list');
  return repeated.map((entry) => {
    const { recipient, fee } = objectOf(entry, 'fee');
    if (!Number.isInteger(fee) || (fee as number) < 0 || (fee as number) > 10_000)
      throw new PermanentError('a fee is not a number of basis points');
    return { recipient: readText(recipient, 'recipient of a fee', 200), fee: fee as number };
  });
}
