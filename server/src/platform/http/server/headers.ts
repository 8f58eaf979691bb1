const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** The headers of every response; pages replace the policy with their own. */
export function standardHeaders(requestId: string, isHttps: boolean): Record<string, string> {
  return {
    'request-id': requestId,
    ...SECURITY_HEADERS,
    ...(isHttps ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : undefined),
  };
}

const PUBLIC_PREFIX = '/v1/public/';

/** Whether any page on the web may call this path: it needs no credential. */
export function isPublicPath(url: string): boolean {
  return url.startsWith(PUBLIC_PREFIX);
}

const EXPOSED_HEADERS =
  'Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed, Original-Request';

/** Allows every origin. There is no `Access-Control-Allow-Credentials`, so browsers never send cookies. */
export function publicHeaders(exposed = EXPOSED_HEADERS): Record<string, string> {
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposed,
    'cross-origin-resource-policy': 'cross-origin',
  };
}

export function preflightHeaders(
  methods: readonly string[],
  allowed = 'Content-Type, Idempotency-Key, Last-Event-ID',
): Record<string, string> {
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': allowed,
    'access-control-max-age': '600',
  };
}
