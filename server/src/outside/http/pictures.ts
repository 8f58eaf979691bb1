import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { Agent, request } from 'undici';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import { type AddressRules, urlObjection } from './address.ts';
import { readingPastInterim } from './answers.ts';
import { guardedConnector, resolveByNameServers, resolveBySystem } from './connect.ts';

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
  return new PictureCache(rules, log, nowMs);
}

class PictureCache implements Pictures {
  readonly #rules: AddressRules;
  readonly #log: Logger;
  readonly #nowMs: () => number;
  readonly #agent: Agent;
  readonly #cache = new Map<string, CachedPicture>();
  #cachedBytes = 0;
  #requestsByHost = new Map<string, number>();
  #minute = 0;

  constructor(rules: AddressRules, log: Logger, nowMs: () => number) {
    this.#rules = rules;
    this.#log = log;
    this.#nowMs = nowMs;
    this.#agent = createAgent(rules);
  }

  fetch(url: string): Promise<Picture | null> {
    const known = this.#cache.get(url);
    if (known && known.untilMs > this.#nowMs()) return known.picture;
    this.#evict(url);
    // Concurrent requests share this one.
    const cached: CachedPicture = { picture: Promise.resolve(null), untilMs: Number.POSITIVE_INFINITY, bytes: 0 };
    this.#cache.set(url, cached);
    cached.picture = this.#loadInto(cached, url);
    return cached.picture;
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #loadInto(cached: CachedPicture, url: string): Promise<Picture | null> {
    const picture = URL.canParse(url) && this.#mayRequest(new URL(url).host) ? await this.#load(url) : null;
    cached.untilMs = this.#nowMs() + (picture ? HOUR_MS : FAILURE_TTL_MS);
    if (this.#cache.get(url) === cached) {
      cached.bytes = picture?.bytes.length ?? 0;
      this.#cachedBytes += cached.bytes;
    }
    for (const oldest of this.#cache.keys()) {
      if (this.#cachedBytes <= MAX_CACHED_BYTES && this.#cache.size <= MAX_CACHED) break;
      this.#evict(oldest);
    }
    return picture;
  }

  #mayRequest(host: string): boolean {
    const current = Math.floor(this.#nowMs() / MINUTE_MS);
    if (current !== this.#minute) this.#requestsByHost = new Map();
    this.#minute = current;
    const count = (this.#requestsByHost.get(host) ?? 0) + 1;
    this.#requestsByHost.set(host, count);
    return count <= MAX_REQUESTS_PER_HOST_AND_MINUTE;
  }

  async #load(url: string): Promise<Picture | null> {
    if (urlObjection(url, this.#rules) !== null) return null;
    try {
      return await requestPicture(url, this.#agent);
    } catch (error) {
      this.#log.info({ err: error, host: new URL(url).host }, 'logo fetch failed');
      return null;
    }
  }

  #evict(url: string): void {
    this.#cachedBytes -= this.#cache.get(url)?.bytes ?? 0;
    this.#cache.delete(url);
  }
}

function createAgent(rules: AddressRules): Agent {
  const resolve = rules.allowPrivate ? resolveBySystem : resolveByNameServers(2 * SECOND_MS);
  const connect = readingPastInterim(
    guardedConnector(
      { ...rules, resolve, resolveTimeoutMs: 2 * SECOND_MS, connectTimeoutMs: 3 * SECOND_MS },
      () => true,
      new Set<Socket>(),
    ),
  );
  return new Agent({
    connect,
    connections: 2,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    maxResponseSize: MAX_BYTES,
  });
}

/** Null if the answer is not a picture. */
async function requestPicture(url: string, agent: Agent): Promise<Picture | null> {
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
}
