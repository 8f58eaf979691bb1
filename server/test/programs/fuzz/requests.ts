import { openApiDocument, type Operation, type Parameter } from '@quittance/contract/openapi';
import fc from 'fast-check';
import { type Mutation, mutations } from './mutate.ts';
import { type Schema, valueFor } from './values.ts';

const document = openApiDocument();

/** The owner of a request's credential. */
export type Credential = 'key' | 'live' | 'login' | 'stranger' | 'keeper' | 'sacrifice' | 'wrong' | 'none';

/** A request before it is written. Ids are filled in when it is sent. */
export interface Draft {
  operation: FuzzedOperation;
  method: string;
  /** With `{name}` for parameters. */
  path: string;
  params: Record<string, unknown>;
  query: [name: string, value: unknown][];
  headers: Record<string, string>;
  credential: Credential;
  body: unknown;
  /** Replaces the body, byte for byte. */
  rawBody: Buffer | null;
  /** The applied mutations, in words. */
  done: string[];
}

export interface FuzzedOperation {
  operationId: string;
  method: string;
  path: string;
  params: Parameter[];
  query: Parameter[];
  body: Schema | undefined;
  bodyRequired: boolean;
  isPublic: boolean;
  loginOnly: boolean;
  isStream: boolean;
}

const operations: FuzzedOperation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => fuzzed(path, method.toUpperCase(), operation)),
);

function fuzzed(path: string, method: string, operation: Operation): FuzzedOperation {
  const parameters = (operation.parameters ?? []).filter((parameter): parameter is Parameter => !('$ref' in parameter));
  const security = operation.security ?? [];
  return {
    operationId: operation.operationId,
    method,
    path: `/v1${path}`,
    params: parameters.filter((parameter) => parameter.in === 'path'),
    query: parameters.filter((parameter) => parameter.in === 'query'),
    body:
      operation.requestBody?.content['application/json'] &&
      inlined(operation.requestBody.content['application/json'].schema),
    bodyRequired: operation.requestBody?.required ?? false,
    isPublic: security.length === 0,
    loginOnly: security.length > 0 && !security.some((entry) => entry.secretKey),
    isStream: JSON.stringify(operation.responses).includes('text/event-stream'),
  };
}

// Operations that end credentials or move an account's clock use separate accounts.
const SACRIFICIAL = new Set(['logout', 'logoutEverywhere', 'advanceTestClock']);
const OF_KEYS = new Set(['createApiKey', 'listApiKeys', 'rotateApiKey', 'deleteApiKey']);

/** A request to any operation: valid, or with up to three errors. */
export const drafts: fc.Arbitrary<Draft> = fc.constantFrom(...operations).chain((operation) =>
  fc
    .record({
      params: fc.record(Object.fromEntries(operation.params.map(({ name, schema }) => [name, idSlot(schema)]))),
      query: fc.record(
        Object.fromEntries(operation.query.map(({ name, schema }) => [name, valueFor(inlined(schema), name)])),
        { requiredKeys: operation.query.filter((parameter) => parameter.required).map(({ name }) => name) },
      ),
      body: operation.body
        ? fc.option(valueFor(operation.body), { nil: undefined, freq: operation.bodyRequired ? 50 : 3 })
        : fc.constant(undefined),
      credential: credentialFor(operation),
      idempotencyKey: fc.option(
        fc.nat({ max: 200 }).map((number) => `fuzz-${number}`),
        { nil: undefined, freq: 2 },
      ),
      changes: fc.array(mutations, { maxLength: 3 }),
    })
    .map(({ params, query, body, credential, idempotencyKey, changes }) =>
      changed(
        {
          operation,
          method: operation.method,
          path: operation.path,
          params,
          query: Object.entries(query).filter(([, value]) => value !== undefined),
          headers: {
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          },
          credential,
          body,
          rawBody: null,
          done: [],
        },
        changes,
      ),
    ),
);

function changed(draft: Draft, changes: Mutation[]): Draft {
  for (const { name, change } of changes) {
    if (change(draft) !== false) draft.done.push(name);
  }
  return draft;
}

function idSlot(schema: Schema): fc.Arbitrary<unknown> {
  const prefix = /^\^(\w+)_/.exec(schema.pattern ?? '')?.[1] ?? 'pay';
  return fc.nat({ max: 1000 }).map((pick) => ({ $id: prefix, pick }));
}

function credentialFor(operation: FuzzedOperation): fc.Arbitrary<Credential> {
  if (SACRIFICIAL.has(operation.operationId)) return fc.constant<Credential>('sacrifice');
  if (OF_KEYS.has(operation.operationId)) return fc.constant<Credential>('keeper');
  if (operation.isPublic) return fc.constant<Credential>('none');
  const right: Credential = operation.loginOnly ? 'login' : 'key';
  return fc.oneof(
    { weight: 16, arbitrary: fc.constant<Credential>(right) },
    { weight: 3, arbitrary: fc.constantFrom<Credential>('login', 'live') },
    { weight: 1, arbitrary: fc.constantFrom<Credential>('stranger', 'wrong', 'none') },
  );
}

/** The schema with its references resolved. */
function inlined(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(inlined) as never;
  if (typeof schema !== 'object' || schema === null) return schema;
  if (schema.$ref) return inlined(document.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema);
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, inlined(value as Schema)]));
}
