import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TemporaryError } from '../../../platform/errors.ts';
import { type Chain, createAnswerCache, type Head, ReorgError, type Transfer } from '../chain.ts';
import { createEvmChain } from '../evm/chain.ts';
import { cacheAnswers } from './answer-cache.ts';
import { type ChainAdapter, createRpcChain } from './chain.ts';
import { ProviderError, RpcError } from './errors.ts';
import { createProvider, type Provider } from './provider.ts';
import { createProviders } from './providers.ts';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const TX = `0x${'ab'.repeat(32)}`;
const watching = { addresses: new Set([WALLET]) };
const DEEP = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;

/** Answers that JSON allows and no node sends. `ID` is replaced by the id of the request. */
const UNUSUAL: [string, string][] = [
  ['an error whose message is not a text', '{"id":ID,"error":{"code":-1,"message":{"toString":1}}}'],
  ['an error whose data is not a text', '{"id":ID,"error":{"code":{},"message":[],"data":{"toString":1}}}'],
  ['an error that is a text', '{"id":ID,"error":"\\ud800"}'],
  ['fifty thousand nested lists', DEEP],
  ['fifty thousand nested lists as a result', `{"id":ID,"result":${DEEP}}`],
  ['fifty thousand nested lists as an error', `{"id":ID,"error":${DEEP}}`],
  ['a result that cannot be a text', '{"id":ID,"result":{"toString":1,"hash":{"toString":1},"number":{}}}'],
  ['nothing', 'null'],
];

const nodes: Server[] = [];
let unusual = '';

beforeAll(async () => {
  for (const answer of [unusualAnswer, (body: string) => JSON.stringify(honestAnswers(JSON.parse(body)))]) {
    const node = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => response.end(answer(body)));
    });
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
    nodes.push(node);
  }
});
afterAll(() => {
  for (const node of nodes) node.close();
});

interface Request {
  id: number;
  method: string;
  params: unknown[];
}

function unusualAnswer(body: string): string {
  const request = JSON.parse(body) as Request | Request[];
  const one = [request].flat()[0] as Request;
  if (one.method === 'eth_chainId') return JSON.stringify(honestAnswers(request));
  const text = unusual.replaceAll('ID', String(one.id));
  return Array.isArray(request) && text.startsWith('{') ? `[${text}]` : text;
}

/** A chain of ten empty blocks. */
function honestAnswers(request: Request | Request[]): unknown {
  if (Array.isArray(request)) return request.map(honestAnswers);
  return { jsonrpc: '2.0', id: request.id, result: honestResult(request) };
}

function honestResult({ method, params }: Request): unknown {
  if (method === 'eth_chainId') return '0x2105';
  if (method === 'eth_getCode') return '0x';
  if (method === 'eth_getLogs' || method === 'eth_getBlockReceipts') return [];
  if (method !== 'eth_getBlockByNumber') return null;
  const number = String(params[0]).startsWith('0x') ? Number(params[0]) : 9;
  const hash = (at: number) => `0x${at.toString(16).padStart(64, '0')}`;
  return {
    number: `0x${number.toString(16)}`,
    hash: hash(number),
    parentHash: hash(Math.max(0, number - 1)),
    timestamp: '0x5f5e100',
    transactions: [],
    miner: WALLET,
  };
}

const gone = {
  network: 'base',
  txHash: TX,
  index: 0,
  asset: 'USDC',
  from: null,
  to: WALLET,
  amountUnits: 1n,
  block: { number: 5n, hash: TX, time: new Date(0) },
  carried: [],
} as Transfer;

/** Every call that reading, verification and the checkout make. */
const CALLS: [string, (chain: Chain, head: Head) => Promise<unknown>, unknown][] = [
  ['head', (chain) => chain.head('first'), { number: 9n }],
  ['block', (chain) => chain.block(5n), { number: 5n }],
  ['blockAt', (chain) => chain.blockAt(new Date()), { number: 9n }],
  [
    'read',
    async (chain, head) => chain.read({ after: (await chain.block(3n)) as Head, until: head, watching, pass: 'first' }),
    { covered: { number: 9n } },
  ],
  ['replacements', (chain) => chain.replacements(gone), []],
  ['hasCode', (chain) => (chain.hasCode as NonNullable<Chain['hasCode']>)(WALLET), false],
];

describe.each(UNUSUAL)('a provider that answers with %s', (_, text) => {
  let chain: Chain;
  let urls: string[];
  const head = { number: 9n, hash: '', time: new Date(), safe: null, finalized: null };

  beforeEach(() => {
    unusual = text;
    urls = nodes.map((node) => `http://127.0.0.1:${(node.address() as AddressInfo).port}`);
    const tuning = { pauseMs: { first: 0, longest: 0 } };
    chain = createEvmChain(
      { network: 'base', rpcUrls: urls, chainId: 0x2105, tokens: {}, tuning },
      pino({ level: 'silent' }),
    );
    return () => chain.close();
  });

  test.each(CALLS)('does not stop %s: the next one is asked', async (_name, ask, expected) => {
    const answer = await ask(chain, head);
    if (typeof expected === 'object') expect(answer).toMatchObject(expected as object);
    else expect(answer).toBe(expected);
  });

  test('does not show that a transaction is unknown', async () => {
    await expect(chain.transaction(TX, watching)).rejects.toBeInstanceOf(TemporaryError);
  });

  test('counts as failed, and does not keep the others from reporting', async () => {
    expect(await chain.check(gone, watching)).toMatchObject({ type: 'unknown' });
    expect(await chain.check(gone, watching, createAnswerCache())).toMatchObject({ type: 'unknown' });
    expect(chain.health().providers.map(({ healthy }) => healthy)).toEqual([false, true]);
  });

  test('fails by itself, alone, in a batch and with a cache', async () => {
    const provider = createProvider(urls[0] as string, {
      pin: { method: 'eth_chainId', expected: '0x2105', parse: (value) => value as string },
    });
    const call = {
      method: 'any',
      params: [],
      parse: (value: unknown) => {
        JSON.stringify(value);
        return String(value);
      },
    };
    for (const asked of [provider, cacheAnswers(provider, createAnswerCache(), pino({ level: 'silent' }))]) {
      for (const ask of [() => asked.call(call), () => asked.batch([call, call]), () => asked.attempt([call, call])]) {
        const error = await ask().then(
          (answers: unknown) => [answers].flat().find((one) => one && 'error' in (one as object)),
          (thrown: unknown) => thrown,
        );
        expect((error as { error?: unknown }).error ?? error).toSatisfy(
          (one) => one instanceof ProviderError || one instanceof RpcError,
        );
      }
    }
    await provider.close();
  });
});

describe('a bug that the answers of one provider trigger', () => {
  const block = { number: 1n, hash: '0x1', time: new Date(0) };
  const head: Head = { ...block, number: 9n, safe: null, finalized: null };
  const lines: { level: number; alarm?: string; provider?: string; err?: { stack: string } }[] = [];

  function start(error: () => Error) {
    lines.length = 0;
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) });
    const open = (name: string) =>
      ({
        name,
        requests: 0,
        recheckChain() {},
        close: async () => {},
        get proven() {
          return this;
        },
      }) as unknown as Provider;
    const providers = createProviders(
      ['one', 'two'],
      { pin: { method: 'none', expected: '', parse: String }, pauseMs: { first: 0, longest: 0 }, open },
      log,
    );
    const answer =
      <T>(value: (provider: string) => T) =>
      async (provider: Provider & { requests: number }) => {
        provider.requests += 1;
        if (provider.name === 'one') throw error();
        return value(provider.name);
      };
    const adapter = {
      maxLag: 1n,
      usualBlockMs: null,
      log,
      toTxHash: (text: string) => text,
      readHead: answer(() => head),
      findBlock: answer(() => block),
      read: answer((provider) => ({ transfers: [], reverted: [], covered: head, provider })),
      report: answer((provider) => ({ type: 'gone' as const, provider, details: '' })),
      findTransaction: answer(() => ({ transfers: [{ block, carried: [] }], reverted: null })),
    } as unknown as ChainAdapter;
    return { providers, chain: createRpcChain(providers, adapter, {}) };
  }

  test.each([
    ['head', (chain: Pick<Chain, 'head'>) => chain.head('first')],
    ['block', (chain: Pick<Chain, 'block'>) => chain.block(1n)],
    ['read', (chain: Pick<Chain, 'read'>) => chain.read({ after: block, until: head, watching, pass: 'first' })],
    ['transaction', (chain: Pick<Chain, 'transaction'>) => chain.transaction(TX, watching)],
    ['replacements', (chain: Pick<Chain, 'replacements'>) => chain.replacements(gone)],
    ['check', (chain: Pick<Chain, 'check'>) => chain.check(gone, watching)],
  ])('makes that provider fail in %s, and is logged with its stack and an alarm', async (_, ask) => {
    const { chain } = start(() => new TypeError('x is not a function'));
    await expect(ask(chain as Chain)).resolves.toBeDefined();
    expect(lines.filter(({ alarm }) => alarm === 'answer_not_evaluated')).toEqual([
      expect.objectContaining({
        level: 50,
        provider: 'one',
        err: expect.objectContaining({ stack: expect.stringContaining('unexpected-answers.test.ts') }),
      }),
    ]);
  });

  test('is not taken for one if the chain reorganized', async () => {
    const { providers } = start(() => new ReorgError('block 1 is another now'));
    await expect(providers.use(() => Promise.reject(new ReorgError('another block')))).rejects.toThrow(ReorgError);
    expect(lines).toEqual([]);
  });
});
