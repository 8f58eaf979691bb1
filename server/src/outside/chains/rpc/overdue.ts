// Data that is unreadable at every provider for this long will not become readable.
const UNREADABLE_HOLD_MS = 10 * 60_000;
const MAX_ENTRIES = 10_000;

/**
 * Records that something is unreadable, and returns whether it has been for long enough to be skipped: one unreadable
 * transaction, which anyone may have sent, must not block reading forever. `since` has the time of each first
 * occurrence.
 */
export function isOverdue(since: Map<string, number>, key: string): boolean {
  const nowMs = performance.now();
  const sinceMs = since.get(key);
  if (sinceMs !== undefined) return nowMs - sinceMs >= UNREADABLE_HOLD_MS;
  const [oldest] = since.keys();
  if (oldest !== undefined && since.size >= MAX_ENTRIES) since.delete(oldest);
  since.set(key, nowMs);
  return false;
}
