/**
 * Whether the database could not be reached, is restarting, full or read-only, or gave up on a lock: the request is
 * valid, and may succeed later.
 */
export function isUnavailable(thrown: unknown): boolean {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth += 1) {
    const code = (error as { code?: unknown }).code;
    if (typeof code === 'string' && (UNAVAILABLE_STATES.test(code) || UNAVAILABLE_CODES.has(code))) return true;
    if (UNAVAILABLE_SENTENCES.some((sentence) => error.message.startsWith(sentence))) return true;
    if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true;
  }
  return false;
}

// Connection lost (08), resources exhausted (53), operator intervention (57), deadlock and serialization (40), lock not
// available (55P03), read-only after a failover (25006), and disk trouble (58).
const UNAVAILABLE_STATES = /^(?:08...|53...|57(?:P0.|014)|40(?:001|P01)|55P03|25006|58...)$/;
const UNAVAILABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
// The driver's own errors carry no code.
const UNAVAILABLE_SENTENCES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error',
  'Client was closed',
  'Cannot use a pool after calling end',
  'Query read timeout',
  'read E',
  'write E',
];
