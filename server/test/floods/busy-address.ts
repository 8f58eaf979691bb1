import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Address, getAddress, toHex } from 'viem';
import { startWatching } from '../../src/watch.ts';
import { transferCalldata } from '../support/anvil.ts';
import type { Settlement } from '../support/settlement.ts';
import { countRpcCalls, type Flood, measureGrowth } from './flood.ts';

/** Blocks of each of the two runs: about two minutes in all. */
const DEFAULT_SIZE = 50;
const TRANSFERS_PER_BLOCK = 200;
const BLOCKS_PER_PAYMENT = 25;
const BLOCK_MS = 1_000;
const MAX_PAID_SECONDS = 60;
/** Two busy cores do not keep time to the block. */
const MAX_RATIO = 1.5;
const MAX_EXTRA_BLOCKS = 1;
const MAX_GROWTH_MIB = 150;
/** The reader's calls for a block: its logs or whole blocks, receipts, balances and heads, and what verifies the honest payments. */
const MAX_CALLS_PER_BLOCK = 40;

/**
 * An account saves an address that receives 200 transfers a block, as an exchange's does, while another account is paid every 25 blocks.
 * Compares that account's delay with the same run without the busy address. `size` is the number of blocks of each run.
 */
export const busyAddress: Flood = async (shop, { size = DEFAULT_SIZE, say = () => {} } = {}) => {
  const watching = startWatching(shop.ctx);
  try {
    say(`${size} blocks without a busy address`);
    const quiet = await run(shop, size, null);
    const exchange = getAddress(toHex(randomBytes(20)));
    const merchant = (await shop.app.newMerchant({ mode: 'live' })).live;
    await merchant.createWallet({ asset: 'USDC', network: 'ethereum', address: exchange });
    await shop.choose((await merchant.createSession({ expires_in: 86_400 })).id);
    say(`${size} blocks with ${TRANSFERS_PER_BLOCK} transfers each to a watched address`);
    const { value: busy, grewMiB, beforeMiB } = await measureGrowth(() => run(shop, size, exchange));

    const behind = await blocksBehind(shop);
    const ratioOf = (name: 'seenMs' | 'paidMs' | 'seenBlocks' | 'paidBlocks') =>
      Math.round((busy[name] / Math.max(quiet[name], 0.1)) * 100) / 100;
    const figures = {
      blocks: size,
      transfers: size * TRANSFERS_PER_BLOCK,
      payments: quiet.payments,
      quietBlockMs: quiet.blockMs,
      busyBlockMs: busy.blockMs,
      quietSeenMs: quiet.seenMs,
      busySeenMs: busy.seenMs,
      seenRatio: ratioOf('seenMs'),
      quietPaidMs: quiet.paidMs,
      busyPaidMs: busy.paidMs,
      paidRatio: ratioOf('paidMs'),
      quietSeenBlocks: quiet.seenBlocks,
      busySeenBlocks: busy.seenBlocks,
      quietPaidBlocks: quiet.paidBlocks,
      busyPaidBlocks: busy.paidBlocks,
      paidBlocksRatio: ratioOf('paidBlocks'),
      quietCallsPerBlock: quiet.callsPerBlock,
      busyCallsPerBlock: busy.callsPerBlock,
      rssBeforeMiB: beforeMiB,
      grewMiB,
      blocksBehind: behind,
    };
    const failures = [
      ...(quiet.unpaid + busy.unpaid === 0
        ? []
        : [`${quiet.unpaid} payments without and ${busy.unpaid} with a busy address were not paid`]),
      ...(figures.paidRatio <= MAX_RATIO || busy.paidBlocks - quiet.paidBlocks <= MAX_EXTRA_BLOCKS
        ? []
        : [
            `the other account's payments took ${figures.paidRatio} times as long, ${busy.paidBlocks} blocks instead of ${quiet.paidBlocks}`,
          ]),
      ...(busy.callsPerBlock <= MAX_CALLS_PER_BLOCK ? [] : [`a block cost ${busy.callsPerBlock} RPC calls`]),
      ...(grewMiB <= MAX_GROWTH_MIB ? [] : [`memory grew by ${grewMiB} MiB`]),
      ...(behind <= 5 ? [] : [`the reader was ${behind} blocks behind at the end`]),
    ];
    return { figures, failures };
  } finally {
    await watching.stop();
  }
};

interface Payment {
  id: string;
  sentAtMs: number;
  block: number;
  seen?: { ms: number; blocks: number };
  paid?: { ms: number; blocks: number };
}

/** Blocks at an even pace, a payment to the other account in each so many of them. */
async function run(shop: Settlement, size: number, exchange: Address | null) {
  const payMany = await createPayers(shop);
  // A short run has a few payments as well.
  const every = Math.min(BLOCKS_PER_PAYMENT, Math.ceil(size / 4));
  const rpc = countRpcCalls();
  const payments: Payment[] = [];
  const produced = { blocks: 0, done: false };
  const startedAt = performance.now();
  const observing = observe(shop, payments, produced);
  try {
    for (let block = 0; block < size; block += 1) {
      const next = startedAt + (block + 1) * BLOCK_MS;
      const checkout = block % every === every - 1 ? await shop.checkout() : undefined;
      if (exchange) await payMany(exchange);
      if (checkout) await shop.send(checkout.amountUnits, { from: shop.customer, mine: false });
      await shop.chain.mine(1);
      produced.blocks += 1;
      if (checkout) payments.push({ id: checkout.id, sentAtMs: performance.now(), block: produced.blocks });
      await pause(Math.max(0, next - performance.now()));
    }
    const blockMs = Math.round((performance.now() - startedAt) / size);
    const calls = rpc.calls();
    // The last payment's confirmations.
    for (let extra = 0; extra < 5; extra += 1) {
      await shop.chain.mine(1);
      produced.blocks += 1;
      await pause(BLOCK_MS);
    }
    produced.done = true;
    await observing;
    const mean = (values: readonly (number | undefined)[]) =>
      Math.round((values.reduce<number>((sum, value) => sum + (value ?? 0), 0) / Math.max(1, values.length)) * 10) / 10;
    const settled = payments.filter((payment) => payment.paid);
    return {
      payments: payments.length,
      unpaid: payments.length - settled.length,
      blockMs,
      callsPerBlock: Math.round((calls / size) * 10) / 10,
      seenMs: mean(settled.map((payment) => payment.seen?.ms)),
      paidMs: mean(settled.map((payment) => payment.paid?.ms)),
      seenBlocks: mean(settled.map((payment) => payment.seen?.blocks)),
      paidBlocks: mean(settled.map((payment) => payment.paid?.blocks)),
    };
  } finally {
    produced.done = true;
    rpc.stop();
  }
}

/** Notes when each payment is seen and paid, until all are or time is up. */
async function observe(
  shop: Settlement,
  payments: readonly Payment[],
  produced: { blocks: number; done: boolean },
): Promise<void> {
  let doneAtMs: number | null = null;
  for (;;) {
    const open = payments.filter((payment) => !payment.paid);
    if (open.length > 0) {
      const rows = await shop.ctx.db.query<{ session_id: string; status: string; seen: boolean }>(
        'flood_statuses',
        `
        select p.session_id, p.status, exists (select 1 from transfers t where t.payment_id = p.id) as seen from payments p where p.session_id = any($1)`,
        [open.map((payment) => payment.id)],
      );
      const found = new Map(rows.map((row) => [row.session_id, row]));
      for (const payment of open) {
        const row = found.get(payment.id);
        const since = () => ({ ms: performance.now() - payment.sentAtMs, blocks: produced.blocks - payment.block });
        if (row?.seen) payment.seen ??= since();
        if (row?.status === 'paid') payment.paid = since();
      }
    }
    if (produced.done) {
      doneAtMs ??= performance.now();
      if (open.length === 0 || performance.now() - doneAtMs > MAX_PAID_SECONDS * 1000) return;
    }
    await pause(50);
  }
}

/** Sends transactions of their own, as an exchange's customers do, in one request to the node. */
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
