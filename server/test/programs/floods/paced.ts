import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../../src/context.ts';
import { delaysOf, observe, type ObservedPayment } from './delays.ts';
import { countRpcCalls } from './flood.ts';

const MAX_PAID_SECONDS = 60;

interface Pace {
  /** Blocks of the run. */
  size: number;
  blockMs: number;
  blocksPerPayment: number;
  /** Blocks after the flood, until the last payment is settled. */
  lastBlocks: number;
}

interface FloodedChain<Checkout extends { id: string }> {
  /** Opens a checkout of the account that is not flooded. */
  checkout(): Promise<Checkout>;
  /** The transfers of one block to the flooded address. */
  flood(): Promise<void>;
  pay(checkout: Checkout): Promise<unknown>;
  /** Produces one block. */
  produce(): unknown;
}

export type PacedRun = Awaited<ReturnType<typeof runPaced>>;

/** Blocks at an even pace, each with its flood, and a payment to another account at regular intervals. */
export async function runPaced<Checkout extends { id: string }>(
  ctx: Pick<Context, 'db'>,
  { size, blockMs, blocksPerPayment, lastBlocks }: Pace,
  chain: FloodedChain<Checkout>,
) {
  // A short run has a few payments too.
  const every = Math.min(blocksPerPayment, Math.ceil(size / 4));
  const rpc = countRpcCalls();
  const payments: ObservedPayment[] = [];
  const produced = { blocks: 0, done: false };
  const startedAt = performance.now();
  const observing = observe(ctx, payments, produced, MAX_PAID_SECONDS);
  try {
    for (let block = 0; block < size; block += 1) {
      const next = startedAt + (block + 1) * blockMs;
      const checkout = block % every === every - 1 ? await chain.checkout() : undefined;
      await chain.flood();
      if (checkout) await chain.pay(checkout);
      await chain.produce();
      produced.blocks += 1;
      if (checkout) payments.push({ id: checkout.id, sentAtMs: performance.now(), block: produced.blocks });
      await pause(Math.max(0, next - performance.now()));
    }
    const meanBlockMs = Math.round((performance.now() - startedAt) / size);
    const calls = rpc.calls();
    for (let extra = 0; extra < lastBlocks; extra += 1) {
      await chain.produce();
      produced.blocks += 1;
      await pause(blockMs);
    }
    produced.done = true;
    await observing;
    return { ...delaysOf(payments), blockMs: meanBlockMs, callsPerBlock: Math.round((calls / size) * 10) / 10 };
  } finally {
    produced.done = true;
    rpc.stop();
  }
}

/** How much longer the other account's payments took in the busy run. `maxExtraBlocks` in blocks of the chain. */
export function comparePaced(
  quiet: PacedRun,
  busy: PacedRun,
  { maxRatio, maxExtraBlocks, unit }: { maxRatio: number; maxExtraBlocks: number; unit: 'blocks' | 'slots' },
) {
  const ratioOf = (name: 'seenMs' | 'paidMs' | 'paidBlocks') =>
    Math.round((busy[name] / Math.max(quiet[name], 0.1)) * 100) / 100;
  const ratios = { seen: ratioOf('seenMs'), paid: ratioOf('paidMs'), paidBlocks: ratioOf('paidBlocks') };
  const failures = [
    ...(quiet.unpaid + busy.unpaid === 0
      ? []
      : [`${quiet.unpaid} payments without and ${busy.unpaid} with a busy address were not paid`]),
    ...(ratios.paid <= maxRatio || busy.paidBlocks - quiet.paidBlocks <= maxExtraBlocks
      ? []
      : [
          `the other account's payments took ${ratios.paid} times as long, ${busy.paidBlocks} ${unit} instead of ${quiet.paidBlocks}`,
        ]),
  ];
  return { ratios, failures };
}
