import { pino } from 'pino';
import { domainSeparator, encodeAbiParameters, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { MINUTE_MS } from '../../../platform/time.ts';
import { UNREACHABLE_MIN_MS } from '../chain.ts';
import { ProviderError, RpcError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { createProviders, type Providers } from '../rpc/providers.ts';
import { createSignedPayments } from './signed-payments.ts';

type Answer = boolean | 'fails' | 'dead';

/** Providers that say whether an authorization was used, and count its sender's transactions. */
function providersThatSay(said: readonly Answer[]): Providers {
  const answers = new Map(said.map((answer, at) => [`rpc-${at}`, answer]));
  return {
    names: [...answers.keys()],
    unreachableMs: (name: string) => (answers.get(name) === 'dead' ? UNREACHABLE_MIN_MS : 0),
    use: async (work: (provider: Provider) => Promise<unknown>, { only: [name] }: { only: [string] }) => {
      const answer = answers.get(name);
      if (typeof answer !== 'boolean') throw new Error('no answer');
      const proven = {
        call: async ({ method, parse }: any) =>
          parse(method === 'eth_call' ? `0x${'0'.repeat(63)}${Number(answer)}` : answer ? '0x8' : '0x7'),
      };
      // Only what shows its chain may be asked.
      return work({ proven } as any);
    },
  } as unknown as Providers;
}

const PAYER = '0x00000000000000000000000000000000000A11cE';

describe('what providers say about a signed payment is decided by the quorum of transfers', () => {
  test.each<[Answer[], boolean | null]>([
    [[true], true],
    [[false], false],
    [['fails'], null],
    [['dead'], null],
    [[true, true], true],
    [[false, false], false],
    [[true, false], null],
    [[false, 'fails'], null],
    [[false, 'dead'], false],
    [[true, 'dead'], true],
    [[false, false, 'fails'], false],
    [[false, false, 'dead'], false],
    [[true, false, false], false],
    [[true, true, false], true],
    [[true, false, 'dead'], null],
    [[false, 'dead', 'dead'], null],
    [[false, false, true, true], null],
    [[false, false, false, true], false],
  ])('%j: %s', async (said, expected) => {
    const signed = createSignedPayments(providersThatSay(said), 1);
    expect(await signed.isUsed(PAYER, PAYER, `0x${'11'.repeat(32)}`)).toBe(expected);
    expect(await signed.isNonceSpent(PAYER, 7n)).toBe(expected === true);
  });
});

const TOKEN = '0x00000000000000000000000000000000000000AA';
const USDC = { name: 'USD Coin', version: '2' };
const REVERTED = new RpcError('eth_call', 3, 'execution reverted');

/** What a node answers to a call of the token; an error is thrown by it. */
type Node = (call: { method: string; data: Hex }) => unknown;

/** A node on which the token has this name and version, and the separator that they produce. */
function tokenNamed({ name, version }: typeof USDC): Node {
  const separator = domainSeparator({ domain: { name, version, chainId: 1, verifyingContract: TOKEN } });
  const text = (value: string) => encodeAbiParameters([{ type: 'string' }], [value]);
  const answers = new Map(
    Object.entries({ name: text(name), version: text(version), DOMAIN_SEPARATOR: separator }).map(
      ([called, answer]) => [
        encodeFunctionData({ abi: parseAbi([`function ${called}()`]), functionName: called }),
        answer,
      ],
    ),
  );
  return ({ data }) => answers.get(data) ?? REVERTED;
}

const empty: Node = () => '0x';
const down: Node = () => new ProviderError('down');

/** Providers with these nodes, which may be exchanged. Nothing else than what proves the chain may be asked. */
function startNodes(...nodes: Node[]) {
  let calls = 0;
  const open = (name: string) => {
    const provider = { name, requests: 0, recheckChain() {} };
    const attempt = async (all: readonly Call<unknown>[]) => {
      provider.requests += 1;
      calls += 1;
      return all.map((call) => {
        const { method, params } = call;
        const answer = nodes[Number(name)]?.({ method, data: (params[0] as { data: Hex }).data });
        if (answer instanceof ProviderError) throw answer;
        return answer instanceof Error ? { error: answer } : { value: call.parse(answer) };
      });
    };
    const batch = async (all: readonly Call<unknown>[]) =>
      (await attempt(all)).map((answer) => ('value' in answer ? answer.value : Promise.reject(answer.error)));
    return { ...provider, proven: { attempt, batch, name } } as unknown as Provider;
  };
  const options = { pin: { method: 'eth_chainId', expected: '0x1', parse: String }, open };
  const providers = createProviders(Object.keys(nodes), options, pino({ level: 'silent' }));
  return { nodes, signed: createSignedPayments(providers, 1), calls: () => calls };
}

describe('the domain of a token', () => {
  afterEach(() => vi.useRealTimers());

  test.each<[string, Node]>([
    ['has no contract there for a moment', empty],
    ['reverts for a moment', () => REVERTED],
  ])('is the one that it has, though the first provider %s', async (_, momentary) => {
    vi.useFakeTimers();
    for (const count of [1, 2, 3]) {
      const { nodes, signed } = startNodes(momentary, ...Array<Node>(count - 1).fill(tokenNamed(USDC)));
      expect(await signed.domain(TOKEN)).toEqual(count === 1 ? null : USDC);
      nodes[0] = tokenNamed(USDC);
      vi.advanceTimersByTime(1 * MINUTE_MS);
      expect(await signed.domain(TOKEN)).toEqual(USDC);
    }
  });

  test('is what two providers say, and a single lie is not kept', async () => {
    vi.useFakeTimers();
    const lie = tokenNamed({ name: 'Free Coin', version: '1' });
    const three = startNodes(lie, tokenNamed(USDC), tokenNamed(USDC));
    expect(await three.signed.domain(TOKEN)).toEqual(USDC);
    const alone = startNodes(lie, down);
    await alone.signed.domain(TOKEN);
    alone.nodes[0] = tokenNamed(USDC);
    vi.advanceTimersByTime(1 * MINUTE_MS);
    expect(await alone.signed.domain(TOKEN)).toEqual(USDC);
  });

  test('is asked for once if two providers agree', async () => {
    vi.useFakeTimers();
    const { signed, calls } = startNodes(tokenNamed(USDC), tokenNamed(USDC), tokenNamed(USDC));
    for (let hour = 0; hour < 3; hour += 1) {
      expect(await signed.domain(TOKEN)).toEqual(USDC);
      vi.advanceTimersByTime(60 * MINUTE_MS);
    }
    expect(calls()).toBe(2);
  });
});

describe('that a payment would not succeed', () => {
  const authorization = {
    from: TOKEN,
    to: TOKEN,
    value: 1n,
    validAfter: 0n,
    validBefore: 1n,
    nonce: `0x${'11'.repeat(32)}`,
    signature: `0x${'22'.repeat(64)}1b`,
  } as Parameters<ReturnType<typeof createSignedPayments>['accepts']>[1];
  const transfer = {
    from: PAYER,
    token: TOKEN,
    data: '0x',
    nonce: 1,
    gas: 80n,
    maxFeePerGas: 7n,
  } as unknown as Parameters<ReturnType<typeof createSignedPayments>['faultOf']>[0];
  const ANSWERS: Record<string, unknown> = {
    eth_call: '0x',
    eth_getTransactionCount: '0x1',
    eth_getBalance: '0xffffffffff',
    eth_getBlockByNumber: { baseFeePerGas: '0x7' },
    eth_estimateGas: '0x64',
  };
  const carriesOut: Node = ({ method }) => ANSWERS[method];
  const refuses: Node = ({ method }) =>
    method === 'eth_call' || method === 'eth_estimateGas' ? REVERTED : ANSWERS[method];

  test.each<[string, Node[], boolean]>([
    ['the only one', [refuses], false],
    ['one of two', [refuses, carriesOut], true],
    ['two of three', [refuses, refuses, carriesOut], false],
    ['the only one that can be asked', [refuses, down], false],
    ['none', [carriesOut, refuses, refuses], true],
  ])('is believed of two providers, or of all that can be asked: %s', async (_, nodes, expected) => {
    expect(await startNodes(...nodes).signed.accepts(TOKEN, authorization)).toBe(expected);
    expect(await startNodes(...nodes).signed.faultOf(transfer)).toBe(expected ? null : 'other');
  });

  test.each<[string, object, string | null]>([
    ['a fee below the base fee', { maxFeePerGas: 6n }, 'maxFeePerGas'],
    ['less gas than the transfer needs', { gas: 79n }, 'gas'],
    ['more gas than a transaction may have', { gas: 2n ** 24n + 1n }, 'gas'],
    ['as much gas as a transaction may have', { gas: 2n ** 24n }, null],
    ['another nonce', { nonce: 2 }, 'other'],
    ['a fee beyond the balance', { maxFeePerGas: 2n ** 40n }, 'other'],
  ])('is said with what is wrong: %s', async (_what, changes, fault) => {
    expect(await startNodes(carriesOut, carriesOut).signed.faultOf({ ...transfer, ...changes })).toBe(fault);
  });

  test('is not said of a fee on a network without a base fee', async () => {
    const old: Node = ({ method }) => (method === 'eth_getBlockByNumber' ? {} : ANSWERS[method]);
    expect(await startNodes(old).signed.faultOf({ ...transfer, maxFeePerGas: 0n })).toBe(null);
  });
});
