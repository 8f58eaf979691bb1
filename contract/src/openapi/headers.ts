const integer = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
});
const string = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });

/** Headers of every answer. */
export const HEADERS = {
  'Request-Id': { ...string('Names this request in our logs.', 'req_7pXq5WzNk2TvRb8LsMc4HdGf'), required: true },
  'X-RateLimit-Limit': { ...integer('How many requests a second you have.', 100), required: true },
  'X-RateLimit-Remaining': { ...integer('How many are left in this second.', 99), required: true },
  'X-RateLimit-Reset': { ...integer('When they are all yours again, in unix seconds.', 1_773_480_414), required: true },
};

/** Headers of some. */
export const ERROR_HEADERS = {
  'Retry-After': integer('How many seconds to wait before trying again.', 1),
  'Idempotent-Replayed': {
    description: '`true` where this is the stored answer of an earlier request with the same key.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'Original-Request': string('The request id of that earlier request.', 'req_7pXq5WzNk2TvRb8LsMc4HdGf'),
  Allow: string('The methods that the path answers to.', 'GET, HEAD, POST'),
};

type HeaderName = keyof typeof HEADERS | keyof typeof ERROR_HEADERS;

/** References to the headers of every answer, and to these besides. */
export function headers(...more: HeaderName[]): Record<string, { $ref: string }> {
  const names: HeaderName[] = [...(Object.keys(HEADERS) as HeaderName[]), ...more];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
