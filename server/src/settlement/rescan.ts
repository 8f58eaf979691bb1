import { setTimeout as pause } from 'node:timers/promises';
import type { ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../context.ts';
import {
  ReorgError,
  type BlockRef,
  type Chain,
  type Head,
  type Reading,
  type ReadStep,
  type Watching,
} from '../outside/chains/chain.ts';
import { fail, TemporaryError } from '../platform/errors.ts';
import { SECOND_MS } from '../platform/time.ts';
import { attributeQueued } from './attribution/attribute-queued.ts';
import { receive } from './attribution/attribute-transfer.ts';
import { providersOf, reporterOf } from './records/contested.ts';
import { requeueSetAsideFrom } from './records/transfer-queue-store.ts';
import { findTransfersByHash, type StoredTransfer } from './records/transfer-store.ts';
import { findCursor } from './reading/cursor-store.ts';
import { doubtMissing } from './reading/doubt-missing.ts';
import type { StoredFacts } from './reading/store-facts.ts';
import { storeOrSetAside } from './reading/store-one-by-one.ts';
import { decideReports } from './verification/decide-reports.ts';
import { type Rounds, startOfRounds } from './verification/rounds.ts';
import { verifyTransfers } from './verification/verify-transfers.ts';
import { findPaymentById } from './records/payment-store.ts';
import { findWatchedAddresses } from './reading/watched-addresses.ts';

export interface RescanProgress {
  block: bigint;
  until: bigint;
  /** Transfers that were not stored before. */
  found: number;
  /** Known transfers that a provider reports differently, or not at all. The quorum decides about them. */
  contested: number;
  /** Transactions that could not be stored. */
  setAside: number;
  /** Blocks in which ether from contracts could not be looked for. */
  unseen: number;
  /** Blocks that only one of several providers has served: what it leaves out is not found. */
  readByOne: number;
}

export interface RescanOptions {
  /** The last block to read; by default, the last one that the watcher has read. */
  to?: bigint | undefined;
  /** The pause before blocks that no provider served are asked for again. */
  retryPauseMs?: number;
}

const RETRY_PAUSE_MS = 2 * SECOND_MS;
/** Of deciding. The watcher goes on with what is left. */
const MAX_TURNS = 100;
/** Solana's histories are limited per second, so with very many wallets a step may cover nothing for a minute. */
const MAX_RETRIES = 60;

/**
 * Reads a network again from a block (inclusive) or an instant, up to a block or the watcher's cursor, and attributes
 * what was set aside since there. Asks every provider for each block, since one may still leave out what it left out
 * before. Compares with what is stored: where a provider reports something else, or nothing, the quorum decides. Traces
 * every reference, which the watcher limits. Restarts after a reorg. Safe to repeat and to abort: no cursor moves.
 * Throws `TemporaryError` if no provider serves all of these blocks, because a part must not be taken for the whole.
 */
export async function* rescan(
  ctx: Context,
  network: ReceiveNetwork,
  from: Date | bigint,
  { to, retryPauseMs = RETRY_PAUSE_MS }: RescanOptions = {},
): AsyncGenerator<RescanProgress> {
  const chain =
    ctx.chains.get(network) ?? fail('invalid_request', { message: `${network} has no provider in the settings.` });
  const head = await chain.head('first');
  const watching = await findWatchedAddresses(ctx.db, network, await ctx.db.now());
  const reached = (await findCursor(ctx.db, network, 'first'))?.number ?? head.number;
  const last = to !== undefined && to < reached ? to : reached;
  const until: Head = { ...head, number: last < head.number ? last : head.number };
  let cursor = await begin(chain, from, head);
  const first = cursor.number + 1n;
  const sums = { found: 0, contested: 0, setAside: 0, unseen: 0, readByOne: 0 };
  let retries = 0;

  while (cursor.number < until.number) {
    // A new object each time: a reader returns nothing more for a head that it has read up to.
    const step: ReadStep = { after: cursor, until: { ...until }, watching, pass: 'first', tracesAll: true };
    const reading = await chain.read(step).catch((error) => {
      if (error instanceof ReorgError) return null;
      throw error;
    });
    if (reading === null) {
      cursor = await begin(chain, from, head);
      continue;
    }
    const readings = [reading, ...(await readByOthers(chain, step, reading))];
    const stored: Awaited<ReturnType<typeof storeReading>>[] = [];
    for (const one of readings) stored.push(await storeReading(ctx, chain, step, one));
    for (const { found } of stored) sums.found += found;
    // Several providers may report the same one.
    for (const key of ['contested', 'setAside'] as const) sums[key] += Math.max(...stored.map((one) => one[key]));
    if (reading.covered.number > cursor.number) {
      sums.unseen += Math.min(...readings.map(countUnseen));
      if (readings.length === 1 && providersOf(chain).length > 1)
        sums.readByOne += Number(reading.covered.number - cursor.number);
      cursor = reading.covered;
      retries = 0;
      yield { block: cursor.number, until: until.number, ...sums };
      continue;
    }
    retries += 1;
    if (retries > MAX_RETRIES)
      throw new TemporaryError(
        `no provider of ${network} serves blocks after ${cursor.number}, but ${until.number} is the last ` +
          'one to read: run it again from there',
      );
    await pause(retryPauseMs);
    // Refreshes how far each provider has come.
    await chain.head('first');
  }
  await requeueSetAsideFrom(ctx.db, network, first);
  await attributeAll(ctx, network);
  // What the quorum corrects is attributed again, and verified itself.
  const rounds = startOfRounds();
  await decideAll(ctx, chain, watching, rounds);
  await attributeAll(ctx, network);
  await verifyTransfers(ctx, chain, { head, watching, forkedAt: null }, rounds);
}

/** The block before the first one to read. A chain is whole from its block 0 on. */
async function begin(chain: Chain, from: Date | bigint, head: Head): Promise<BlockRef> {
  const { network } = chain;
  if (typeof from === 'bigint')
    return (
      (await chain.block(from > 0n ? from - 1n : 0n)) ??
      fail('invalid_request', { message: `${network} has no block ${from}.` })
    );
  const oldest = await chain.blockAt(from, { pass: 'first', head });
  if (oldest.time > from && oldest.number > 0n)
    throw new TemporaryError(
      `no provider of ${network} has the blocks from ${from.toISOString()} to ${oldest.time.toISOString()}: add one with ` +
        `the full history, or read without them (--from ${oldest.number})`,
    );
  return oldest;
}

/** What the other providers show of the blocks of a reading. One that does not serve all of them is left out. */
async function readByOthers(chain: Chain, step: ReadStep, { provider, covered }: Reading): Promise<Reading[]> {
  const others = providersOf(chain).filter((name) => name !== provider);
  const readings: Reading[] = [];
  for (const name of covered.number > step.after.number ? others : []) {
    const reading = await readBy(chain, { ...step, until: { ...covered, safe: null, finalized: null }, only: name });
    if (reading) readings.push(reading);
  }
  return readings;
}

/** All of a step's blocks by one provider; undefined if it does not serve them. */
async function readBy(chain: Chain, step: ReadStep): Promise<Reading | undefined> {
  const parts: Reading[] = [];
  try {
    for (let { after } = step; after.number < step.until.number; ) {
      const part = await chain.read({ ...step, after, until: { ...step.until } });
      if (part.covered.number === after.number) return undefined;
      parts.push(part);
      after = part.covered;
    }
  } catch (error) {
    if (error instanceof TemporaryError || error instanceof ReorgError) return undefined;
    throw error;
  }
  const [last] = parts.slice(-1);
  const [transfers, unseen] = [parts.flatMap((one) => one.transfers), parts.flatMap((one) => one.unseen ?? [])];
  return last && { ...last, transfers, unseen };
}

/** Stores what a provider reports of a step's blocks, and doubts what it does not. */
async function storeReading(
  ctx: Context,
  chain: Chain,
  { after, watching }: ReadStep,
  { provider, transfers, covered }: Reading,
): Promise<StoredFacts & { setAside: number }> {
  const { network } = chain;
  const reporter = reporterOf(chain, provider);
  const stored = await storeOrSetAside(ctx, { network, pass: 'second', transfers, reporter });
  const blocks = { after: after.number, upTo: covered.number };
  const missing = await doubtMissing(ctx.db, { network, blocks, txHash: null }, { watching, transfers });
  return { ...stored, contested: stored.contested + missing };
}

function countUnseen({ unseen = [] }: Reading): number {
  return unseen.reduce((sum, { from, to }) => sum + Number(to.number - from.number) + 1, 0);
}

/** Looks up one transaction for a payment, regardless of what the watcher has read. Safe to repeat. */
export async function reconcile(
  ctx: Context,
  paymentId: string,
  txHash: string,
): Promise<{ status: string; transfers: StoredTransfer[] }> {
  const payment =
    (await findPaymentById(ctx.db, paymentId)) ??
    fail('not_found', { param: 'payment', message: `No such payment: ${paymentId}.` });
  if (!payment.livemode) fail('invalid_request', { message: 'Only live payments have transactions on a chain.' });
  const chain =
    ctx.chains.get(payment.receiveNetwork) ??
    fail('invalid_request', { message: `${payment.receiveNetwork} has no provider in the settings.` });

  const watching = { addresses: new Set([payment.receiveAddress]) };
  const rounds = startOfRounds();
  const seen = await chain.transaction(txHash, watching);
  const now = await ctx.db.now();
  const network = payment.receiveNetwork;
  const hash = seen?.transfers[0]?.txHash ?? (network === 'solana' ? txHash : txHash.toLowerCase());
  if (seen) {
    const reporter = reporterOf(chain, seen.provider);
    await ctx.db.transaction((db) => receive(ctx, db, { livemode: true, transfers: seen.transfers, reporter }, now));
    await doubtMissing(ctx.db, { network, blocks: null, txHash: hash }, { watching, transfers: seen.transfers });
    await decideAll(ctx, chain, watching, rounds);
    await attributeAll(ctx, network);
  }
  await verifyTransfers(ctx, chain, { head: await chain.head('first'), watching, forkedAt: null }, rounds);

  const after = (await findPaymentById(ctx.db, paymentId)) ?? payment;
  return {
    status: after.status,
    transfers: await findTransfersByHash(ctx.db, true, network, hash),
  };
}

/** Asks about everything undecided once, in as many turns as that takes: who repairs something does not wait. */
async function decideAll(ctx: Context, chain: Chain, watching: Watching, { reports }: Rounds): Promise<void> {
  const askedBefore = await ctx.db.now();
  for (let turn = 0; turn < MAX_TURNS; turn += 1)
    if ((await decideReports(ctx, chain, { watching, askedBefore }, reports)) === 0) return;
}

async function attributeAll(ctx: Context, network: ReceiveNetwork): Promise<void> {
  const position = { address: '' };
  while ((await attributeQueued(ctx, network, position)) > 0);
}
