import type { ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Chain, Transfer } from '../../outside/chains/chain.ts';
import type { RouteProgress, Router } from '../../outside/routers/router.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { isUnavailable } from '../../platform/db/unavailable.ts';
import { PermanentError, TemporaryError } from '../../platform/errors.ts';
import { failures } from '../../platform/metrics.ts';
import { later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import type { Job } from '../../job.ts';
import { EARLY_TOLERANCE_MS } from '../../settlement/records/amounts.ts';
import { observe, assessPayment } from '../../settlement/outcome/settle.ts';
import type { Instants, Settlement } from '../../settlement/records/settlement.ts';
import { UNNAMED_REPORTER } from '../../settlement/records/contested.ts';
import { lockPayments } from '../../settlement/records/payment-store.ts';
import { receive, receiveHinted } from '../../settlement/attribution/attribute-transfer.ts';
import { isBelowCent } from '../../settlement/reading/select-transfers.ts';
import { assignToPayment } from '../../settlement/attribution/assign-transfer.ts';
import { findTransfersByHash } from '../../settlement/records/transfer-store.ts';
import type { RoutedPayment } from '../../settlement/outcome/route-end.ts';
import { afterProgress, payoutHashesOf, stateAfter } from './progress.ts';
import { observeProgress } from './observe-progress.ts';
import { createPayoutLookups, lookUpPayout, type PayoutLookups } from './look-up-payout.ts';
import { giveUp, isGivenUp, keepDue, noteUnanswered, settleHeldPayouts } from './overdue.ts';
import {
  findOtherProviders,
  lockOrder,
  postponeOrders,
  saveProgress,
  leaseDueOrders,
  type StoredOrder,
} from '../../settlement/records/route-order-store.ts';
import { receiveNetworkOf } from './receiver-store.ts';

const ORDERS_AT_ONCE = 16;
const ASK_AGAIN_MS = 30 * SECOND_MS;
/** This many orders without an answer are an outage and not a problem of one order. */
const PROBES = 4;
/** This long after its creation, an order that its provider does not know is not just new. */
const UNKNOWN_MS = 5 * MINUTE_MS;

/**
 * Polls providers for the progress of orders. Each provider has a lane of its own, so that a slow one delays only its own
 * orders. Orders of providers that are no longer configured still end.
 */
export function routesJobs(routers: readonly Pick<Router, 'name'>[]): Job[] {
  const names = routers.map(({ name }) => name);
  return [
    ...names.map((provider): Job => {
      const startLookups = createPayoutLookups();
      return {
        name: `routes ${provider}`,
        everyMs: 1 * SECOND_MS,
        channel: 'routes',
        run: (ctx) => followDue(ctx, provider, startLookups()),
      };
    }),
    {
      name: 'routes of former providers',
      everyMs: 1 * MINUTE_MS,
      async run(ctx) {
        let found: 'more' | 'idle' = 'idle';
        for (const provider of await findOtherProviders(ctx.db, names))
          if ((await followDue(ctx, provider)) === 'more') found = 'more';
        return found;
      },
    },
  ];
}

async function followDue(ctx: Context, provider: string, payouts?: PayoutLookups): Promise<'more' | 'idle'> {
  const now = await ctx.db.now();
  const until = later(now, ASK_AGAIN_MS);
  const orders = await leaseDueOrders(ctx.db, provider, { now, until, limit: ORDERS_AT_ONCE });
  if (orders.length > 0) await followOrders({ ...ctx, payouts }, orders, now);
  return orders.length === ORDERS_AT_ONCE ? 'more' : 'idle';
}

/** With the provider's earlier lookups of payouts. */
type LaneContext = Context & { payouts: PayoutLookups | undefined };

/**
 * One provider's orders. If it answers about none of the first few, the others wait, so that an outage costs few requests.
 */
async function followOrders(ctx: LaneContext, orders: readonly StoredOrder[], now: Date): Promise<void> {
  const [probes, rest] = [orders.slice(0, PROBES), orders.slice(PROBES)];
  const answers = await Promise.all(probes.map((order) => tryToFollow(ctx, order)));
  if (probes.length === PROBES && !answers.includes(true)) {
    for (const order of rest) await noteNoAnswer(ctx, order);
    // Slightly sooner than the orders that were taken now, so that all take turns.
    await postponeOrders(ctx.db, orders[0]?.provider ?? '', now, later(now, ASK_AGAIN_MS - SECOND_MS));
    return;
  }
  await Promise.all(rest.map((order) => tryToFollow(ctx, order)));
}

/** Follows an order. False, with a log line, if its provider failed or answered something else. */
async function tryToFollow(ctx: LaneContext, order: StoredOrder): Promise<boolean> {
  try {
    await followLiveOrder(ctx, order);
    return true;
  } catch (error) {
    const isMismatch = error instanceof PermanentError;
    ctx.log[isMismatch ? 'error' : 'warn'](
      { err: error, orderId: order.id, provider: order.provider, ...(isMismatch && { alarm: 'route_answer_refused' }) },
      isMismatch ? 'route status rejected: the response does not match the order' : 'route provider failed',
    );
    await noteNoAnswer(ctx, order);
    return false;
  }
}

/** An order whose end cannot be applied delays no other one. It is tried again once its lease has ended. */
async function noteNoAnswer(ctx: Context, order: StoredOrder): Promise<void> {
  try {
    await noteUnanswered(ctx, order.id);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    failures.inc({ job: `routes ${order.provider}` });
    ctx.log.error({ err: error, orderId: order.id, provider: order.provider }, 'route order not ended: retrying');
  }
}

async function followLiveOrder(ctx: LaneContext, order: StoredOrder): Promise<void> {
  const router = ctx.routers.find((one) => one.name === order.provider);
  if (!router) throw new TemporaryError(`${order.provider} is not among the route providers any more`);
  const { network, address } = await receiveNetworkOf(ctx.db, order);
  const report = await askProvider(ctx, router, order, { network, address, chain: ctx.chains.get(network) });
  const now = await ctx.db.now();
  await ctx.db.transaction((db) => applyProgress(ctx, db, report, { created: now, recorded: now }));
}

export interface ProviderReport {
  orderId: string;
  progress: RouteProgress;
  payouts: Transfer[];
}

/** The provider's progress of an order, and what the chain shows of the payouts that it names. */
export async function askProvider(
  ctx: Pick<Context, 'log'> & { payouts?: PayoutLookups | undefined },
  router: Router,
  order: StoredOrder,
  { network, address, chain }: { network: ReceiveNetwork; address: string; chain: Chain | undefined },
): Promise<ProviderReport> {
  const progress = await router.progress({
    reference: order.reference,
    depositAddress: order.depositAddress,
    raw: order.raw,
  });
  // More hashes than an order keeps are not looked up either.
  const kept = new Set(payoutHashesOf(order, progress));
  const hashes = 'payoutTxHashes' in progress ? progress.payoutTxHashes.filter((hash) => kept.has(hash)) : [];
  const payouts: Transfer[] = [];
  const lookUp = ctx.payouts ?? lookUpPayout;
  for (const hash of chain ? hashes : []) {
    try {
      payouts.push(...(await lookUp(chain as Chain, { orderId: order.id, hash, address })));
    } catch (error) {
      // The watcher reads it later.
      ctx.log.info({ err: error, network }, 'payout not found yet');
    }
  }
  return { orderId: order.id, progress, payouts };
}

/** Applies a provider's progress to an order and its payment. A payout counts once the chain shows it. */
export async function applyProgress(
  ctx: Settlement['ctx'],
  db: Transaction,
  { orderId, progress, payouts }: ProviderReport,
  at: Instants,
): Promise<void> {
  const known = await lockOrder(db, orderId);
  if (!known) return;
  const payment = (await lockPayments(db, [known.paymentId])).get(known.paymentId);
  if (!payment) return;

  const order = afterProgress(known, progress, payment, at.created);
  await saveProgress(db, order);
  logUnexpectedProgress(ctx, known, progress, at.created);
  const seen = (await isGivenUp(ctx, db, { payment, order }, at.created))
    ? giveUp(ctx, await assessPayment(ctx, db, payment), order, at.created)
    : await observeProgress(
        ctx,
        db,
        { payment, order },
        {
          at: at.created,
          evidence: { provider: order.provider, order: order.id, state: order.state, ...returnedOf(progress) },
        },
      );
  const after = seen ? await observe({ ctx, db, at }, payment, seen) : payment;
  await keepDue(db, { payment: after, order }, at.created);
  if (known.state !== order.state || known.depositedUnits !== order.depositedUnits)
    db.afterCommit(() => ctx.db.notify('payments', payment.id));

  await receivePayouts(ctx, db, { payment, order, payouts }, at);
  await takeShortPayouts(ctx, db, { payment, order, payouts }, at);
  await settleHeldPayouts(ctx, db, order, at);
}

/** The payouts that a provider names for an order, as the chain shows them. */
interface NamedPayouts extends RoutedPayment {
  payouts: readonly Transfer[];
}

/**
 * A payout has one part or a few. If a provider names an unrelated transaction, its transfers must not all become rows.
 */
const MAX_PARTS = 5;

/**
 * Stores the transfers of the named transactions: those that the reader would store, and the largest parts that may be
 * a short payout.
 */
async function receivePayouts(
  ctx: Settlement['ctx'],
  db: Transaction,
  { payment, order, payouts }: NamedPayouts,
  at: Instants,
): Promise<void> {
  if (!payment.livemode) {
    await receive(ctx, db, { livemode: false, transfers: payouts }, at.created);
    return;
  }
  const parts = payouts.filter(
    (payout) =>
      payout.to === payment.receiveAddress &&
      payout.asset === payment.receiveAsset &&
      payout.amountUnits <= order.outputUnits &&
      !isBelowCent(payout),
  );
  const largest = parts.toSorted((a, b) => (a.amountUnits > b.amountUnits ? -1 : 1)).slice(0, MAX_PARTS);
  const reporter = UNNAMED_REPORTER;
  await receiveHinted(ctx, db, { network: payment.receiveNetwork, transfers: payouts, reporter }, at.created);
  await receive(ctx, db, { livemode: true, transfers: largest, reporter }, at.created);
}

/** Logs unexpected progress: an order that the provider does not know, or less than it reported before. */
function logUnexpectedProgress(
  ctx: Pick<Context, 'log'>,
  known: StoredOrder,
  progress: RouteProgress,
  now: Date,
): void {
  const about = { paymentId: known.paymentId, orderId: known.id, provider: known.provider, state: known.state };
  const isUnknown = progress.state === 'waiting' && progress.isUnknown;
  if (isUnknown && now.getTime() - known.createdAt.getTime() > UNKNOWN_MS)
    ctx.log.error({ ...about, alarm: 'route_unknown_to_provider' }, 'route provider does not know the order');
  else if (!isUnknown && stateAfter(known.state, progress) !== progress.state)
    ctx.log.warn({ ...about, reported: progress.state }, 'route provider reverted an earlier status');
}

/** What was returned to the customer, and the provider's reason code. Its free text is not shown. */
function returnedOf(progress: RouteProgress): Record<string, unknown> {
  if (progress.state !== 'returned') return {};
  const isCode = progress.reason !== null && /^[A-Z0-9_/]{1,100}$/.test(progress.reason);
  return { returnedUnits: progress.refundedUnits?.toString() ?? null, reason: isCode ? progress.reason : null };
}

/**
 * A payout that the provider names, that no other payment expects and that does not exceed the requested amount belongs
 * to this order: it is short, or so late that its reservation has ended.
 */
async function takeShortPayouts(
  ctx: Settlement['ctx'],
  db: Transaction,
  { payment, order, payouts }: NamedPayouts,
  at: Instants,
): Promise<void> {
  if (order.state !== 'done') return;
  for (const hash of new Set(payouts.map((payout) => payout.txHash))) {
    const stored = await findTransfersByHash(db, payment.livemode, payment.receiveNetwork, hash);
    const short = stored.find(
      (transfer) =>
        transfer.status !== 'dropped' &&
        transfer.paymentId === null &&
        transfer.reason === 'no_match' &&
        transfer.handledAt === null &&
        transfer.to === payment.receiveAddress &&
        transfer.asset === payment.receiveAsset &&
        transfer.amountUnits > 0n &&
        transfer.amountUnits <= order.outputUnits &&
        // A payout cannot precede its order. An earlier transfer belongs to someone else, whatever the provider
        // reports.
        transfer.block.time.getTime() >= order.createdAt.getTime() - EARLY_TOLERANCE_MS,
    );
    if (short)
      await assignToPayment({ ctx, db, at }, short, { paymentId: payment.id, by: 'route', targetId: order.targetId });
  }
}
