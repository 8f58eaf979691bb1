import { PermanentError } from '../../../platform/errors.ts';
import { later, SECOND_MS } from '../../../platform/time.ts';
import { at, readUnits, requireDeadline, requireSame } from '../answer.ts';
import type { RelayPair, RelayQuoteRequest } from './quote-request.ts';

const ORDER_ID = /^0x[0-9a-fA-F]{64}$/;

type ExpectedOrder = RelayPair & { inputUnits: bigint; depositAddress: string };

/** The provider counts the seconds from its own clock. */
const CLOCK_TOLERANCE_MS = 60 * SECOND_MS;
/** The last that a date can hold. */
const MAX_SECONDS = 8.64e12;

/**
 * Compares the order that Relay's solver would fill with the request, if the quote contains it. Returns until when it is
 * filled.
 */
export function checkOrderData(body: unknown, sent: RelayQuoteRequest, expected: ExpectedOrder): Date | null {
  const protocol = at(body, 'protocol', 'v2');
  if (protocol === undefined || protocol === null) return null;
  const orderId = at(protocol, 'orderId');
  if (typeof orderId !== 'string' || !ORDER_ID.test(orderId))
    throw new PermanentError('the order id is not 32 bytes in hex');

  const input = onlyOne(at(protocol, 'orderData', 'inputs'), 'input');
  checkPayment(at(input, 'payment'), sent, expected);
  checkRefunds(at(input, 'refunds'), sent, {
    originName: at(input, 'payment', 'chainId'),
    deadline: expected.deadline,
  });
  const output = at(protocol, 'orderData', 'output');
  checkOutput(output, sent, expected);
  checkPaymentDetails(at(protocol, 'paymentDetails'), sent, expected);
  const fillDeadline = readDeadline('order', at(output, 'deadline'));
  // An order that ends before the checkout only returns the deposit.
  requireDeadline('order', later(fillDeadline, CLOCK_TOLERANCE_MS), expected.deadline);
  return fillDeadline;
}

function readDeadline(what: string, value: unknown): Date {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > MAX_SECONDS)
    throw new PermanentError(`the deadline of the ${what} is not a number of seconds`);
  return new Date(value * SECOND_MS);
}

function checkPayment(payment: unknown, sent: RelayQuoteRequest, { inputUnits, originName }: ExpectedOrder): void {
  requireChain('input', at(payment, 'chainId'), originName);
  requireSame('currency (order input)', at(payment, 'currency'), sent.originCurrency);
  if (readUnits(at(payment, 'amount'), 'order input') !== inputUnits)
    throw new PermanentError('the order takes another amount');
}

/**
 * A refund on the origin chain goes to the customer. A refund on another chain may go to the merchant, and to no other
 * address.
 */
function checkRefunds(
  refunds: unknown,
  sent: RelayQuoteRequest,
  { originName, deadline }: { originName: unknown; deadline: Date },
): void {
  if (!Array.isArray(refunds)) throw new PermanentError('the order does not list its refunds');
  for (const refund of refunds) {
    const isMerchant = at(refund, 'chainId') !== originName && at(refund, 'recipient') === sent.recipient;
    if (!isMerchant) requireSame('refund address (order)', at(refund, 'recipient'), sent.refundTo);
    // It may be open for longer than the order, which harms no one.
    if (later(readDeadline('refund', at(refund, 'deadline')), CLOCK_TOLERANCE_MS) < deadline)
      throw new PermanentError('a refund ends before the requested deadline');
  }
}

function checkOutput(output: unknown, sent: RelayQuoteRequest, { destinationName }: ExpectedOrder): void {
  requireChain('output', at(output, 'chainId'), destinationName);
  const calls = at(output, 'calls');
  if (calls !== undefined && !(Array.isArray(calls) && calls.length === 0))
    throw new PermanentError('the order calls a contract, which was not asked for');
  const payment = onlyOne(at(output, 'payments'), 'output');
  requireSame('recipient (order)', at(payment, 'recipient'), sent.recipient);
  requireSame('currency (order output)', at(payment, 'currency'), sent.destinationCurrency);
  if (readUnits(at(payment, 'minimumAmount'), 'least order output') < BigInt(sent.amount))
    throw new PermanentError('the order may deliver less');
}

function checkPaymentDetails(
  details: unknown,
  sent: RelayQuoteRequest,
  { inputUnits, originName, depositAddress }: ExpectedOrder,
): void {
  if (details === undefined || details === null) return;
  requireChain('payment', at(details, 'chainId'), originName);
  requireSame('currency (order payment)', at(details, 'currency'), sent.originCurrency);
  if (readUnits(at(details, 'amount'), 'order payment') !== inputUnits)
    throw new PermanentError('the order takes another amount');
  // Money sent to the depository without its calldata is lost.
  if (String(at(details, 'depository')).toLowerCase() === depositAddress.toLowerCase())
    throw new PermanentError('the deposit address is the depository itself');
}

function onlyOne(list: unknown, what: string): unknown {
  if (!Array.isArray(list) || list.length !== 1)
    throw new PermanentError(`the order does not have exactly one ${what}`);
  return list[0];
}

function requireChain(what: string, name: unknown, expected: string | undefined): void {
  if (typeof name !== 'string') throw new PermanentError(`the order does not name the chain of its ${what}`);
  if (expected !== undefined) requireSame(`chain (order ${what})`, name, expected);
}
