import { useSecondsUntil } from './countdown.tsx';
import type { PageProps } from './page-state.ts';

const MINUTES = [5, 1];

/** Tells screen readers of the time twice only; a clock that speaks every second would drown everything else. */
export function Announcer({ page, t }: PageProps) {
  const seconds = useSecondsUntil(page, page.session.expires_at);
  const minutes = seconds === null ? undefined : MINUTES.findLast((one) => seconds <= one * 60);
  return (
    <p class="visually-hidden" role="status">
      {minutes === undefined ? '' : t('announce_minutes', { count: minutes })}
    </p>
  );
}
