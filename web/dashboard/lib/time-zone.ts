const KEPT = 'time-zone';

/** The displayed time zone: the browser's, unless another one is chosen in this browser. */
export function timeZone(): string {
  return keptTimeZone() ?? localTimeZone();
}

export function localTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function keptTimeZone(): string | null {
  const kept = localStorage.getItem(KEPT);
  return kept !== null && timeZones().includes(kept) ? kept : null;
}

export function keepTimeZone(zone: string | null): void {
  if (zone === null) localStorage.removeItem(KEPT);
  else localStorage.setItem(KEPT, zone);
}

/** UTC first, then every zone that the browser supports. */
export function timeZones(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
}
