import { expect, test } from 'vitest';
import { WalletError } from './problem.ts';
import { problemOf } from './problem-of.ts';

test.each([
  [{ code: 4001, message: 'x' }, 'wallet_rejected'],
  [{ message: 'User rejected the request.' }, 'wallet_rejected'],
  [{ code: -32002 }, 'wallet_busy'],
  [{ code: 4100 }, 'wallet_locked'],
  [{ code: 4902 }, 'wallet_no_network'],
  [{ code: -32603, data: { originalError: { code: 4902 } } }, 'wallet_no_network'],
  [{ code: -32000, message: 'insufficient funds for gas * price + value' }, 'wallet_low_gas'],
  [{ code: -32603, message: 'Internal JSON-RPC error.' }, 'wallet_failed'],
  ['a string', 'wallet_failed'],
  [undefined, 'wallet_failed'],
  [new WalletError('wallet_low_gas', { coin: 'ETH' }), 'wallet_low_gas'],
])('%j is shown as %s', (error, key) => {
  expect(problemOf(error).key).toBe(key);
});

test('a failure while sending leaves open whether something was sent', () => {
  expect(problemOf({ code: -32603 }, { isSending: true }).key).toBe('wallet_unknown');
  expect(problemOf({ code: 4001 }, { isSending: true }).key).toBe('wallet_rejected');
});
