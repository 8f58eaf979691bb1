import { ERRORS, type ErrorCode } from '../errors.ts';
import type { ResponseObject } from './document.ts';
import { exampleId } from '../shapes/schema.ts';
import { headers } from './headers.ts';

/** Answers that are the same wherever they occur. */
export const SHARED_RESPONSES = {
  Unauthenticated: errorResponse('The credential is missing or invalid.', [
    'authentication_required',
    'invalid_credentials',
  ]),
  Forbidden: errorResponse('The credential does not have permission for this action.', ['forbidden']),
  NotFound: errorResponse('No such object in this account and mode.', ['not_found']),
  IdempotencyConflict: errorResponse(
    'The Idempotency-Key was used with a different request, or its request is still in progress.',
    ['idempotency_conflict', 'idempotency_in_progress'],
  ),
  PayloadTooLarge: errorResponse('The request body is larger than 256 KiB.', ['payload_too_large']),
  UnsupportedMediaType: errorResponse('The request body is not `application/json`.', ['unsupported_media_type']),
  RateLimited: errorResponse('Too many requests.', ['rate_limited']),
  InternalError: errorResponse('Something went wrong on the server.', ['internal_error']),
  Unavailable: errorResponse('Service temporarily unavailable.', ['service_unavailable']),
  OtherError: errorResponse(
    'Errors that can occur before a request is processed: method not allowed (405), request timeout ' +
      '(408), URL too long (414), headers too large (431) and, in the development profile, a `Host` other than this machine (403).',
    ['forbidden', 'method_not_allowed', 'request_timeout', 'uri_too_long', 'headers_too_large'],
  ),
} as const;

export function responseRef(name: keyof typeof SHARED_RESPONSES): { $ref: string } {
  return { $ref: `#/components/responses/${name}` };
}

/** An error of one status, with an example for each of its codes. */
export function errorResponse(description: string, codes: ErrorCode[], param: string | null = null): ResponseObject {
  const waits = codes.some((code) => ERRORS[code].status === 429 || ERRORS[code].status === 503);
  const allows = codes.includes('method_not_allowed');
  return {
    description,
    headers: headers(...(waits ? ['Retry-After' as const] : []), ...(allows ? ['Allow' as const] : [])),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(
          codes.map((code) => [
            code,
            {
              value: {
                error: { code, message: ERRORS[code].message, param: paramOf(code, param) },
                request_id: exampleId('req'),
              },
            },
          ]),
        ),
      },
    },
    'x-error-codes': codes,
  };
}

function paramOf(code: ErrorCode, param: string | null): string | null {
  if (code === 'not_found') return 'id';
  return code.startsWith('invalid_') && code !== 'invalid_request' ? param : null;
}
