import { NETWORKS, type Asset } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Rate } from '../../outside/prices/prices.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail, TemporaryFailure } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import {
  granularityUnits,
  keepRate,
  peggedRate,
  pickAmount,
  requiredUnits,
  tailSteps,
} from '../../settlement/records/amounts.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { directChoice, receiveAssetOf, type Standing } from '../../settlement/outcome/standing.ts';
import {
  countOpenAmounts,
  findTakenAmounts,
  insertTarget,
  takeAmount,
  type AmountPlace,
  type AmountPurpose,
  type Target,
} from '../../settlement/records/target-store.ts';
import { holdForChoice, saveChoice, type Sender } from './choice.ts';
import type { PublicView } from './public-session.ts';

/** How long an amount whose price moves is honoured. */
const LOCK_MS = 15 * MINUTE_MS;
const RETRY_AFTER_SECONDS = 30;
const TRIES = 20;
/**
 * So many amounts of its own one checkout is given within a lock, and so often it may be chosen for at all. Who took one
 * after the other would use them up for all who pay at this wallet, and lie in wait for what others mistype.
 */
const AMOUNTS_MOST = 4;
const CHOICES_MOST = 20;

/** The customer pays the payout asset itself, by an exact amount that is theirs alone. */
export async function chooseDirect(ctx: Context, view: PublicView, sender: Sender | null): Promise<void> {
  const { payment, now } = view;
  const asset = receiveAssetOf(payment);
  const pegged = peggedRate(payment.receiveAsset, payment.currency);
  const rate = await priceOf(ctx, payment);
  const required = requiredUnits(payment.amountMinor, asset, pegged ?? rate);
  const takesTag = await canCarryTag(ctx, payment, asset);
  const realNow = await ctx.db.now();

  await ctx.db.transaction(async (db) => {
    const standing = await holdForChoice(ctx, db, view, asset);
    const at = { created: now, recorded: realNow };
    const current = currentTarget(standing, sender, now);
    const terms = current ??
      reusableTarget(standing, sender, now) ?? {
        amountUnits: await takeExactAmount(ctx, db, payment, asset, required, sender !== null, now),
        requiredUnits: required,
        rate: pegged ? null : keepRate(rate),
        lockedUntil: pegged || later(now, LOCK_MS) > payment.expiresAt ? payment.expiresAt : later(now, LOCK_MS),
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
    }
    const requiredNow = terms.requiredUnits;
    await saveChoice(ctx, db, standing.payment, directChoice(payment, { requiredUnits: requiredNow }), at);
  });
}

/** The newest amount, while it holds and was asked for the same sender: asking again must not use up another. */
function currentTarget({ targets }: Standing, sender: Sender | null, now: Date): Target | undefined {
  const newest = targets.at(-1);
  const isSame = newest?.kind === 'direct' && newest.sender === (sender?.proved ? sender.address : null);
  return isSame && now.getTime() < newest.lockedUntil.getTime() ? newest : undefined;
}

/** One of the amounts that it has already and that still holds, once it has been given as many as it may. */
function reusableTarget({ targets }: Standing, sender: Sender | null, now: Date): Target | undefined {
  const lately = targets.filter(
    (target) => target.kind === 'direct' && target.createdAt.getTime() > now.getTime() - LOCK_MS,
  );
  if (lately.length >= CHOICES_MOST) {
    fail('rate_limited', {
      message: 'The payment method was changed too many times. Pay the latest amount shown or wait a few minutes.',
      retryAfterSeconds: LOCK_MS / SECOND_MS,
    });
  }
  const holding = targets.filter((target) => target.kind === 'direct' && now.getTime() < target.lockedUntil.getTime());
  if (new Set(holding.map((target) => target.amountUnits)).size < AMOUNTS_MOST) return undefined;
  // Without a tail only a wallet that sends the tag can pay it.
  return holding.findLast((target) => sender !== null || target.amountUnits > target.requiredUnits);
}

/** Tokens always; native coins only where no contract would have to take the data with them. Nobody to ask: rather not. */
async function canCarryTag(ctx: Context, payment: Payment, asset: Asset): Promise<boolean> {
  if (NETWORKS[asset.network].family !== 'evm') return false;
  if (asset.asset === 'USDC' || asset.asset === 'USDT' || !payment.livemode) return true;
  try {
    return !((await ctx.chains.get(payment.receiveNetwork)?.hasCode?.(payment.receiveAddress)) ?? true);
  } catch (error) {
    if (!(error instanceof TemporaryFailure)) throw error;
    return false;
  }
}

/** What the payout asset costs by the sources of the mode; 503 where nobody can say. */
export async function priceOf(ctx: Context, payment: Payment): Promise<Rate> {
  if (!payment.livemode) return ctx.prices.fixedRate(payment.receiveAsset, payment.currency);
  try {
    return await ctx.prices.rate(payment.receiveAsset, payment.currency);
  } catch (error) {
    if (!(error instanceof TemporaryFailure)) throw error;
    return fail('service_unavailable', {
      message: `No reliable price of ${payment.receiveAsset} in ${payment.currency} is available. Try again after \`Retry-After\` seconds.`,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: error,
    });
  }
}

/**
 * An amount that nobody else has at this wallet: a tail below one cent, or below five where those are used up. A
 * connected wallet sends the tag, so it can do without where there is none left.
 */
async function takeExactAmount(
  ctx: Context,
  db: Transaction,
  payment: Payment,
  asset: Asset,
  required: bigint,
  canDoWithout: boolean,
  now: Date,
): Promise<bigint> {
  const place = {
    livemode: payment.livemode,
    network: asset.network,
    address: payment.receiveAddress,
    asset: asset.asset,
  };
  if ((await countOpenAmounts(db, payment.accountId, place)) < ctx.config.openTargetsPerAddress) {
    const taken = await takeUniqueAmount(
      db,
      place,
      { asset, required, amountMinor: payment.amountMinor, paymentId: payment.id, purpose: 'target' },
      now,
    );
    if (taken !== undefined) return taken;
  }
  if (canDoWithout) return required;
  return fail('service_unavailable', {
    message:
      'Too many checkouts with this amount are open for this payout wallet. Connect a wallet to pay, or try again after `Retry-After` seconds.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

export interface UniqueAmount {
  asset: Asset;
  required: bigint;
  amountMinor: bigint;
  paymentId: string;
  purpose: AmountPurpose;
}

/** Takes an amount with a tail; undefined where all are in use. The database decides between two who want the same. */
export async function takeUniqueAmount(
  db: Transaction,
  place: AmountPlace,
  wanted: UniqueAmount,
  now: Date,
): Promise<bigint | undefined> {
  const { asset, required, amountMinor, paymentId, purpose } = wanted;
  for (const cents of [1n, 5n]) {
    const steps = tailSteps(required, amountMinor, asset, cents);
    if (steps < 1n) continue;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const taken = await findTakenAmounts(db, place, required, required + steps * granularityUnits(asset));
      const amount = pickAmount(required, asset, steps, taken, now, Math.random());
      if (amount === undefined) break;
      if (await takeAmount(db, place, amount, { paymentId, purpose, until: null }, now)) return amount;
    }
  }
  return undefined;
}
