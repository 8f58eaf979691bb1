import { type Asset, findAsset } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Rate } from '../../outside/prices/prices.ts';
import type { Db } from '../../platform/db/db.ts';
import { invariant } from '../../platform/errors.ts';
import { later } from '../../platform/time.ts';
import { peggedRate, requiredUnits, unitsOn } from '../records/amounts.ts';
import { findSettings } from '../records/payment-store.ts';
import type { Payment } from '../records/payment.ts';
import { isOffPeg, PEGGED_LOCK_MS } from '../records/price-lock.ts';
import { findSamples, minuteOf, pairOf } from '../records/rate-store.ts';
import { findPricingTargets, type Target } from '../records/target-store.ts';
import { findTransfersOf, type StoredTransfer } from '../records/transfer-store.ts';
import { assess, type Assessment } from './assess.ts';
import type { Choice, Money, Observation } from './lifecycle.ts';

/** A payment with its transfers and the targets that value them. */
export interface AssessedPayment {
  payment: Payment;
  /** Direct and routed targets, oldest first: the newest, and those that price a transfer. */
  targets: Target[];
  /** Direct transfers and payouts of routes, oldest first. Those that a reorg has put in doubt are open (`asOpen`). */
  transfers: StoredTransfer[];
  /** The assessment of the direct transfers. */
  direct: Assessment;
  acceptsDirect: boolean;
  toleranceBps: number | null;
  /**
   * The price of a transfer's minute; null if none was stored. For a pegged asset, null unless it was off its peg after
   * a day.
   */
  rateAt(transfer: StoredTransfer): Fraction | null;
}

type Fraction = Pick<Rate, 'numerator' | 'denominator'>;

/**
 * Loads the assessed of payments in a fixed number of queries. `exceptId` leaves out a transfer whose attribution is
 * being decided.
 */
export async function assessPayments(
  ctx: Pick<Context, 'prices'>,
  db: Db,
  payments: readonly Payment[],
  exceptId?: string,
): Promise<Map<string, AssessedPayment>> {
  if (payments.length === 0) return new Map();
  const ids = payments.map((payment) => payment.id);
  const targets = Map.groupBy(await findPricingTargets(db, ids), (target) => target.paymentId);
  const counted = (await findTransfersOf(db, ids)).filter((transfer) => transfer.id !== exceptId);
  const transfers = Map.groupBy(counted, (transfer) => transfer.paymentId ?? '');
  const settings = await findSettings(db, ids);
  const rateOf = await findRates(ctx, db, payments, transfers);

  return new Map(
    payments.map((payment) => {
      const own = (transfers.get(payment.id) ?? []).map((transfer) => asOpen(payment, transfer));
      const asset = receiveAssetOf(payment);
      const setting = settings.get(payment.id);
      const pegged = peggedRate(payment.receiveAsset, payment.currency);
      const rateAt = (transfer: StoredTransfer) => rateOf(payment, transfer);
      const requiredAt = (rate: Fraction | null) => rate && requiredUnits(payment.amountMinor, asset, rate);
      const shown = targets.get(payment.id) ?? [];
      const directTargets = shown.flatMap((one) => (one.kind === 'direct' ? [asReceived(payment, one)] : []));
      const direct = assess(
        {
          amountMinor: payment.amountMinor,
          expiresAt: payment.expiresAt,
          toleranceBps: setting?.toleranceBps ?? null,
          pegged: pegged !== undefined,
        },
        // The amount in a pegged asset is known even if the customer has not been shown one yet.
        directTargets.length === 0 && pegged
          ? [impliedTarget(payment, requiredUnits(payment.amountMinor, asset, pegged))]
          : directTargets,
        own
          .filter((transfer) => transfer.attributedBy !== 'route')
          .map((transfer) => ({
            txHash: transfer.txHash,
            amountUnits: transfer.amountUnits,
            blockTime: transfer.block.time,
            final: transfer.status === 'final',
            traced: !transfer.untraced,
            sampledRequiredUnits: requiredAt(rateAt(transfer)),
          })),
      );
      return [
        payment.id,
        {
          payment,
          targets: shown,
          transfers: own,
          direct,
          acceptsDirect: setting?.acceptedAssets.includes(asset.key) ?? false,
          toleranceBps: setting?.toleranceBps ?? null,
          rateAt,
        },
      ];
    }),
  );
}

/**
 * A final transfer that a reorg has put in doubt, and that no status has counted, is as open as one that was just seen:
 * `reopenMarked` opens it soon, but the reader marks it while other money is settled and windows are closed.
 */
function asOpen(payment: Payment, transfer: StoredTransfer): StoredTransfer {
  const isOpen = transfer.evidence.doubted !== undefined && payment.actualOutputUnits === null;
  return isOpen && transfer.status === 'final' ? { ...transfer, status: 'seen' } : transfer;
}

/** The effect of a payment's direct money, or undefined if it has none yet. */
export function observeMoney(
  assessed: AssessedPayment,
  evidence: Record<string, unknown>,
  at: Date,
): Observation | undefined {
  const { payment, direct } = assessed;
  const money = moneyOf(direct);
  const choice = directChoice(payment, direct);
  if (direct.complete) return { type: 'funded', at, money, choice, evidence };
  // The conversion may still pay. Its end shows what arrived beside it, see `endWith`.
  if (payment.status === 'routing' || payment.status === 'settling') return undefined;
  if (direct.completeLate) return { type: 'funded_late', at, money, choice, evidence };
  // Money that is not final yet may be enough by itself.
  if (direct.rateUnknown && !direct.unfinal) return { type: 'rate_unknown', at, money, choice, evidence };
  if (direct.receivedUnits === 0n) return undefined;

  switch (payment.status) {
    case 'created':
      return { type: 'payment_started', at, choice, evidence };
    case 'expired':
      return direct.inTimeUnits > 0n
        ? { type: 'window_closed_short', at, money, choice, evidence }
        : { type: 'funded_late', at, money, choice, evidence };
    case 'failed':
      return { type: 'window_closed_short', at, money, choice, evidence };
    default:
      return undefined;
  }
}

/** The effect of the end of the window or of a conversion, given the received money and possibly a reverted transaction. */
export function observeClosing(
  assessed: AssessedPayment,
  reverted: boolean,
  evidence: Record<string, unknown>,
  at: Date,
): Observation {
  const { direct } = assessed;
  const money = moneyOf(direct);
  const choice = directChoice(assessed.payment, direct);
  if (direct.complete) return { type: 'funded', at, money, choice, evidence };
  if (direct.completeLate) return { type: 'funded_late', at, money, choice, evidence };
  if (direct.rateUnknown) return { type: 'rate_unknown', at, money, choice, evidence };
  if (direct.untraced) return { type: 'window_closed_untraced', at, money, choice, evidence };
  // The last choice may have been a conversion that never took place: no fee was taken, and the sender is the customer.
  if (direct.receivedUnits > 0n) return { type: 'window_closed_short', at, money, choice, evidence };
  return reverted ? { type: 'window_closed_reverted', at, evidence } : { type: 'window_closed', at, evidence };
}

export function moneyOf(direct: Assessment): Money {
  return {
    outputUnits: direct.receivedUnits,
    txHash: direct.completedBy ?? direct.txHashes.at(-1) ?? null,
    txHashes: direct.txHashes,
  };
}

/** The direct route as the payment shows it once money or the customer has chosen it. */
export function directChoice(payment: Payment, direct: Pick<Assessment, 'requiredUnits'>): Choice {
  return {
    route: 'direct',
    payAsset: payment.receiveAsset,
    payNetwork: payment.receiveNetwork,
    serviceFeeMinor: 0n,
    expectedOutputUnits: direct.requiredUnits,
  };
}

export function receiveAssetOf(payment: Pick<Payment, 'receiveAsset' | 'receiveNetwork'>): Asset {
  const asset = findAsset(payment.receiveAsset, payment.receiveNetwork);
  invariant(asset, 'a payout asset is on the Safe List');
  return asset;
}

/** A direct target with its amounts in the coin that arrived, which may be on another network than the one shown. */
export function asReceived({ receiveAsset, receiveNetwork }: Payment, target: Target): Target {
  if (target.network === receiveNetwork) return target;
  const units = (shown: bigint) => unitsOn(receiveNetwork, shown, receiveAsset, target.network);
  return {
    ...target,
    network: receiveNetwork,
    amountUnits: units(target.amountUnits),
    requiredUnits: units(target.requiredUnits),
  };
}

function impliedTarget(payment: Payment, required: bigint) {
  return {
    id: '',
    amountUnits: required,
    requiredUnits: required,
    createdAt: payment.createdAt,
    lockedUntil: payment.expiresAt,
  };
}

/** The prices of the minutes in which transfers have their blocks. */
async function findRates(
  ctx: Pick<Context, 'prices'>,
  db: Db,
  payments: readonly Payment[],
  transfers: ReadonlyMap<string, StoredTransfer[]>,
): Promise<(payment: Payment, transfer: StoredTransfer) => Fraction | null> {
  const wanted = payments
    .filter((payment) => payment.livemode)
    .flatMap((payment) =>
      (transfers.get(payment.id) ?? [])
        .filter((transfer) => !peggedRateOf(payment) || isPastPeggedLock(payment, transfer))
        .map((transfer) => ({ pair: sampledPairOf(payment), minute: minuteOf(transfer.block.time) })),
    );
  const samples = await findSamples(db, wanted);

  return (payment, transfer) => {
    const pegged = peggedRateOf(payment);
    if (!payment.livemode) {
      // Test mode has its own constant prices.
      return pegged ? null : ctx.prices.fixedRate(payment.receiveAsset, payment.currency);
    }
    if (pegged && !isPastPeggedLock(payment, transfer)) return null;
    const rate = samples(sampledPairOf(payment), minuteOf(transfer.block.time));
    if (!rate) return null;
    if (!pegged) return rate;
    return isOffPeg(rate)
      ? {
          numerator: rate.numerator * pegged.numerator,
          denominator: rate.denominator * pegged.denominator,
        }
      : null;
  };
}

function peggedRateOf({ receiveAsset, currency }: Payment): Fraction | undefined {
  return peggedRate(receiveAsset, currency);
}

/** For pegged assets the dollar price is stored, whatever the currency. */
function sampledPairOf(payment: Payment) {
  return pairOf(payment.receiveAsset, peggedRateOf(payment) ? 'USD' : payment.currency);
}

/** A price of a dollar stablecoin is never quoted before its payment exists. */
function isPastPeggedLock({ createdAt }: Payment, { block }: StoredTransfer): boolean {
  return block.time > later(createdAt, PEGGED_LOCK_MS);
}
