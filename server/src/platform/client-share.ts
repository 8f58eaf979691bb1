import { WIDER_ALLOWANCE, widerBucket } from './http/admission/client.ts';

/**
 * How much of a common budget one client may hold: less as the budget fills up. Even many clients together leave some for
 * others, and a new client gets at least one until nothing is left.
 */
export function clientShare(perClient: number, used: number, limit: number): number {
  return Math.ceil((perClient * Math.max(0, limit - used)) / limit);
}

/** Slots of a common budget, held by clients within their shares. Without a client, only the budget limits. */
export interface Shares {
  acquire(client: string | undefined): boolean;
  release(client: string | undefined): void;
}

/** All clients of an IPv6 /48 together hold a share too, of four times what one of them may hold. */
export function createShares({ limit, perClient }: { limit: number; perClient: number }): Shares {
  const heldBy = new Map<string, number>();
  let held = 0;
  const isOver = (holder: string | undefined, most: number) => {
    if (holder === undefined) return false;
    const own = heldBy.get(holder) ?? 0;
    return own >= clientShare(most, held - own, limit);
  };
  const count = (holder: string | undefined, change: number) => {
    if (holder === undefined) return;
    const own = (heldBy.get(holder) ?? 0) + change;
    if (own > 0) heldBy.set(holder, own);
    else heldBy.delete(holder);
  };
  return {
    acquire(client) {
      const range = client === undefined ? undefined : widerBucket(client);
      if (held >= limit || isOver(client, perClient) || isOver(range, perClient * WIDER_ALLOWANCE)) return false;
      held += 1;
      count(client, 1);
      count(range, 1);
      return true;
    },
    release(client) {
      held -= 1;
      count(client, -1);
      if (client !== undefined) count(widerBucket(client), -1);
    },
  };
}
