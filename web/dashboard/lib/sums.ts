import { assetAmount } from './format.ts';

/** How much of each coin, in words. Amounts of one coin on one network have the same decimals. */
export function sumsOf(locale: string, payouts: readonly { asset: string; amount: string }[]): string {
  const totals = new Map<string, { units: bigint; decimals: number }>();
  for (const { asset, amount } of payouts) {
    const decimals = amount.split('.')[1]?.length ?? 0;
    totals.set(asset, { units: (totals.get(asset)?.units ?? BigInt(0)) + BigInt(amount.replace('.', '')), decimals });
  }
  const sums = [...totals].map(([asset, { units, decimals }]) => {
    const digits = units.toString().padStart(decimals + 1, '0');
    const amount = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
    return assetAmount(locale, amount, asset);
  });
  return sums.join(', ');
}
