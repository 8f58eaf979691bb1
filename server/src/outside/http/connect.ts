import { isIP, connect as netConnect, type LookupFunction, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { connect as tlsConnect } from 'node:tls';
import ipaddr from 'ipaddr.js';
import type { buildConnector } from 'undici';
import { type AddressRules, addressObjection } from './address.ts';
import { lookup, Resolver } from 'node:dns/promises';

export interface ConnectRules extends AddressRules {
  resolve: Resolve;
  resolveTimeoutMs: number;
  connectTimeoutMs: number;
  /** Certificate authorities that replace the default ones, for test receivers. */
  ca?: string | Buffer;
  /** The addresses of this machine; by default those of its network interfaces. */
  ownAddresses?: () => string[];
}

/** The address, or one of those that the name resolves to, is not allowed. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}

export class NameResolutionError extends Error {
  override readonly name = 'NameResolutionError';
}

export class ConnectTimeoutError extends Error {
  override readonly name = 'ConnectTimeoutError';
}

/** The server was reached but did not prove its identity. */
export class TlsError extends Error {
  override readonly name = 'TlsError';
}

/**
 * Connects only to allowed addresses: the name is resolved once, every resolved address is checked, the connection uses
 * a checked one, and its remote address is checked again. An address that cannot be checked is rejected.
 */
export function guardedConnector(
  rules: ConnectRules,
  isOpen: () => boolean,
  sockets: Set<Socket>,
): buildConnector.connector {
  return (options, callback) => {
    let answered = false;
    const answer: typeof callback = (...result) => {
      if (answered) return;
      answered = true;
      callback(...result);
    };
    open(rules, options, isOpen, sockets).then(
      (socket) => answer(null, socket),
      (error: Error) => answer(error, null),
    );
  };
}

async function open(
  rules: ConnectRules,
  { hostname, protocol, port, servername }: buildConnector.Options,
  isOpen: () => boolean,
  sockets: Set<Socket>,
): Promise<Socket> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = await allowedAddresses(rules, host);
  // The owner may have been deleted during the name lookup.
  if (!isOpen()) throw new Error('closed before connecting');

  const target = {
    host,
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
    lookup: pinned(addresses),
    autoSelectFamily: addresses.length > 1,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
    highWaterMark: 16_384,
  };
  const socket =
    protocol === 'https:'
      ? tlsConnect({
          ...target,
          servername: isIP(host) ? '' : (servername ?? host).replace(/\.+$/, ''),
          ALPNProtocols: ['http/1.1'],
          minVersion: 'TLSv1.2',
          ca: rules.ca,
        })
      : netConnect(target);
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
  await connected(socket, protocol === 'https:' ? 'secureConnect' : 'connect', rules.connectTimeoutMs);

  if (!mayReach(rules, socket.remoteAddress ?? '')) {
    socket.destroy();
    throw new BlockedAddressError(`connected to ${socket.remoteAddress}`);
  }
  return socket;
}

/** The addresses of a host, all of which are allowed; throws if one is not. */
async function allowedAddresses(rules: ConnectRules, host: string): Promise<string[]> {
  const addresses = isIP(host) ? [host] : await resolved(rules, host);
  const refused = addresses.find((address) => !mayReach(rules, address));
  if (refused !== undefined) throw new BlockedAddressError(`${host} is ${refused}`);
  return addresses;
}

async function resolved({ resolve, resolveTimeoutMs }: ConnectRules, host: string): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NameResolutionError(`${host} took too long`)), resolveTimeoutMs);
  });
  try {
    const addresses = await Promise.race([resolve(host), expired]);
    if (addresses.length === 0) throw new NameResolutionError(`${host} has no address`);
    return addresses;
  } catch (error) {
    throw error instanceof NameResolutionError
      ? error
      : new NameResolutionError(`${host} does not resolve`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function mayReach(rules: ConnectRules, address: string): boolean {
  if (addressObjection(address, rules) !== null) return false;
  // A public address of this machine is the service's own, regardless of the name.
  return rules.allowPrivate || !ownAddresses(rules).has(ipaddr.process(address).toString());
}

/** In the form of `ipaddr.process`, which unwraps IPv4-mapped addresses. */
function ownAddresses({ ownAddresses: addresses = addressesOfInterfaces }: ConnectRules): Set<string> {
  return new Set(
    addresses()
      .filter(ipaddr.isValid)
      .map((address) => ipaddr.process(address).toString()),
  );
}

function addressesOfInterfaces(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}

/** Passes the checked addresses to the connection, even if the name resolves differently by now. */
function pinned(addresses: string[]): LookupFunction {
  return (_name, options, callback) => {
    const entries = addresses.map((address) => ({ address, family: isIP(address) }));
    if (options.all) callback(null, entries);
    else callback(null, entries[0]?.address ?? '', entries[0]?.family);
  };
}

function connected(socket: Socket, event: 'connect' | 'secureConnect', timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new ConnectTimeoutError('connecting took too long')), timeoutMs);
    let reached = false;
    const done = (error?: Error) => {
      clearTimeout(timer);
      socket.off('error', done).off('close', closed);
      if (!error) resolve();
      else if (reached && !(error instanceof ConnectTimeoutError))
        reject(new TlsError(error.message, { cause: error }));
      else reject(error);
    };
    const closed = () => done(new Error('closed while connecting'));
    socket.once('connect', () => {
      reached = true;
    });
    socket
      .once(event, () => done())
      .once('error', done)
      .once('close', closed);
  });
}

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<string[]>;

/**
 * Queries the name servers without occupying a thread. With `lookup`, many slow names could delay the rest of the
 * process.
 */
export function resolveByNameServers(timeoutMs: number): Resolve {
  return async (name) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
    const timer = setTimeout(() => resolver.cancel(), timeoutMs);
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Resolves like the operating system, including `/etc/hosts`. For development. */
export async function resolveBySystem(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}
