const COLORS = { waiting: '1f5eff', seen: 'd98a00', paid: '17834a', trouble: 'b3261e' };

export type FaviconState = keyof typeof COLORS;

/** The tab's icon: a colored dot, so that the payment's status is visible in another tab. */
export function favicon(state: FaviconState): string {
  const tick =
    state === 'paid' ? "%3Cpath d='m4.5 8.3 2.4 2.4 4.6-5' fill='none' stroke='white' stroke-width='1.8'/%3E" : '';
  const disc = `%3Ccircle cx='8' cy='8' r='7' fill='%23${COLORS[state]}'/%3E`;
  return `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E${disc}${tick}%3C/svg%3E`;
}
