import type * as http from 'node:http';
import type { Endpoint } from '@quittance/contract';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Logger } from 'pino';
import type { Caller } from '../caller.ts';
import type { Database } from '../db/db.ts';
import { ApiError } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Secrets } from '../secrets.ts';
import { SECOND_MS } from '../time.ts';
import { admission, refuseOver, MAX_URL_LENGTH } from './admit.ts';
import { answerSchema } from './answer.ts';
import type { CredentialStore } from './authenticate.ts';
import { MAX_BODY_BYTES, readJsonBodies } from './body.ts';
import { isPublicPath, preflightHeaders, publicHeaders } from './cors.ts';
import { errorEnvelope, toApiError } from './errors.ts';
import { openStreams } from './event-stream.ts';
import { handlerOf } from './handle.ts';
import { standardHeaders } from './headers.ts';
import { Idempotency } from './idempotency.ts';
import { isLoopbackAddress } from './client.ts';
import { limitConnections } from './server/connections.ts';
import { KnownPaths } from './known-paths.ts';
import type { Limiter } from './rate-limit.ts';
import { rawErrorHandler } from './raw-errors.ts';
import type { Route } from './route.ts';
import { createProxyWarning, trustedProxies } from './trusted-proxies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    credentialHash: Buffer | null;
    startedAtMs: number;
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint;
    /** `show`: the limit's figures are answered, but the request does not count (health checks). */
    rateLimit?: 'show';
  }
}

export interface ServerOptions<Ctx> {
  ctx: Ctx;
  routes: readonly Route<Ctx>[];
  /** Adds what is no endpoint of the contract: pages, health, documentation. Called in a scope of its own. */
  pages?: (server: FastifyInstance) => void | Promise<void>;
  /** Draws the error of a request outside `/v1` for a person; without it, and for programs, the envelope is sent. */
  errorPage?: (error: ApiError, request: FastifyRequest, reply: FastifyReply) => string;
  credentials: CredentialStore;
  limiter: Limiter;
  secrets: Secrets;
  database: Database;
  log: Logger;
  /** Addresses or ranges whose `X-Forwarded-For` is believed. */
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
  closeMs: 20 * SECOND_MS,
};
const MAX_HEADER_BYTES = 16 * 1024;

/** The HTTP server of the service: everything that is true of every request, around the routes that are given. */
export function createServer<Ctx>(options: ServerOptions<Ctx>): FastifyInstance {
  const { limiter, log, publicUrl } = options;
  const isTrusted = trustedProxies(options.trustedProxies);
  const warnOfProxy = createProxyWarning(log, isTrusted);
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const isHttps = publicUrl.startsWith('https:');
  const { refuseMalformed, countClient, authenticate } = admission(options);
  const known = new KnownPaths();
  let isClosing = false;

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
      // Node would answer without our headers; `refuseMalformed` says the same.
      requireHostHeader: false,
    },
    // These two speak before any hook does.
    frameworkErrors: (error, request, reply) => void answerFrameworkError(error, request, reply),
    clientErrorHandler: rawErrorHandler(limiter, isHttps, isTrusted),
  });
  // An expectation that we do not know changes nothing; Node would answer a bare 417.
  limitConnections(server.server, (address) => isTrusted(address) || isLoopbackAddress(address));
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));

  server.decorateRequest('caller', null);
  server.decorateRequest('credentialHash', null);
  server.decorateRequest('startedAtMs', 0);
  readJsonBodies(server);
  server.addHook('onRoute', ({ method, url }) => known.add(url, [method].flat()));
  server.addHook('onRequest', admit);
  server.addHook('onSend', completeHeaders);
  server.addHook('onResponse', logAnswer);
  server.setErrorHandler(answerError);
  server.setNotFoundHandler(() => {
    throw new ApiError('not_found');
  });
  server.addHook('preClose', beginClosing);

  const needs = {
    ctx: options.ctx,
    database: options.database,
    idempotency: new Idempotency(options.database, options.secrets),
    limiter,
    profile: options.profile,
  };
  for (const route of options.routes) {
    const { endpoint } = route;
    server.route({
      method: endpoint.method,
      url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      schema: { response: { [endpoint.success.status]: answerSchema(endpoint) } },
      config: { endpoint },
      handler: handlerOf(route, needs),
    });
  }
  const { pages } = options;
  if (pages) server.register(async (scope) => pages(scope));
  return server;

  /** In the order that callers are promised: path and method, client's limit, credential, account's limit. */
  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    request.startedAtMs = performance.now();
    reply.headers(standardHeaders(request.id, isHttps));
    if (isPublicPath(request.url)) reply.headers(publicHeaders());
    warnOfProxy(request);
    refuseMalformed(request);
    if (request.is404) return answerUnknown(request, reply);

    const { endpoint, rateLimit } = request.routeOptions.config;
    if (endpoint && endpoint.auth !== 'none') {
      request.caller = await authenticate(endpoint, request, reply);
    } else if (rateLimit === 'show') {
      await countClient(request, reply, { onlyLook: true });
    } else {
      refuseOver(await countClient(request, reply));
    }
    return undefined;
  }

  async function answerUnknown(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    await countClient(request, reply);
    const [path = ''] = request.url.split('?', 1);
    const methods = known.methodsOf(path);
    if (methods.length === 0)
      throw new ApiError('not_found', {
        message: `Unknown path. The API is at /v1; see /docs.`,
      });
    reply.header('allow', methods.join(', '));
    if (request.method !== 'OPTIONS') throw new ApiError('method_not_allowed');
    if (isPublicPath(path)) reply.headers(preflightHeaders(methods));
    return reply.code(204).send();
  }

  async function answerError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const error = sameNotFound(toApiError(thrown), request);
    if (error.status >= 500) {
      const level = error.status === 500 ? 'error' : 'warn';
      log[level]({ err: error.cause ?? error, requestId: request.id, errorCode: error.code }, 'request failed');
    }
    if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
    if (error.status === 401) reply.header('www-authenticate', 'Bearer');
    reply.code(error.status);

    const isForPerson = !request.url.startsWith('/v1/') && (request.headers.accept ?? '').includes('text/html');
    if (options.errorPage && isForPerson)
      return reply.type('text/html; charset=utf-8').send(options.errorPage(error, request, reply));
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(errorEnvelope(error, request.id)));
  }

  async function answerFrameworkError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    request.startedAtMs = performance.now();
    reply.headers(standardHeaders(request.id, isHttps));
    if (isPublicPath(request.url)) reply.headers(publicHeaders());
    await countClient(request, reply);
    await answerError(thrown, request, reply);
    logAnswer(request, reply, () => {});
  }

  /** The last word on every answer that went through the hooks. */
  function completeHeaders(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: Error | null, payload: unknown) => void,
  ): void {
    if (isClosing) reply.header('connection', 'close');
    if (reply.hasHeader('x-ratelimit-limit')) {
      done(null, payload);
      return;
    }
    // What failed before it was counted.
    countClient(request, reply).then(
      () => done(null, payload),
      (error: Error) => done(error, payload),
    );
  }

  /** What is being answered is answered; then each connection is closed. */
  function beginClosing(done: () => void): void {
    isClosing = true;
    for (const stream of openStreams(server.server)) stream.end();
    // A client that never finishes must not keep the process.
    setTimeout(() => server.server.closeAllConnections(), timeouts.closeMs).unref();
    done();
  }

  function logAnswer(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    log.info(
      {
        requestId: request.id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(performance.now() - request.startedAtMs),
        accountId: request.caller?.id,
      },
      'request answered',
    );
    done();
  }
}

/** An object that is not there, is another account's, or has an impossible id: one answer for all. */
function sameNotFound(error: ApiError, request: FastifyRequest): ApiError {
  const { endpoint } = request.routeOptions.config;
  // Live mode has no such endpoint at all, whatever the id.
  if (endpoint?.testModeOnly && error.param === null) return error;
  const [param] = Object.keys(endpoint?.params?.properties ?? {});
  return error.code === 'not_found' && param !== undefined ? new ApiError('not_found', { param }) : error;
}
