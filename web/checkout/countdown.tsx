import { useEffect, useState } from 'preact/hooks';
import type { PageProps } from './page-state.ts';
import { secondsUntil } from './server-clock.ts';

const URGENT_SECONDS = 120;
const DAY_SECONDS = 86_400;

/** The remaining time to pay, by the server's clock. Unobtrusive until the last two minutes. */
export function Countdown({ page, t }: PageProps) {
  const seconds = useSecondsUntil(page, page.session.expires_at);
  if (seconds === null) return null;
  return (
    <p class="countdown notranslate" data-urgent={seconds < URGENT_SECONDS || undefined}>
      {t('expires_in', { time: seconds < DAY_SECONDS ? clock(seconds) : days(seconds, page.locale) })}
    </p>
  );
}

/** Counts down to an instant; null without one. */
export function useSecondsUntil({ session }: PageProps['page'], instant: string | null): number | null {
  const first =
    instant === null ? null : Math.max(0, Math.floor((Date.parse(instant) - Date.parse(session.server_time)) / 1000));
  const [seconds, setSeconds] = useState(first);
  useEffect(() => {
    const look = () => setSeconds(instant === null ? null : secondsUntil(instant));
    look();
    const timer = setInterval(look, 1_000);
    return () => clearInterval(timer);
  }, [instant]);
  return seconds;
}

function days(seconds: number, locale: string): string {
  return Math.floor(seconds / DAY_SECONDS).toLocaleString(locale, { style: 'unit', unit: 'day', unitDisplay: 'long' });
}

/** Seconds as `59:59` or `2:05:09`. */
export function clock(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
