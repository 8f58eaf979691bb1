import type { AssetSymbol, PaymentStatus, UnattributedReason } from '@quittance/contract';
import type { Transfer } from '../../outside/chains/chain.ts';
import { EARLY_TOLERANCE_MS, isDust } from '../records/amounts.ts';
import { type Attribution, refusalOf, type Rule } from '../records/attribution.ts';
import { chooseClaimed, type Sibling } from './choose-claimed.ts';

/** The part of a payment that attribution needs. */
export interface Candidate {
  paymentId: string;
  status: PaymentStatus;
  createdAt: Date;
  receiveAsset: AssetSymbol;
  receiveNetwork: string;
  receiveAddress: string;
  /** Whether the merchant accepts the payout asset itself. */
  acceptsDirect: boolean;
  amountMinor: bigint;
  /** The whole amount and the missing amount in base units; null if no price is known. */
  requiredUnits: bigint | null;
  dueUnits: bigint | null;
  /** The least that completes it; null if no price is known. */
  enoughUnits: bigint | null;
  /** The transfers that it has, except the one that is attributed. */
  transferCount: number;
}

/**
 * The transfers that count for one payment. Every decision about a payment loads them all, so a payment in slices of a
 * cent must not make the next slice dearer without an end. Assignments by hand are not limited.
 */
export const MAX_TRANSFERS_OF_PAYMENT = 200;

/** Everything known about a transfer except the transfer itself. */
export interface Candidates {
  /** The payment that reserved exactly this amount of this asset at this address. */
  reserved: {
    candidate: Candidate;
    purpose: 'target' | 'remainder' | 'route_output';
    targetId: string | null;
    /** When the payment reserved the amount. An earlier transfer belongs to the previous holder. */
    since: Date;
    until: Date | null;
  } | null;
  /** The payment that the sender signed an authorization for, if the transfer used its nonce. */
  authorized: readonly Candidate[];
  /** The payments whose references the transfer carries, in that order. */
  referenced: readonly Candidate[];
  /** The payments whose references were found without proof. They attribute nothing. */
  unproven: readonly Candidate[];
  /** The payments whose customer proved to be the sender beforehand, for this asset at this address. */
  senders: readonly Candidate[];
  /** The payments that the sender claimed with a signature. */
  claimed: readonly Candidate[];
  /** What else the transaction holds for those payments; empty without a claim. */
  siblings: readonly Sibling[];
  /** The payments that were shown exactly this amount of the same coin at the same address of another network. */
  elsewhere: readonly Candidate[];
  /** The payment and rule before a reorg moved the transfer to another block. */
  former: { candidate: Candidate; by: Rule } | null;
  /**
   * Which sessions use the address: for this asset on this network, for another asset on it, or only on other networks.
   */
  address: { thisAsset: boolean; thisNetwork: boolean; otherNetwork: boolean };
}

/**
 * Decides which payment a transfer belongs to, by the first rule that matches. The payer's own signature over a nonce
 * comes first. The exact amount of a payment takes precedence over references, because others can write a reference. A
 * remainder does not, because its payer chose how much to leave over. Pure.
 */
export function attribute(transfer: Transfer, candidates: Candidates): Attribution {
  const attribution = byFirstRule(transfer, candidates);
  if (attribution.type === 'left' || attribution.by === 'route') return attribution;
  const { paymentId } = attribution;
  const taker = candidatesIn(candidates).find((candidate) => candidate.paymentId === paymentId);
  return taker && isFull(taker, transfer)
    ? { type: 'left', reason: 'too_small', nearPaymentId: paymentId }
    : attribution;
}

/** A payment that has too many transfers still takes one that covers the rest: others may have sent the many. */
function isFull({ transferCount, dueUnits }: Candidate, { amountUnits }: Transfer): boolean {
  if (transferCount < MAX_TRANSFERS_OF_PAYMENT) return false;
  return dueUnits === null || dueUnits === 0n || amountUnits < dueUnits;
}

function candidatesIn({ reserved, authorized, referenced, senders, claimed, former }: Candidates): Candidate[] {
  const single = [reserved, former].flatMap((one) => (one ? [one.candidate] : []));
  return [...single, ...authorized, ...referenced, ...senders, ...claimed];
}

function byFirstRule(transfer: Transfer, candidates: Candidates): Attribution {
  const authorization = firstEligible(transfer, candidates.authorized, 'authorization');
  if (authorization?.type === 'taken') return authorization;
  const amount = byAmount(transfer, candidates);
  if (amount?.type === 'taken' && candidates.reserved?.purpose !== 'remainder') return amount;
  // If the payment that reserved the amount cannot take the money, a proven reference may match one that can.
  const reference = byReference(transfer, candidates);
  if (reference?.type === 'taken') return reference;
  if (amount?.type === 'taken') return amount;

  return (
    authorization ??
    amount ??
    reference ??
    byClaim(transfer, candidates) ??
    bySender(transfer, candidates) ??
    byFormerSender(transfer, candidates) ??
    unattributed(transfer, candidates)
  );
}

function byAmount(transfer: Transfer, { reserved }: Candidates): Attribution | undefined {
  if (!reserved || isTooEarly(transfer, reserved.candidate)) return undefined;
  // The amount may have been reserved for another payment before.
  if (transfer.block.time.getTime() < reserved.since.getTime() - EARLY_TOLERANCE_MS) return undefined;
  // After its quarantine the amount can be reserved again, so it no longer matches. An open payment keeps it until
  // then.
  if (reserved.until && transfer.block.time.getTime() >= reserved.until.getTime() && !isOpen(reserved.candidate))
    return undefined;
  const { paymentId, receiveNetwork, status } = reserved.candidate;
  // A person assigned it money of another network, and it takes no other money.
  if (receiveNetwork !== transfer.network)
    return { type: 'left', reason: refusalOf(status) ?? 'wrong_network', nearPaymentId: paymentId };
  const forRoute = reserved.purpose === 'route_output';
  // A route delivers the payout asset even if customers may not pay with it.
  if (forRoute ? !isForWallet(transfer, reserved.candidate) : !fits(transfer, reserved.candidate)) return undefined;

  const rejection = refusalOf(reserved.candidate.status);
  return rejection
    ? { type: 'left', reason: rejection, nearPaymentId: reserved.candidate.paymentId }
    : {
        type: 'taken',
        paymentId: reserved.candidate.paymentId,
        targetId: reserved.targetId,
        by: forRoute ? 'route' : 'amount',
      };
}

function byReference(transfer: Transfer, { referenced }: Candidates): Attribution | undefined {
  return firstEligible(transfer, referenced, 'reference');
}

function byClaim(transfer: Transfer, { claimed, siblings }: Candidates): Attribution | undefined {
  const inTime = claimed.filter((candidate) => !isTooEarly(transfer, candidate));
  const first = firstEligible(transfer, inTime, 'claim');
  if (first?.type !== 'taken') return first;
  const eligible = inTime.filter((candidate) => firstEligible(transfer, [candidate], 'claim')?.type === 'taken');
  const chosen = chooseClaimed(transfer.amountUnits, eligible, siblings);
  return chosen
    ? { ...first, paymentId: chosen.paymentId }
    : { type: 'left', reason: 'already_paid', nearPaymentId: first.paymentId };
}

function bySender(transfer: Transfer, { senders }: Candidates): Attribution | undefined {
  const possible = senders.filter(
    (candidate) => fits(transfer, candidate) && !refusalOf(candidate.status) && !isTooEarly(transfer, candidate),
  );
  // A conversion does not hide what its customer pays for another checkout.
  const open = possible.filter(isOpen);
  const [only, ...others] = open.length > 0 ? open : possible;
  if (!only || others.length > 0) return undefined;
  if (only.dueUnits === null || transfer.amountUnits < only.dueUnits) return undefined;
  return { type: 'taken', paymentId: only.paymentId, targetId: null, by: 'sender' };
}

/** The sender does not depend on the block. By now its payment may have ended, or may not be its only open one. */
function byFormerSender(transfer: Transfer, { former }: Candidates): Attribution | undefined {
  if (former?.by !== 'sender' || !fits(transfer, former.candidate) || isTooEarly(transfer, former.candidate))
    return undefined;
  return firstEligible(transfer, [former.candidate], 'sender');
}

/**
 * No rule matched. The exact amount on another network names the payment that it was meant for, and an unproven
 * reference the one that the merchant may assign the transfer to.
 */
function unattributed(transfer: Transfer, { address, unproven, elsewhere }: Candidates): Attribution {
  const [meant, ...others] = elsewhere.filter((one) => !refusalOf(one.status) && !isTooEarly(transfer, one));
  if (meant && others.length === 0) return { type: 'left', reason: 'wrong_network', nearPaymentId: meant.paymentId };
  const near = unproven.find((candidate) => fits(transfer, candidate) && !refusalOf(candidate.status));
  return { type: 'left', reason: reasonFor(address), nearPaymentId: near?.paymentId ?? null };
}

function reasonFor({ thisAsset, thisNetwork, otherNetwork }: Candidates['address']): UnattributedReason {
  if (thisAsset) return 'no_match';
  if (thisNetwork) return 'other_asset';
  return otherNetwork ? 'wrong_network' : 'no_match';
}

/**
 * The first payment that can take the transfer, or the reason why the first one cannot. A transfer pays at most one
 * payment.
 */
function firstEligible(transfer: Transfer, candidates: readonly Candidate[], by: Rule): Attribution | undefined {
  let refusal: Attribution | undefined;
  for (const candidate of candidates) {
    // A reference to a session with another wallet does not apply to this one.
    if (candidate.receiveAddress !== transfer.to) continue;
    const rejection =
      candidate.receiveNetwork !== transfer.network
        ? 'wrong_network'
        : !fits(transfer, candidate)
          ? 'other_asset'
          : (refusalOf(candidate.status) ?? (isTooSmall(transfer, candidate) ? 'too_small' : undefined));
    if (!rejection) return { type: 'taken', paymentId: candidate.paymentId, targetId: null, by };
    refusal ??= { type: 'left', reason: rejection, nearPaymentId: candidate.paymentId };
  }
  return refusal;
}

function fits(transfer: Transfer, candidate: Candidate): boolean {
  return isForWallet(transfer, candidate) && candidate.acceptsDirect;
}

function isForWallet(transfer: Transfer, candidate: Candidate): boolean {
  return (
    candidate.receiveAddress === transfer.to &&
    candidate.receiveNetwork === transfer.network &&
    candidate.receiveAsset === transfer.asset
  );
}

function isTooEarly(transfer: Transfer, candidate: Candidate): boolean {
  return transfer.block.time.getTime() < candidate.createdAt.getTime() - EARLY_TOLERANCE_MS;
}

function isTooSmall(transfer: Transfer, candidate: Candidate): boolean {
  if (transfer.amountUnits === 0n) return true;
  if (candidate.requiredUnits === null || candidate.dueUnits === null) return false;
  return isDust(transfer.amountUnits, candidate.dueUnits, candidate.requiredUnits, candidate.amountMinor);
}

function isOpen({ status }: Candidate): boolean {
  return status === 'created' || status === 'pending';
}
