export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The instant this many milliseconds after another. */
export function later(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
