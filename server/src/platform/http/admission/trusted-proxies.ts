import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';
import { BoundedMap } from '../../cached.ts';
import { clientOf, OTHER_CLIENT_HEADERS, parseAddress } from './client.ts';

const MAX_KNOWN = 1_000;
/** A header may claim a text of any length. The longest address, in brackets and with a port, has 53 characters. */
const MAX_ADDRESS = 64;

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
  // Each request asks about the same few peers.
  const known = new BoundedMap<string, boolean>(MAX_KNOWN);
  return (address) => {
    if (address === undefined || address.length > MAX_ADDRESS) return isWithin(address);
    const answer = known.get(address) ?? isWithin(address);
    known.set(address, answer);
    return answer;
  };

  function isWithin(address: string | undefined): boolean {
    const parsed = parseAddress(address);
    if (!parsed) return false;
    return ranges.some(
      ([base, bits]) => base.kind() === parsed.kind() && (parsed as ipaddr.IPv4).match(base as ipaddr.IPv4, bits),
    );
  }
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
 * Warns once of each reason why clients behind a proxy share one limit, so that one of them can use up that of all: the proxy is not
 * trusted, or it is and does not name the client in the header that is read.
 */
export function createProxyWarning(log: Logger, isTrusted: IsTrusted): (request: FastifyRequest) => void {
  const warned = new Set<string>();
  const warn = (message: string, remote: string | undefined) => {
    if (warned.has(message)) return;
    warned.add(message);
    // A public address may identify a person, so it is not logged.
    const isInside = parseAddress(remote)?.range() !== 'unicast';
    log.warn(remote !== undefined && isInside ? { proxy: remote } : {}, message);
  };
  return (request) => {
    const { headers, socket } = request;
    const remote = socket.remoteAddress;
    const isForwarded = headers['x-forwarded-for'] !== undefined;
    if (!isTrusted(remote)) {
      if (isForwarded) warn(UNTRUSTED, remote);
    } else if (isForwarded && clientOf(request).isUnknown) {
      warn(UNREADABLE, remote);
    } else if (!isForwarded && OTHER_CLIENT_HEADERS.some((name) => headers[name] !== undefined)) {
      warn(NAMELESS, remote);
    }
  };
}

const UNTRUSTED =
  'X-Forwarded-For ignored: the sender is not in TRUSTED_PROXIES. If it is your proxy, all its clients share one rate limit';
const UNREADABLE =
  'X-Forwarded-For not understood: the trusted proxy sent no address. All clients that it names so share one rate limit';
const NAMELESS =
  'X-Forwarded-For missing: the trusted proxy names clients in another header, which is not read. All its clients share one rate limit';
