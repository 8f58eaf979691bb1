import { mulDivHalfUp } from '../../platform/money.ts';
import { EARLY_TOLERANCE_MS, toleranceUnits } from '../records/amounts.ts';
import { PEGGED_LOCK_MS } from '../records/price-lock.ts';

/** The terms of a payment. */
export interface Terms {
  amountMinor: bigint;
  expiresAt: Date;
  toleranceBps: number | null;
  /**
   * The asset counts as the currency, so its amounts stay valid at any time; after a day only while the asset keeps its
   * peg.
   */
  pegged: boolean;
}

/** A direct amount that a customer was shown. The newest is the current one. */
export interface DirectTarget {
  id: string;
  amountUnits: bigint;
  requiredUnits: bigint;
  createdAt: Date;
  lockedUntil: Date;
}

/**
 * A transfer of the payment. `sampledRequiredUnits` is the whole amount at the price of the transfer's minute; for a
 * pegged asset it is null unless the asset was off its peg.
 */
export interface Credit {
  txHash: string;
  amountUnits: bigint;
  blockTime: Date;
  final: boolean;
  /** Whether the chain shows the transaction that made the transfer. */
  traced: boolean;
  sampledRequiredUnits: bigint | null;
}

/** How much of the payment the received money covers. */
export interface Assessment {
  /** The whole amount by the current terms; null while no price is known. */
  requiredUnits: bigint | null;
  /** Sum of all transfers in base units, including those that are not final. */
  seenUnits: bigint;
  /** Sum of final transfers in base units. */
  receivedUnits: bigint;
  /** The amount missing after all seen transfers, including its suffix; null while no price is known. */
  dueUnits: bigint | null;
  /** The same without the suffix. */
  missingUnits: bigint | null;
  /** The least that completes it, by the merchant's tolerance. */
  enoughUnits: bigint | null;
  /** Final, traced money that arrived in time is enough. */
  complete: boolean;
  /** It is enough only together with late money. */
  completeLate: boolean;
  /** Final money arrived whose value is unknown. */
  rateUnknown: boolean;
  untraced: boolean;
  inTimeUnits: bigint;
  /** A transfer was seen that is not final yet. */
  unfinal: boolean;
  completedBy: string | null;
  txHashes: string[];
}

/**
 * Compares transfers with the amounts that the customer was shown. A transfer is valued as of when it was sent: by the
 * locked price of its amount if the lock was still valid, otherwise by the price of its minute.
 */
export function assess(terms: Terms, targets: readonly DirectTarget[], credits: readonly Credit[]): Assessment {
  const shown = targets.reduce<DirectTarget | undefined>(
    (newest, target) => (!newest || target.createdAt >= newest.createdAt ? target : newest),
    undefined,
  );
  const inOrder = [...credits].sort((a, b) => a.blockTime.getTime() - b.blockTime.getTime());
  const requiredUnits =
    shown?.requiredUnits ??
    inOrder.find((credit) => credit.sampledRequiredUnits !== null)?.sampledRequiredUnits ??
    null;
  const tolerated = requiredUnits === null ? 0n : toleranceUnits(requiredUnits, terms.amountMinor, terms.toleranceBps);

  let seenWorth = 0n;
  let finalWorth = 0n;
  let inTimeWorth = 0n;
  let completedBy: string | null = null;
  let rateUnknown = false;
  const finals = inOrder.filter((credit) => credit.final);
  for (const credit of inOrder) {
    const worth = requiredUnits === null ? null : worthOf(credit, requiredUnits, terms, targets);
    if (worth === null) {
      rateUnknown ||= credit.final;
      continue;
    }
    seenWorth += worth;
    if (!credit.final || !credit.traced) continue;
    finalWorth += worth;
    if (isInTime(credit, terms)) inTimeWorth += worth;
    if (completedBy === null && requiredUnits !== null && finalWorth >= requiredUnits - tolerated)
      completedBy = credit.txHash;
  }

  const enough = (worth: bigint) => requiredUnits !== null && worth > 0n && worth >= requiredUnits - tolerated;
  const asked = shown?.amountUnits ?? requiredUnits;
  const lacking = (total: bigint | null) =>
    total === null ? null : enough(seenWorth) || seenWorth >= total ? 0n : total - seenWorth;
  const missingUnits = lacking(requiredUnits);
  return {
    requiredUnits,
    seenUnits: sum(inOrder),
    receivedUnits: sum(finals),
    dueUnits: lacking(asked),
    missingUnits,
    enoughUnits: missingUnits && missingUnits - tolerated,
    complete: enough(inTimeWorth),
    completeLate: !enough(inTimeWorth) && enough(finalWorth),
    rateUnknown,
    untraced: inOrder.some((credit) => !credit.traced),
    inTimeUnits: sum(finals.filter((credit) => isInTime(credit, terms))),
    unfinal: inOrder.some((credit) => !credit.final),
    completedBy,
    txHashes: [...new Set(finals.filter((credit) => credit.traced).map((credit) => credit.txHash))],
  };
}

/** The value of a transfer in units of the current terms; null if no price of its time is known. */
function worthOf(credit: Credit, requiredUnits: bigint, terms: Terms, targets: readonly DirectTarget[]): bigint | null {
  if (terms.pegged && credit.sampledRequiredUnits === null) return credit.amountUnits;

  // A later price does not count: it would let the payer wait for a favorable rate.
  const sentMs = credit.blockTime.getTime();
  const lockedUntilMs = (target: DirectTarget) =>
    terms.pegged ? target.createdAt.getTime() + PEGGED_LOCK_MS : target.lockedUntil.getTime();
  const locked = targets.filter(
    (target) => sentMs <= lockedUntilMs(target) && sentMs >= target.createdAt.getTime() - EARLY_TOLERANCE_MS,
  );
  const price =
    locked.find((target) => target.amountUnits === credit.amountUnits) ??
    locked.filter((target) => target.createdAt.getTime() <= sentMs).at(-1) ??
    locked[0];
  const at = price?.requiredUnits ?? credit.sampledRequiredUnits;
  if (at === null) return null;
  return at === requiredUnits ? credit.amountUnits : mulDivHalfUp(credit.amountUnits, requiredUnits, at);
}

/** Late or in time is decided by the block time. */
function isInTime(credit: Credit, terms: Terms): boolean {
  return credit.blockTime.getTime() <= terms.expiresAt.getTime();
}

function sum(credits: readonly Credit[]): bigint {
  return credits.reduce((total, credit) => total + credit.amountUnits, 0n);
}
