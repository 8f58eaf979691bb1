import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { Agent, request } from 'undici';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import { type AddressRules, urlObjection } from './address.ts';
import { guardedConnector } from './connect.ts';
import { resolveByNameServers, resolveBySystem } from './resolve.ts';

/** Fetches pictures that merchants configured, so that visitors' browsers contact only the service. */
export interface Pictures {
  /** Null if it cannot be fetched. A picture is cached for an hour, a failure for a minute. */
  fetch(url: string): Promise<Picture | null>;
  close(): Promise<void>;
}

interface CachedPicture {
  picture: Promise<Picture | null>;
  untilMs: number;
  bytes: number;
}

export interface Picture {
  type: string;
  bytes: Buffer;
}

const TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif', 'image/svg+xml']);
const MAX_BYTES = 256 * 1024;
const TIMEOUT_MS = 5 * SECOND_MS;
const FAILURE_TTL_MS = MINUTE_MS;
const MAX_CACHED = 1_000;
const MAX_CACHED_BYTES = 32 * 1024 * 1024;
/** Page views by strangers must not become requests to a third party. */
const MAX_REQUESTS_PER_HOST_AND_MINUTE = 30;

/** Fetches behind the same guard as webhooks: no private addresses, no redirects, one deadline for everything. */
export function createPictures(
  rules: AddressRules,
  log: Logger,
  { nowMs = () => performance.now() }: { nowMs?: () => number } = {},
): Pictures {
  const resolve = rules.allowPrivate ? resolveBySystem : resolveByNameServers(2 * SECOND_MS);
  const connect = guardedConnector(
    { ...rules, resolve, resolveTimeoutMs: 2 * SECOND_MS, connectTimeoutMs: 3 * SECOND_MS },
    () => true,
    new Set<Socket>(),
  );
  const agent = new Agent({
    connect,
    connections: 2,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    maxResponseSize: MAX_BYTES,
  });
  const cache = new Map<string, CachedPicture>();
  let cachedBytes = 0;
  let requestsByHost = new Map<string, number>();
  let minute = 0;

  async function load(url: string): Promise<Picture | null> {
    if (urlObjection(url, rules) !== null) return null;
    try {
      const { statusCode, headers, body } = await request(url, {
        dispatcher: agent,
        headers: { accept: 'image/*' },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const type =
        String(headers['content-type'] ?? '')
          .split(';')[0]
          ?.trim()
          .toLowerCase() ?? '';
      if (statusCode !== 200 || !TYPES.has(type)) {
        // Destroying emits an error, which would end the process without a listener.
        body.on('error', () => {}).destroy();
        return null;
      }
      return { type, bytes: Buffer.from(await body.arrayBuffer()) };
    } catch (error) {
      log.info({ err: error, host: new URL(url).host }, 'logo fetch failed');
      return null;
    }
  }

  function mayRequest(host: string): boolean {
    const current = Math.floor(nowMs() / MINUTE_MS);
    if (current !== minute) requestsByHost = new Map();
    minute = current;
    const count = (requestsByHost.get(host) ?? 0) + 1;
    requestsByHost.set(host, count);
    return count <= MAX_REQUESTS_PER_HOST_AND_MINUTE;
  }

  function evict(url: string): void {
    cachedBytes -= cache.get(url)?.bytes ?? 0;
    cache.delete(url);
  }

  async function loadInto(cached: CachedPicture, url: string): Promise<Picture | null> {
    const picture = URL.canParse(url) && mayRequest(new URL(url).host) ? await load(url) : null;
    cached.untilMs = nowMs() + (picture ? HOUR_MS : FAILURE_TTL_MS);
    if (cache.get(url) === cached) {
      cached.bytes = picture?.bytes.length ?? 0;
      cachedBytes += cached.bytes;
    }
    for (const oldest of cache.keys()) {
      if (cachedBytes <= MAX_CACHED_BYTES && cache.size <= MAX_CACHED) break;
      evict(oldest);
    }
    return picture;
  }

  return {
    fetch(url) {
      const known = cache.get(url);
      if (known && known.untilMs > nowMs()) return known.picture;
      evict(url);
      // Concurrent requests share this one.
      const cached: CachedPicture = { picture: Promise.resolve(null), untilMs: Number.POSITIVE_INFINITY, bytes: 0 };
      cache.set(url, cached);
      cached.picture = loadInto(cached, url);
      return cached.picture;
    },
    close: () => agent.destroy(),
  };
}
