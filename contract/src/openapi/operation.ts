import type { TObject, TSchema } from '@sinclair/typebox';
import { ERRORS, type ErrorCode } from '../errors.ts';
import type { AnyEndpoint, MediaType, Operation, Parameter, ResponseObject } from './document.ts';
import { PaginationShape, requestId } from '../shapes/common.ts';
import { component } from '../shapes/schema.ts';
import { exampleOf, leastExampleOf, type Components, type JsonSchema } from './schema.ts';
import { headers, parameterRef } from './headers.ts';
import { errorResponse, responseRef } from './responses.ts';

/** One endpoint as an operation of the document. */
export function operationOf(endpoint: AnyEndpoint, components: Components): Operation {
  const { operationId, tag, summary, description, body } = endpoint;
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description ? { description } : {}),
    security: securityOf(endpoint),
    parameters: parametersOf(endpoint, components),
    ...(body
      ? {
          requestBody: {
            required: !endpoint.bodyOptional,
            content: { 'application/json': requestOf(body, components) },
          },
        }
      : {}),
    responses: responsesOf(endpoint, components),
  };
}

const SECURITY: Record<AnyEndpoint['auth'], Record<string, string[]>[]> = {
  none: [],
  credential: [{ secretKey: [] }, { loginToken: [] }],
  login: [{ loginToken: [] }],
};

/** A limited key needs the scope that is named beside `secretKey`. */
function securityOf({ auth, scope }: AnyEndpoint): Record<string, string[]>[] {
  if (auth !== 'credential' || scope === undefined || scope === 'any') return SECURITY[auth];
  return [{ secretKey: [scope] }, { loginToken: [] }];
}

const RequestIdShape = component('RequestId', requestId);

function parametersOf(endpoint: AnyEndpoint, components: Components): (Parameter | { $ref: string })[] {
  return [
    ...fieldsOf('path', endpoint.params, components),
    ...fieldsOf('query', endpoint.query, components),
    ...(endpoint.idempotent ? [parameterRef('IdempotencyKey')] : []),
    ...(endpoint.auth === 'none' ? [] : [parameterRef('ServiceMode')]),
    ...(endpoint.success.contentType === 'text/event-stream' ? [parameterRef('LastEventId')] : []),
  ];
}

function fieldsOf(place: 'path' | 'query', fields: TObject | undefined, components: Components): Parameter[] {
  return Object.entries(fields?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: place,
    required: place === 'path' || (fields?.required ?? []).includes(name),
    description: schema.description ?? name,
    schema: components.use(schema),
    example: exampleOf(schema),
  }));
}

function requestOf(body: TSchema, components: Components): MediaType {
  const whole = exampleOf(body);
  const least = leastExampleOf(body);
  const same = JSON.stringify(whole) === JSON.stringify(least);
  return {
    schema: components.use(body),
    examples: {
      ...(same ? {} : { least: { summary: 'Minimal request', value: least } }),
      whole: { summary: same ? 'Request' : 'Full request', value: whole },
    },
  };
}

function responsesOf(endpoint: AnyEndpoint, components: Components): Operation['responses'] {
  const responses: Operation['responses'] = {
    [endpoint.success.status]: successOf(endpoint, components),
    ...errorsOf(endpoint),
    default: responseRef('OtherError'),
  };
  return responses;
}

function successOf(endpoint: AnyEndpoint, components: Components): ResponseObject {
  const { description, contentType = 'application/json' } = endpoint.success;
  const value = exampleAnswer(endpoint);
  return {
    description,
    headers: headers(...(endpoint.idempotent ? ['Idempotent-Replayed' as const, 'Original-Request' as const] : [])),
    content: {
      [contentType]: {
        schema: answerSchema(endpoint, components),
        ...(value === undefined ? {} : { examples: { answer: { value } } }),
      },
    },
  };
}

function answerSchema({ success }: AnyEndpoint, components: Components): JsonSchema {
  const data = components.use(success.data);
  const request_id = components.use(RequestIdShape);
  switch (success.envelope) {
    case 'bare':
      return data;
    case 'object':
      return { type: 'object', required: ['data', 'request_id'], properties: { data, request_id } };
    case 'list':
      return {
        type: 'object',
        required: ['data', 'pagination', 'request_id'],
        properties: { data: { type: 'array', items: data }, pagination: components.use(PaginationShape), request_id },
      };
  }
}

function exampleAnswer({ success }: AnyEndpoint): unknown {
  const data = exampleOf(success.data);
  switch (success.envelope) {
    case 'bare':
      return undefined;
    case 'object':
      return { data, request_id: exampleOf(requestId) };
    case 'list':
      return { data: [data], pagination: exampleOf(PaginationShape), request_id: exampleOf(requestId) };
  }
}

/** Every error an endpoint may answer, by status: its own, and those that follow from what it is. */
function errorCodesOf(endpoint: AnyEndpoint): Map<number, ErrorCode[]> {
  const codes: ErrorCode[] = [
    endpoint.invalid,
    'invalid_request',
    ...endpoint.errors,
    ...(endpoint.auth === 'none' ? [] : (['authentication_required', 'invalid_credentials'] as const)),
    // A key where only a login will do, or the dashboard's cookie without its proof against forgery.
    ...(endpoint.auth === 'login' || (endpoint.auth === 'credential' && endpoint.method !== 'GET')
      ? (['forbidden'] as const)
      : []),
    ...(endpoint.params || endpoint.testModeOnly ? (['not_found'] as const) : []),
    ...(endpoint.idempotent ? (['idempotency_conflict', 'idempotency_in_progress'] as const) : []),
    ...(endpoint.method === 'GET' ? [] : (['payload_too_large', 'unsupported_media_type'] as const)),
    'rate_limited',
    'internal_error',
    'service_unavailable',
  ];
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const status = ERRORS[code].status;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([one], [other]) => one - other));
}

function errorsOf(endpoint: AnyEndpoint): Operation['responses'] {
  const param = firstFieldOf(endpoint);
  return Object.fromEntries(
    [...errorCodesOf(endpoint)].map(([status, codes]) => {
      const shared = SHARED.find((entry) => entry.status === status && entry.codes === codes.join());
      return [
        status,
        shared
          ? responseRef(shared.name)
          : errorResponse(codes.map((code) => ERRORS[code].message).join(' '), codes, param),
      ];
    }),
  );
}

const SHARED = [
  { status: 401, codes: 'authentication_required,invalid_credentials', name: 'Unauthenticated' },
  { status: 403, codes: 'forbidden', name: 'Forbidden' },
  { status: 404, codes: 'not_found', name: 'NotFound' },
  { status: 409, codes: 'idempotency_conflict,idempotency_in_progress', name: 'IdempotencyConflict' },
  { status: 413, codes: 'payload_too_large', name: 'PayloadTooLarge' },
  { status: 415, codes: 'unsupported_media_type', name: 'UnsupportedMediaType' },
  { status: 429, codes: 'rate_limited', name: 'RateLimited' },
  { status: 500, codes: 'internal_error', name: 'InternalError' },
  { status: 503, codes: 'service_unavailable', name: 'Unavailable' },
] as const;

function firstFieldOf(endpoint: AnyEndpoint): string | null {
  const fields = (endpoint.body ?? endpoint.query) as TObject | undefined;
  return fields?.required?.[0] ?? Object.keys(fields?.properties ?? {})[0] ?? null;
}
