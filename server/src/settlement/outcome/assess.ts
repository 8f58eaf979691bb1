import { mulDivHalfUp } from '../../platform/money.ts';
import { EARLY_TOLERANCE_MS, toleranceUnits } from '../records/amounts.ts';
import { PEGGED_LOCK_MS } from '../records/price-lock.ts';

/** What a payment asks for. */
export interface Terms {
  amountMinor: bigint;
  expiresAt: Date;
  toleranceBps: number | null;
  /** The coin counts as the currency, so amounts hold whenever they are sent; after a day only while the coin keeps its peg. */
  pegged: boolean;
}

/** A direct amount that was given out; the newest is the one being shown. */
export interface DirectTarget {
  id: string;
  amountUnits: bigint;
  requiredUnits: bigint;
  createdAt: Date;
  lockedUntil: Date;
}

/** A transfer that belongs to the payment, and what the whole would have taken at the price of its minute. Of a pegged coin that is null unless it was off its peg. */
export interface Credit {
  txHash: string;
  amountUnits: bigint;
  blockTime: Date;
  final: boolean;
  /** Whether the chain shows the transaction it came by. */
  traced: boolean;
  sampledRequiredUnits: bigint | null;
}

/** What the money that came amounts to. */
export interface Assessment {
  /** What the whole takes at the terms shown; null while no price is known. */
  requiredUnits: bigint | null;
  /** Raw units, unfinal ones too. */
  seenUnits: bigint;
  /** Raw units, final ones only. */
  receivedUnits: bigint;
  /** What is still missing after all that was seen, its tail included; null while no price is known. */
  dueUnits: bigint | null;
  /** The same without the tail. */
  missingUnits: bigint | null;
  /** Final, traced money that came in time is enough. */
  complete: boolean;
  /** It is enough only with what came late. */
  completeLate: boolean;
  /** Final money is there whose worth nobody can tell. */
  rateUnknown: boolean;
  untraced: boolean;
  inTimeUnits: bigint;
  /** Something is in sight that is not final yet. */
  unfinal: boolean;
  completedBy: string | null;
  txHashes: string[];
}

/**
 * What transfers amount to against what was asked. Each is worth what it was worth when it was sent: by the amount it
 * was asked for while its price was locked, by the price of its minute otherwise.
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
  return {
    requiredUnits,
    seenUnits: sum(inOrder),
    receivedUnits: sum(finals),
    dueUnits: asked === null ? null : enough(seenWorth) || seenWorth >= asked ? 0n : asked - seenWorth,
    missingUnits:
      requiredUnits === null ? null : enough(seenWorth) || seenWorth >= requiredUnits ? 0n : requiredUnits - seenWorth,
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

/** What a transfer is worth in units of the terms shown; null where no price of its time is known. */
function worthOf(credit: Credit, requiredUnits: bigint, terms: Terms, targets: readonly DirectTarget[]): bigint | null {
  if (terms.pegged && credit.sampledRequiredUnits === null) return credit.amountUnits;

  // A price of a later time does not count: a payer who has already sent could wait for a favorable one.
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

/** Late or in time is the block's word. */
function isInTime(credit: Credit, terms: Terms): boolean {
  return credit.blockTime.getTime() <= terms.expiresAt.getTime();
}

function sum(credits: readonly Credit[]): bigint {
  return credits.reduce((total, credit) => total + credit.amountUnits, 0n);
}
