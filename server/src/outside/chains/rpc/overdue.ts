// An answer that stays odd at every provider for this long will not get better.
const ODD_ANSWER_HOLD_MS = 10 * 60_000;
const MAX_NOTED = 10_000;

/**
 * Notes that something cannot be read, and returns whether it has been so for long enough to be skipped: one odd
 * transaction, which anybody may have sent, must not stop reading for ever. `since` keeps when each was first noted.
 */
export function isOverdue(since: Map<string, number>, key: string): boolean {
  const nowMs = performance.now();
  const sinceMs = since.get(key);
  if (sinceMs !== undefined) return nowMs - sinceMs >= ODD_ANSWER_HOLD_MS;
  const [oldest] = since.keys();
  if (oldest !== undefined && since.size >= MAX_NOTED) since.delete(oldest);
  since.set(key, nowMs);
  return false;
}
