import type { PublicSessionJson, ReceiveNetwork } from '@quittance/contract';
import type { DatabaseHealth } from './health-store.ts';
import type { Rate } from './outside/prices/prices.ts';
import type { RoutePreview } from './outside/routers/router.ts';
import { BoundedMap, cached } from './platform/cached.ts';
import type { SigningKey } from './platform/signing/signing-keys.ts';
import { MINUTE_MS, SECOND_MS } from './platform/time.ts';
import type { DrawnPage } from './platform/http/page.ts';
import type { DocumentFile } from './resources/docs/file.ts';
import type { StoredCredential } from './resources/machine-payments/store.ts';
import type { SessionWallet } from './resources/payout-wallets/store.ts';
import type { SigningKeys } from './resources/webhooks/delivery/signature.ts';
import type { NetworkState } from './settlement/reading/network-health-store.ts';

/** What this process keeps between requests, for how long, and how much of it. All of it may be lost at any moment. */
export type Caches = ReturnType<typeof createCaches>;

export function createCaches() {
  return {
    /** A saved wallet never changes. Whether it may be used is checked by the statement that writes a session. */
    wallets: cached<SessionWallet>({ max: 10_000 }),
    /** Shorter than the time for which verifiers accept signatures of a retired key. */
    signingKeys: cached<SigningKey>({ ttlMs: 30 * SECOND_MS, max: 1_000 }),
    /** Requests for the health are unlimited, and a slow database must not be asked again before it has answered. */
    databaseHealth: cached<DatabaseHealth | undefined>({ ttlMs: 0, max: 1 }),
    /** Pages ask with every view which networks are read. */
    networkStates: cached<ReadonlyMap<ReceiveNetwork, NetworkState>>({ ttlMs: 2 * SECOND_MS, max: 1 }),
    /** Whether a route provider converts a pair. */
    routeSupport: cached<boolean>({ ttlMs: MINUTE_MS, isServedStale: true, max: 10_000 }),
    routePreviews: cached<RoutePreview>({ ttlMs: 20 * SECOND_MS, max: 1_000 }),
    /** What a page estimates with; quotes never do. A rate is null while none is known. */
    estimatedRates: cached<{ rate: Rate | null; readAtMs: number }>({
      ttlMs: MINUTE_MS,
      isServedStale: true,
      max: 1_000,
    }),
    /** Whether a token is paid by a signature. Asked with each view, because what it depends on is cached as well. */
    signatureTokens: cached<boolean>({ ttlMs: 0, max: 100 }),
    /** Concurrent copies of one credential are verified once; between processes the unique key decides. */
    credentials: cached<StoredCredential>({ ttlMs: 0, max: 1_000 }),
    /** Payout accounts of Solana that are known to exist. Only their owners close them, and rarely. */
    tokenAccounts: new BoundedMap<string, true>(10_000),
    /** The keys of recently used signing secrets of webhooks, by their exact seal. */
    webhookKeys: new BoundedMap<string, SigningKeys>(10_000),
    /** When each account's burst of test deliveries is full again, by the monotonic clock. */
    testBursts: new Map<string, number>(),
    /** When it was last reported that login mails are scarce, by what was reached. */
    scarceMails: new Map<'half' | 'all', Date>(),
    /** Serializing 300 kB of JSON for each request would let one client keep a core busy. */
    openApi: cached<DocumentFile>({ max: 1 }),
    /** The bytes of an object, by account and list. */
    rowBytes: new BoundedMap<string, number>(10_000),
    /** The pages of customers, by all that they show. They also depend on prices and networks, which have no version. */
    pages: cached<DrawnPage>({ ttlMs: SECOND_MS, max: 100 }),
    publicSessions: cached<PublicSessionJson>({ ttlMs: SECOND_MS, max: 1_000 }),
    /** The networks of which it was just signaled that customers wait on open pages. */
    waitedFor: cached<void>({ ttlMs: 10 * SECOND_MS, max: 100 }),
  };
}
