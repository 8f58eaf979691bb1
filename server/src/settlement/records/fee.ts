import type { Route } from '@quittance/contract';
import { mulDivHalfUp } from '../../platform/money.ts';

/** The cost of a route and the rest of the amount, in minor units. The two always add up to the amount. */
export interface Fee {
  /** As in the API: percent, a JSON number. */
  percent: 0 | 1.5;
  feeMinor: bigint;
  netMinor: bigint;
}

/** Zero for a direct payment; 1.5 % of the display amount, rounded half up to cents, for a routed one. */
export function feeFor(amountMinor: bigint, route: Route): Fee {
  if (route === 'direct') return { percent: 0, feeMinor: 0n, netMinor: amountMinor };

  const feeMinor = mulDivHalfUp(amountMinor, 15n, 1_000n);
  return { percent: 1.5, feeMinor, netMinor: amountMinor - feeMinor };
}
