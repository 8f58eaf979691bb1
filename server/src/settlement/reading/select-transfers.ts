import type { Transfer } from '../../outside/chains/chain.ts';
import { centUnits } from '../records/amounts.ts';

/** Transfers an hour that an address lists in full until an account proves it. */
export const MAX_LISTED_PER_HOUR = 500;
/** The same for an address that several accounts have saved, or that has code: it may belong to an exchange. */
export const MAX_LISTED_UNPROVED_PER_HOUR = 50;

/**
 * Transfers of a transaction to an address that are stored beyond its limits because of a claim, or because of hints.
 * Anyone can write a claim or a tag for all of a transaction's transfers.
 */
export const MAX_BEYOND_LIMITS_PER_TRANSACTION = 8;
/** Transfers an hour that an address stores beyond its limits because of hints. */
export const MAX_STORED_ON_HINTS_PER_HOUR = 50;

/**
 * Why a transfer may belong to a payment. `exact`: its amount is reserved, or the payer signed for it. `proven`: the
 * debited account wrote the reference or proved to be the sender. `claimed`: a claim names the transaction, possibly
 * unverified. `unproven`: anyone may have written the reference, or it is for another network of this wallet.
 */
export type Evidence = 'exact' | 'proven' | 'claimed' | 'unproven';

export interface Match {
  /** Null if nothing but its row is known of the transfer. */
  evidence: Evidence | null;
  /** Whether the transfer has a row already. */
  isKnown: boolean;
}

/**
 * How many transfers an address stored in the last hour, in all and beyond its limits because of hints, whether an
 * account proved it, and whether proof is required.
 */
export interface AddressActivity {
  listed: number;
  storedOnHints: number;
  isProved: boolean;
  needsProof: boolean;
}

/** How many transfers an hour an address lists in full. */
export function listedLimit(known: AddressActivity | undefined): number {
  if (known?.isProved) return Number.POSITIVE_INFINITY;
  return known?.needsProof ? MAX_LISTED_UNPROVED_PER_HOUR : MAX_LISTED_PER_HOUR;
}

export interface SelectedTransfers {
  stored: Transfer[];
  /** Those of `stored` that exceed the limits of their address and are stored because of hints. */
  onHints: Set<Transfer>;
  /** Transfers that were only counted, by address. */
  counted: Map<string, Count>;
}

export interface Count {
  stored: number;
  storedOnHints: number;
  skipped: number;
  dust: number;
  dustUnits: bigint;
}

export function isBelowCent(sent: Sent): boolean {
  return sent.amountUnits < centUnits(sent);
}

type Sent = Pick<Transfer, 'asset' | 'network' | 'amountUnits'>;

type Limit = 'none' | 'claims' | 'hints';

/** The limit on transfers with this evidence. Undefined if nothing distinguishes them from the transfers of strangers. */
function limitOf(transfer: Transfer, match: Match | undefined): Limit | undefined {
  if (match?.isKnown) return 'none';
  const isDust = isBelowCent(transfer);
  switch (match?.evidence) {
    case 'exact':
      return 'none';
    // Dust pays nothing by a reference or a claim. The merchant sees some of it as too small.
    case 'proven':
      return isDust ? 'hints' : 'none';
    case 'claimed':
      return isDust ? 'hints' : 'claims';
    // Of dust, only those for another network of the wallet are looked up.
    case 'unproven':
      return 'hints';
    default:
      return undefined;
  }
}

/** The transfers of a selection, of which each transaction's largest may exceed the limits of their address. */
function largestOfTransactions(
  transfers: readonly Transfer[],
  matches: ReadonlyMap<Transfer, Match>,
): ReadonlySet<Transfer> {
  // Known transfers take part, so that both passes choose the same ones.
  const limited = transfers.flatMap((transfer) => {
    const limit = limitOf(transfer, { evidence: matches.get(transfer)?.evidence ?? null, isKnown: false });
    return limit === 'claims' || limit === 'hints' ? [{ transfer, limit }] : [];
  });
  const groups = Map.groupBy(
    limited,
    ({ transfer, limit }) => `${transfer.txHash} ${transfer.to} ${transfer.asset} ${limit}`,
  );
  return new Set(
    [...groups.values()].flatMap((group) =>
      group
        .map(({ transfer }) => transfer)
        .sort((a, b) => compare(b.amountUnits, a.amountUnits) || a.index - b.index)
        .slice(0, MAX_BEYOND_LIMITS_PER_TRANSACTION),
    ),
  );
}

function compare(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Selects the transfers that become rows. A transfer that a payment can take always does. Others are only counted if
 * they are dust or exceed the hourly limit of an unproved address: neither a saved exchange wallet nor a tag or claim for
 * thousands of transfers may fill the database.
 */
export function selectTransfers(
  transfers: readonly Transfer[],
  matches: ReadonlyMap<Transfer, Match>,
  activity: ReadonlyMap<string, AddressActivity>,
): SelectedTransfers {
  const counted = new Map<string, Count>();
  const onHints = new Set<Transfer>();
  const largest = largestOfTransactions(transfers, matches);
  const stored = transfers.filter((transfer) => {
    const count = counted.get(transfer.to) ?? { stored: 0, storedOnHints: 0, skipped: 0, dust: 0, dustUnits: 0n };
    counted.set(transfer.to, count);
    const known = activity.get(transfer.to);
    const limit = limitOf(transfer, matches.get(transfer));
    const isDust = isBelowCent(transfer);
    const isListed = !isDust && (known?.listed ?? 0) + count.stored < listedLimit(known);
    if (limit !== 'none' && !isListed) {
      const hasRoom = (known?.storedOnHints ?? 0) + count.storedOnHints < MAX_STORED_ON_HINTS_PER_HOUR;
      if (!largest.has(transfer) || (limit === 'hints' && !hasRoom)) {
        if (isDust) {
          count.dust += 1;
          count.dustUnits += transfer.amountUnits;
        } else count.skipped += 1;
        return false;
      }
      if (limit === 'hints') {
        count.storedOnHints += 1;
        onHints.add(transfer);
      }
    }
    count.stored += 1;
    return true;
  });
  return { stored, onHints, counted };
}
