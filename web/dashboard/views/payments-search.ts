import type { PaymentStatus } from '../lib/types.ts';
import { STATUS_NAMES } from '../ui/status.tsx';

export interface PaymentsSearch {
  status?: PaymentStatus | undefined;
  route?: 'direct' | 'routed' | undefined;
  balance?: 'overpaid' | 'partly_refunded' | undefined;
  after?: string | undefined;
  before?: string | undefined;
  /** A payment link. */
  link?: string | undefined;
  q?: string | undefined;
}

/** The address decides what is shown. */
export function readPaymentsSearch(search: Record<string, unknown>): PaymentsSearch {
  const date = (value: unknown) => (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined);
  return {
    status:
      typeof search.status === 'string' && search.status in STATUS_NAMES ? (search.status as PaymentStatus) : undefined,
    route: search.route === 'direct' || search.route === 'routed' ? search.route : undefined,
    balance: search.balance === 'overpaid' || search.balance === 'partly_refunded' ? search.balance : undefined,
    after: date(search.after),
    before: date(search.before),
    link: typeof search.link === 'string' && /^pl_\w+$/.test(search.link) ? search.link : undefined,
    // The router parses text that looks like a number as one.
    q:
      typeof search.q === 'string' || typeof search.q === 'number'
        ? String(search.q).slice(0, 200) || undefined
        : undefined,
  };
}
