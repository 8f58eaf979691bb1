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

/** The position at which the last turn ended. The next turn begins with the following account and address. */
export interface TurnPosition {
  account: string;
  addresses: Map<string, string>;
}

/** The transfers of one transaction, and the account and address whose budgets it counts against. */
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

/**
 * Yields transactions in round robin over accounts and their addresses, each address in the given order. An account or
 * address whose budget is used up is skipped for the rest of the turn. Budgets are checked when the next transaction is
 * requested, so the caller must add its spending first.
 */
export function* takeTurns<T extends { accountId: string; transfer: { txHash: string; to: string } }>(
  due: readonly T[],
  position: TurnPosition,
  spending: Spending,
): Generator<TurnItem<T>, void, void> {
  const transactions = Map.groupBy(due, ({ transfer }) => transfer.txHash);
  const accounts = beginAfter(
    position.account,
    [...Map.groupBy(due, ({ accountId }) => accountId)].map(([account, own]) => ({
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
    const item = nextOf(account.name, account.addresses, transactions, spending);
    if (!item) continue;
    position.account = item.account;
    position.addresses.set(item.account, item.address);
    accounts.push(account);
    yield item;
  }
}

/** Takes up to `most` items. Unlike `Iterator.take`, leaves the turn open. */
export function takeSome<T>(turn: Iterator<TurnItem<T>, void>, max: number): TurnItem<T>[] {
  const some: TurnItem<T>[] = [];
  while (some.length < max) {
    const next = turn.next();
    if (next.done) break;
    some.push(next.value);
  }
  return some;
}

/** The next transaction of an account within its budgets. Moves its address to the end of the queue. */
function nextOf<T extends { transfer: { txHash: string } }>(
  account: string,
  addresses: { name: string; waiting: Iterator<T> }[],
  transactions: Map<string, T[]>,
  spending: Spending,
): TurnItem<T> | undefined {
  if (!spending.mayAccount(account)) return undefined;
  for (let address = addresses.shift(); address; address = addresses.shift()) {
    if (!spending.mayAddress(account, address.name)) continue;
    for (let next = address.waiting.next(); !next.done; next = address.waiting.next()) {
      const { txHash } = next.value.transfer;
      const transfers = transactions.get(txHash);
      // A transaction that pays several addresses is verified once, with the first of them.
      if (!transfers) continue;
      transactions.delete(txHash);
      addresses.push(address);
      return { account, address: address.name, transfers };
    }
  }
  return undefined;
}

/** Sorts by name, beginning with the first name after the given one. */
function beginAfter<T extends { name: string }>(last: string, all: readonly T[]): T[] {
  const sorted = all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const start = sorted.findIndex(({ name }) => name > last);
  return start < 0 ? sorted : [...sorted.slice(start), ...sorted.slice(0, start)];
}
