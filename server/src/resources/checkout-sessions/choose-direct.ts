import { type Asset, NETWORKS } from '@quittance/contract';
import type { Client } from '../../platform/http/admission/client.ts';
import type { Context } from '../../context.ts';
import type { Rate } from '../../outside/prices/prices.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail, TemporaryError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { later, SECOND_MS } from '../../platform/time.ts';
import { toStoredRate, peggedRate, requiredUnits } from '../../settlement/records/amounts.ts';
import { isRound, plainAmount } from '../../settlement/records/exact-amounts.ts';
import { MOVING_LOCK_MS } from '../../settlement/records/price-lock.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { directChoice, receiveAssetOf, type AssessedPayment } from '../../settlement/outcome/assessed-payment.ts';
import { recordOffered } from '../../settlement/records/payment-store.ts';
import { recordWalletInteraction, releaseReplacedAmounts } from '../../settlement/records/reserved-amount-store.ts';
import { reserveRemainders } from '../../settlement/attribution/attribute-transfer.ts';
import { insertTarget, type Target } from '../../settlement/records/target-store.ts';
import { holdForChoice, saveChoice, type Sender } from './choice.ts';
import type { PublicView } from './public-session.ts';
import { reserveAmount } from './reserve-amount.ts';

const RETRY_AFTER_SECONDS = 30;
/** How many valid amounts a checkout holds, and how many choices it may make within one price lock. */
export const MAX_HELD_AMOUNTS = 4;
export const MAX_CHOICES = 20;

export interface DirectRequest {
  sender: Sender | null;
  /** Null if the client has no budget. */
  client: Client | null;
  /** If false, the amount is reserved and the payment is not started, because a program only asked what to pay. */
  start?: boolean;
}

/**
 * The customer pays the payout asset itself, by an amount that identifies the payment or by a wallet that sends its
 * reference.
 */
export async function chooseDirect(
  ctx: Context,
  view: PublicView,
  { sender, client, start = true }: DirectRequest,
): Promise<void> {
  const { payment, now } = view;
  const asset = receiveAssetOf(payment);
  const pegged = peggedRate(payment.receiveAsset, payment.currency);
  const rate = await priceOf(ctx, payment);
  const required = requiredUnits(payment.amountMinor, asset, pegged ?? rate);
  const takesTag = await canCarryTag(ctx, payment, asset);
  const identified = identificationOf(asset, sender, takesTag);
  const way: DirectWay = { asset, sender, identified };
  const realNow = await ctx.db.now();

  await ctx.db.transaction(async (db) => {
    const assessed = await holdForChoice(ctx, db, view, asset);
    const at = { created: now, recorded: realNow };
    const current = currentTarget(assessed, way, now);
    const terms = current ??
      reusableTarget(assessed, way, now) ?? {
        amountUnits: await chooseAmount(ctx, db, view, { ...way, required, client }),
        requiredUnits: required,
        rate: pegged ? null : toStoredRate(rate),
        lockedUntil:
          pegged || later(now, MOVING_LOCK_MS) > payment.expiresAt ? payment.expiresAt : later(now, MOVING_LOCK_MS),
      };
    if (!current) {
      const target: Target = {
        id: newId('tgt'),
        paymentId: payment.id,
        livemode: payment.livemode,
        kind: 'direct',
        asset: asset.asset,
        network: asset.network,
        address: payment.receiveAddress,
        amountUnits: terms.amountUnits,
        requiredUnits: terms.requiredUnits,
        rate: terms.rate,
        lockedUntil: terms.lockedUntil,
        refundAddress: null,
        sender: sender?.proved ? sender.address : null,
        takesTag,
        createdAt: now,
      };
      await insertTarget(db, target);
      await releaseReplacedAmounts(db, payment.id, now);
      // The rest has another amount at the new price. Without an exact one, only a wallet that sends a tag could pay it.
      if (assessed.direct.seenUnits > 0n) await reserveRemainders(ctx, db, [payment.id], now);
    }
    if (!start) return recordOffered(ctx, db, payment, now);
    if (sender) await recordWalletInteraction(db, payment.id, now);
    const requiredNow = terms.requiredUnits;
    await saveChoice({ ctx, db, at }, assessed.payment, directChoice(payment, { requiredUnits: requiredNow }));
  });
}

/**
 * What identifies the payment: only its exact amount, only the reference that the customer's wallet sends, or either.
 */
type IdentifiedBy = 'amount' | 'reference' | 'either';

function identificationOf(asset: Asset, sender: Sender | null, takesTag: boolean): IdentifiedBy {
  if (asset.takesMemo) return 'reference';
  if (asset.network === 'solana') return sender ? 'reference' : 'either';
  return sender && (takesTag || sender.proved) ? 'either' : 'amount';
}

/** How the customer pays the payout asset. */
interface DirectWay {
  asset: Asset;
  sender: Sender | null;
  identified: IdentifiedBy;
}

/** The newest amount, while it is valid and has the same sender: a repeated request must not use up another amount. */
function currentTarget(
  { targets }: AssessedPayment,
  { asset, sender, identified }: DirectWay,
  now: Date,
): Target | undefined {
  const newest = targets.at(-1);
  const isSame = newest?.kind === 'direct' && newest.sender === (sender?.proved ? sender.address : null);
  if (!isSame || now.getTime() >= newest.lockedUntil.getTime()) return undefined;
  return identified === 'amount' && isRound(newest.amountUnits, asset) ? undefined : newest;
}

/** A valid amount that the checkout already holds, once it holds as many as it may. */
function reusableTarget({ targets }: AssessedPayment, { asset, identified }: DirectWay, now: Date): Target | undefined {
  const lately = targets.filter(
    (target) => target.kind === 'direct' && target.createdAt.getTime() > now.getTime() - MOVING_LOCK_MS,
  );
  if (lately.length >= MAX_CHOICES) {
    fail('rate_limited', {
      message: 'The payment method was changed too many times. Pay the latest amount shown or wait a few minutes.',
      retryAfterSeconds: MOVING_LOCK_MS / SECOND_MS,
    });
  }
  const holding = targets.filter((target) => target.kind === 'direct' && now.getTime() < target.lockedUntil.getTime());
  if (new Set(holding.map((target) => target.amountUnits)).size < MAX_HELD_AMOUNTS) return undefined;
  return holding.findLast((target) => identified !== 'amount' || !isRound(target.amountUnits, asset));
}

/** An exact amount for this payment, or the plain amount if a reference identifies the payment. */
async function chooseAmount(
  ctx: Context,
  db: Transaction,
  view: PublicView,
  { asset, identified, required, client }: DirectWay & { required: bigint; client: Client | null },
): Promise<bigint> {
  if (identified === 'reference') return plainAmount(required, asset);
  const { amountMinor } = view.payment;
  const reserved = await reserveAmount(ctx, db, view, { asset, required, amountMinor, purpose: 'target', client });
  if (reserved.type === 'reserved') return reserved.amountUnits;
  return identified === 'either' ? plainAmount(required, asset) : reserved.refuse();
}

/**
 * True for tokens, unless a memo names the payment; for native coins only if the recipient is not a contract that must
 * accept the data. False if no provider can be asked.
 */
async function canCarryTag(ctx: Context, payment: Payment, asset: Asset): Promise<boolean> {
  if (NETWORKS[asset.network].family !== 'evm' || asset.takesMemo) return false;
  if (asset.address !== null || !payment.livemode) return true;
  try {
    return !((await ctx.chains.get(payment.receiveNetwork)?.hasCode?.(payment.receiveAddress)) ?? true);
  } catch (error) {
    if (!(error instanceof TemporaryError)) throw error;
    return false;
  }
}

/** The price of the payout asset from the sources of the mode; 503 if none is known. */
export async function priceOf(ctx: Context, payment: Payment): Promise<Rate> {
  if (!payment.livemode) return ctx.prices.fixedRate(payment.receiveAsset, payment.currency);
  try {
    return await ctx.prices.rate(payment.receiveAsset, payment.currency);
  } catch (error) {
    if (!(error instanceof TemporaryError)) throw error;
    return fail('service_unavailable', {
      message: `No reliable price of ${payment.receiveAsset} in ${payment.currency} is available. Try again after \`Retry-After\` seconds.`,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: error,
    });
  }
}
