/** Apple's keyboards have ⌘ where others have Ctrl. */
const isApple = /mac|iphone|ipad/i.test(navigator.platform);

/** `⌘K` or `Ctrl K`, as on the keys. */
export function commandKey(key: string): string {
  return isApple ? `⌘${key}` : `Ctrl ${key}`;
}
