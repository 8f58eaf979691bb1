import { LIMITS } from '../shapes/common.ts';
import { exampleId } from '../shapes/schema.ts';

const integer = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
});
const string = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });

/** Headers of every answer. */
export const HEADERS = {
  'Request-Id': {
    ...string("Identifies this request in the server's logs.", 'req_7pXq5WzNk2TvRb8LsMc4HdGf'),
    required: true,
  },
  'X-RateLimit-Limit': { ...integer('Requests allowed per second.', 100), required: true },
  'X-RateLimit-Remaining': { ...integer('Requests left in the current second.', 99), required: true },
  'X-RateLimit-Reset': { ...integer('Unix time in seconds when the limit resets.', 1_773_480_414), required: true },
};

/** Headers of some. */
export const ERROR_HEADERS = {
  'Retry-After': integer('Seconds to wait before retrying.', 1),
  'Idempotent-Replayed': {
    description: '`true` if this is the stored response to an earlier request with the same key.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'Original-Request': string('The ID of the earlier request.', 'req_7pXq5WzNk2TvRb8LsMc4HdGf'),
  Allow: string('The methods that the path supports.', 'GET, HEAD, POST'),
};

type HeaderName = keyof typeof HEADERS | keyof typeof ERROR_HEADERS;

/** References to the headers of every answer, and to the given ones. */
export function headers(...more: HeaderName[]): Record<string, { $ref: string }> {
  const names: HeaderName[] = [...(Object.keys(HEADERS) as HeaderName[]), ...more];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Headers that many operations read. */
export const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A unique string that you choose for this request. Retries with the same key return the first response.',
    schema: { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKeyLength },
    example: 'order-1042-checkout',
  },
  ServiceMode: {
    name: 'Service-Mode',
    in: 'header',
    required: false,
    description: 'The mode of a login token. Ignored for secret keys, which have their own mode.',
    schema: { type: 'string', enum: ['live', 'test'], default: 'live' },
    example: 'test',
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'The ID of the last event you received. The stream resumes after it.',
    schema: { type: 'string', maxLength: 100 },
    example: exampleId('evt'),
  },
};

export function parameterRef(name: keyof typeof PARAMETERS): { $ref: string } {
  return { $ref: `#/components/parameters/${name}` };
}
