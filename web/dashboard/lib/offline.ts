import type { Locale } from '../../ui/languages.ts';

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

const SCRIPT = '/dashboard/offline.js';

const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('offline', {
  createScriptURL(url) {
    if (url !== SCRIPT) throw new TypeError(`${url} is not the script of the dashboard`);
    return url;
  },
});

/** From now on a page in this language is shown where the dashboard cannot be loaded. Some browsers show their own. */
export function showOfflineIn(locale: Locale): void {
  try {
    localStorage.setItem('shown_locale', locale);
  } catch {
    // The storage is full: the page keeps the language that it had.
  }
  const url = policy?.createScriptURL(SCRIPT) ?? SCRIPT;
  void navigator.serviceWorker?.register(url, { scope: '/dashboard' }).catch(() => {});
}
