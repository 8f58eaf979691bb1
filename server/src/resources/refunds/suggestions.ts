import type { RefundWarning } from '@quittance/contract/dashboard';

export interface RefundSuggestion {
  address: string;
  /** `given`: the customer named it for refunds. `sender`: money of this payment came from it. */
  kind: 'given' | 'sender';
  /** The maximum to suggest: what this address sent. Null if it sent nothing. */
  units: bigint | null;
  /** It sent less than 5 % of what arrived. Anyone can do that to be listed. */
  isSmall: boolean;
  /** A more trustworthy address that begins and ends alike, or null. */
  resembles: string | null;
}

interface ArrivedMoney {
  isRouted: boolean;
  isEvm: boolean;
  arrivedUnits: bigint;
  /** Addresses that the customer gave for refunds. */
  given: readonly string[];
  transfers: readonly { from: string | null; amountUnits: bigint }[];
}

const SMALL_SHARE_PERCENT = 5n;
const ALIKE_CHARACTERS = 4;

/**
 * Suggested recipients of a refund, the most trustworthy first. A payment's reference is public with its first
 * transfer, so a stranger can send a small amount with it from an address that looks like the customer's. So no
 * suggestion exceeds what its sender sent.
 */
export function suggestRefunds(arrived: ArrivedMoney): RefundSuggestion[] {
  const { isRouted, isEvm, arrivedUnits } = arrived;
  const given = unique(arrived.given, isEvm);
  // The sender of a routed payment is the provider.
  if (isRouted)
    return given.map((address) => ({ address, kind: 'given', units: arrivedUnits, isSmall: false, resembles: null }));

  const sent = new Map<string, { address: string; units: bigint }>();
  for (const { from, amountUnits } of arrived.transfers) {
    if (from === null) continue;
    const key = comparable(from, isEvm);
    const known = sent.get(key);
    sent.set(key, { address: known?.address ?? from, units: (known?.units ?? 0n) + amountUnits });
  }
  const senders = [...sent.values()].sort((a, b) =>
    a.units === b.units ? compare(a.address, b.address) : a.units > b.units ? -1 : 1,
  );
  const others = given.filter((address) => !sent.has(comparable(address, isEvm)));
  const ranked = [...senders.map(({ address }) => address), ...others];
  const lookalikeOf = (address: string, rank: number) =>
    ranked.slice(0, rank).find((better) => areAlike(address, better, isEvm)) ?? null;
  return [
    ...senders.map(
      ({ address, units }, rank): RefundSuggestion => ({
        address,
        kind: 'sender',
        units: units < arrivedUnits ? units : arrivedUnits,
        isSmall: units * 100n < arrivedUnits * SMALL_SHARE_PERCENT,
        resembles: lookalikeOf(address, rank),
      }),
    ),
    ...others.map(
      (address, at): RefundSuggestion => ({
        address,
        kind: 'given',
        units: null,
        isSmall: false,
        resembles: lookalikeOf(address, senders.length + at),
      }),
    ),
  ];
}

/** Warnings before this amount is sent to that address. */
export function warnOfRefund(
  suggestions: readonly RefundSuggestion[],
  refund: { to: string; units: bigint; isEvm: boolean },
): RefundWarning[] {
  const { to, units, isEvm } = refund;
  const known = findSuggestion(suggestions, to, isEvm);
  const isLookalike = known
    ? known.resembles !== null
    : suggestions.some(({ address }) => areAlike(to, address, isEvm));
  const hasSenders = suggestions.some(({ kind }) => kind === 'sender');
  return [
    ...(isLookalike ? ['lookalike' as const] : []),
    ...(known?.kind === 'sender' && known.units !== null && units > known.units ? ['more_than_sent' as const] : []),
    ...(known?.isSmall ? ['small_sender' as const] : []),
    ...(hasSenders && known?.kind !== 'sender' ? ['not_a_sender' as const] : []),
  ];
}

/** The suggestion for exactly this address. */
export function findSuggestion(
  suggestions: readonly RefundSuggestion[],
  to: string,
  isEvm: boolean,
): RefundSuggestion | undefined {
  return suggestions.find(({ address }) => comparable(address, isEvm) === comparable(to, isEvm));
}

function unique(addresses: readonly string[], isEvm: boolean): string[] {
  return [...new Map(addresses.map((address) => [comparable(address, isEvm), address])).values()];
}

/** Addresses are equal only in full; on EVM networks upper and lower case mean the same. */
function comparable(address: string, isEvm: boolean): string {
  return isEvm ? address.toLowerCase() : address;
}

/** Different addresses that look the same once they are shortened. */
function areAlike(one: string, other: string, isEvm: boolean): boolean {
  const [a, b] = [comparable(one, isEvm), comparable(other, isEvm)];
  const start = isEvm ? 2 + ALIKE_CHARACTERS : ALIKE_CHARACTERS;
  return (
    a !== b && a.slice(0, start) === b.slice(0, start) && a.slice(-ALIKE_CHARACTERS) === b.slice(-ALIKE_CHARACTERS)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1;
}
