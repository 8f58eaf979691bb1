import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/**
 * The unit of counting for a client: an IPv4 address, or the /64 of an IPv6 address, because providers assign a /64 per
 * customer.
 */
export function clientBucket(address: string | undefined): string {
  if (!address || !ipaddr.isValid(address)) return 'client:unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return `client:${parsed.toString()}`;
  const [a, b, c, d] = (parsed as ipaddr.IPv6).parts;
  return `client:${[a, b, c, d].map((part) => (part ?? 0).toString(16)).join(':')}::/64`;
}

/** All clients of one /48 together get this many times the allowance of one of them. */
export const WIDER_ALLOWANCE = 4;

/**
 * The bucket of the /48 around an IPv6 client, since one customer of a provider may also be given that: 65,536 buckets. The key
 * ends with the client's bucket; undefined for any other key.
 */
export function widerBucket(key: string): string | undefined {
  const found = /^(.*client:[0-9a-f]+:[0-9a-f]+:[0-9a-f]+):[0-9a-f]+::\/64$/.exec(key);
  return found ? `${found[1]}::/48` : undefined;
}

/** What a share of a common budget is counted by. The developer's own machine has no share, only the budget. */
export function limitedClient(
  { profile }: { profile: 'development' | 'production' },
  address: string | undefined,
): string | undefined {
  return profile === 'development' && isLoopbackAddress(address) ? undefined : clientBucket(address);
}

/** Whether the address is this machine. */
export function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}

/** Whether a `Host` header names this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = host
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost') || isLoopbackAddress(name);
}

const INNER_RANGES = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal']);

/**
 * Whether the request comes from this machine or its private network. A forwarded request never does, whatever address
 * the proxy has.
 */
export function isFromInside(request: FastifyRequest): boolean {
  if (request.headers['x-forwarded-for'] !== undefined || request.headers.forwarded !== undefined) return false;
  return INNER_RANGES.has(ipaddr.process(request.socket.remoteAddress ?? '0.0.0.0').range());
}
