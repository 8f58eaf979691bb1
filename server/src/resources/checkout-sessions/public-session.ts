import {
  type Asset,
  findAsset,
  isStablecoin,
  PAY_ASSETS,
  type PublicPaymentJson,
  type PublicSessionJson,
} from '@quittance/contract';
import type { Context } from '../../context.ts';
import { SANDBOX_CONFIRMATIONS } from '../../outside/chains/sandbox/sandbox.ts';
import { isNetworkOffered } from '../../settlement/reading/offered-networks.ts';
import { priceWarning } from '../../settlement/records/route-premium.ts';
import { paymentTag, paymentUri } from '../../outside/chains/payment-uri.ts';
import type { Db } from '../../platform/db/db.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { formatDisplayAmount, formatUnits } from '../../platform/money.ts';
import {
  confirmations,
  confirmationsNeeded,
  finalityRule,
  transferWorthUsdMinor,
  worthUsdMinor,
} from '../../settlement/verification/finality.ts';
import { isOpenPayment, type Payment } from '../../settlement/records/payment.ts';
import { isRound, plainAmount } from '../../settlement/records/exact-amounts.ts';
import { carriedReference } from '../../settlement/records/present-payment.ts';
import { findRemainder } from '../../settlement/outcome/remainder.ts';
import {
  asReceived,
  assessPayments,
  receiveAssetOf,
  type AssessedPayment,
} from '../../settlement/outcome/assessed-payment.ts';
import { findPaymentOfSession } from '../../settlement/records/payment-store.ts';
import { findOrders, type StoredOrder } from '../../settlement/records/route-order-store.ts';
import { findUnfit } from '../payout-wallets/store.ts';
import { clockOf, findMerchant, findHead, findVersion } from './public-session-store.ts';
import { findOtherTransfers } from './near-transfer-store.ts';
import { findEarlier } from './try-store.ts';
import { estimateOption } from './estimates.ts';
import { canRoute } from './routing.ts';
import type { CheckoutSession } from './session.ts';
import { isWithoutMoney, shownTarget } from './shown-target.ts';
import { findSessionById } from './store.ts';
import { DAY_MS, later } from '../../platform/time.ts';
import type { Cached } from '../../platform/cached.ts';

/** A session as its customer may see it, and the payment that it shows. */
export interface PublicView {
  session: CheckoutSession;
  payment: Payment;
  /** The time by the clock that the session follows. */
  now: Date;
}

/** The context for presenting. In a transaction `db` is its own connection, because a second one might not be free. */
export type Viewer = Omit<Context, 'db'> & { db: Db };

/** The session with this id, which is the only credential; 404 if no session has it. */
export async function findPublicView(ctx: Pick<Context, 'db'>, id: string): Promise<PublicView> {
  const found = (await findSessionById(ctx.db, id)) ?? fail('not_found', { param: 'id' });
  const payment = await findPaymentOfSession(ctx.db, id);
  invariant(payment, 'a session has a payment');
  return { session: found.session, payment, now: await clockOf(ctx.db, found.session) };
}

/** Exactly the fields that the hosted page shows. Asks route providers and price sources. */
export async function presentPublicSession(ctx: Context, view: PublicView): Promise<PublicSessionJson> {
  return presentWithOptions(ctx, view, await findOptions(ctx, view.session, isOpenPayment(view.payment)));
}

/** The same in a transaction, with the options that were found before it. Waits for nothing but the database. */
export async function presentWithOptions(
  ctx: Viewer,
  { session, payment, now }: PublicView,
  options: PublicSessionJson['options'],
): Promise<PublicSessionJson> {
  const shown = await presentPayment(ctx, { session, payment }, { isChosen: payment.status !== 'created' });
  const earlier = await findEarlier(ctx.db, session);
  return {
    id: session.id,
    status: payment.status,
    amount: formatDisplayAmount(session.amountMinor),
    currency: session.currency,
    refunded_amount: formatDisplayAmount(payment.refunds.returnedMinor),
    description: session.description,
    line_items: session.lineItems,
    merchant: await findMerchant(ctx.db, session.accountId),
    livemode: session.livemode,
    expires_at: session.expiresAt.toISOString(),
    server_time: now.toISOString(),
    options,
    can_retry: canRetry({ session, payment, now }, shown),
    ...(earlier && { earlier }),
    payment: shown,
  };
}

/** The amount of a sale, and the coins that may pay for it. */
export type Offer = Pick<
  CheckoutSession,
  'livemode' | 'amountMinor' | 'currency' | 'acceptedAssets' | 'receiveAsset' | 'receiveNetwork'
>;

/** How the offer can be paid now. Estimates are for a payment that is open. */
export async function findOptions(ctx: Context, offer: Offer, isOpen: boolean): Promise<PublicSessionJson['options']> {
  const accepted = PAY_ASSETS.filter((asset) => offer.acceptedAssets.includes(asset.key));
  const receive = assetOf(offer.receiveAsset, offer.receiveNetwork);
  return Promise.all(
    accepted.map(async (asset) => {
      const kind = asset.key === receive.key ? ('direct' as const) : ('routed' as const);
      const available =
        kind === 'direct' ? await isReachable(ctx, offer) : await canRoute(ctx, offer.livemode, asset, receive);
      const estimate = isOpen && available ? await estimateOption(ctx, offer, asset, receive) : null;
      return {
        asset: asset.asset,
        network: asset.network,
        kind,
        available,
        estimated_amount: estimate?.amount ?? null,
        typical_seconds: estimate?.seconds ?? null,
      };
    }),
  );
}

/** A customer must not pay on a network that the service cannot read. */
async function isReachable(ctx: Context, offer: Offer): Promise<boolean> {
  return !offer.livemode || isNetworkOffered(ctx, offer.receiveNetwork);
}

/**
 * How the session is paid, once its customer has chosen or money has arrived. An amount that only a program asked for
 * is reserved and not chosen: without `isChosen` it is not shown.
 */
export async function presentPayment(
  ctx: Viewer,
  { session, payment }: Pick<PublicView, 'session' | 'payment'>,
  { isChosen }: { isChosen: boolean },
): Promise<PublicPaymentJson | null> {
  const assessed = (await assessPayments(ctx, ctx.db, [payment])).get(payment.id);
  invariant(assessed, 'every payment has an assessment');
  const target = assessed.targets.at(-1);
  const hasMoney = assessed.transfers.length > 0;
  if (!(target && isChosen) && !hasMoney) return null;

  const orders = await findOrders(ctx.db, payment.id);
  const isUntouched = isOpenPayment(payment) && !hasMoney && orders.every(isWithoutMoney);
  // The wallet may have been found unfit after the customer chose. What is sent there now may be lost.
  if (isUntouched && (await findUnfit(ctx.db, payment.payoutWalletId)) !== null) return null;
  const shown = shownTarget(assessed, orders);
  const order = orders.find((one) => one.targetId === shown?.id);
  return order ? presentRoute(ctx, session, assessed, order) : presentDirect(ctx, session, assessed);
}

async function presentDirect(
  ctx: Viewer,
  session: CheckoutSession,
  assessed: AssessedPayment,
): Promise<PublicPaymentJson> {
  const { payment, direct, transfers } = assessed;
  const asset = receiveAssetOf(payment);
  const shown = assessed.targets.findLast((one) => one.kind === 'direct');
  const target = shown && asReceived(payment, shown);
  const amountUnits = target?.amountUnits ?? direct.requiredUnits ?? 0n;
  const dueUnits = await dueOf(ctx, assessed, amountUnits);
  const identifiedBy = isRound(dueUnits > 0n ? dueUnits : amountUnits, asset) ? 'reference' : 'amount';
  const settings = session.livemode ? ctx.config.networks[payment.receiveNetwork] : undefined;
  const reference = carriedReference(payment.reference, asset);
  const isLocked = target !== undefined && target.lockedUntil < session.expiresAt;
  const amount = (units: bigint) => formatUnits(units, asset.decimals);
  return {
    asset: asset.asset,
    network: asset.network,
    kind: 'direct',
    address: payment.receiveAddress,
    amount: amount(amountUnits),
    amount_due: amount(dueUnits),
    amount_seen: amount(direct.seenUnits),
    amount_received: amount(direct.receivedUnits),
    uri: paymentUri({
      livemode: session.livemode,
      asset,
      to: payment.receiveAddress,
      amountUnits: dueUnits > 0n ? dueUnits : amountUnits,
      reference,
      label: session.description,
      ...(settings && { tokens: settings.tokens, chainId: settings.chainId }),
    }),
    reference,
    tag: target?.takesTag ? paymentTag(asset, payment.reference) : null,
    identified_by: identifiedBy,
    ...(await progressOf(ctx, session, assessed)),
    tx_hashes: [...new Set(transfers.filter((transfer) => !transfer.untraced).map((transfer) => transfer.txHash))],
    failure_reason: payment.failureReason,
    quote_expires_at: isLocked ? target.lockedUntil.toISOString() : null,
    refund_address: null,
    provider: null,
    provider_order: null,
    price_warning_pct: null,
    other_transfers: await findOtherTransfers(ctx.db, payment),
  };
}

/** The missing amount, as the exact amount that is reserved for it. */
async function dueOf(ctx: Viewer, assessed: AssessedPayment, amountUnits: bigint): Promise<bigint> {
  const { payment, direct } = assessed;
  if (direct.seenUnits === 0n) return isOpenPayment(payment) ? amountUnits : 0n;
  if (!direct.dueUnits) return 0n;
  return (await findRemainder(ctx.db, assessed)) ?? plainAmount(direct.dueUnits, receiveAssetOf(payment));
}

async function presentRoute(
  ctx: Viewer,
  session: CheckoutSession,
  assessed: AssessedPayment,
  order: StoredOrder,
): Promise<PublicPaymentJson> {
  const { payment, transfers } = assessed;
  const asset = assetOf(order.payAsset, order.payNetwork);
  // An announced deposit is shown in full while the payment is open, so that the customer does not pay twice. After that
  // no one has it.
  const isAnnounced = order.state === 'seen' && isOpenPayment(payment);
  const seenUnits = order.depositedUnits ?? (isAnnounced || order.depositedAt ? order.inputUnits : 0n);
  const isTaken = ['converting', 'delivering', 'done'].includes(order.state);
  const amount = (units: bigint) => formatUnits(units, asset.decimals);
  const isExpired = payment.status === 'expired';
  const missing = order.inputUnits - seenUnits;
  const dueUnits = isTaken || missing < 0n || seenUnits >= order.minimumInputUnits ? 0n : missing;
  return {
    asset: asset.asset,
    network: asset.network,
    kind: 'routed',
    address: order.depositAddress,
    amount: amount(order.inputUnits),
    amount_due: amount(dueUnits),
    amount_seen: amount(seenUnits),
    amount_received: amount(isTaken ? seenUnits : 0n),
    uri: paymentUri({
      livemode: session.livemode,
      asset,
      to: order.depositAddress,
      amountUnits: dueUnits > 0n ? dueUnits : order.inputUnits,
      reference: null,
      label: session.description,
    }),
    reference: null,
    tag: null,
    identified_by: null,
    ...(await progressOf(ctx, session, assessed)),
    tx_hashes: transfers.filter((transfer) => transfer.attributedBy === 'route').map((transfer) => transfer.txHash),
    // A late deposit is returned, and the payment stays expired.
    failure_reason: isExpired && order.state === 'returned' ? 'route_refunded' : payment.failureReason,
    quote_expires_at: order.lockedUntil < session.expiresAt ? order.lockedUntil.toISOString() : null,
    refund_address: order.refundAddress,
    provider: order.provider,
    provider_order: order.reference,
    price_warning_pct: priceWarning(order.premiumBps, ctx.config.routes),
    other_transfers: await findOtherTransfers(ctx.db, payment),
  };
}

/** How far the newest transfer is from being final. */
async function progressOf(
  ctx: Viewer,
  session: CheckoutSession,
  { payment, transfers }: AssessedPayment,
): Promise<Pick<PublicPaymentJson, 'confirmations' | 'confirmations_needed'>> {
  const newest = transfers.findLast((transfer) => transfer.status === 'seen') ?? transfers.at(-1);
  const asked = worthUsdMinor(payment.amountMinor, payment.currency);
  const sent = newest && isStablecoin(payment.receiveAsset) ? transferWorthUsdMinor(newest) : 0n;
  const override = session.livemode ? ctx.config.networks[payment.receiveNetwork].confirmations : SANDBOX_CONFIRMATIONS;
  const needed = confirmationsNeeded(finalityRule(payment.receiveNetwork, asked > sent ? asked : sent, override));
  if (!newest) return { confirmations: null, confirmations_needed: needed };

  const head = await findHead(ctx.db, session, payment);
  return {
    confirmations: head === null ? 1 : Math.max(1, confirmations(newest.block.number, head)),
    confirmations_needed: needed,
  };
}

function assetOf(symbol: string, network: string): Asset {
  const asset = findAsset(symbol, network);
  invariant(asset, `${symbol} on ${network} is on the Safe List`);
  return asset;
}

/** After that the order is the merchant's to renew: prices and stock may have changed. */
const RETRIED_WITHIN_MS = DAY_MS;

interface Ended {
  session: Pick<CheckoutSession, 'paymentLinkId' | 'retryUntil'>;
  payment: Pick<Payment, 'status' | 'endedAt' | 'failureReason' | 'expiresAt'>;
}

/**
 * Whether the customer may try the same order again: nothing of theirs is with the merchant or a provider. A payment
 * link opens another checkout by itself.
 */
export function canRetry(
  ended: Ended & { now: Date },
  shown: Pick<PublicPaymentJson, 'amount_seen' | 'failure_reason'> | null,
): boolean {
  const {
    session,
    payment: { status, failureReason },
    now,
  } = ended;
  const isReturned = shown?.failure_reason === 'route_refunded' || failureReason === 'transaction_reverted';
  const hasMoney = /[1-9]/.test(shown?.amount_seen ?? '0') && !isReturned;
  const isOver = status === 'expired' || (status === 'failed' && failureReason !== 'transfer_released');
  return session.paymentLinkId === null && isOver && now < retriedUntil(ended) && !hasMoney;
}

/** A day after the first session of the order ended, however often it was tried again since. */
export function retriedUntil({ session, payment: { endedAt, expiresAt } }: Ended): Date {
  return session.retryUntil ?? later(endedAt ?? expiresAt, RETRIED_WITHIN_MS);
}

/**
 * An answer about a session that is made once for all who ask for it within a second, as long as nothing changes that it shows. The
 * version is read before the answer is made, so that a kept answer is never older than its version. `variant` names all of the
 * request that the answer depends on.
 */
export async function sharedAnswer<T>(
  ctx: Pick<Context, 'db'>,
  cache: Cached<T>,
  { id, variant = '' }: { id: string; variant?: string },
  make: () => Promise<T>,
): Promise<T> {
  const version = await findVersion(ctx.db, id);
  return version === undefined ? make() : cache.get(`${id} ${version} ${variant}`, make);
}
