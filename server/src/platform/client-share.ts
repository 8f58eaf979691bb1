/**
 * How much of a common budget one client may hold: less as the budget fills up. So many clients together leave some for
 * others, and a new client gets at least one until nothing is left.
 */
export function clientShare(perClient: number, used: number, limit: number): number {
  return Math.ceil((perClient * Math.max(0, limit - used)) / limit);
}

/** Places of a common budget, held by clients within their shares. Without a client, only the budget limits. */
export interface Shares {
  take(client: string | undefined): boolean;
  giveBack(client: string | undefined): void;
}

export function createShares({ limit, perClient }: { limit: number; perClient: number }): Shares {
  const heldBy = new Map<string, number>();
  let held = 0;
  return {
    take(client) {
      const own = client === undefined ? 0 : (heldBy.get(client) ?? 0);
      if (held >= limit || (client !== undefined && own >= clientShare(perClient, held - own, limit))) return false;
      held += 1;
      if (client !== undefined) heldBy.set(client, own + 1);
      return true;
    },
    giveBack(client) {
      held -= 1;
      if (client === undefined) return;
      const own = (heldBy.get(client) ?? 0) - 1;
      if (own > 0) heldBy.set(client, own);
      else heldBy.delete(client);
    },
  };
}
