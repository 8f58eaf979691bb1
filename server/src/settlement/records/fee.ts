import type { Route } from '@quittance/contract';
import { mulDivHalfUp } from '../../platform/money.ts';

/** What a route costs and what is left of the amount, in minor units; the two always add up to it. */
export interface Fee {
  /** As the API answers it: per cent, a JSON number. */
  percent: 0 | 1.5;
  feeMinor: bigint;
  netMinor: bigint;
}

/** Nothing on a direct payment; 1.5 % of the display amount, half up to cents, on a routed one. */
export function feeFor(amountMinor: bigint, route: Route): Fee {
  if (route === 'direct') return { percent: 0, feeMinor: 0n, netMinor: amountMinor };

  const feeMinor = mulDivHalfUp(amountMinor, 15n, 1_000n);
  return { percent: 1.5, feeMinor, netMinor: amountMinor - feeMinor };
}
