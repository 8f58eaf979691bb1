import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { Agent, request } from 'undici';
import { HOUR_MS, SECOND_MS } from '../../platform/time.ts';
import { type AddressRules, objectToUrl } from './address.ts';
import { guardedConnector } from './connect.ts';
import { resolveByNameServers, resolveBySystem } from './resolve.ts';

/** A picture that a merchant named, fetched for those who look at their pages: so their browsers ask nobody but us. */
export interface Pictures {
  /** Null where there is none to be had. Kept for an hour. */
  fetch(url: string): Promise<Picture | null>;
  close(): Promise<void>;
}

export interface Picture {
  type: string;
  bytes: Buffer;
}

const TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif', 'image/svg+xml']);
const BYTES_MOST = 256 * 1024;
const TIMEOUT_MS = 5 * SECOND_MS;
const KEPT_MOST = 100;

/** Fetches behind the same guard as webhooks: no private addresses, no redirects, one deadline for everything. */
export function createPictures(rules: AddressRules, log: Logger): Pictures {
  const resolve = rules.allowPrivate ? resolveBySystem : resolveByNameServers(2 * SECOND_MS);
  const connect = guardedConnector({ ...rules, resolve, resolveTimeoutMs: 2 * SECOND_MS, connectTimeoutMs: 3 * SECOND_MS }, () => true, new Set<Socket>());
  const agent = new Agent({ connect, connections: 2, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS, maxResponseSize: BYTES_MOST });
  const kept = new Map<string, { picture: Promise<Picture | null>; untilMs: number }>();

  async function load(url: string): Promise<Picture | null> {
    if (objectToUrl(url, rules) !== null) return null;
    try {
      const { statusCode, headers, body } = await request(url, { dispatcher: agent, headers: { accept: 'image/*' }, signal: AbortSignal.timeout(TIMEOUT_MS) });
      const type = String(headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
      if (statusCode !== 200 || !TYPES.has(type)) {
        // Destroying emits an error, which would end the process if nothing listened.
        body.on('error', () => {}).destroy();
        return null;
      }
      return { type, bytes: Buffer.from(await body.arrayBuffer()) };
    } catch (error) {
      log.info({ err: error, host: new URL(url).host }, 'a logo could not be fetched');
      return null;
    }
  }

  return {
    fetch(url) {
      const known = kept.get(url);
      if (known && known.untilMs > performance.now()) return known.picture;
      const [oldest] = kept.keys();
      if (kept.size >= KEPT_MOST && oldest !== undefined) kept.delete(oldest);
      const picture = load(url);
      kept.set(url, { picture, untilMs: performance.now() + HOUR_MS });
      return picture;
    },
    close: () => agent.destroy(),
  };
}
