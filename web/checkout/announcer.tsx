import { useSecondsUntil } from './countdown.tsx';
import type { PageProps } from './page-state.ts';

const MINUTES = [5, 1];

/**
 * Announces the remaining time to screen readers only twice, because an announcement every second would hide everything
 * else.
 */
export function Announcer({ page, t }: PageProps) {
  const seconds = useSecondsUntil(page, page.session.expires_at);
  const minutes = seconds === null ? undefined : MINUTES.findLast((one) => seconds <= one * 60);
  return (
    <p class="visually-hidden" role="status">
      {minutes === undefined ? '' : t('announce_minutes', { count: minutes })}
    </p>
  );
}
