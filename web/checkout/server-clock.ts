/** The visitor's clock may be wrong by hours, so time is the server's, carried on from when it last spoke. */
let aheadMs = 0;
let heard = '';

/** Takes in what time it was when the service spoke; the same answer again says nothing new. */
export function hearServerTime(serverTime: string): void {
  if (serverTime === heard) return;
  heard = serverTime;
  aheadMs = Date.parse(serverTime) - Date.now();
}

export function serverNow(): number {
  return Date.now() + aheadMs;
}

export function secondsUntil(instant: string): number {
  return Math.max(0, Math.floor((Date.parse(instant) - serverNow()) / 1000));
}
