const PUBLIC_PREFIX = '/v1/public/';

/** Whether any page on the web may call this path: it needs no credential, so it has nothing to give away. */
export function isPublicPath(url: string): boolean {
  return url.startsWith(PUBLIC_PREFIX);
}

const EXPOSED =
  'Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed, Original-Request';

/** Without `Access-Control-Allow-Credentials`, so that no cookie of ours ever travels along. */
export function publicHeaders(): Record<string, string> {
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': EXPOSED,
    'cross-origin-resource-policy': 'cross-origin',
  };
}

export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': 'Content-Type, Idempotency-Key, Last-Event-ID',
    'access-control-max-age': '600',
  };
}
