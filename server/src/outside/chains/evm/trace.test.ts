import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { MalformedAnswerError } from '../rpc/shapes.ts';
import { createAnswerCache } from '../chain.ts';
import { cacheAnswers } from '../rpc/answer-cache.ts';
import { RpcError } from '../rpc/errors.ts';
import { evaluate } from '../rpc/failures.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import type { Providers } from '../rpc/providers.ts';
import { buildTag } from './tag.ts';
import { createTracer, fromCallTracer, fromParity, taggedByCallTracer } from './trace.ts';

const address = (digit: string) => `0x${digit.repeat(40)}`;
const hash = (digit: string) => `0x${digit.repeat(64)}`;
const [A, B, C] = [address('a'), address('b'), address('c')];

test('a tagged call to a precompile, which not every node shows, is left out', () => {
  const input = `0x${Buffer.from(buildTag(new Uint8Array(32).fill(7))).toString('hex')}`;
  const call = (to: string) => ({ type: 'CALL', from: B, to, value: '0x0', input });
  const calls = [call(C), call(`0x${'4'.padStart(40, '0')}`), call(`0x${'100'.padStart(40, '0')}`)];
  const tagged = taggedByCallTracer({ type: 'CALL', from: A, to: B, value: '0x0', input: '0x', calls });
  expect(tagged.map(({ to }) => to.toLowerCase())).toEqual([C]);
});

test('calls are numbered in execution order, without failed ones and everything below them', () => {
  const result = {
    type: 'CALL',
    from: A,
    to: B,
    value: '0x63',
    calls: [
      { type: 'CALL', from: B, to: C, value: '0x1', calls: [{ type: 'CALL', from: C, to: A, value: '0x2' }] },
      {
        type: 'CALL',
        from: B,
        to: C,
        value: '0x3',
        error: 'execution reverted',
        calls: [{ type: 'CALL', from: C, to: A, value: '0x4' }],
      },
      { type: 'DELEGATECALL', from: B, to: C, value: '0x63', calls: [{ type: 'CALL', from: B, to: A, value: '0x5' }] },
      { type: 'STATICCALL', from: B, to: C },
      { type: 'CALL', from: B, to: B, value: '0x6' },
      { type: 'CALL', from: B, to: A, value: '0x0' },
      { type: 'CREATE2', from: B, to: C, value: '0x7' },
      { type: 'SELFDESTRUCT', from: B, to: A, value: '0x8' },
    ],
  };
  expect(fromCallTracer([{ txHash: hash('1'), result }], [hash('1')]).get(hash('1'))).toEqual([
    { ordinal: 1, from: B, to: C, valueWei: 1n },
    { ordinal: 2, from: C, to: A, valueWei: 2n },
    { ordinal: 3, from: B, to: A, valueWei: 5n },
    { ordinal: 4, from: B, to: C, valueWei: 7n },
    { ordinal: 5, from: B, to: A, valueWei: 8n },
  ]);
});

test('traces without hashes are matched by position, and a list that is too short is rejected', () => {
  const trace = { result: { type: 'CALL', from: A, to: B, calls: [{ type: 'CALL', from: B, to: C, value: '0x1' }] } };
  expect([...fromCallTracer([trace, trace], [hash('1'), hash('2')]).keys()]).toEqual([hash('1'), hash('2')]);
  expect(() => fromCallTracer([trace], [hash('1'), hash('2')])).toThrow(MalformedAnswerError);
});

test('a failed transaction has no internal transfers', () => {
  const result = {
    type: 'CALL',
    from: A,
    to: B,
    error: 'out of gas',
    calls: [{ type: 'CALL', from: B, to: C, value: '0x1' }],
  };
  expect(fromCallTracer([{ result }], [hash('1')]).get(hash('1'))).toEqual([]);
});

test('the flat trace format gives the same result', () => {
  const trace = (type: string, traceAddress: number[], action: object, more: object = {}) => ({
    type,
    traceAddress,
    action,
    blockHash: hash('e'),
    transactionHash: hash('1'),
    result: {},
    ...more,
  });
  const call = (from: string, to: string, value: string, callType = 'call') => ({ callType, from, to, value });
  expect(
    fromParity(
      [
        trace('call', [], call(A, B, '0x63')),
        trace('call', [0], call(B, C, '0x1')),
        trace('call', [0, 0], call(C, A, '0x2')),
        trace('call', [1], call(B, C, '0x3'), { error: 'Reverted' }),
        trace('call', [1, 0], call(C, A, '0x4')),
        trace('call', [2], call(B, C, '0x63', 'delegatecall')),
        trace('call', [2, 0], call(B, A, '0x5')),
        trace('create', [3], { from: B, value: '0x7' }, { result: { address: C } }),
        trace('suicide', [10], { address: B, refundAddress: A, balance: '0x8' }, { result: null }),
        {
          type: 'reward',
          traceAddress: [],
          action: { author: A, value: '0x9' },
          blockHash: hash('e'),
          transactionHash: null,
        },
      ],
      hash('e'),
    ).get(hash('1')),
  ).toEqual([
    { ordinal: 1, from: B, to: C, valueWei: 1n },
    { ordinal: 2, from: C, to: A, valueWei: 2n },
    { ordinal: 3, from: B, to: A, valueWei: 5n },
    { ordinal: 4, from: B, to: C, valueWei: 7n },
    { ordinal: 5, from: B, to: A, valueWei: 8n },
  ]);
  expect(() => fromParity([trace('call', [], call(A, B, '0x1'))], hash('f'))).toThrow(MalformedAnswerError);
});

describe('a provider that does not know the transaction', () => {
  const root = { type: 'CALL', from: A, to: B, value: '0x0', calls: [{ type: 'CALL', from: B, to: C, value: '0x1' }] };
  const parity = {
    type: 'call',
    traceAddress: [],
    action: { callType: 'call', from: A, to: B, value: '0x0' },
    blockHash: hash('e'),
    transactionHash: hash('1'),
  };

  /** The frames that a tracer finds for one transaction after another, and the methods called on its only provider. */
  async function trace(...answers: Record<string, unknown>[]) {
    const asked: string[] = [];
    let answer: Record<string, unknown> = {};
    const provider = {
      name: 'node',
      call: ({ method, parse }: Call<unknown>) => {
        asked.push(method);
        const found = answer[method];
        return found instanceof RpcError ? Promise.reject(found) : Promise.resolve().then(() => parse(found));
      },
    } as unknown as Provider;
    const tracer = createTracer({ names: ['node'] } as unknown as Providers);
    const frames: unknown[] = [];
    for (answer of answers) frames.push((await tracer.transaction(hash('1'), provider))?.length);
    return { frames, asked };
  }

  test.each([
    [
      'with an error',
      new RpcError('debug_traceTransaction', -32000, 'transaction not found'),
      new RpcError('trace_transaction', -32000, 'transaction not found'),
    ],
    ['with null', null, null],
    ['with an empty list', null, []],
  ])('%s is asked again for the next transaction', async (_, debug, flat) => {
    const unknown = { debug_traceTransaction: debug, trace_transaction: flat };
    const { frames, asked } = await trace(unknown, { debug_traceTransaction: root, trace_transaction: [parity] });
    expect(frames).toEqual([undefined, 1]);
    expect(asked).toEqual(['debug_traceTransaction', 'trace_transaction', 'debug_traceTransaction']);
  });

  test('a provider without the method is not asked again', async () => {
    const missing = (method: string) =>
      new RpcError(method, -32601, `the method ${method} does not exist/is not available`);
    const { frames, asked } = await trace(
      { debug_traceTransaction: missing('debug_traceTransaction'), trace_transaction: [parity] },
      { debug_traceTransaction: root, trace_transaction: [parity] },
    );
    expect(frames).toEqual([0, 0]);
    expect(asked).toEqual(['debug_traceTransaction', 'trace_transaction', 'trace_transaction']);
  });
});

test('a transaction whose trace failed does not affect the others, and the block does not count as traced', async () => {
  const trace = {
    txHash: hash('1'),
    result: { type: 'CALL', from: A, to: B, calls: [{ type: 'CALL', from: B, to: C, value: '0x1' }] },
  };
  const failed = { txHash: hash('2'), error: 'execution timeout' };
  expect([...fromCallTracer([trace, failed], [hash('1'), hash('2')]).keys()]).toEqual([hash('1')]);
  expect(() => fromCallTracer([{ txHash: hash('1') }], [hash('1')])).toThrow(MalformedAnswerError);

  const block = { number: 8n, hash: hash('e') };
  const call = ({ method, parse }: Call<unknown>) =>
    method === 'debug_traceBlockByHash'
      ? Promise.resolve(parse([trace, failed]))
      : Promise.reject(new RpcError(method, -32601, 'Method not found'));
  const tracer = createTracer({ names: ['node'] } as unknown as Providers);
  expect(
    await tracer.block(block, [hash('1'), hash('2')], { name: 'node', call } as unknown as Provider),
  ).toBeUndefined();
});

test('a block is traced only if all of its transactions are', async () => {
  const parity = {
    type: 'call',
    traceAddress: [],
    action: { callType: 'call', from: A, to: B, value: '0x0' },
    blockHash: hash('e'),
    transactionHash: hash('1'),
  };
  const block = { number: 8n, hash: hash('e') };
  const provider = {
    name: 'node',
    call: ({ method, parse }: Call<unknown>) => {
      if (method === 'eth_getBlockByNumber') return Promise.resolve(block);
      return method === 'trace_block'
        ? Promise.resolve().then(() => parse([parity]))
        : Promise.reject(new RpcError(method, -32601, 'Method not found'));
    },
  } as unknown as Provider;
  const tracer = createTracer({ names: ['node'] } as unknown as Providers);
  expect(await tracer.block(block, [hash('1')], provider)).toBeDefined();
  expect(await tracer.block(block, [hash('1'), hash('2')], provider)).toBeUndefined();
});

test('for the report of a provider that does not trace, no other one is asked, and the question counts as one', async () => {
  let asked = 0;
  const use = () => Promise.reject(new Error('another provider was asked'));
  const attempt = (call: Call<unknown>) => {
    asked += 1;
    return Promise.reject(new RpcError(call.method, -32601, 'the method does not exist'));
  };
  const tracer = createTracer({ names: ['node', 'other'], use } as unknown as Providers);
  const cache = createAnswerCache();
  const provider = cacheAnswers(
    { name: 'node', call: attempt } as unknown as Provider,
    cache,
    pino({ level: 'silent' }),
  );
  expect(await tracer.transaction(hash('1'), provider)).toBeUndefined();
  expect({ asked, counted: cache.calls }).toEqual({ asked: 2, counted: 2 });
});

test('a frame whose type is not a text is not a trace, and another provider is asked for its own', async () => {
  const malformed = { type: { toString: 1 }, from: A, to: B };
  const calls = { ...malformed, type: 'CALL', calls: [malformed] };
  expect(() => fromCallTracer([{ txHash: hash('1'), result: calls }], [hash('1')])).toThrow(MalformedAnswerError);
  const block = { number: 7n, hash: hash('e') };
  const header = { number: '0x7', hash: hash('e'), parentHash: hash('d'), timestamp: '0x1' };
  const result = { ...calls, calls: [{ ...malformed, type: 'CALL', value: '0x1' }] };
  const honest = {
    name: 'honest',
    call: async (call: Call<unknown>) =>
      call.parse(call.method === 'eth_getBlockByNumber' ? header : [{ txHash: hash('1'), result }]),
  };
  const use = (work: (provider: Provider) => unknown) => work(honest as unknown as Provider);
  const tracer = createTracer({ names: ['malformed', 'honest'], use } as unknown as Providers);
  const log = pino({ level: 'silent' });
  const wrong = (method: string) =>
    method === 'debug_traceBlockByHash' ? [{ txHash: hash('1'), result: calls }] : calls;
  const call = async (one: Call<unknown>) =>
    evaluate(one, { provider: 'malformed', log }, () => one.parse(wrong(one.method)));
  const provider = { name: 'malformed', call } as unknown as Provider;
  expect(await tracer.transaction(hash('1'), provider)).toBeUndefined();
  expect(await tracer.block(block, [hash('1')], provider)).toBeUndefined();
  const others: unknown[] = [];
  for await (const traced of tracer.otherBlocks(block, [hash('1')], provider))
    others.push(traced.get(hash('1'))?.length);
  expect(others).toEqual([1]);
});
