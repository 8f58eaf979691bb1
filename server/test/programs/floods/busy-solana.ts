import { setTimeout as pause } from 'node:timers/promises';
import { startWatching } from '../../../src/watch.ts';
import type { SolanaShop } from '../../support/solana/shop.ts';
import { delaysOf, observe, type ObservedPayment } from './delays.ts';
import { countRpcCalls, type Flood, measureGrowth } from './flood.ts';

/** Slots of each of the two runs: about a minute in total. */
const DEFAULT_SIZE = 30;
const TRANSFERS_PER_SLOT = 60;
const SLOTS_PER_PAYMENT = 10;
/** Slower than the real network's 400 ms, because the local runtime executes the flood in this process. */
const SLOT_MS = 1_000;
/** Slots after the last payment, until it is finalized. */
const LAST_SLOTS = 8;
const MAX_PAID_SECONDS = 60;
const MAX_RATIO = 1.5;
const MAX_EXTRA_SLOTS = 2;
const MAX_GROWTH_MIB = 150;
const TRANSFER_LAMPORTS = 900_000n;

/**
 * An account saves a Solana address that receives many transfers a slot, like an exchange's, while another account is
 * paid every ten slots. Compares that account's delay with a run in which the same transfers go to an address that no
 * account has saved. `size` is the number of slots of each run.
 */
export const busySolana: Flood<SolanaShop> = async (shop, { size = DEFAULT_SIZE, say = () => {} } = {}) => {
  const watching = startWatching(shop.ctx);
  try {
    say(`${size} slots with ${TRANSFERS_PER_SLOT} transfers each to an address that is not watched`);
    const quiet = await run(shop, size, (await shop.cluster.newWallet()).address);
    const exchange = (await shop.cluster.newWallet()).address;
    const merchant = (await shop.app.newMerchant({ mode: 'live' })).live;
    await merchant.createWallet({ asset: 'SOL', network: 'solana', address: exchange });
    await shop.choose((await merchant.createSession({ expires_in: 86_400 })).id, { pay_asset: 'SOL' });
    say(`${size} slots with ${TRANSFERS_PER_SLOT} transfers each to a watched address`);
    const { value: busy, grewMiB, beforeMiB } = await measureGrowth(() => run(shop, size, exchange));

    const counted = await countArrived(shop, exchange);
    const ratioOf = (name: 'seenMs' | 'paidMs' | 'paidBlocks') =>
      Math.round((busy[name] / Math.max(quiet[name], 0.1)) * 100) / 100;
    const figures = {
      slots: size,
      transfers: size * TRANSFERS_PER_SLOT,
      counted,
      payments: quiet.payments,
      quietSlotMs: quiet.slotMs,
      busySlotMs: busy.slotMs,
      quietSeenMs: quiet.seenMs,
      busySeenMs: busy.seenMs,
      seenRatio: ratioOf('seenMs'),
      quietPaidMs: quiet.paidMs,
      busyPaidMs: busy.paidMs,
      paidRatio: ratioOf('paidMs'),
      quietPaidSlots: quiet.paidBlocks,
      busyPaidSlots: busy.paidBlocks,
      paidSlotsRatio: ratioOf('paidBlocks'),
      quietCallsPerSlot: quiet.callsPerSlot,
      busyCallsPerSlot: busy.callsPerSlot,
      rssBeforeMiB: beforeMiB,
      grewMiB,
    };
    const failures = [
      ...(quiet.unpaid + busy.unpaid === 0
        ? []
        : [`${quiet.unpaid} payments without and ${busy.unpaid} with a busy address were not paid`]),
      ...(figures.paidRatio <= MAX_RATIO || busy.paidBlocks - quiet.paidBlocks <= MAX_EXTRA_SLOTS
        ? []
        : [
            `the other account's payments took ${figures.paidRatio} times as long, ${busy.paidBlocks} slots instead of ${quiet.paidBlocks}`,
          ]),
      ...(counted > 0 ? [] : ['no transfer to the busy address was read']),
      ...(grewMiB <= MAX_GROWTH_MIB ? [] : [`memory grew by ${grewMiB} MiB`]),
    ];
    return { figures, failures };
  } finally {
    await watching.stop();
  }
};

/** Slots at an even pace with a flood to an address, and a payment to the other account in every tenth slot. */
async function run(shop: SolanaShop, size: number, floodedAddress: string) {
  const { cluster } = shop;
  // A short run has a few payments too.
  const every = Math.min(SLOTS_PER_PAYMENT, Math.ceil(size / 4));
  const rpc = countRpcCalls();
  const payments: ObservedPayment[] = [];
  const produced = { blocks: 0, done: false };
  const observing = observe(shop.ctx, payments, produced, MAX_PAID_SECONDS);
  const startedAt = performance.now();
  try {
    for (let slot = 0; slot < size; slot += 1) {
      const next = startedAt + (slot + 1) * SLOT_MS;
      const checkout = slot % every === every - 1 ? await shop.checkout('SOL') : undefined;
      for (let at = 0; at < TRANSFERS_PER_SLOT; at += 1) {
        await cluster.transferSol({ to: floodedAddress, amount: TRANSFER_LAMPORTS, close: false });
        // The service runs in the same process.
        await pause(0);
      }
      if (checkout) await shop.sendSol(checkout.amountUnits, { close: false });
      cluster.slots(1);
      produced.blocks += 1;
      if (checkout) payments.push({ id: checkout.id, sentAtMs: performance.now(), block: produced.blocks });
      await pause(Math.max(0, next - performance.now()));
    }
    const slotMs = Math.round((performance.now() - startedAt) / size);
    const calls = rpc.calls();
    for (let extra = 0; extra < LAST_SLOTS; extra += 1) {
      cluster.slots(1);
      produced.blocks += 1;
      await pause(SLOT_MS);
    }
    produced.done = true;
    await observing;
    return { ...delaysOf(payments), slotMs, callsPerSlot: Math.round((calls / size) * 10) / 10 };
  } finally {
    produced.done = true;
    rpc.stop();
  }
}

/**
 * Transfers to an address that were listed or counted. A skipped confirmed transfer is counted again once it is
 * finalized.
 */
async function countArrived(shop: SolanaShop, address: string): Promise<number> {
  const [row] = await shop.ctx.db.query<{ arrived: bigint }>(
    'flood_arrived',
    'select coalesce(sum(stored + skipped + dust), 0) as arrived from address_activity where address = $1',
    [address],
  );
  return Number(row?.arrived ?? 0n);
}
