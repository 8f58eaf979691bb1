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

/** From now on a page is shown where the dashboard cannot be loaded. Browsers without service workers show their own. */
export function showWhenOffline(): void {
  const url = policy?.createScriptURL(SCRIPT) ?? SCRIPT;
  void navigator.serviceWorker?.register(url, { scope: '/dashboard' }).catch(() => {});
}
