import type { ErrorCode } from '@quittance/contract';
import { isUnavailable } from '../../db/unavailable.ts';
import { ApiError, TemporaryError } from '../../errors.ts';

const RETRY_AFTER_SECONDS = 1;

export function errorEnvelope(
  error: ApiError,
  requestId: string,
): { error: { code: ErrorCode; message: string; param: string | null }; request_id: string } {
  return { error: { code: error.code, message: error.message, param: error.param }, request_id: requestId };
}

/** The caller's view of any thrown error. Only expected failures are shown unchanged. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (isAborted(thrown))
    return new ApiError('invalid_request', {
      message: 'The connection was closed before the whole body arrived.',
      cause: thrown,
    });
  if (thrown instanceof TemporaryError || isUnavailable(thrown)) {
    return new ApiError('service_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: thrown });
  }
  if (isUnstorableText(thrown)) return new ApiError('invalid_request', { message: UNSTORABLE, cause: thrown });
  const code = (thrown as { code?: unknown } | null)?.code;
  if (typeof code === 'string' && code in FRAMEWORK_ERRORS) {
    const known = FRAMEWORK_ERRORS[code] as { code: ErrorCode; message?: string };
    return new ApiError(known.code, { message: known.message, cause: thrown });
  }
  return new ApiError('internal_error', { cause: thrown });
}

const FRAMEWORK_ERRORS: Record<string, { code: ErrorCode; message?: string }> = {
  FST_ERR_BAD_URL: { code: 'invalid_request', message: 'The path is not valid percent-encoded UTF-8.' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'uri_too_long' },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'payload_too_large' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'unsupported_media_type' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'invalid_request',
    message: 'The length of the body does not match `Content-Length`.',
  },
};

const UNSTORABLE =
  'A text of the request contains a NUL character or is not well-formed Unicode. Send well-formed Unicode text.';

/** PostgreSQL's errors for text that it cannot represent. Checks at the edge refuse it; this holds what they miss. */
function isUnstorableText(thrown: unknown): boolean {
  const code = (thrown as { code?: unknown } | null)?.code;
  return code === '22021' || code === '22P05';
}

/** Node's error for a client that disconnected during its request. Only the log shows the answer. */
function isAborted(thrown: unknown): boolean {
  return (
    thrown instanceof Error && thrown.message === 'aborted' && (thrown as { code?: unknown }).code === 'ECONNRESET'
  );
}
