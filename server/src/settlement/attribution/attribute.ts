import type { AssetSymbol, PaymentStatus, UnattributedReason } from '@quittance/contract';
import type { Transfer } from '../../outside/chains/chain.ts';
import { EARLY_TOLERANCE_MS, isDust } from '../records/amounts.ts';
import type { Attribution, Rule } from '../records/attribution.ts';

/** As much of a payment as deciding takes. */
export interface Claimant {
  paymentId: string;
  status: PaymentStatus;
  createdAt: Date;
  receiveAsset: AssetSymbol;
  receiveNetwork: string;
  receiveAddress: string;
  /** Whether the merchant accepts the payout asset itself. */
  acceptsDirect: boolean;
  amountMinor: bigint;
  /** What the whole takes, and what is still missing, in base units; null where no price is known. */
  requiredUnits: bigint | null;
  dueUnits: bigint | null;
}

/** What is known of a transfer besides itself. */
export interface Clues {
  /** Who was given exactly this amount of this asset at this address. */
  reserved: {
    claimant: Claimant;
    purpose: 'target' | 'remainder' | 'route_output';
    targetId: string | null;
    /** When the payment was given the amount. An earlier transfer is somebody else's. */
    since: Date;
    until: Date | null;
  } | null;
  /** The payment that its sender signed an authorization for, whose nonce the transfer used. */
  authorized: readonly Claimant[];
  /** Whose references it carries, in the order it carries them. */
  referenced: readonly Claimant[];
  /** Whose references stand beside it without proof. They attribute nothing. */
  unproven: readonly Claimant[];
  /** Who proved to be its sender beforehand, with an amount of this asset at this address to pay. */
  senders: readonly Claimant[];
  /** Whose claim its sender has signed. */
  claimed: readonly Claimant[];
  /** Whose it was in the block where it stood before a reorganisation, and by which rule. */
  former: { claimant: Claimant; by: Rule } | null;
  /** What sessions there are for the address: for this asset here, for another asset here, on other networks only. */
  address: { thisAsset: boolean; thisNetwork: boolean; otherNetwork: boolean };
}

/**
 * Which payment takes a transfer, by the first rule that answers. The payer's own signature over a nonce stands first. The
 * exact amount of a payment stands above references, because a reference may be written by others. A remainder does not:
 * its payer chose how much to leave over. Reads nothing.
 */
export function attribute(transfer: Transfer, clues: Clues): Attribution {
  const authorization = firstThatCan(transfer, clues.authorized, 'authorization');
  if (authorization?.type === 'taken') return authorization;
  const amount = byAmount(transfer, clues);
  if (amount?.type === 'taken' && clues.reserved?.purpose !== 'remainder') return amount;
  // If the amount's owner cannot take the money, a proven reference may still name somebody who can.
  const reference = byReference(transfer, clues);
  if (reference?.type === 'taken') return reference;
  if (amount?.type === 'taken') return amount;

  return (
    authorization ??
    amount ??
    reference ??
    byClaim(transfer, clues) ??
    bySender(transfer, clues) ??
    byFormerSender(transfer, clues) ??
    nobody(transfer, clues)
  );
}

function byAmount(transfer: Transfer, { reserved }: Clues): Attribution | undefined {
  if (!reserved || isTooEarly(transfer, reserved.claimant)) return undefined;
  // The amount may have been another payment's before.
  if (transfer.block.time.getTime() < reserved.since.getTime() - EARLY_TOLERANCE_MS) return undefined;
  // After its quarantine the amount may be given to somebody else, so it says nothing any more. An open payment keeps it until then.
  if (reserved.until && transfer.block.time.getTime() >= reserved.until.getTime() && !isOpen(reserved.claimant))
    return undefined;
  const forRoute = reserved.purpose === 'route_output';
  // A route delivers the payout asset whether or not customers may pay with it.
  if (forRoute ? !isForWallet(transfer, reserved.claimant) : !fits(transfer, reserved.claimant)) return undefined;

  const obstacle = obstacleOf(reserved.claimant, forRoute);
  return obstacle
    ? { type: 'left', reason: obstacle, nearPaymentId: reserved.claimant.paymentId }
    : {
        type: 'taken',
        paymentId: reserved.claimant.paymentId,
        targetId: reserved.targetId,
        by: forRoute ? 'route' : 'amount',
      };
}

function byReference(transfer: Transfer, { referenced }: Clues): Attribution | undefined {
  return firstThatCan(transfer, referenced, 'reference');
}

function byClaim(transfer: Transfer, { claimed }: Clues): Attribution | undefined {
  return firstThatCan(
    transfer,
    claimed.filter((claimant) => !isTooEarly(transfer, claimant)),
    'claim',
  );
}

function bySender(transfer: Transfer, { senders }: Clues): Attribution | undefined {
  const possible = senders.filter(
    (claimant) => fits(transfer, claimant) && !obstacleOf(claimant) && !isTooEarly(transfer, claimant),
  );
  const [only] = possible;
  if (!only || possible.length > 1) return undefined;
  if (only.dueUnits === null || transfer.amountUnits < only.dueUnits) return undefined;
  return { type: 'taken', paymentId: only.paymentId, targetId: null, by: 'sender' };
}

/** Who it came from does not depend on the block, and by now its payment may not be open or the only one any more. */
function byFormerSender(transfer: Transfer, { former }: Clues): Attribution | undefined {
  if (former?.by !== 'sender' || !fits(transfer, former.claimant) || isTooEarly(transfer, former.claimant))
    return undefined;
  return firstThatCan(transfer, [former.claimant], 'sender');
}

/** Nothing proves whose it is. An unproven reference only names the payment that the merchant may assign it to. */
function nobody(transfer: Transfer, { address, unproven }: Clues): Attribution {
  const reason = address.thisAsset
    ? 'no_match'
    : address.thisNetwork
      ? 'other_asset'
      : address.otherNetwork
        ? 'wrong_network'
        : 'no_match';
  const near = unproven.find((claimant) => fits(transfer, claimant) && !obstacleOf(claimant));
  return { type: 'left', reason, nearPaymentId: near?.paymentId ?? null };
}

/** The first payment that can take it; where none can, why the first cannot. One transfer pays at most one. */
function firstThatCan(transfer: Transfer, claimants: readonly Claimant[], by: Rule): Attribution | undefined {
  let refusal: Attribution | undefined;
  for (const claimant of claimants) {
    // A reference to a session of another wallet says nothing about this one.
    if (claimant.receiveAddress !== transfer.to) continue;
    const obstacle =
      claimant.receiveNetwork !== transfer.network
        ? 'wrong_network'
        : !fits(transfer, claimant)
          ? 'other_asset'
          : (obstacleOf(claimant) ?? (isTooSmall(transfer, claimant) ? 'too_small' : undefined));
    if (!obstacle) return { type: 'taken', paymentId: claimant.paymentId, targetId: null, by };
    refusal ??= { type: 'left', reason: obstacle, nearPaymentId: claimant.paymentId };
  }
  return refusal;
}

function fits(transfer: Transfer, claimant: Claimant): boolean {
  return isForWallet(transfer, claimant) && claimant.acceptsDirect;
}

function isForWallet(transfer: Transfer, claimant: Claimant): boolean {
  return (
    claimant.receiveAddress === transfer.to &&
    claimant.receiveNetwork === transfer.network &&
    claimant.receiveAsset === transfer.asset
  );
}

function isTooEarly(transfer: Transfer, claimant: Claimant): boolean {
  return transfer.block.time.getTime() < claimant.createdAt.getTime() - EARLY_TOLERANCE_MS;
}

function isTooSmall(transfer: Transfer, claimant: Claimant): boolean {
  if (transfer.amountUnits === 0n) return true;
  if (claimant.requiredUnits === null || claimant.dueUnits === null) return false;
  return isDust(transfer.amountUnits, claimant.dueUnits, claimant.requiredUnits, claimant.amountMinor);
}

function isOpen({ status }: Claimant): boolean {
  return status === 'created' || status === 'pending';
}

/** Why a payment in this state takes no more money. */
function obstacleOf(claimant: Claimant, forRoute = false): UnattributedReason | undefined {
  switch (claimant.status) {
    case 'paid':
      return 'already_paid';
    case 'refunded':
      return 'already_refunded';
    case 'routing':
    case 'settling':
      // The route's asset is fixed by now; what else comes is not part of it.
      return forRoute ? undefined : 'other_asset';
    default:
      return undefined;
  }
}
