import type * as http from 'node:http';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Endpoint } from '@quittance/contract';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Caller } from '../../caller.ts';
import type { Database } from '../../db/db.ts';
import type { ApiError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import type { Lines } from '../../lines.ts';
import type { Secrets } from '../../secrets.ts';
import { SECOND_MS } from '../../time.ts';
import { Admission, MAX_URL_LENGTH } from '../admission/admit.ts';
import type { CredentialStore } from '../admission/authenticate.ts';
import { Client, isLoopbackAddress } from '../admission/client.ts';
import type { Pace } from '../admission/pace.ts';
import type { Limiter } from '../admission/rate-limit.ts';
import { createProxyWarning, trustedProxies } from '../admission/trusted-proxies.ts';
import type { EventStream } from '../event-stream.ts';
import { Idempotency } from '../idempotency/idempotency.ts';
import type { Route } from '../route.ts';
import { MAX_BODY_BYTES, readJsonBodies } from '../validation/body.ts';
import { answerSchema } from './answer.ts';
import { handlerOf } from './handle.ts';
import { KnownPaths, RequestHooks } from './request-hooks.ts';
import { rawErrorHandler } from './raw-errors.ts';

/** An office or a mobile network behind one address opens fewer, and file descriptors are scarce. */
const MAX_CONNECTIONS_PER_CLIENT = 256;

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    credentialHash: Buffer | null;
    /** Read once, by `clientOf`. */
    client: Client | null;
    startedAtMs: number;
    bodyBytes: number;
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint;
    /** `show`: the response has the limit's headers, but the request does not count (health checks). */
    rateLimit?: 'show';
    /** As how many requests one counts. */
    cost?: number;
  }
}

export interface ServerOptions<Ctx> {
  ctx: Ctx;
  routes: readonly Route<Ctx>[];
  /** Adds routes that are not in the contract: pages, health, documentation. Called in a separate scope. */
  pages?: (server: FastifyInstance) => void | Promise<void>;
  /** Renders the error of a request outside `/v1` as a page. Without it, and for programs, the envelope is sent. */
  errorPage?: (error: ApiError, request: FastifyRequest, reply: FastifyReply) => string;
  credentials: CredentialStore;
  limiter: Limiter;
  pace: Pace;
  /** The changes of an account, by account and mode. */
  writes: Lines;
  secrets: Secrets;
  database: Database;
  log: Logger;
  /** Addresses or ranges whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[];
  profile: 'development' | 'production';
  publicUrl: string;
  /** For tests that cannot wait. */
  timeouts?: Partial<typeof TIMEOUTS>;
}

const TIMEOUTS = {
  requestMs: 15 * SECOND_MS,
  headersMs: 10 * SECOND_MS,
  checkMs: SECOND_MS,
  keepAliveMs: 72 * SECOND_MS,
  // Longer than any request waits for its response. Closes connections whose client does not read.
  idleMs: 60 * SECOND_MS,
  // Ends a connection whose client does not read a long response.
  unreadMs: 30 * SECOND_MS,
  closeMs: 20 * SECOND_MS,
};
const MAX_HEADER_BYTES = 16 * 1024;
const CLOSE_EVERY_MS = 200;

/** The HTTP server of the service: everything that applies to every request, around the given routes. */
export function createServer<Ctx>(options: ServerOptions<Ctx>): FastifyInstance {
  const isTrusted = trustedProxies(options.trustedProxies);
  const isHttps = options.publicUrl.startsWith('https:');
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const known = new KnownPaths();
  const { pace } = options;
  const hooks = new RequestHooks({
    admission: new Admission(options),
    pace,
    unreadMs: Math.min(timeouts.unreadMs, timeouts.idleMs),
    known,
    log: options.log,
    warnOfProxy: createProxyWarning(options.log, isTrusted),
    isHttps,
    errorPage: options.errorPage,
  });

  const server: FastifyInstance = fastify<http.Server>({
    logger: false,
    genReqId: () => newId('req'),
    trustProxy: options.trustedProxies.length > 0 ? isTrusted : false,
    bodyLimit: MAX_BODY_BYTES,
    connectionTimeout: timeouts.idleMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_URL_LENGTH },
    http: {
      requestTimeout: timeouts.requestMs,
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkMs,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Node would answer without the standard headers; `refuseMalformed` returns the same error.
      requireHostHeader: false,
    },
    // These two run before any hook.
    frameworkErrors: (error, request, reply) => void hooks.answerFrameworkError(error, request, reply),
    clientErrorHandler: rawErrorHandler(options.limiter, isHttps, isTrusted),
  });
  limitConnections(server.server, (address) => isTrusted(address) || isLoopbackAddress(address));
  // An unknown expectation is ignored; Node would answer a bare 417.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));

  server.decorate('eventStreams', new Set<EventStream>());
  server.decorateRequest('caller', null);
  server.decorateRequest('credentialHash', null);
  server.decorateRequest('client', null);
  server.decorateRequest('startedAtMs', 0);
  server.decorateRequest('bodyBytes', 0);
  readJsonBodies(server);
  server.addHook('onRoute', ({ method, url }) => known.add(url, [method].flat()));
  hooks.addTo(server);
  closeInTime(server, hooks, timeouts.closeMs);
  addRoutes(server, options);
  const { pages } = options;
  if (pages) server.register(async (scope) => pages(scope));
  return server;
}

function addRoutes<Ctx>(server: FastifyInstance, { routes, ...options }: ServerOptions<Ctx>): void {
  const idempotency = new Idempotency(options.database, options.secrets);
  for (const route of routes) {
    const { endpoint } = route;
    server.route({
      method: endpoint.method,
      url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      schema: { response: { [endpoint.success.status]: answerSchema(endpoint) } },
      config: { endpoint, cost: endpoint.cost ?? 1 },
      handler: handlerOf(route, { ...options, idempotency }),
    });
  }
}

/** Finishes running requests, ends streams, and closes each connection that owes no answer, until none is left. */
function closeInTime(server: FastifyInstance, hooks: RequestHooks, closeMs: number): void {
  const open = new Set<Socket>();
  server.server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const closeUnneeded = () => {
    for (const stream of server.eventStreams) stream.end();
    server.server.closeIdleConnections();
    // Browsers keep connections in reserve. Node takes only used ones for idle.
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
  server.addHook('preClose', (done) => {
    hooks.beginClosing();
    closeUnneeded();
    const again = setInterval(closeUnneeded, CLOSE_EVERY_MS).unref();
    // A client that never finishes must not keep the process alive.
    setTimeout(() => server.server.closeAllConnections(), closeMs).unref();
    server.server.once('close', () => clearInterval(again));
    done();
  });
}

/**
 * Closes new connections of a client that already has too many. `isProxy` marks peers that carry many clients and are
 * not counted. The server's own timeout closes connections whose client does not read.
 */
export function limitConnections(
  server: Server,
  isProxy: (address: string | undefined) => boolean,
  maxPerClient = MAX_CONNECTIONS_PER_CLIENT,
): void {
  const open = new Map<string, number>();
  const count = (holder: string, change: number) => {
    const own = (open.get(holder) ?? 0) + change;
    if (own > 0) open.set(holder, own);
    else open.delete(holder);
  };

  server.on('connection', (socket: Socket) => {
    if (isProxy(socket.remoteAddress)) return;
    const { ranges } = Client.at(socket.remoteAddress);
    if (ranges.some(({ name, allowance }) => (open.get(name) ?? 0) >= maxPerClient * allowance)) {
      socket.destroy();
      return;
    }
    for (const { name } of ranges) count(name, 1);
    socket.once('close', () => {
      for (const { name } of ranges) count(name, -1);
    });
  });
}
