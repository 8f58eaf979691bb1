import { allowsScope, type Endpoint } from '@quittance/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../caller.ts';
import { ApiError, fail } from '../../errors.ts';
import { type CredentialStore, findCaller, type Presented, readCredential } from './authenticate.ts';
import { Client, clientOf, isLoopbackHost, limitedClient, isRepeated } from './client.ts';
import type { Pace } from './pace.ts';
import { type Limiter, rateLimitHeaders, type Verdict } from './rate-limit.ts';

export interface AdmissionNeeds {
  credentials: CredentialStore;
  limiter: Limiter;
  pace: Pace;
  publicUrl: string;
  profile: 'development' | 'production';
}

export const MAX_URL_LENGTH = 8_192;
const MAX_TRUSTED_HASHES = 10_000;

/**
 * Decides, before any body is read, whether a request is admitted: its form, its client's limit, its credential, its
 * account's limit.
 */
export class Admission {
  readonly #needs: AdmissionNeeds;
  // Recently valid credentials are still looked up every time, but guesses by clients at the same address do not block
  // them.
  readonly #lately = new RecentSet(MAX_TRUSTED_HASHES);

  constructor(needs: AdmissionNeeds) {
    this.#needs = needs;
  }

  refuseMalformed(request: FastifyRequest): void {
    if (request.raw.url !== undefined && request.raw.url.length > MAX_URL_LENGTH) fail('uri_too_long');
    // The router ignores a host and a fragment in the target; other readers of the path would not.
    const target = request.raw.url ?? '';
    if (!target.startsWith('/') || target.includes('#'))
      fail('invalid_request', { message: 'The request target must be a path that starts with `/`, without `#`.' });
    const { host } = request.headers;
    if (host === undefined && request.raw.httpVersion === '1.1')
      fail('invalid_request', { param: 'Host', message: 'The request has no `Host` header.' });
    // RFC 9112: a proxy may have read the other one.
    if (isRepeated(request.raw, 'host'))
      fail('invalid_request', { param: 'Host', message: 'The request has more than one `Host` header.' });
    if (this.#needs.profile === 'development' && host !== undefined && !isLoopbackHost(host)) {
      // Otherwise a page of a foreign host name that resolves to this machine would be same-origin with the service.
      fail('forbidden', {
        param: 'Host',
        message: 'The development profile accepts only loopback host names, such as `localhost`.',
      });
    }
  }

  /** Counts the request for its client's address and adds the rate-limit headers to the response. */
  async countClient(
    request: FastifyRequest,
    reply: FastifyReply,
    { onlyLook = false, cost = 1 }: { onlyLook?: boolean; cost?: number | undefined } = {},
  ): Promise<Verdict> {
    const { requests } = this.#needs.limiter;
    const client = clientOf(request);
    // On the developer's own machine one browser opens all pages.
    const points = limitedClient(this.#needs, client) ? cost : 1;
    const verdict = await (onlyLook ? requests.look(client) : requests.take(client, points));
    reply.headers(rateLimitHeaders(verdict));
    return verdict;
  }

  /** The account of the request, counted against the account's limit. */
  async authenticate(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    const { presented, caller } = await this.#identify(request, reply);
    const door = presented.kind === 'key' ? 'key' : 'login';
    const mode = caller.livemode ? 'live' : 'test';
    const verdict = await this.#needs.limiter.requests.take(Client.only(`${caller.id}:${mode}:${door}`));
    reply.headers(rateLimitHeaders(verdict));
    refuseOver(verdict);
    this.#needs.pace.refuseUnread(caller.id);

    if (endpoint.auth === 'login' && presented.kind === 'key') {
      fail('forbidden', { message: 'This endpoint requires a login token (`ses_…`). Secret keys are not allowed.' });
    }
    if (endpoint.testModeOnly && caller.livemode)
      fail('not_found', { message: 'Test helpers are available in test mode only. Send a test key (`sk_test_…`).' });
    if (!allowsScope(caller.scopes, endpoint.scope)) refuseScope(endpoint);
    request.credentialHash = presented.hash;
    return presented.kind === 'cookie' ? { ...caller, via: 'cookie' } : caller;
  }

  async #identify(request: FastifyRequest, reply: FastifyReply): Promise<{ presented: Presented; caller: Caller }> {
    const { credentials, limiter } = this.#needs;
    const presented = await this.#readCredential(request, reply);
    const name = presented.hash.toString('base64');
    const isCounted = !this.#lately.has(name) && !this.#isDeveloper(request);
    if (isCounted) {
      const budget = await limiter.failures.look(clientOf(request));
      if (budget.remaining === 0) {
        await this.countClient(request, reply);
        refuse(budget, 'Too many invalid credentials from this address. Try again after `Retry-After` seconds.');
      }
    }

    const caller = await findCaller(credentials, presented);
    if (!caller) {
      this.#lately.delete(name);
      if (isCounted) await limiter.failures.take(clientOf(request));
      refuseOver(await this.countClient(request, reply));
      fail('invalid_credentials');
    }
    this.#lately.add(name);
    return { presented, caller };
  }

  async #readCredential(request: FastifyRequest, reply: FastifyReply): Promise<Presented> {
    try {
      return readCredential(request, this.#needs.publicUrl);
    } catch (refusal) {
      refuseOver(await this.countClient(request, reply));
      throw refusal;
    }
  }

  #isDeveloper(request: FastifyRequest): boolean {
    return this.#needs.profile === 'development' && clientOf(request).isThisMachine;
  }
}

function refuseScope({ scope }: Endpoint): never {
  fail('forbidden', {
    message: scope
      ? `This key does not have the scope \`${scope}\`. Use a key that has it, or one without a list of scopes.`
      : 'A key with a list of scopes may not do this. Use one without.',
  });
}

export function refuseOver(verdict: Verdict, message?: string): void {
  if (!verdict.allowed) refuse(verdict, message);
}

function refuse(verdict: Verdict, message?: string): never {
  throw new ApiError('rate_limited', { retryAfterSeconds: verdict.retryAfterSeconds, message });
}

/** A set that drops its oldest members. */
class RecentSet {
  readonly #members = new Set<string>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  has(member: string): boolean {
    return this.#members.has(member);
  }

  add(member: string): void {
    if (this.#members.has(member)) return;
    const [oldest] = this.#members;
    if (this.#members.size >= this.#limit && oldest !== undefined) this.#members.delete(oldest);
    this.#members.add(member);
  }

  delete(member: string): void {
    this.#members.delete(member);
  }
}
