import type { PublicSessionJson } from '@quittance/contract';
import { cached } from './platform/cached.ts';
import { SECOND_MS } from './platform/time.ts';
import type { DrawnPage } from './resources/checkout-pages/drawn-page.ts';

/** What this process keeps between requests, for how long, and how much of it. All of it may be lost at any moment. */
export type Caches = ReturnType<typeof createCaches>;

export function createCaches() {
  return {
    /** The pages of customers, by all that they show. They also depend on prices and networks, which have no version. */
    pages: cached<DrawnPage>({ ttlMs: SECOND_MS, max: 100 }),
    publicSessions: cached<PublicSessionJson>({ ttlMs: SECOND_MS, max: 1_000 }),
  };
}
