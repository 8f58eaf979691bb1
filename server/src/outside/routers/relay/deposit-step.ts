import { NETWORKS, type Network } from '@quittance/contract';
import { decodeFunctionData, erc20Abi, type Hex } from 'viem';
import { PermanentError } from '../../../platform/errors.ts';
import { at, readText, requireSame } from '../answer.ts';
import { EVM_NATIVE } from './currencies.ts';
import type { RelayQuoteRequest } from './quote-request.ts';

const REQUEST_ID = /^0x[0-9a-fA-F]{64}$/;
const STATUS_PATH = '/intents/status/v3?requestId=';

/**
 * Reads the only step of a quote with a deposit address. Customers never send its transaction, but a quote whose
 * transaction has another recipient or amount contradicts its own deposit address.
 */
export function readDepositStep(
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
