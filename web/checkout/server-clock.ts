/** The visitor's clock may be wrong by hours, so time is the server's, extrapolated from its last answer. */
let aheadMs = 0;
let lastServerTime = '';

/** Stores the server's time of an answer; a repeated answer is ignored. */
export function storeServerTime(serverTime: string): void {
  if (serverTime === lastServerTime) return;
  lastServerTime = serverTime;
  aheadMs = Date.parse(serverTime) - Date.now();
}

export function serverNow(): number {
  return Date.now() + aheadMs;
}

export function secondsUntil(instant: string): number {
  return Math.max(0, Math.floor((Date.parse(instant) - serverNow()) / 1000));
}
