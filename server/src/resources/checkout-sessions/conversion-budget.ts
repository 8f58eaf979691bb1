import { HOUR_MS } from '../../platform/time.ts';
import type { Client } from '../../platform/http/admission/client.ts';
import { clientShare } from '../../platform/client-share.ts';

const WINDOW_MS = HOUR_MS;
const MAX_ACCOUNTS = 10_000;

/** Limits on what this process asks route providers for, within an hour. */
interface ConversionLimits {
  perAccount: number;
  /** Of one account. */
  perClient: number;
}

export type ConversionVerdict =
  | { type: 'counted' }
  /** Nothing was counted. */
  | { type: 'refused'; whose: 'client' | 'account'; used: number; freeAt: Date };

export interface ConversionBudget {
  /** Counts an order for its account and its client; null is a client without a limit. */
  take(accountId: string, client: Client | null, now: Date): ConversionVerdict;
}

/** What a service asks route providers for: orders, and prices before an order, which take nothing from the orders. */
export interface Conversions {
  orders: ConversionBudget;
  previews: ConversionBudget;
}

export function createConversions(): Conversions {
  return {
    orders: createConversionBudget({ perAccount: 3_000, perClient: 30 }),
    previews: createConversionBudget({ perAccount: 1_000, perClient: 20 }),
  };
}

interface Window {
  endsAtMs: number;
  used: number;
  byClient: Map<string, number>;
}

/** Keeps strangers with one payment link from using up this service's quota at the route providers. */
export function createConversionBudget({ perAccount, perClient }: ConversionLimits): ConversionBudget {
  const windows = new Map<string, Window>();

  function windowOf(accountId: string, nowMs: number): Window {
    const known = windows.get(accountId);
    if (known && known.endsAtMs > nowMs) return known;
    if (windows.size >= MAX_ACCOUNTS)
      for (const [id, { endsAtMs }] of windows) if (endsAtMs <= nowMs) windows.delete(id);
    const opened = { endsAtMs: nowMs + WINDOW_MS, used: 0, byClient: new Map() };
    windows.set(accountId, opened);
    return opened;
  }

  return {
    take(accountId, client, now) {
      const window = windowOf(accountId, now.getTime());
      const freeAt = new Date(window.endsAtMs);
      if (window.used >= perAccount) return { type: 'refused', whose: 'account', used: window.used, freeAt };
      const ranges = client?.ranges ?? [];
      for (const { name, allowance } of ranges) {
        const own = window.byClient.get(name) ?? 0;
        if (own >= clientShare(perClient * allowance, window.used, perAccount))
          return { type: 'refused', whose: 'client', used: own, freeAt };
      }
      for (const { name } of ranges) window.byClient.set(name, (window.byClient.get(name) ?? 0) + 1);
      window.used += 1;
      return { type: 'counted' };
    },
  };
}
