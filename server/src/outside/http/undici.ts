import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher, Pool } from 'undici';
import { DAY_MS, SECOND_MS } from '../../platform/time.ts';
import { type AddressRules, urlObjection } from './address.ts';
import { type Answers, readingPastInterim } from './answers.ts';
import {
  BlockedAddressError,
  type ConnectRules,
  ConnectTimeoutError,
  guardedConnector,
  NameResolutionError,
  TlsError,
  type Resolve,
  resolveByNameServers,
  resolveBySystem,
} from './connect.ts';
import type { Outbound, OutboundAnswer, OutboundError, OutboundRequest } from './outbound.ts';

export interface OutboundOptions extends AddressRules {
  resolve?: Resolve;
  ca?: string | Buffer;
  ownAddresses?: () => string[];
}

const RESOLVE_TIMEOUT_MS = 2 * SECOND_MS;
const CONNECT_TIMEOUT_MS = 5 * SECOND_MS;
/** How long the body may take after the status has decided: it is only logged. */
const BODY_GRACE_MS = 1 * SECOND_MS;
const MAX_READ_BYTES = 16 * 1024;
const MAX_BODY_BYTES = 2 * 1024;
const CONNECTIONS_PER_OWNER = 5;
const IDLE_POOL_MS = 30 * SECOND_MS;
const SWEEP_MS = 10 * SECOND_MS;

/** The real implementation: keep-alive pools of undici, one per owner and origin, behind the address guard. */
export function createOutbound(options: OutboundOptions): Outbound {
  const rules: ConnectRules = {
    ...options,
    resolve: options.resolve ?? (options.allowPrivate ? resolveBySystem : resolveByNameServers(RESOLVE_TIMEOUT_MS)),
    resolveTimeoutMs: RESOLVE_TIMEOUT_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  };
  const owners = new Map<string, Owner>();
  const dropped = new Map<string, number>();
  let isClosed = false;
  const sweeper = setInterval(sweep, SWEEP_MS).unref();

  function poolOf(name: string, origin: string): OwnedPool {
    let owner = owners.get(name);
    if (!owner) owners.set(name, (owner = newOwner()));
    owner.usedAt = performance.now();
    let pool = owner.pools.get(origin);
    if (!pool) owner.pools.set(origin, (pool = openPool(rules, owner, origin)));
    const openFresh = () => new Client(origin, clientOptions(rules, owner));
    return { owner, pool, openFresh };
  }

  function sweep(): void {
    const now = performance.now();
    for (const [name, owner] of owners) {
      if (owner.exchanges.size > 0 || now - owner.usedAt < IDLE_POOL_MS) continue;
      owners.delete(name);
      end(owner);
    }
    for (const [name, at] of dropped) if (now - at > DAY_MS) dropped.delete(name);
  }

  return {
    async post(request) {
      if (isClosed || dropped.has(request.owner)) return noResponse('dropped', 0);
      if (!URL.canParse(request.url)) return noResponse('blocked_address', 0);
      const url = new URL(request.url);
      return exchange(poolOf(request.owner, url.origin), url.pathname + url.search, request);
    },
    objectionTo: (text) => urlObjection(text, rules),
    drop(name) {
      dropped.set(name, performance.now());
      const owner = owners.get(name);
      if (!owner) return;
      owners.delete(name);
      end(owner);
    },
    async close() {
      isClosed = true;
      clearInterval(sweeper);
      for (const owner of owners.values()) end(owner);
      owners.clear();
    },
  };
}

function newOwner(): Owner {
  return { open: true, pools: new Map(), sockets: new Set(), exchanges: new Set(), usedAt: 0, closing: null };
}

interface Owner {
  open: boolean;
  pools: Map<string, Pool>;
  sockets: Set<Socket>;
  exchanges: Set<Exchange>;
  usedAt: number;
  /** What had been answered on the connection that is closing at this moment. undici does not say which it is. */
  closing: Answers | null;
}

/** The connections of one owner to one origin. */
interface OwnedPool {
  owner: Owner;
  pool: Dispatcher;
  /** Opens a connection for one request, which ends with it. */
  openFresh(): Dispatcher;
}

function openPool(rules: ConnectRules, owner: Owner, origin: string): Pool {
  return new Pool(origin, { ...clientOptions(rules, owner), connections: CONNECTIONS_PER_OWNER });
}

function clientOptions(rules: ConnectRules, owner: Owner): Client.Options {
  return {
    pipelining: 1,
    allowH2: false,
    connect: connectorOf(rules, owner),
    // The exchange has one deadline of its own. These would only cover parts of it.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 16 * 1024,
    keepAliveTimeout: 4 * SECOND_MS,
    keepAliveMaxTimeout: 60 * SECOND_MS,
  };
}

/** The connector of an owner, which notes what had been answered on a connection that closes. */
function connectorOf(rules: ConnectRules, owner: Owner): buildConnector.connector {
  const guarded = guardedConnector(rules, () => owner.open, owner.sockets);
  return readingPastInterim(guarded, (socket, answers) => {
    // This listener runs before undici's, which fails the request of this connection.
    socket.once('close', () => {
      owner.closing = answers;
      queueMicrotask(() => {
        owner.closing = null;
      });
    });
  });
}

function end(owner: Owner): void {
  owner.open = false;
  for (const running of owner.exchanges) running.settle('dropped');
  for (const socket of owner.sockets) socket.destroy();
  for (const pool of owner.pools.values()) void pool.destroy().catch(() => {});
}

async function exchange(connections: OwnedPool, path: string, request: OutboundRequest): Promise<OutboundAnswer> {
  const startedAt = performance.now();
  const first = await new Exchange(connections, path, request, startedAt).answer;
  // The server may close a kept-alive connection just as it is reused. It has not answered on it, so the same attempt
  // is sent once more, on a connection of its own: the others that are kept may be closed as well.
  if (first !== 'stale_connection') return first;
  const fresh = connections.openFresh();
  const second = await new Exchange({ ...connections, pool: fresh }, path, request, startedAt).answer;
  void fresh.destroy().catch(() => {});
  return second === 'stale_connection' ? noResponse('connection_failed', performance.now() - startedAt) : second;
}

function noResponse(error: OutboundError, durationMs: number): OutboundAnswer {
  return { status: null, body: null, error, durationMs: Math.round(durationMs) };
}

type Outcome = OutboundAnswer | 'stale_connection';

/** One running request: turns undici's callbacks into one settled answer. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<Outcome>;
  #resolve: (answer: Outcome) => void = () => {};
  #settled = false;
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout;
  #status = 0;
  #chunks: Buffer[] = [];
  #bytes = 0;
  readonly #owner: Owner;
  readonly #startedAt: number;
  readonly #keptBytes: number;

  constructor({ owner, pool }: OwnedPool, path: string, request: OutboundRequest, startedAt: number) {
    this.#owner = owner;
    this.#startedAt = startedAt;
    this.#keptBytes = request.keptBytes ?? MAX_BODY_BYTES;
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#timer = setTimeout(() => this.settle('timeout'), request.timeoutMs - (performance.now() - startedAt));
    owner.exchanges.add(this);
    try {
      pool.dispatch({ method: 'POST', path, headers: request.headers, body: request.body }, this);
    } catch {
      this.settle('connection_failed');
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('settled before it was sent'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    // A switch of protocols that switches nothing decides nothing, and does not extend the deadline.
    if (status < 200 || this.#settled) return;
    this.#status = status;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.settle('timeout'), BODY_GRACE_MS);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    if (this.#bytes < this.#keptBytes) this.#chunks.push(chunk.subarray(0, this.#keptBytes - this.#bytes));
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_READ_BYTES) this.settle('invalid_response');
  }

  onResponseEnd(): void {
    this.settle('invalid_response');
    this.#controller = undefined;
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#settled) return;
    if (this.#owner.closing?.isStale()) return this.#finish('stale_connection');
    this.settle(kindOf(error));
  }

  onRequestUpgrade(
    _controller: Dispatcher.DispatchController,
    _status: number,
    _headers: unknown,
    socket: { destroy(): void },
  ): void {
    socket.destroy();
    this.settle('invalid_response');
  }

  /** Ends the exchange: with the status if there is one, regardless of the body, otherwise with this error. */
  settle(error: OutboundError): void {
    if (this.#settled) return;
    const durationMs = performance.now() - this.#startedAt;
    this.#finish(
      this.#status === 0
        ? noResponse(error, durationMs)
        : { status: this.#status, body: cleanText(this.#chunks), error: null, durationMs: Math.round(durationMs) },
    );
  }

  #finish(answer: Outcome): void {
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#owner.exchanges.delete(this);
    this.#resolve(answer);
    // Aborts a body that is no longer needed, with its connection. After a complete response this does nothing.
    queueMicrotask(() => this.#controller?.abort(new Error('settled')));
  }
}

type UndiciError = Error & { code?: string };

const BAD_UPGRADE = 'bad upgrade';
const INVALID = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

function kindOf(error: UndiciError): OutboundError {
  if (error instanceof BlockedAddressError) return 'blocked_address';
  if (error instanceof NameResolutionError) return 'name_not_resolved';
  if (error instanceof ConnectTimeoutError) return 'timeout';
  if (error instanceof TlsError) return 'tls_failed';
  if (error.code === 'ECONNREFUSED') return 'connection_refused';
  if (error.name === 'HTTPParserError' || INVALID.has(error.code ?? '') || error.message === BAD_UPGRADE)
    return 'invalid_response';
  return 'connection_failed';
}

/** A server's response body, safe for a log: well-formed, without control characters and direction marks. */
function cleanText(chunks: readonly Uint8Array[]): string {
  const text =
    chunks.length === 1 && chunks[0] ? Buffer.from(chunks[0]).toString('utf8') : Buffer.concat(chunks).toString('utf8');
  return text.replace(UNPRINTABLE, '');
}

// Line feed and tab stay. A truncated last character has become U+FFFD, like all invalid text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
