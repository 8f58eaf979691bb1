import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/** All clients of one wider range together get this many times the allowance of one of them. */
export const WIDER_ALLOWANCE = 4;

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
    if (!address || !ipaddr.isValid(address)) return new Client({ narrow: 'client:unknown' });
    const parsed = ipaddr.process(address);
    const isThisMachine = parsed.range() === 'loopback';
    if (parsed.kind() === 'ipv4') return new Client({ narrow: `client:${parsed.toString()}`, isThisMachine });
    const parts = (parsed as ipaddr.IPv6).parts.map((part) => part.toString(16));
    const range = (bits: number) => `client:${parts.slice(0, bits / 16).join(':')}::/${bits}`;
    return new Client({ narrow: range(64), wide: range(48), isThisMachine });
  }

  /** What is counted as a whole, such as an account. */
  static only(name: string): Client {
    return new Client({ narrow: name });
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

interface ClientNames {
  narrow: string;
  wide?: string | null;
  isThisMachine?: boolean;
}

/** The client of a request. Forwarded headers count only from trusted proxies. */
export function clientOf(request: Pick<FastifyRequest, 'ip'>): Client {
  return Client.at(request.ip);
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

/**
 * Whether the request comes from this machine or its private network. A forwarded request never does, whatever address
 * the proxy has.
 */
export function isFromInside(request: FastifyRequest): boolean {
  if (request.headers['x-forwarded-for'] !== undefined || request.headers.forwarded !== undefined) return false;
  return INNER_RANGES.has(ipaddr.process(request.socket.remoteAddress ?? '0.0.0.0').range());
}
