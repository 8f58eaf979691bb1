import type { ErrorCode } from '@quittance/contract';
import { ApiError, TemporaryFailure } from '../errors.ts';

const RETRY_AFTER_SECONDS = 1;

/** The body of every answer that is not a success. */
export interface ErrorEnvelope {
  error: { code: ErrorCode; message: string; param: string | null };
  request_id: string;
}

export function errorEnvelope(error: ApiError, requestId: string): ErrorEnvelope {
  return { error: { code: error.code, message: error.message, param: error.param }, request_id: requestId };
}

/** What the caller is told of anything that was thrown. Only what we expected is told as it is. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (isAborted(thrown)) return new ApiError('invalid_request', { message: 'The connection was closed before the body had arrived.', cause: thrown });
  if (thrown instanceof TemporaryFailure || isUnavailable(thrown)) {
    return new ApiError('service_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: thrown });
  }
  const code = (thrown as { code?: unknown } | null)?.code;
  if (typeof code === 'string' && code in FRAMEWORK_ERRORS) {
    const known = FRAMEWORK_ERRORS[code] as { code: ErrorCode; message?: string };
    return new ApiError(known.code, { message: known.message, cause: thrown });
  }
  return new ApiError('internal_error', { cause: thrown });
}

const FRAMEWORK_ERRORS: Record<string, { code: ErrorCode; message?: string }> = {
  FST_ERR_BAD_URL: { code: 'invalid_request', message: 'The path is not validly percent-encoded UTF-8.' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'uri_too_long' },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'payload_too_large' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'unsupported_media_type' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'invalid_request', message: 'The body is not as long as `Content-Length` says.' },
};

/** Node's own error for a client that left in the middle of its request; nobody reads the answer but our log. */
function isAborted(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message === 'aborted' && (thrown as { code?: unknown }).code === 'ECONNRESET';
}

/**
 * Whether the database could not be reached, is restarting, is full, read-only or gave up on a lock: nothing is wrong
 * with the request, and the same may work in a moment.
 */
function isUnavailable(thrown: unknown): boolean {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth += 1) {
    const code = (error as { code?: unknown }).code;
    if (typeof code === 'string' && (UNAVAILABLE_STATES.test(code) || UNAVAILABLE_CODES.has(code))) return true;
    if (UNAVAILABLE_SENTENCES.test(error.message)) return true;
    if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true;
  }
  return false;
}

// Connection lost (08), resources exhausted (53), operator intervention (57), deadlock and serialisation (40),
// lock not available (55P03), read-only after a failover (25006), and disk trouble (58).
const UNAVAILABLE_STATES = /^(?:08...|53...|57(?:P0.|014)|40(?:001|P01)|55P03|25006|58...)$/;
const UNAVAILABLE_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);
// The driver's own errors carry no code.
const UNAVAILABLE_SENTENCES = /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|Query read timeout|read E|write E)/;
