import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../caller.ts';
import { fail } from '../../errors.ts';
import { sha256 } from '../../secrets.ts';
import { hasValidChecksum, isLoginToken } from './credentials.ts';

/** Looks up credentials, every time from the database, so that a revoked one never works. */
export interface CredentialStore {
  findByKeyHash(hash: Buffer): Promise<Caller | undefined>;
  findByTokenHash(hash: Buffer, livemode: boolean): Promise<Caller | undefined>;
}

/** A well-formed credential of a request, not looked up yet. */
export interface Presented {
  kind: 'key' | 'login' | 'cookie';
  /** SHA-256 of the secret, the only form that is passed on. */
  hash: Buffer;
  /** For login tokens; a key has a fixed mode. */
  livemode: boolean;
}

/** `__Host-` ties the cookie to this host; browsers accept it over https only. */
export function sessionCookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Host-session' : 'session';
}

/** Reads the credential of a request. Throws 401 for a missing or malformed one, without using the database. */
export function readCredential(request: FastifyRequest, publicUrl: string): Presented {
  const authorization = request.headers.authorization;
  if (authorization === undefined) return readCookie(request, publicUrl);

  const bearer = /^bearer(?: +|$)(.*)$/i.exec(authorization.trim());
  if (!bearer?.[1]) fail('authentication_required');
  const secret = bearer[1].trim();
  if (hasValidChecksum(secret)) return { kind: 'key', hash: sha256(secret), livemode: secret.startsWith('sk_live_') };
  if (isLoginToken(secret)) return { kind: 'login', hash: sha256(secret), livemode: readMode(request) };
  return fail('invalid_credentials', {
    message: 'Invalid API key. Expected `sk_live_…`, `sk_test_…` or `ses_…`.',
  });
}

export function findCaller(store: CredentialStore, presented: Presented): Promise<Caller | undefined> {
  if (presented.kind === 'key') return store.findByKeyHash(presented.hash);
  return store.findByTokenHash(presented.hash, presented.livemode);
}

function readCookie(request: FastifyRequest, publicUrl: string): Presented {
  const token = cookie(request.headers.cookie, sessionCookieName(publicUrl));
  if (token === undefined) fail('authentication_required');
  if (!isLoginToken(token)) fail('invalid_credentials');
  refuseForgery(request, publicUrl);
  return { kind: 'cookie', hash: sha256(token), livemode: readMode(request) };
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A browser sends cookies with any site's requests, so one that changes something must come from the service's own
 * pages.
 */
export function refuseForgery(request: FastifyRequest, publicUrl: string): void {
  if (SAFE_METHODS.has(request.method)) return;
  const site = request.headers['sec-fetch-site'];
  const isOurs = site === undefined ? request.headers.origin === new URL(publicUrl).origin : site === 'same-origin';
  // Other sites cannot send this content type without a preflight request, which is not answered.
  const isJson = /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '');
  if (!isOurs || !isJson) {
    fail('forbidden', {
      message:
        'Login cookies are accepted only for JSON requests from the dashboard. Send `Authorization: Bearer …` instead.',
    });
  }
}

function readMode(request: FastifyRequest): boolean {
  const mode = request.headers['service-mode'] ?? 'live';
  if (mode !== 'live' && mode !== 'test') {
    fail('invalid_request', { param: 'Service-Mode', message: '`Service-Mode` must be `live` or `test`.' });
  }
  return mode === 'live';
}

function cookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
