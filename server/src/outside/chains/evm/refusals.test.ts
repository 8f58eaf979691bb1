import { expect, test } from 'vitest';
import { isRateLimit, RpcError } from '../rpc/errors.ts';
import { isUnsupported, isWindowTooWide } from './refusals.ts';

// Error messages of real providers.
test.each([
  [-32005, 'query returned more than 10000 results', 'narrow'],
  [-32000, 'query timeout exceeded', 'narrow'],
  [-32602, 'query exceeds max block range 1000', 'narrow'],
  [-32000, 'eth_getLogs and eth_newFilter are limited to a 10,000 blocks range', 'narrow'],
  [-32701, 'Please specify an address in your request', 'narrow'],
  [35, 'ranges over 10000 blocks are not supported on freetier', 'narrow'],
  [-32600, 'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.', 'narrow'],
  [-32602, 'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range', 'narrow'],
  [-32614, 'eth_getLogs is limited to a 1,000 range', 'narrow'],
  [-32005, 'daily request count exceeded, request rate limited', 'slow'],
  [-32029, 'Too Many Requests', 'slow'],
  [429, 'Your app has exceeded its compute units per second capacity.', 'slow'],
  [-32601, 'the method debug_traceBlockByHash does not exist/is not available', 'unsupported'],
  [-32004, 'method not supported', 'unsupported'],
  [-32601, 'Method not found', 'unsupported'],
  [-32000, 'the method trace_transaction is not whitelisted', 'unsupported'],
  [
    -32600,
    'debug_traceTransaction is not available on the Free tier - upgrade to Pay As You Go, or Enterprise for access',
    'unsupported',
  ],
  [-32000, 'transaction not found', 'forgotten'],
  [-32000, 'transaction 0x12 not found', 'forgotten'],
  [-32000, `block 0x${'00'.repeat(31)}01 not found`, 'forgotten'],
  [-32000, 'block not found: 68719476735', 'forgotten'],
  [-32000, 'genesis is not traceable', 'forgotten'],
  [-32000, 'requested block is not available', 'forgotten'],
  [-32001, 'Requested resource not found', 'forgotten'],
  [-32004, 'The receipt for this transaction is not available', 'forgotten'],
  [-32801, 'no historical RPC is available for this historical (pre-bedrock) execution request', 'forgotten'],
  [-32000, 'missing trie node 1234 (path ) state 0xabc is not available', 'forgotten'],
  [-32000, 'historical state is not available in path scheme yet', 'forgotten'],
])('%i %s', (code, message, meaning) => {
  const error = new RpcError('eth_getLogs', code, message);
  expect(isRateLimit(error)).toBe(meaning === 'slow');
  if (meaning === 'narrow') expect(isWindowTooWide(error)).toBe(true);
  if (meaning === 'slow') expect(isWindowTooWide(error)).toBe(false);
  expect(isUnsupported(error) && meaning !== 'narrow').toBe(meaning === 'unsupported');
});

test('a block that the node does not have yet is not a reason to narrow', () => {
  expect(isWindowTooWide(new RpcError('eth_getLogs', -32000, 'header not found'))).toBe(false);
  expect(isWindowTooWide(new RpcError('eth_getLogs', -32602, 'block range extends beyond current head block'))).toBe(
    false,
  );
});
