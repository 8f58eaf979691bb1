import type { AssetSymbol } from '@quittance/contract';
import type { Transfer } from '../../outside/chains/chain.ts';

/** Transfers an hour that an address lists in full until an account proves it. */
export const MAX_LISTED_PER_HOUR = 500;
/** The same for an address that several accounts have saved, or that has code: it may be an exchange's. */
export const MAX_LISTED_UNPROVED_PER_HOUR = 50;

/** Below these amounts, in base units, a transfer is worth less than a cent, or about that for coins whose price moves. */
const DUST_UNITS: Record<string, bigint> = {
  USDC: 10_000n,
  USDT: 10_000n,
  // 0.000001 ETH
  ETH: 1_000_000_000_000n,
  // 0.00001 SOL
  SOL: 10_000n,
};

/** What an address has listed already in the last hour, whether an account proved it, and whether one has to. */
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

export interface Sifted {
  stored: Transfer[];
  /** What was only counted, by address. */
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
 * Chooses what becomes a row. Whatever may belong to a payment does, always. Of the rest dust is only counted, and so is
 * everything past the hourly limit of an address that nobody has proved: an exchange's wallet that somebody saved must
 * not fill the database.
 */
export function sift(
  transfers: readonly Transfer[],
  matches: ReadonlySet<Transfer>,
  activity: ReadonlyMap<string, AddressActivity>,
): Sifted {
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
