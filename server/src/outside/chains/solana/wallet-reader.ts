import type { BlockRef, Head, Reading } from '../chain.ts';
import type { Provider } from '../rpc/provider.ts';
import type { Window } from '../rpc/window.ts';
import { fingerprints } from './calls.ts';
import type { HistoryLimits } from './history.ts';
import { beginListing, include, type Listing, listMore } from './listing.ts';
import { type EarlyReports, readAhead, readListed, requireCanonical } from './read.ts';
import { readBlocks } from './read-blocks.ts';
import type { Solana, WatchedWallets } from './solana.ts';
import type { Accounts } from './token-accounts.ts';

/** The same for all passes and providers. */
export interface WalletReading {
  solana: Solana;
  accounts: Accounts;
  /** Infinite if there is no limit. */
  historiesPerSecond: number;
  limits: HistoryLimits;
}

/** Accounts with too long a history. Whole blocks are read up to a slot instead. */
interface BusyAccounts {
  until: bigint;
  accounts: ReadonlySet<string>;
  /** When all other accounts were last checked. */
  lookedAtMs: number;
  /** The signatures of the transactions reported by these checks. */
  reported: Set<string>;
}

const MAX_HISTORIES_AT_ONCE = 20;
// Regardless of the number of wallets, everything is covered within about this time.
const LISTED_WITHIN_SECONDS = 60;
const LOOKS_AT_ONCE = 100;
/** While blocks are read for a busy account, all others are checked this often. */
const LOOK_AHEAD_EVERY_MS = 1_000;
const MAX_REPORTED = 20_000;

/**
 * Reads the histories of wallets for one pass from one provider. The state that it keeps between steps may be lost at
 * any time.
 */
export class WalletReader {
  readonly #common: WalletReading;
  readonly #provider: Provider;
  readonly #window: Window;
  #listing: Listing | undefined;
  #busy: BusyAccounts | undefined;
  /** How many histories may be requested, as of `#asOfMs`. */
  #allowance = MAX_HISTORIES_AT_ONCE;
  #asOfMs = performance.now();
  /** The account fingerprints of the last check. */
  #looks: ReadonlyMap<string, string | null> = new Map();
  #early: EarlyReports = { watched: new Set(), slots: new Map() };

  constructor(common: WalletReading, provider: Provider, window: Window) {
    this.#common = common;
    this.#provider = provider;
    this.#window = window;
  }

  /** `isComplete`: nothing more can be reported until there is a newer head. */
  async read(
    after: BlockRef,
    watched: WatchedWallets,
    findHead: () => Promise<Head>,
  ): Promise<{ reading: Reading; isComplete: boolean }> {
    if (this.#busy && this.#busy.until > after.number)
      return { reading: await this.#readBusy(after, watched, this.#busy), isComplete: false };
    this.#busy = undefined;
    const head = await findHead();
    const all = await this.#common.accounts.of(watched);
    await requireCanonical(this.#provider, after);
    const listing = await this.#list(after, head, all);
    if (listing && listing.busy.size > 0) {
      // Whole blocks cover all wallets, so the listing is not needed any more.
      this.#listing = undefined;
      if (listing.covers <= after.number) {
        const others = all.filter((account) => !listing.busy.has(account));
        return { reading: await this.#readChanged(after, others, watched), isComplete: true };
      }
      this.#busy = {
        until: listing.covers,
        accounts: listing.busy,
        lookedAtMs: Number.NEGATIVE_INFINITY,
        reported: new Set(),
      };
      this.#looks = new Map();
      return { reading: await this.#readBusy(after, watched, this.#busy), isComplete: false };
    }
    if (!listing || listing.open.length > 0)
      return { reading: await this.#readChanged(after, all, watched), isComplete: true };

    // For another set of wallets the same transactions may have more transfers.
    if (this.#early.watched !== watched) this.#early = { watched, slots: new Map() };
    const reading = await readListed(this.#common.solana, this.#provider, listing, this.#early);
    if (this.#early.slots.size > MAX_REPORTED) this.#early.slots.clear();
    if (listing.entries.size === 0) this.#listing = undefined;
    return { reading, isComplete: listing.entries.size === 0 && listing.heldUpTo === null };
  }

  /** The listing of these accounts after a block, as far as the allowance permits. */
  async #list(after: BlockRef, head: Head, all: readonly string[]): Promise<Listing | undefined> {
    if (this.#listing?.after.hash !== after.hash) this.#listing = undefined;
    const allowance = this.#allowanceFor(all.length);
    if (allowance < 1) return this.#listing;
    const listing = (this.#listing ??= await beginListing(this.#provider, after, head, this.#common.limits));
    include(listing, all);
    const openBefore = listing.open.length;
    await listMore(this.#provider, listing, allowance);
    this.#allowance -= openBefore - listing.open.length;
    return listing;
  }

  /**
   * Reads whole blocks, which cover all wallets at once, and also recent activity of all accounts except the busy ones,
   * so that their money is seen before the preceding blocks are read.
   */
  async #readBusy(after: BlockRef, watched: WatchedWallets, busy: BusyAccounts): Promise<Reading> {
    const { solana, accounts } = this.#common;
    const reading = await readBlocks(solana, this.#provider, { after, until: busy.until, watched }, this.#window);
    if (performance.now() - busy.lookedAtMs < LOOK_AHEAD_EVERY_MS) return reading;
    const others = (await accounts.of(watched)).filter((account) => !busy.accounts.has(account));
    const ahead = await this.#readChanged(after, others, watched, busy.reported);
    busy.lookedAtMs = performance.now();
    if (busy.reported.size > MAX_REPORTED) busy.reported.clear();
    return {
      ...reading,
      transfers: [...reading.transfers, ...ahead.transfers],
      reverted: [...reading.reverted, ...ahead.reverted],
    };
  }

  /**
   * Reports recent activity of accounts that changed since the last check, without waiting for the listing. `reported`
   * has the signatures reported so far. If it is given, accounts that were never checked count as changed, a few at a
   * time.
   */
  async #readChanged(
    after: BlockRef,
    all: readonly string[],
    watched: WatchedWallets,
    reported?: Set<string>,
  ): Promise<Reading> {
    const parts = Array.from({ length: Math.ceil(all.length / LOOKS_AT_ONCE) }, (_, at) =>
      all.slice(at * LOOKS_AT_ONCE, (at + 1) * LOOKS_AT_ONCE),
    );
    const found = (await this.#provider.batch(parts.map((part) => fingerprints(part, after.number)))).flat();
    const looks = new Map(all.map((account, at) => [account, found[at] ?? null]));
    const changed = all.filter((account) =>
      this.#looks.has(account) ? this.#looks.get(account) !== looks.get(account) : reported !== undefined,
    );
    // Accounts beyond the limit count as changed the next time as well.
    const now = reported ? changed.slice(0, MAX_HISTORIES_AT_ONCE) : changed;
    for (const account of changed.slice(now.length)) looks.delete(account);
    const reading = await readAhead(this.#common.solana, this.#provider, {
      after,
      accounts: now,
      watched,
      reported: reported ?? new Set(),
    });
    for (const signature of reading.signatures) reported?.add(signature);
    this.#looks = looks;
    return reading;
  }

  /** How many histories may be requested by now, because public providers limit them. */
  #allowanceFor(accountCount: number): number {
    const { historiesPerSecond } = this.#common;
    if (historiesPerSecond === Number.POSITIVE_INFINITY) return historiesPerSecond;
    const nowMs = performance.now();
    const perSecond = Math.max(historiesPerSecond, accountCount / LISTED_WITHIN_SECONDS);
    const maxAllowance = Math.max(MAX_HISTORIES_AT_ONCE, perSecond);
    this.#allowance = Math.min(maxAllowance, this.#allowance + (perSecond * (nowMs - this.#asOfMs)) / 1000);
    this.#asOfMs = nowMs;
    return Math.floor(this.#allowance);
  }
}
