import { expect, test } from 'vitest';
import { RpcError } from '../rpc/errors.ts';
import type { Provider } from '../rpc/provider.ts';
import { readHead } from './head.ts';

test.each([
  ['that does not support it', -32601, 'the method does not exist/is not available', null],
  ['that has not reached it', -32000, 'finalized block not found', null],
  ['that calls it unavailable', -32000, 'requested block is not available', null],
  ['that parses it as a number', -32602, 'invalid argument 0: hex string without 0x prefix', null],
  ['that does not know it', -39001, 'Unknown block', null],
  ['with an internal error', -32603, 'internal error', 'internal error'],
  ['that lost its state', -32000, 'header not found', 'header not found'],
  ['that times out', -32000, 'execution timeout', 'timeout'],
])('for a node %s the tag is null only if the error says so', async (_, code, message, thrown) => {
  const block = { number: 9n, hash: 'h', parentHash: 'p', time: new Date(0) };
  const provider = {
    name: 'node',
    attempt: () =>
      Promise.resolve([
        { value: block },
        { value: { ...block, number: 7n } },
        { error: new RpcError('eth_getBlockByNumber', code, message) },
      ]),
  } as unknown as Provider;

  if (thrown !== null) await expect(readHead(provider)).rejects.toThrow(thrown);
  else expect(await readHead(provider)).toMatchObject({ number: 9n, safe: 7n, finalized: null });
});
