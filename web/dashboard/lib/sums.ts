/** How much of each coin. Amounts of one coin on one network have the same decimals. */
export function sumsOf(payouts: readonly { asset: string; amount: string }[]): [asset: string, amount: string][] {
  const totals = new Map<string, { units: bigint; decimals: number }>();
  for (const { asset, amount } of payouts) {
    const decimals = amount.split('.')[1]?.length ?? 0;
    totals.set(asset, { units: (totals.get(asset)?.units ?? BigInt(0)) + BigInt(amount.replace('.', '')), decimals });
  }
  return [...totals].map(([asset, { units, decimals }]) => {
    const digits = units.toString().padStart(decimals + 1, '0');
    return [asset, decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`];
  });
}
