import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '../../errors.ts';
import { type Admission, refuseOver } from '../admission/admit.ts';
import type { Pace } from '../admission/pace.ts';
import { isPublicPath, preflightHeaders, publicHeaders, standardHeaders } from './headers.ts';
import { errorEnvelope, toApiError } from './errors.ts';

export interface HookNeeds {
  admission: Admission;
  pace: Pace;
  /** How long a client may not read a long response. */
  unreadMs: number;
  known: KnownPaths;
  log: Logger;
  warnOfProxy: (request: FastifyRequest) => void;
  isHttps: boolean;
  /** Renders the error of a request outside `/v1` as a page. */
  errorPage: ((error: ApiError, request: FastifyRequest, reply: FastifyReply) => string) | undefined;
}

const MAX_SHORT_BYTES = 16 * 1024;

/** The hooks of every request: it is admitted, answered with the standard headers, and logged. */
export class RequestHooks {
  readonly #needs: HookNeeds;
  #isClosing = false;

  constructor(needs: HookNeeds) {
    this.#needs = needs;
  }

  addTo(server: FastifyInstance): void {
    server.addHook('onRequest', (request, reply) => this.#admit(request, reply));
    server.addHook('onSend', (request, reply, payload, done) => this.#completeHeaders(request, reply, payload, done));
    server.addHook('onResponse', (request, reply, done) => {
      this.#logAnswer(request, reply);
      done();
    });
    server.setErrorHandler((error, request, reply) => this.#answerError(error, request, reply));
    server.setNotFoundHandler(() => {
      throw unknownPath();
    });
  }

  /** From now on every connection ends after its response. */
  beginClosing(): void {
    this.#isClosing = true;
  }

  /** Answers requests that the framework rejected before any hook ran. */
  async answerFrameworkError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    this.#begin(request, reply);
    await this.#needs.admission.countClient(request, reply);
    await this.#answerError(thrown, request, reply);
    this.#logAnswer(request, reply);
  }

  /** In the documented order: path and method, client's limit, credential, account's limit. */
  async #admit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const { admission, warnOfProxy } = this.#needs;
    this.#begin(request, reply);
    warnOfProxy(request);
    admission.refuseMalformed(request);
    if (request.is404) return this.#answerUnknown(request, reply);

    const { endpoint, rateLimit, cost } = request.routeOptions.config;
    if (endpoint && endpoint.auth !== 'none') {
      request.caller = await admission.authenticate(endpoint, request, reply);
    } else if (rateLimit === 'show') {
      await admission.countClient(request, reply, { onlyLook: true });
    } else {
      refuseOver(await admission.countClient(request, reply, { cost }));
    }
    return undefined;
  }

  #begin(request: FastifyRequest, reply: FastifyReply): void {
    request.startedAtMs = performance.now();
    reply.headers(standardHeaders(request.id, this.#needs.isHttps));
    if (isPublicPath(request.url)) reply.headers(publicHeaders());
  }

  async #answerUnknown(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { admission, known } = this.#needs;
    await admission.countClient(request, reply);
    const [path = ''] = request.url.split('?', 1);
    const methods = known.methodsOf(path);
    if (methods.length === 0) throw unknownPath();
    reply.header('allow', methods.join(', '));
    if (request.method !== 'OPTIONS') throw new ApiError('method_not_allowed');
    if (isPublicPath(path)) reply.headers(preflightHeaders(methods));
    return reply.code(204).send();
  }

  async #answerError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { errorPage, log } = this.#needs;
    const error = sameNotFound(toApiError(thrown), request);
    if (error.status >= 500) {
      const level = error.status === 500 ? 'error' : 'warn';
      log[level]({ err: error.cause ?? error, requestId: request.id, errorCode: error.code }, 'request failed');
    }
    if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
    if (error.status === 401) reply.header('www-authenticate', 'Bearer');
    reply.code(error.status);

    const isForPerson = !request.url.startsWith('/v1/') && (request.headers.accept ?? '').includes('text/html');
    if (errorPage && isForPerson) return reply.type('text/html; charset=utf-8').send(errorPage(error, request, reply));
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(errorEnvelope(error, request.id)));
  }

  /** The final headers of every response that went through the hooks. */
  #completeHeaders(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: Error | null, payload?: unknown) => void,
  ): void {
    if (this.#isClosing) reply.header('connection', 'close');
    this.#watchReader(request, reply, payload);
    if (reply.hasHeader('x-ratelimit-limit')) {
      done(null, payload);
      return;
    }
    // The request failed before it was counted.
    this.#needs.admission.countClient(request, reply).then(
      () => done(null, payload),
      (error: Error) => done(error, payload),
    );
  }

  /** A short response fits into the buffers of the operating system, so it does not wait for its reader here. */
  #watchReader({ caller }: FastifyRequest, { raw }: FastifyReply, payload: unknown): void {
    const { pace, unreadMs } = this.#needs;
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : Number.POSITIVE_INFINITY;
    if (payload === null || payload === undefined || bytes <= MAX_SHORT_BYTES) return;
    if (caller && Number.isFinite(bytes)) pace.untilRead(caller.id, bytes, raw);
    // The next request of the connection sets the usual timeout again.
    raw.socket?.setTimeout?.(unreadMs);
  }

  #logAnswer(request: FastifyRequest, reply: FastifyReply): void {
    this.#needs.log.info(
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
  }
}

function unknownPath(): ApiError {
  return new ApiError('not_found', { message: 'Unknown path. The API is at /v1; see /docs.' });
}

/** The same error for an object that does not exist, belongs to another account, or has an impossible id. */
function sameNotFound(error: ApiError, request: FastifyRequest): ApiError {
  const { endpoint } = request.routeOptions.config;
  // Live mode does not have this endpoint at all, whatever the id.
  if (endpoint?.testModeOnly && error.param === null) return error;
  const [param] = Object.keys(endpoint?.params?.properties ?? {});
  return error.code === 'not_found' && param !== undefined ? new ApiError('not_found', { param }) : error;
}

/** Every path and its methods, to distinguish a wrong method from a wrong path. */
export class KnownPaths {
  readonly #methods = new Map<string, Set<string>>();
  readonly #forms: { form: RegExp; methods: Set<string> }[] = [];

  add(pattern: string, methods: readonly string[]): void {
    let known = this.#methods.get(pattern);
    if (!known) {
      known = new Set();
      this.#methods.set(pattern, known);
      this.#forms.push({ form: toForm(pattern), methods: known });
    }
    for (const method of methods) known.add(method);
  }

  /** The methods of a path, sorted; none if it is unknown. */
  methodsOf(path: string): string[] {
    const found = new Set<string>();
    for (const { form, methods } of this.#forms) if (form.test(path)) for (const method of methods) found.add(method);
    return [...found].sort();
  }
}

function toForm(pattern: string): RegExp {
  const source = pattern
    .split(/(:[A-Za-z_]+|\*)/)
    .map((part) => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')))
    .join('');
  return new RegExp(`^${source}$`);
}
