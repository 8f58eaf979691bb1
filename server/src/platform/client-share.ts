import type { Client } from './http/admission/client.ts';

/**
 * How much of a common budget one client may hold: less as the budget fills up. Even many clients together leave some for
 * others, and a new client gets at least one until nothing is left.
 */
export function clientShare(perClient: number, used: number, limit: number): number {
  return Math.ceil((perClient * Math.max(0, limit - used)) / limit);
}

/** Slots of a common budget, held by clients within their shares. Without a client, only the budget limits. */
export interface Shares {
  acquire(client: Client | null): boolean;
  release(client: Client | null): void;
}

/** All clients of a wider range together hold a share too, of four times what one of them may hold. */
export function createShares({ limit, perClient }: { limit: number; perClient: number }): Shares {
  const heldBy = new Map<string, number>();
  let held = 0;
  const count = (client: Client | null, change: number) => {
    held += change;
    for (const { name } of client?.ranges ?? []) {
      const own = (heldBy.get(name) ?? 0) + change;
      if (own > 0) heldBy.set(name, own);
      else heldBy.delete(name);
    }
  };
  const isOver = ({ name, allowance }: Client['ranges'][number]) => {
    const own = heldBy.get(name) ?? 0;
    return own >= clientShare(perClient * allowance, held - own, limit);
  };
  return {
    acquire(client) {
      if (held >= limit || client?.ranges.some(isOver)) return false;
      count(client, 1);
      return true;
    },
    release: (client) => count(client, -1),
  };
}
