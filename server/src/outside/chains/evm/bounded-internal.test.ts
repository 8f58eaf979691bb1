import { afterEach, describe, expect, test, vi } from 'vitest';
import { hashOf, hex, onePaymentEach, PAYER, SHOP, TOKEN, txHash } from '../../../../test/support/evm-answers.ts';
import { evmWith } from '../../../../test/support/evm-read.ts';
import { failingOverOneBlock, REASONS } from '../../../../test/support/failing-steps.ts';
import type { Call, Provider } from '../rpc/provider.ts';
import { createWindow } from '../rpc/window.ts';
import type { EvmContext } from './native.ts';
import { readBlocks } from './read-blocks.ts';
import { createTracer } from './trace.ts';
import { ShownBlocks } from './shown-blocks.ts';

const MINUTE_MS = 60_000;
const EVM = evmWith();
const WATCHED = new Map([[SHOP, SHOP]]);

afterEach(() => vi.restoreAllMocks());

describe.each(['the balances', 'the traces'] as const)(
  'a step of blocks of which %s fail over more than one block',
  (which) => {
    test.each(REASONS)(
      'with %s goes on: money inside contracts is found, or its block is a gap',
      async (_, failure) => {
        let elapsedMs = 0;
        vi.spyOn(performance, 'now').mockImplementation(() => elapsedMs);
        const widths: number[] = [];
        const provider = failingOverOneBlock(withInside(), which, { failure, widths });
        const providers = { names: ['node'], use: (work: (one: Provider) => unknown) => work(provider) } as never;
        const context = {
          evm: EVM,
          providers,
          tracer: createTracer(providers),
          shown: new ShownBlocks(),
          balances: new Map(),
        } as unknown as EvmContext;
        const window = createWindow(24, 24);
        const seen = new Set<number>();
        const direct = new Set<string>();
        let after = { number: 1n, hash: hashOf(1), time: new Date(0) };
        for (let attempt = 0; attempt < 60 && after.number < 31n; attempt += 1) {
          elapsedMs += MINUTE_MS;
          const range = { after, until: 31n, watched: WATCHED };
          const reading = await readBlocks(context, provider, range, window).catch(() => undefined);
          for (const transfer of reading?.transfers ?? [])
            if (transfer.amountUnits === INSIDE) seen.add(Number(transfer.block.number));
            else direct.add(transfer.txHash);
          for (const { from, to } of reading?.unseen ?? [])
            for (let number = from.number; number <= to.number; number += 1n) seen.add(Number(number));
          after = reading?.covered ?? after;
        }
        expect(after.number).toBe(31n);
        expect(direct.size).toBe(30);
        expect(seen.size).toBe(30);
        expect(Math.max(...widths)).toBeGreaterThan(1);
      },
    );
  },
);

/** What a contract that each transaction calls pays on. */
const INSIDE = 7n;
const traceOf = (hashes: readonly string[]) =>
  hashes.map((hash) => ({
    txHash: hash,
    result: {
      type: 'CALL',
      from: PAYER,
      to: SHOP,
      value: '0x5',
      calls: [{ type: 'CALL', from: TOKEN, to: SHOP, value: hex(Number(INSIDE)) }],
    },
  }));

/** Each block has a payment, and a contract that pays more. */
function withInside(): Provider {
  const plain = onePaymentEach();
  const call = async (asked: Call<unknown>): Promise<unknown> => {
    const [first, second] = asked.params as [string, { blockHash: string }];
    switch (asked.method) {
      case 'eth_getBalance':
        return asked.parse(hex(Number(second.blockHash) * Number(5n + INSIDE)));
      case 'debug_traceBlockByHash':
        return asked.parse(traceOf([txHash(Number(first))]));
      default:
        return plain.call(asked);
    }
  };
  return {
    name: 'node',
    call,
    batch: (calls: Call<unknown>[]) => Promise.all(calls.map(call)),
    attempt: (calls: Call<unknown>[]) => Promise.all(calls.map(async (one) => ({ value: await call(one) }))),
  } as unknown as Provider;
}
