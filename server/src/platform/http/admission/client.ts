import { isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { IncomingMessage } from 'node:http';

/** All clients of one wider range together get this many times the allowance of one of them. */
export const WIDER_ALLOWANCE = 4;

const UNKNOWN = 'client:unknown';

/**
 * Who is counted. Budgets take this and never an address, so that each of them counts the wider range too: an IPv6 client is its
 * /64, because providers assign one per customer, but a customer may also be given a /48 with 65,536 of them.
 */
export class Client {
  /** An IPv4 address, or the /64 of an IPv6 address. */
  readonly narrow: string;
  /** The /48 of an IPv6 address. An IPv4 client has no wider range, because its neighbors are strangers. */
  readonly wide: string | null;
  readonly isThisMachine: boolean;
  /** Makes the type nominal: no other object with the same fields is a client. */
  declare protected readonly isClient: true;

  private constructor({ narrow, wide = null, isThisMachine = false }: ClientNames) {
    this.narrow = narrow;
    this.wide = wide;
    this.isThisMachine = isThisMachine;
  }

  /** The client at an address. All without a valid address are one. */
  static at(address: string | undefined): Client {
    // Fast path: this runs for each request, and most addresses are plain IPv4.
    if (address !== undefined && isIPv4(address)) return Client.atIPv4(address);
    const parsed = parseAddress(address);
    if (!parsed) return new Client({ narrow: UNKNOWN });
    if (parsed.kind() === 'ipv4') return Client.atIPv4(parsed.toString());
    const isThisMachine = parsed.range() === 'loopback';
    const parts = (parsed as ipaddr.IPv6).parts.map((part) => part.toString(16));
    const range = (bits: number) => `client:${parts.slice(0, bits / 16).join(':')}::/${bits}`;
    return new Client({ narrow: range(64), wide: range(48), isThisMachine });
  }

  private static atIPv4(address: string): Client {
    return new Client({ narrow: `client:${address}`, isThisMachine: address.startsWith('127.') });
  }

  /** What is counted as a whole, such as an account. */
  static only(name: string): Client {
    return new Client({ narrow: name });
  }

  /** Whether no valid address was given. */
  get isUnknown(): boolean {
    return this.narrow === UNKNOWN;
  }

  /** This client's use of one object. */
  within(object: string): Client {
    return new Client({
      narrow: `${object} ${this.narrow}`,
      wide: this.wide === null ? null : `${object} ${this.wide}`,
      isThisMachine: this.isThisMachine,
    });
  }

  /** Its names, each with how much more it may have than one client. */
  get ranges(): readonly { name: string; allowance: number }[] {
    const own = { name: this.narrow, allowance: 1 };
    return this.wide === null ? [own] : [own, { name: this.wide, allowance: WIDER_ALLOWANCE }];
  }
}

/**
 * An address as it is written by servers and proxies: some add the port (`203.0.113.9:1234`, `[2001:db8::1]:443`), and a socket may
 * show an IPv4 address in the form of IPv6. Undefined for any other text.
 */
export function parseAddress(text: string | undefined): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const trimmed = text?.trim() ?? '';
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? trimmed.replace(/^([\d.]+):\d+$/, '$1');
  // Other short forms, such as a single number, are valid for the package, but nothing writes a client's address so.
  return ipaddr.isValid(bare) && /[.:].*[.:]/.test(bare) ? ipaddr.process(bare) : undefined;
}

interface ClientNames {
  narrow: string;
  wide?: string | null;
  isThisMachine?: boolean;
}

/** The client of a request. Forwarded headers count only from trusted proxies. */
export function clientOf(request: Pick<FastifyRequest, 'ip' | 'client'>): Client {
  request.client ??= Client.at(request.ip);
  return request.client;
}

/** What a share of a common budget is counted by. The developer's own machine has no share, only the budget. */
export function limitedClient({ profile }: { profile: 'development' | 'production' }, client: Client): Client | null {
  return profile === 'development' && client.isThisMachine ? null : client;
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
/** Headers by which proxies name clients, if not by `X-Forwarded-For`. */
export const OTHER_CLIENT_HEADERS = [
  'x-real-ip',
  'forwarded',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
  'x-client-ip',
  'x-cluster-client-ip',
];
/** What proxies add; not all of them name the client. */
const PROXY_HEADERS = new Set([...OTHER_CLIENT_HEADERS, 'via', 'cdn-loop']);

function isOfProxy(header: string): boolean {
  return header.startsWith('x-forwarded-') || PROXY_HEADERS.has(header);
}

/**
 * Whether a request comes from this machine or its private network, and from no proxy: neither from a peer that is known as one,
 * whatever its headers say, nor with what other proxies add.
 */
export function isFromInside(request: FastifyRequest, isProxy: (address: string | undefined) => boolean): boolean {
  const { remoteAddress } = request.socket;
  if (isProxy(remoteAddress) || Object.keys(request.headers).some(isOfProxy)) return false;
  const address = parseAddress(remoteAddress);
  return address !== undefined && INNER_RANGES.has(address.range());
}

/** Whether a request has this header more than once. Node joins the values of most, and drops the others of some. */
export function isRepeated({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): boolean {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) times += 1;
  return times > 1;
}

/** Who named an address or a transaction, if it was not the merchant. */
export interface Stranger {
  client: Client | null;
}
