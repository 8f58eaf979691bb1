/**
 * The limits of verification per turn. A call is one JSON-RPC call to one provider; durations of parallel checks add
 * up.
 */
export interface Budget {
  calls: number;
  ms: number;
}

export const ACCOUNT_BUDGET: Budget = { calls: 2_000, ms: 20_000 };
/** At most half of the account's budget, so that one busy address leaves time for the account's other addresses. */
export const ADDRESS_BUDGET: Budget = { calls: 1_000, ms: 10_000 };

/**
 * The most transfers of one item. A transaction with thousands of transfers would otherwise be one item without limit,
 * and budgets and the end of the turn are checked between items only. Fifty share one set of calls, and take a second
 * or two to settle.
 */
export const MAX_ITEM_TRANSFERS = 50;

/** The position at which the last turn ended. The next turn begins with the following account and address. */
export interface TurnPosition {
  account: string;
  addresses: Map<string, string>;
  /**
   * The transfers, by ID, that were not served yet in the current round of an account's address. They come first, so
   * that transfers that stay undecided do not keep the others waiting.
   */
  rounds: Map<string, Set<string>>;
}

/** Transfers of one transaction, and the account and address whose budgets they count against. */
export interface TurnItem<T> {
  account: string;
  address: string;
  transfers: T[];
}

/** What accounts and addresses have spent in this turn. */
export class Spending {
  readonly #spent = new Map<string, Budget>();
  readonly #limits: { account: Budget; address: Budget };

  constructor(limits = { account: ACCOUNT_BUDGET, address: ADDRESS_BUDGET }) {
    this.#limits = limits;
  }

  add(account: string, address: string, { calls, ms }: Budget): void {
    for (const key of [account, `${account} ${address}`]) {
      const before = this.#spent.get(key) ?? { calls: 0, ms: 0 };
      this.#spent.set(key, { calls: before.calls + calls, ms: before.ms + ms });
    }
  }

  mayAccount(account: string): boolean {
    return isBelow(this.#spent.get(account), this.#limits.account);
  }

  mayAddress(account: string, address: string): boolean {
    return isBelow(this.#spent.get(`${account} ${address}`), this.#limits.address);
  }
}

function isBelow(spent: Budget | undefined, limit: Budget): boolean {
  return spent === undefined || (spent.calls < limit.calls && spent.ms < limit.ms);
}

/** The position before the first turn. */
export function startOfTurns(): TurnPosition {
  return { account: '', addresses: new Map(), rounds: new Map() };
}

/** The part of a transfer that decides about its turn. */
export interface Waiting {
  accountId: string;
  transfer: { id: string; txHash: string; to: string };
}

/**
 * Yields transactions, the large ones in parts, in round robin over accounts and their addresses. An address continues
 * its round in the given order: each of its transfers is served once before one is served again. An account or address
 * whose budget is used up is skipped for the rest of the turn. Budgets are checked when the next item is requested, so
 * the caller must add its spending first.
 */
export function* takeTurns<T extends Waiting>(
  due: readonly T[],
  position: TurnPosition,
  spending: Spending,
): Generator<TurnItem<T>, void, void> {
  position.rounds = new Map(
    [...Map.groupBy(due, placeOf)].map(([place, at]) => [place, continueRound(position.rounds.get(place), at)]),
  );
  const isOfRound = (one: T) => position.rounds.get(placeOf(one))?.has(one.transfer.id) === true;
  const ordered = [...due.filter(isOfRound), ...due.filter((one) => !isOfRound(one))];
  const left = new Map(
    [...Map.groupBy(ordered, ({ transfer }) => transfer.txHash)].map(([txHash, all]) => [txHash, new Set(all)]),
  );
  const accounts = beginAfter(
    position.account,
    [...Map.groupBy(ordered, ({ accountId }) => accountId)].map(([account, own]) => ({
      name: account,
      addresses: beginAfter(
        position.addresses.get(account) ?? '',
        [...Map.groupBy(own, ({ transfer }) => transfer.to)].map(([name, at]) => ({ name, waiting: at.values() })),
      ),
    })),
  );
  // Positions of accounts without anything due are deleted.
  const known = new Set(accounts.map(({ name }) => name));
  for (const name of position.addresses.keys()) if (!known.has(name)) position.addresses.delete(name);

  for (let account = accounts.shift(); account; account = accounts.shift()) {
    const item = nextOf(account.name, account.addresses, left, spending);
    if (!item) continue;
    position.account = item.account;
    position.addresses.set(item.account, item.address);
    for (const one of item.transfers) position.rounds.get(placeOf(one))?.delete(one.transfer.id);
    accounts.push(account);
    yield item;
  }
}

function placeOf({ accountId, transfer }: Waiting): string {
  return `${accountId} ${transfer.to}`;
}

/** The rest of a round that is still due; without a rest, a new round of everything due. */
function continueRound(before: Set<string> | undefined, due: readonly Waiting[]): Set<string> {
  const ids = due.map(({ transfer }) => transfer.id);
  const rest = ids.filter((id) => before?.has(id));
  return new Set(rest.length > 0 ? rest : ids);
}

/** Takes up to `max` items. Unlike `Iterator.take`, leaves the turn open. */
export function takeSome<T>(turn: Iterator<TurnItem<T>, void>, max: number): TurnItem<T>[] {
  const some: TurnItem<T>[] = [];
  while (some.length < max) {
    const next = turn.next();
    if (next.done) break;
    some.push(next.value);
  }
  return some;
}

/**
 * Ends a turn after the first `applied` of the items that were taken since the position was `before`. The next turn
 * begins with the others.
 */
export function giveBack<T extends Waiting>(
  position: TurnPosition,
  before: Pick<TurnPosition, 'account' | 'addresses'>,
  items: readonly TurnItem<T>[],
  applied: number,
): void {
  position.account = before.account;
  position.addresses = before.addresses;
  for (const { account, address } of items.slice(0, applied)) {
    position.account = account;
    position.addresses.set(account, address);
  }
  for (const one of items.slice(applied).flatMap(({ transfers }) => transfers))
    position.rounds.get(placeOf(one))?.add(one.transfer.id);
}

/** The next item of an account within its budgets. Moves its address to the end of the queue. */
function nextOf<T extends Waiting>(
  account: string,
  addresses: { name: string; waiting: Iterator<T> }[],
  left: Map<string, Set<T>>,
  spending: Spending,
): TurnItem<T> | undefined {
  if (!spending.mayAccount(account)) return undefined;
  for (let address = addresses.shift(); address; address = addresses.shift()) {
    if (!spending.mayAddress(account, address.name)) continue;
    for (let next = address.waiting.next(); !next.done; next = address.waiting.next()) {
      const transaction = left.get(next.value.transfer.txHash);
      if (!transaction?.has(next.value)) continue;
      addresses.push(address);
      return { account, address: address.name, transfers: takePart(transaction, next.value) };
    }
  }
  return undefined;
}

/**
 * Takes up to `MAX_ITEM_TRANSFERS` of what is left of a transaction: those to the address of the given transfer, which
 * is the first of them, then others, so that a transaction that pays many addresses is verified with one set of calls.
 */
function takePart<T extends Waiting>(transaction: Set<T>, first: T): T[] {
  const place = placeOf(first);
  const { own = [], others = [] } = Object.groupBy(transaction, (one) => (placeOf(one) === place ? 'own' : 'others'));
  const part = [...own, ...others].slice(0, MAX_ITEM_TRANSFERS);
  for (const one of part) transaction.delete(one);
  return part;
}

/** Sorts by name, beginning with the first name after the given one. */
function beginAfter<T extends { name: string }>(last: string, all: readonly T[]): T[] {
  const sorted = all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const start = sorted.findIndex(({ name }) => name > last);
  return start < 0 ? sorted : [...sorted.slice(start), ...sorted.slice(0, start)];
}
