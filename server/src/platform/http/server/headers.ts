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
