import { randomBytes } from 'node:crypto';
import { type Address, getAddress, toHex } from 'viem';
import { startWatching } from '../../../src/watch.ts';
import { transferCalldata } from '../../support/anvil.ts';
import type { Settlement } from '../../support/settlement.ts';
import { type Flood, measureGrowth } from './flood.ts';
import { comparePaced, runPaced } from './paced.ts';

/** Blocks of each of the two runs: about two minutes in total. */
const DEFAULT_SIZE = 50;
const TRANSFERS_PER_BLOCK = 200;
const BLOCKS_PER_PAYMENT = 25;
const BLOCK_MS = 1_000;
/** Confirmations of the last payment. */
const LAST_BLOCKS = 5;
/** Two busy cores are not accurate to the block. */
const MAX_RATIO = 1.5;
const MAX_EXTRA_BLOCKS = 1;
const MAX_GROWTH_MIB = 150;
/**
 * The reader's calls for a block: its logs or whole blocks, receipts, balances and heads, and those that verify the
 * honest payments.
 */
const MAX_CALLS_PER_BLOCK = 40;

/**
 * An account saves an address that receives 200 transfers a block, like an exchange's, while another account is paid
 * every 25 blocks. Compares that account's delay, and the memory, with a run in which the same transfers go to an
 * address that no account has saved. `size` is the number of blocks of each run.
 */
export const busyAddress: Flood = async (shop, { size = DEFAULT_SIZE, say = () => {} } = {}) => {
  const watching = startWatching(shop.ctx);
  try {
    say(`${size} blocks with ${TRANSFERS_PER_BLOCK} transfers each to an address that is not watched`);
    const { value: quiet, peakMiB: quietPeakMiB } = await measureGrowth(() => run(shop, size, newAddress()));
    const exchange = newAddress();
    const merchant = (await shop.app.newMerchant({ mode: 'live' })).live;
    await merchant.createWallet({ asset: 'USDC', network: 'ethereum', address: exchange });
    await shop.choose((await merchant.createSession({ expires_in: 86_400 })).id);
    say(`${size} blocks with ${TRANSFERS_PER_BLOCK} transfers each to a watched address`);
    const { value: busy, peakMiB: busyPeakMiB } = await measureGrowth(() => run(shop, size, exchange));
    const grewMiB = busyPeakMiB - quietPeakMiB;

    const behind = await blocksBehind(shop);
    const { ratios, failures: slow } = comparePaced(quiet, busy, {
      maxRatio: MAX_RATIO,
      // The short run stands between other tests, whose work delays both: it finds a payment that waits for the flood.
      maxExtraBlocks: size < DEFAULT_SIZE ? size / 2 : MAX_EXTRA_BLOCKS,
      unit: 'blocks',
    });
    const figures = {
      blocks: size,
      transfers: size * TRANSFERS_PER_BLOCK,
      payments: quiet.payments,
      quietBlockMs: quiet.blockMs,
      busyBlockMs: busy.blockMs,
      quietSeenMs: quiet.seenMs,
      busySeenMs: busy.seenMs,
      seenRatio: ratios.seen,
      quietPaidMs: quiet.paidMs,
      busyPaidMs: busy.paidMs,
      paidRatio: ratios.paid,
      quietSeenBlocks: quiet.seenBlocks,
      busySeenBlocks: busy.seenBlocks,
      quietPaidBlocks: quiet.paidBlocks,
      busyPaidBlocks: busy.paidBlocks,
      paidBlocksRatio: ratios.paidBlocks,
      quietCallsPerBlock: quiet.callsPerBlock,
      busyCallsPerBlock: busy.callsPerBlock,
      quietPeakMiB,
      busyPeakMiB,
      blocksBehind: behind,
    };
    const failures = [
      ...slow,
      ...(busy.callsPerBlock <= MAX_CALLS_PER_BLOCK ? [] : [`a block cost ${busy.callsPerBlock} RPC calls`]),
      ...(grewMiB <= MAX_GROWTH_MIB ? [] : [`memory grew by ${grewMiB} MiB`]),
      ...(behind <= 5 ? [] : [`the reader was ${behind} blocks behind at the end`]),
    ];
    return { figures, failures };
  } finally {
    await watching.stop();
  }
};

function newAddress(): Address {
  return getAddress(toHex(randomBytes(20)));
}

/** Blocks at an even pace with a flood to an address, and a payment to the other account at regular intervals. */
async function run(shop: Settlement, size: number, floodedAddress: Address) {
  const payMany = await createPayers(shop);
  return runPaced(
    shop.ctx,
    { size, blockMs: BLOCK_MS, blocksPerPayment: BLOCKS_PER_PAYMENT, lastBlocks: LAST_BLOCKS },
    {
      checkout: () => shop.checkout(),
      flood: () => payMany(floodedAddress),
      pay: ({ amountUnits }) => shop.send(amountUnits, { from: shop.customer, mine: false }),
      produce: () => shop.chain.mine(1),
    },
  );
}

/** Each sends its own transactions, like an exchange's customers, in one request to the node. */
async function createPayers(shop: Settlement) {
  const payers = await Promise.all(
    shop.chain.accounts.slice(2).map(async ({ address }) => ({
      address,
      nonce: Number(await shop.chain.rpc('eth_getTransactionCount', [address, 'latest'])),
    })),
  );
  return async (to: Address) => {
    const data = transferCalldata(to, 1_000_000n);
    const calls = Array.from({ length: TRANSFERS_PER_BLOCK }, (_, id) => {
      const payer = payers[id % payers.length] as { address: Address; nonce: number };
      return {
        jsonrpc: '2.0',
        id,
        method: 'eth_sendTransaction',
        params: [{ from: payer.address, to: shop.usdc, data, gas: toHex(100_000), nonce: toHex(payer.nonce++) }],
      };
    });
    const response = await fetch(shop.chain.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(calls),
    });
    const failed = ((await response.json()) as { error?: { message: string } }[]).find((answer) => answer.error);
    if (failed) throw new Error(`a transfer was not accepted: ${failed.error?.message}`);
  };
}

async function blocksBehind(shop: Settlement): Promise<number> {
  const [cursor] = await shop.ctx.db.query<{ block: number | null }>(
    'flood_cursor',
    `select block_number::int as block from chain_cursors where network = 'ethereum' and pass = 'first'`,
  );
  return Number((await shop.chain.head()).number) - (cursor?.block ?? 0);
}
