import type { Translate } from './i18n/messages.ts';
import { optionOf, type PageProps } from './page-state.ts';

/** How long the payment's coin usually takes to arrive, while that is known. */
export function usualTime({ session }: PageProps['page'], t: Translate): string | null {
  const seconds = optionOf(session, session.payment)?.typical_seconds;
  return seconds ? duration(seconds, t) : null;
}

/** Seconds in words: `about 20 seconds`, `about 3 minutes`. */
export function duration(seconds: number, t: Translate): string {
  return seconds < 60 ? t('about_seconds', { count: seconds }) : t('about_minutes', { count: Math.ceil(seconds / 60) });
}
