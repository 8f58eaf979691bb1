import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';

export type IsTrusted = (address: string | undefined) => boolean;

const NAMED_RANGES: Record<string, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Whether an address is a proxy whose `X-Forwarded-For` is trusted: addresses, ranges, or names of ranges. */
export function trustedProxies(list: readonly string[]): IsTrusted {
  const ranges = list
    .flatMap((entry) => NAMED_RANGES[entry] ?? [entry])
    .map((entry) => {
      if (entry.includes('/')) return ipaddr.parseCIDR(entry);
      const address = ipaddr.process(entry);
      return [address, address.kind() === 'ipv4' ? 32 : 128] as const;
    });
  return (address) => {
    if (address === undefined || !ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some(
      ([base, bits]) => base.kind() === parsed.kind() && (parsed as ipaddr.IPv4).match(base as ipaddr.IPv4, bits),
    );
  };
}

/**
 * The client of a request that could not be parsed, from the bytes of its head: the nearest address that is not a
 * trusted proxy's. Undefined if a trusted proxy sent bytes that name no client.
 */
export function clientOfRawHead(remote: string | undefined, head: string, isTrusted: IsTrusted): string | undefined {
  if (!isTrusted(remote)) return remote;
  const forwarded = [...head.matchAll(/^x-forwarded-for:(.*)$/gim)].map(([, value]) => value ?? '').join(',');
  const chain = forwarded
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean);
  return chain.findLast((address) => !isTrusted(address)) ?? chain[0];
}

/**
 * Warns once if a forwarded request arrives from an address that is not trusted. Behind such a proxy all clients share its
 * address, so one of them can use up the limits of all.
 */
export function createProxyWarning(log: Logger, isTrusted: IsTrusted): (request: FastifyRequest) => void {
  let isWarned = false;
  return (request) => {
    if (isWarned || request.headers['x-forwarded-for'] === undefined || isTrusted(request.socket.remoteAddress)) return;
    isWarned = true;
    const remote = request.socket.remoteAddress;
    const isInside = remote !== undefined && ipaddr.isValid(remote) && ipaddr.process(remote).range() !== 'unicast';
    // A public address may identify a person, so it is not logged.
    log.warn(
      isInside ? { proxy: remote } : {},
      'X-Forwarded-For ignored: the sender is not in TRUSTED_PROXIES. If it is your proxy, all its clients share one rate limit',
    );
  };
}
