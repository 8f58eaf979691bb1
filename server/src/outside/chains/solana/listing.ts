import type { BlockRef, Head } from '../chain.ts';
import { ProviderError } from '../rpc/errors.ts';
import type { Provider } from '../rpc/provider.ts';
import { requireBlock, slotsBetween } from './calls.ts';
import { collectHistory, emptyHistory, type History, type HistoryLimits } from './history.ts';

/**
 * A listing of the histories of all accounts, from one provider and since one block. It may take several steps, because
 * providers limit such calls. After a failure it continues where it stopped.
 */
export interface Listing extends History {
  after: BlockRef;
  /** Complete up to this slot once no account is open, unless `heldUpTo` is lower. */
  readonly covers: bigint;
  readonly accounts: Set<string>;
  readonly open: string[];
}

// Below the maximum range of a slot list, with a margin.
const MAX_SLOTS = 400_000n;
// The network is rarely without a block for longer. A node restarted from a snapshot may be.
const GAP_SLOTS = 16n;

export async function beginListing(
  provider: Provider,
  after: BlockRef,
  head: Head,
  limits: HistoryLimits,
): Promise<Listing> {
  return {
    after,
    covers: await coverableSlot(provider, after.number, head),
    accounts: new Set(),
    open: [],
    ...emptyHistory(limits),
  };
}

/** Adds accounts that were watched later, from the same block on. */
export function include(listing: Listing, accounts: readonly string[]): void {
  for (const account of accounts) {
    if (listing.accounts.has(account)) continue;
    listing.accounts.add(account);
    listing.open.push(account);
  }
}

/** Lists up to `maxAccounts` further accounts. */
export async function listMore(provider: Provider, listing: Listing, maxAccounts: number): Promise<void> {
  const next = listing.open.slice(0, maxAccounts);
  if (next.length === 0) return;
  await collectHistory(provider, listing, next, { after: listing.after.number, atLeast: listing.covers });
  // Another read may have listed some of them meanwhile, and others are open now where these were.
  const listed = new Set(next);
  listing.open.splice(0, listing.open.length, ...listing.open.filter((account) => !listed.has(account)));
}

/** How far this provider's history is complete: the newest finalized slot, unless its ledger has a gap before that. */
async function coverableSlot(provider: Provider, after: bigint, head: Head): Promise<bigint> {
  const finalized = head.finalized ?? after;
  if (finalized <= after) return after;
  const last = finalized - after > MAX_SLOTS ? after + MAX_SLOTS : finalized;
  const slots = await provider.call(slotsBetween(after, last, 'finalized'));
  if (slots[0] !== after)
    throw new ProviderError(`${provider.name} does not list slot ${after} that it has a block of`);
  for (const [at, slot] of slots.entries()) {
    const before = slots[at - 1];
    if (before === undefined || slot - before <= GAP_SLOTS) continue;
    const { parentSlot } = await requireBlock(provider, slot);
    if (parentSlot !== before)
      throw new ProviderError(`${provider.name} has no blocks between slots ${before} and ${slot}`);
  }
  return slots.at(-1) as bigint;
}
