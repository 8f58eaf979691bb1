import { PermanentError } from '../../../platform/errors.ts';
import { at, readUnits, readUsd, requireFormatted, requireSame, toUnits, readText } from '../answer.ts';
import { checkOrderData } from './order-data.ts';
import type { RelayPair, RelayQuoteRequest } from './quote-request.ts';
import { NETWORKS, type Network } from '@quittance/contract';
import { decodeFunctionData, erc20Abi, type Hex } from 'viem';
import { EVM_NATIVE } from './currencies.ts';

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

const REQUEST_ID = /^0x[0-9a-fA-F]{64}$/;
const STATUS_PATH = '/intents/status/v3?requestId=';

/**
 * Reads the only step of a quote with a deposit address. Customers never send its transaction, but a quote whose
 * transaction has another recipient or amount contradicts its own deposit address.
 */
function readDepositStep(
  body: unknown,
  sent: RelayQuoteRequest,
  deposit: { inputUnits: bigint; network: Network },
): { requestId: string; depositAddress: string } {
  const steps = at(body, 'steps');
  const step = at(steps, 0);
  requireSame('number of steps', Array.isArray(steps) && steps.length, 1);
  requireSame('step', at(step, 'id'), 'deposit');
  requireSame('kind of step', at(step, 'kind'), 'transaction');
  const requestId = readText(at(step, 'requestId'), 'request id', 66);
  if (!REQUEST_ID.test(requestId)) throw new PermanentError('the request id is not 32 bytes in hex');
  const depositAddress = readText(at(step, 'depositAddress'), 'deposit address', 100);

  const items = at(step, 'items');
  const item = at(items, 0);
  requireSame('number of transactions', Array.isArray(items) && items.length, 1);
  requireSame('status', at(item, 'status'), 'incomplete');
  requireSame('status method', at(item, 'check', 'method'), 'GET');
  requireSame('status address', at(item, 'check', 'endpoint'), `${STATUS_PATH}${requestId}`);
  checkTransaction(at(item, 'data'), sent, { ...deposit, depositAddress });
  return { requestId, depositAddress };
}

/** Only EVM transactions are decoded. For other networks the transaction must be present and is not read. */
function checkTransaction(
  transaction: unknown,
  sent: RelayQuoteRequest,
  deposit: { inputUnits: bigint; network: Network; depositAddress: string },
): void {
  const { inputUnits, network, depositAddress } = deposit;
  if (typeof transaction !== 'object' || transaction === null || Array.isArray(transaction))
    throw new PermanentError('the quote has no deposit transaction');
  if (NETWORKS[network].family !== 'evm') return;

  requireSame('chain (deposit transaction)', at(transaction, 'chainId'), sent.originChainId);
  requireSame('sender (deposit transaction)', at(transaction, 'from'), sent.user);
  const isNative = sent.originCurrency === EVM_NATIVE;
  requireSame('value (deposit transaction)', at(transaction, 'value'), isNative ? inputUnits.toString() : '0');
  requireSame('receiver (deposit transaction)', at(transaction, 'to'), isNative ? depositAddress : sent.originCurrency);
  if (isNative) return requireSame('calldata (deposit transaction)', at(transaction, 'data'), '0x');

  const { to, amount } = readTransfer(at(transaction, 'data'));
  requireSame('receiver of tokens (deposit transaction)', to, depositAddress.toLowerCase());
  if (amount !== inputUnits) throw new PermanentError('the deposit transaction sends another amount');
}

function readTransfer(data: unknown): { to: string; amount: bigint } {
  try {
    const call = decodeFunctionData({ abi: erc20Abi, data: data as Hex });
    if (call.functionName === 'transfer') return { to: call.args[0].toLowerCase(), amount: call.args[1] };
  } catch {
    // Reported below, like a call of another function.
  }
  throw new PermanentError('the deposit transaction is not a transfer of tokens');
}
