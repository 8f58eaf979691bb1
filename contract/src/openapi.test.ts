import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { endpoints } from './endpoints/index.ts';
import { ERRORS } from './errors.ts';
import { documentPath, openApiDocument } from './openapi.ts';
import type { AnyEndpoint, MediaType, Operation } from './openapi/document.ts';
import { EVENT_TYPES, REFUND_EVENT_TYPES } from './statuses.ts';

const document = openApiDocument({ publicUrl: 'https://pay.example.com' });
const all = Object.values(endpoints) as AnyEndpoint[];

test('the document is a valid OpenAPI 3.1 description', async () => {
  const result = await new Validator().validate(structuredClone(document) as never);

  expect(result.errors).toBeUndefined();
  expect(result.valid).toBe(true);
});

test('the version is the published draft and the server ends with the version segment', () => {
  expect(document.info.version).toBe('1.0.0-draft');
  expect(document.servers[0]?.url).toBe('https://pay.example.com/v1');
});

test.each(all.map((endpoint) => [endpoint.operationId, endpoint] as const))(
  '%s stands in the document under its path and method',
  (operationId, endpoint) => {
    expect(operationAt(endpoint).operationId).toBe(operationId);
    expect(endpoints).toHaveProperty(operationId);
  },
);

test('no two endpoints share a path and method, and none stands under health checks', () => {
  const places = all.map((endpoint) => `${endpoint.method} ${endpoint.path}`);
  expect(new Set(places).size).toBe(places.length);
  expect(Object.keys(document.paths).filter((path) => /healthz|readyz/.test(path))).toEqual([]);
});

test('every tag that is used is described', () => {
  const described = new Set(document.tags.map((tag) => tag.name));
  expect(all.filter((endpoint) => !described.has(endpoint.tag)).map((endpoint) => endpoint.operationId)).toEqual([]);
});

test('descriptions are noun phrases or sentences with a subject', () => {
  const texts: string[] = [];
  JSON.stringify(document, (key, value) => {
    if ((key === 'description' || key === 'summary') && typeof value === 'string') texts.push(value);
    return value;
  });
  expect(texts.length).toBeGreaterThan(500);
  expect(texts.filter((text) => /(?:^|[.:;] )(?:What|Where|Who|Which|How) (?!to\b)/.test(text))).toEqual([]);
});

test('every reference leads somewhere', () => {
  const missing = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)]
    .map(([, path]) => path as string)
    .filter(
      (path) =>
        path.split('/').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document) ===
        undefined,
    );
  expect(missing).toEqual([]);
});

test('resources are written once and referred to', () => {
  const text = JSON.stringify(document.paths);
  expect(text).not.toContain('"net_settlement":{');
  expect(text).not.toContain('"checkout_url":{');
  expect(document.components.schemas.Payment?.properties.status).toEqual({
    $ref: '#/components/schemas/PaymentStatus',
  });
});

test('every answer carries the request id and the rate-limit headers', () => {
  const without = operations().flatMap(({ operation }) =>
    Object.entries(operation.responses)
      .filter(([, response]) => !hasHeaders(resolve(response)))
      .map(([status]) => `${operation.operationId} ${status}`),
  );
  expect(without).toEqual([]);
});

test('429 and 503 carry Retry-After', () => {
  expect(document.components.responses.RateLimited).toHaveProperty(['headers', 'Retry-After']);
  expect(document.components.responses.Unavailable).toHaveProperty(['headers', 'Retry-After']);
});

test('each code of an error table row appears under its own status', () => {
  for (const { operation } of operations()) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (status === 'default') continue;
      for (const code of (resolve(response)['x-error-codes'] ?? []) as (keyof typeof ERRORS)[])
        expect(`${ERRORS[code].status}`).toBe(status);
    }
  }
});

test.each([
  ['verifyEmailCode', '401', 'invalid_code'],
  ['verifyWallet', '400', 'invalid_signature'],
  ['createCheckoutSession', '409', 'idempotency_conflict'],
  ['createCheckoutSession', '400', 'invalid_checkout_session'],
  ['recordRefund', '404', 'not_found'],
  ['openPaymentLink', '409', 'link_disabled'],
  ['createApiKey', '403', 'forbidden'],
  ['startEmailLogin', '503', 'email_unavailable'],
] as const)('%s may answer %s %s', (operationId, status, code) => {
  const response = operationAt(endpoints[operationId] as AnyEndpoint).responses[status];
  expect(resolve(response as never)['x-error-codes']).toContain(code);
});

test('exactly the operations that support Idempotency-Key declare its parameter', () => {
  for (const endpoint of all) {
    const refs = (operationAt(endpoint).parameters ?? []).map((parameter) =>
      '$ref' in parameter ? parameter.$ref : '',
    );
    expect(refs.includes('#/components/parameters/IdempotencyKey'), endpoint.operationId).toBe(endpoint.idempotent);
  }
});

test('lists read limit, cursor and starting_after; payments by 20, all others by 25', () => {
  for (const endpoint of all.filter((entry) => entry.success.envelope === 'list')) {
    expect(endpoint.query?.properties).toMatchObject({
      limit: { maximum: 100, default: endpoint.operationId === 'listPayments' ? 20 : 25 },
      cursor: {},
      starting_after: {},
    });
  }
});

test('the nine events of payments, and the three of refunds, are described as webhooks', () => {
  expect(Object.keys(document.webhooks)).toEqual([...EVENT_TYPES, ...REFUND_EVENT_TYPES]);
});

describe('examples', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ ...document, $id: 'document' });

  const described = [...operations(), ...Object.values(document.webhooks).map(({ post }) => ({ operation: post }))];

  test.each(described.map(({ operation }) => [operation.operationId, operation] as const))(
    'of %s fit their schemas',
    (_name, operation) => {
      for (const [place, { schema, examples }] of mediaOf(operation)) {
        const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')));
        for (const { value } of Object.values(examples ?? {})) {
          validate(value);
          expect(validate.errors, place).toBeNull();
        }
      }
    },
  );
});

function mediaOf(operation: Operation): [string, MediaType][] {
  return [
    ...Object.values(operation.requestBody?.content ?? {}).map((entry) => ['request', entry] as [string, MediaType]),
    ...Object.entries(operation.responses).flatMap(([status, response]) =>
      Object.values(resolve(response).content ?? {}).map((entry) => [status, entry] as [string, MediaType]),
    ),
  ];
}

function operations(): { operation: Operation }[] {
  return Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => ({ operation }));
}

function operationAt(endpoint: AnyEndpoint): Operation {
  const operation = document.paths[documentPath(endpoint.path)]?.[endpoint.method.toLowerCase()];
  if (!operation) throw new Error(`${endpoint.operationId} is missing`);
  return operation;
}

function resolve(response: any): any {
  return response.$ref ? document.components.responses[response.$ref.split('/').at(-1)] : response;
}

function hasHeaders(response: { headers?: Record<string, unknown> }): boolean {
  return ['Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'].every(
    (name) => response.headers?.[name],
  );
}
