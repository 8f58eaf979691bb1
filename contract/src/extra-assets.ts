/**
 * The keys of the setting `EXTRA_ASSETS` (`USDT_TRON`), in capitals, as they were written. They are read once, when the
 * process starts, so that every list of assets and networks is a constant of it. A browser has none.
 */
export const EXTRA_ASSETS: readonly string[] = (environment().EXTRA_ASSETS ?? '')
  .split(',')
  .map((key) => key.trim().toUpperCase())
  .filter(Boolean);

/** Whether a payout wallet may receive an asset: always, or because this server's operator added it. */
export function isReceivable(key: string, receivable: true | 'extra' | undefined): boolean {
  return receivable === true || (receivable === 'extra' && EXTRA_ASSETS.includes(key));
}

export function assetKey(symbol: string, network: string): string {
  return `${symbol}_${network}`.toUpperCase();
}

function environment(): Record<string, string | undefined> {
  return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {};
}
