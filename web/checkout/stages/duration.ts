import type { Translate } from '../i18n/messages.ts';

/** Seconds in words: `about 20 seconds`, `about 3 minutes`. */
export function duration(seconds: number, t: Translate): string {
  return seconds < 60 ? t('about_seconds', { count: seconds }) : t('about_minutes', { count: Math.ceil(seconds / 60) });
}
