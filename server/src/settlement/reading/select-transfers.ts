import type { AssetSymbol } from '@quittance/contract';
import type { Transfer } from '../../outside/chains/chain.ts';

/** Transfers an hour that an address lists in full until an account proves it. */
export const MAX_LISTED_PER_HOUR = 500;
/** The same for an address that several accounts have saved, or that has code: it may belong to an exchange. */
export const MAX_LISTED_UNPROVED_PER_HOUR = 50;

/** In base units. A transfer below is worth less than a cent, or roughly so for volatile coins. */
const DUST_UNITS: Record<string, bigint> = {
  USDC: 10_000n,
  USDT: 10_000n,
  // 0.000001 ETH
  ETH: 1_000_000_000_000n,
  // 0.00001 SOL
  SOL: 10_000n,
};

/**
 * How many transfers an address listed in the last hour, whether an account proved it, and whether proof is required.
 */
export interface AddressActivity {
  listed: number;
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
  /** Transfers that were only counted, by address. */
  counted: Map<string, Count>;
}

export interface Count {
  stored: number;
  skipped: number;
  dust: number;
  dustUnits: bigint;
}

export function isBelowCent(asset: AssetSymbol, amountUnits: bigint): boolean {
  return amountUnits < (DUST_UNITS[asset] ?? 0n);
}

/**
 * Selects the transfers that become rows. A transfer that may belong to a payment always does. Other transfers are only
 * counted if they are dust or exceed the hourly limit of an unproved address: a saved exchange wallet must not fill the
 * database.
 */
export function selectTransfers(
  transfers: readonly Transfer[],
  matches: ReadonlySet<Transfer>,
  activity: ReadonlyMap<string, AddressActivity>,
): SelectedTransfers {
  const counted = new Map<string, Count>();
  const stored = transfers.filter((transfer) => {
    const count = counted.get(transfer.to) ?? { stored: 0, skipped: 0, dust: 0, dustUnits: 0n };
    counted.set(transfer.to, count);
    const known = activity.get(transfer.to);
    if (!matches.has(transfer)) {
      if (isBelowCent(transfer.asset, transfer.amountUnits)) {
        count.dust += 1;
        count.dustUnits += transfer.amountUnits;
        return false;
      }
      if ((known?.listed ?? 0) + count.stored >= listedLimit(known)) {
        count.skipped += 1;
        return false;
      }
    }
    count.stored += 1;
    return true;
  });
  return { stored, counted };
}
