import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type AddressProblem, hostOf, readWebAddress } from '../../platform/web-address.ts';

export interface AddressRules {
  /** Development: loopback and private networks are allowed, also over plain http. Metadata services never are. */
  allowPrivate: boolean;
  /** The service's own public URL: a webhook to it would be a loop. */
  ownUrl: string;
}

/** The built-in receiver of the development profile stores deliveries, so a webhook to it is not a loop. */
const DEV_RECEIVER_PATH = '/dev/webhooks/receive';

/**
 * Why a webhook may not be sent to this URL, or null. Checks names only as text; their addresses are checked at each
 * connect.
 */
export function urlObjection(text: string, rules: AddressRules): string | null {
  const url = readWebAddress(text, { insecure: rules.allowPrivate ? 'anywhere' : 'nowhere' });
  if (typeof url === 'string') return OBJECTIONS[url];

  const host = hostOf(url);
  if (isOwn(url, host, rules)) return 'The URL must not point to this service.';
  if (!rules.allowPrivate && !isPublicPort(url.port))
    return 'The port must be 443, 8443, or 1024 or higher, and not a database port.';
  if (isIP(host)) return addressObjection(host, rules) && 'The URL must point to a publicly reachable address.';
  if (rules.allowPrivate) return null;
  if (!host.includes('.') || PRIVATE_NAMES.test(host)) return 'The host of the URL must be publicly reachable.';
  return null;
}

/** Why a connection to this address is not allowed, or null. Checks the parsed binary form, never the text. */
export function addressObjection(text: string, rules: Pick<AddressRules, 'allowPrivate'>): string | null {
  if (!ipaddr.isValid(text)) return 'not an address';
  const address = ipaddr.process(text);
  if (
    METADATA.some(
      (known) => known.kind() === address.kind() && known.toNormalizedString() === address.toNormalizedString(),
    )
  ) {
    return 'a metadata service';
  }
  const range = address.range();
  // Addresses that embed an IPv4 address (except mapped ones, which `process` has unwrapped) and unassigned ones are
  // outside of 2000::/3 or have a range name of their own.
  if (range === 'unicast') return address.kind() === 'ipv4' || isGlobalIpv6(address) ? null : 'not a global address';
  return rules.allowPrivate && LOCAL_RANGES.has(range) ? null : range;
}

const OBJECTIONS: Record<AddressProblem, string> = {
  form: 'Send an absolute URL like https://example.com/webhooks.',
  scheme: 'The URL must begin with https://.',
  insecure: 'The URL must begin with https://.',
  length: 'The URL must have at most 2048 characters.',
  credentials: 'The URL must not contain a user name or password.',
};
const PRIVATE_NAMES = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home\.arpa|onion|test|invalid)$/;
const LOCAL_RANGES = new Set<string>(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat']);
const DATABASE_PORTS = new Set([2375, 2376, 2379, 2380, 3306, 5432, 5984, 6379, 8500, 9200, 9300, 11211, 27017]);

/** Metadata services in ranges that look public. The others are link-local. */
const METADATA = ['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'].map((text) =>
  ipaddr.parse(text),
);
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

function isGlobalIpv6(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.kind() === 'ipv6' && (address as ipaddr.IPv6).match(GLOBAL_IPV6);
}

function isPublicPort(port: string): boolean {
  if (port === '' || port === '443' || port === '8443') return true;
  return Number(port) >= 1024 && !DATABASE_PORTS.has(Number(port));
}

/** Development runs everything on one machine, so the port distinguishes the service from a receiver. */
function isOwn(url: URL, host: string, rules: AddressRules): boolean {
  const own = new URL(rules.ownUrl);
  if (host !== hostOf(own)) return false;
  if (!rules.allowPrivate) return true;
  return portOf(url) === portOf(own) && url.pathname !== DEV_RECEIVER_PATH;
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}
