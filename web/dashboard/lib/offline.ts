import type { Locale } from '../../ui/languages.ts';

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

const FORM = /^\/dashboard\/offline\.js\?lang=[a-zA-Z-]+$/;

const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('offline', {
  createScriptURL(url) {
    if (!FORM.test(url)) throw new TypeError(`${url} is not the script of the dashboard`);
    return url;
  },
});

/** From now on a page in this language is shown where the dashboard cannot be loaded. Browsers without it show their own. */
export function showOfflineIn(locale: Locale): void {
  const url = `/dashboard/offline.js?lang=${locale}`;
  void navigator.serviceWorker?.register(policy?.createScriptURL(url) ?? url, { scope: '/dashboard' }).catch(() => {});
}
