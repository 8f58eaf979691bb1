import { setTimeout as pause } from 'node:timers/promises';
import { startWatching } from '../../../src/watch.ts';
import type { SolanaShop } from '../../support/solana/shop.ts';
import { type Flood, measureGrowth } from './flood.ts';
import { comparePaced, runPaced } from './paced.ts';

/** Slots of each of the two runs: about a minute in total. */
const DEFAULT_SIZE = 30;
const TRANSFERS_PER_SLOT = 60;
const SLOTS_PER_PAYMENT = 10;
/** Slower than the real network's 400 ms, because the local runtime executes the flood in this process. */
const SLOT_MS = 1_000;
/** Slots after the last payment, until it is finalized. */
const LAST_SLOTS = 8;
const MAX_RATIO = 1.5;
const MAX_EXTRA_SLOTS = 2;
const MAX_GROWTH_MIB = 150;
const TRANSFER_LAMPORTS = 900_000n;

/**
 * An account saves a Solana address that receives many transfers a slot, like an exchange's, while another account is
 * paid every ten slots. Compares that account's delay, and the memory, with a run in which the same transfers go to an
 * address that no account has saved. `size` is the number of slots of each run.
 */
export const busySolana: Flood<SolanaShop> = async (shop, { size = DEFAULT_SIZE, say = () => {} } = {}) => {
  const watching = startWatching(shop.ctx);
  try {
    say(`${size} slots with ${TRANSFERS_PER_SLOT} transfers each to an address that is not watched`);
    const unwatched = (await shop.cluster.newWallet()).address;
    const { value: quiet, peakMiB: quietPeakMiB } = await measureGrowth(() => run(shop, size, unwatched));
    const exchange = (await shop.cluster.newWallet()).address;
    const merchant = (await shop.app.newMerchant({ mode: 'live' })).live;
    await merchant.createWallet({ asset: 'SOL', network: 'solana', address: exchange });
    await shop.choose((await merchant.createSession({ expires_in: 86_400 })).id, { pay_asset: 'SOL' });
    say(`${size} slots with ${TRANSFERS_PER_SLOT} transfers each to a watched address`);
    const { value: busy, peakMiB: busyPeakMiB } = await measureGrowth(() => run(shop, size, exchange));
    const grewMiB = busyPeakMiB - quietPeakMiB;

    const counted = await countArrived(shop, exchange);
    const { ratios, failures: slow } = comparePaced(quiet, busy, {
      maxRatio: MAX_RATIO,
      // The short run stands between other tests, whose work delays both: it finds a payment that waits for the flood.
      maxExtraBlocks: size < DEFAULT_SIZE ? size / 2 : MAX_EXTRA_SLOTS,
      unit: 'slots',
    });
    const figures = {
      slots: size,
      transfers: size * TRANSFERS_PER_SLOT,
      counted,
      payments: quiet.payments,
      quietSlotMs: quiet.blockMs,
      busySlotMs: busy.blockMs,
      quietSeenMs: quiet.seenMs,
      busySeenMs: busy.seenMs,
      seenRatio: ratios.seen,
      quietPaidMs: quiet.paidMs,
      busyPaidMs: busy.paidMs,
      paidRatio: ratios.paid,
      quietPaidSlots: quiet.paidBlocks,
      busyPaidSlots: busy.paidBlocks,
      paidSlotsRatio: ratios.paidBlocks,
      quietCallsPerSlot: quiet.callsPerBlock,
      busyCallsPerSlot: busy.callsPerBlock,
      quietPeakMiB,
      busyPeakMiB,
    };
    const failures = [
      ...slow,
      ...(counted > 0 ? [] : ['no transfer to the busy address was read']),
      ...(grewMiB <= MAX_GROWTH_MIB ? [] : [`memory grew by ${grewMiB} MiB`]),
    ];
    return { figures, failures };
  } finally {
    await watching.stop();
  }
};

/** Slots at an even pace with a flood to an address, and a payment to the other account in every tenth slot. */
function run(shop: SolanaShop, size: number, floodedAddress: string) {
  const { cluster } = shop;
  return runPaced(
    shop.ctx,
    { size, blockMs: SLOT_MS, blocksPerPayment: SLOTS_PER_PAYMENT, lastBlocks: LAST_SLOTS },
    {
      checkout: () => shop.checkout('SOL'),
      flood: async () => {
        for (let at = 0; at < TRANSFERS_PER_SLOT; at += 1) {
          await cluster.transferSol({ to: floodedAddress, amount: TRANSFER_LAMPORTS, close: false });
          // The service runs in the same process.
          await pause(0);
        }
      },
      pay: ({ amountUnits }) => shop.sendSol(amountUnits, { close: false }),
      produce: () => cluster.slots(1),
    },
  );
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
