import { describe, expect, test } from 'vitest';
import type { Transfer } from '../chain.ts';
import { createBudget } from '../rpc/budget.ts';
import { RpcError } from '../rpc/errors.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import type { Providers } from '../rpc/providers.ts';
import { reportOn } from './check.ts';
import { evmWith } from '../../../../test/support/evm-read.ts';
import type { EvmContext } from './native.ts';
import { hex } from './shapes.ts';
import { ShownBlocks } from './shown-blocks.ts';
import { NATIVE_INDEX } from './transfers.ts';

const SHOP = `0x${'11'.repeat(20)}`;
const SENDER = `0x${'22'.repeat(20)}`;
const CONTRACT = `0x${'33'.repeat(20)}`;
const TX = `0x${'ee'.repeat(32)}`;
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;

describe('internal transfers that another provider traced', () => {
  const evm = evmWith();
  const transfer: Transfer = {
    network: 'ethereum',
    txHash: TX,
    index: NATIVE_INDEX + 1,
    asset: 'ETH',
    from: CONTRACT,
    to: SHOP,
    amountUnits: 5n,
    block: { number: 8n, hash: hashOf(8), time: new Date(8_000) },
    carried: [],
  };

  /** The report of the node `own` while `tracedBy` traces the transfer. */
  function reportWith(
    grownBy: bigint | null,
    tracedBy: string | null,
    {
      beside = 0n,
      code = '0x',
      of = transfer,
      blockTraceWei,
    }: { beside?: bigint; code?: string; of?: Transfer; blockTraceWei?: bigint } = {},
  ) {
    const frames = [{ ordinal: 1, from: CONTRACT, to: SHOP, valueWei: 5n }];
    // Any other provider's balance would confirm the transfer.
    const providers = {
      names: ['own', 'other'],
      use: (work: (provider: Provider) => unknown) => work(node('other', 5n)),
    } as unknown as Providers;
    const tracer: EvmContext['tracer'] = {
      block: () =>
        Promise.resolve(
          blockTraceWei === undefined
            ? undefined
            : new Map([[TX, [{ ordinal: 1, from: CONTRACT, to: SHOP, valueWei: blockTraceWei }]]]),
        ),
      otherBlocks: async function* () {},
      transaction: () => Promise.resolve(tracedBy === 'own' ? frames : undefined),
      callsFrom: () => Promise.resolve(undefined),
      taggedCalls: () => Promise.resolve(undefined),
    };
    return reportOn(
      {
        evm,
        providers,
        tracer,
        shown: new ShownBlocks(),
        balances: new Map(),
        traceBudget: createBudget({ maxStarts: 1, windowMs: 1 }),
      },
      node('own', grownBy, code),
      {
        transfer: of,
        watching: { addresses: new Set([SHOP]), creditedBeside: () => Promise.resolve(beside) },
        tags: true,
      },
    );
  }

  test.each([
    ['that the provider traced itself', 0n, 'own', 'stands'],
    ["that the provider's own balance confirms", 5n, 'other', 'stands'],
    ['that no provider traces any more, but the balance confirms', 5n, null, 'stands'],
    ["that the provider's own balance does not show", 0n, 'other', 'gone'],
    ["that the provider's own balance does not cover", 4n, 'other', 'gone'],
  ] as const)('that %s: with a growth of %i, traced by %s, it is %s', async (_, grownBy, tracedBy, expected) => {
    expect(await reportWith(grownBy, tracedBy)).toMatchObject({ type: expected, provider: 'own' });
  });

  test('are not confirmed by a growth that is credited already: one payment does not pay for two', async () => {
    expect(await reportWith(5n, 'other', { beside: 3n })).toMatchObject({ type: 'not_yet', provider: 'own' });
    expect(await reportWith(7n, 'other', { beside: 3n })).toMatchObject({ type: 'not_yet' });
    expect(await reportWith(8n, 'other', { beside: 3n })).toMatchObject({ type: 'stands' });
  });

  test('are not denied by the balance of a wallet with code, which may have sent money on in the same block', async () => {
    expect(await reportWith(4n, 'other', { code: '0x6000' })).toMatchObject({ type: 'not_yet' });
    expect(await reportWith(4n, 'own', { code: '0x6000' })).toMatchObject({ type: 'stands' });
  });

  test('a growth that was traced before is not credited once more', async () => {
    const of: Transfer = { ...transfer, txHash: `block:8:${SHOP}`, index: NATIVE_INDEX, from: null, untraced: true };
    expect(await reportWith(5n, null, { of })).toMatchObject({ type: 'stands' });
    expect(await reportWith(5n, null, { of, beside: 3n })).toMatchObject({ type: 'not_yet' });
    expect(await reportWith(5n, null, { of, beside: 5n })).toMatchObject({ type: 'gone' });
  });

  test('a growth is replaced by traced transfers only if they explain all of it: a trace may leave out the payment', async () => {
    const of: Transfer = { ...transfer, txHash: `block:8:${SHOP}`, index: NATIVE_INDEX, from: null, untraced: true };
    expect(await reportWith(5n, null, { of, blockTraceWei: 5n })).toMatchObject({
      type: 'gone',
      instead: [{ txHash: TX, amountUnits: 5n }],
    });
    expect(await reportWith(5n, null, { of, blockTraceWei: 4n })).toMatchObject({ type: 'not_yet' });
    expect(await reportWith(5n, null, { of, blockTraceWei: 0n })).toMatchObject({ type: 'not_yet' });
  });

  test("are not confirmed by another provider's balances: a provider that pruned its own reports nothing", async () => {
    await expect(reportWith(null, 'other')).rejects.toThrow('missing trie node');
  });
});

/**
 * A node with one transaction in block 8, in which the shop's balance grew by `grownBy`; null if the state is pruned.
 */
function node(name: string, grownBy: bigint | null, code = '0x'): Provider {
  const block = (number: number) => ({
    number: hex(BigInt(number)),
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    timestamp: hex(BigInt(number)),
  });
  const transaction = {
    hash: TX,
    blockNumber: '0x8',
    blockHash: hashOf(8),
    from: SENDER,
    to: CONTRACT,
    value: '0x0',
    input: '0x',
  };
  const answer = ({ method, params }: Call<unknown>): unknown => {
    switch (method) {
      case 'eth_getBlockByNumber':
        return params[0] === '0x8' ? { ...block(8), transactions: [transaction], withdrawals: [] } : block(9);
      case 'eth_getTransactionReceipt':
        return {
          transactionHash: TX,
          blockNumber: '0x8',
          blockHash: hashOf(8),
          status: '0x1',
          from: SENDER,
          to: CONTRACT,
          gasUsed: '0x1',
          logs: [],
        };
      case 'eth_getTransactionByHash':
        return transaction;
      case 'eth_getCode':
        return code;
      case 'eth_getBalance':
        if (grownBy === null) throw new RpcError(method, -32000, 'missing trie node');
        return hex((params[1] as { blockHash: string }).blockHash === hashOf(8) ? 100n + grownBy : 100n);
      default:
        throw new Error(`unexpected call of ${method}`);
    }
  };
  return {
    name,
    call: (call: Call<unknown>) => Promise.resolve(call.parse(answer(call))),
    batch: async (calls: Call<unknown>[]) => calls.map((call) => call.parse(answer(call))),
    attempt: (calls: Call<unknown>[]) => Promise.resolve(calls.map((call) => ({ value: call.parse(answer(call)) }))),
  } as unknown as Provider;
}
