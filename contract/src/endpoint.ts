import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { ErrorCode } from './errors.ts';
import type { Scope } from './scopes.ts';

/**
 * One endpoint of the API, as data. Validation, types, serialization, the OpenAPI document and the SDK's types all
 * come from this one declaration.
 */
export interface Endpoint<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Data extends TSchema = TSchema,
> {
  operationId: string;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With `{name}` for path parameters, `/v1` included: `/v1/payments/{id}`. */
  path: string;
  summary: string;
  description?: string;
  tag: string;
  /** The required credential: none, any credential, or a login token only (a secret key gets 403). */
  auth: Auth;
  /** The scope that a limited key needs; `any` for none. Without it, limited keys are refused. */
  scope?: Scope | 'any';
  params?: Params;
  query?: Query;
  body?: Body;
  /** Whether the body may be left out. */
  bodyOptional?: boolean;
  success: {
    status: 200 | 201 | 202;
    /** The object inside `data`, or for a list the shape of one item. */
    data: Data;
    /** `object` answers `{data, request_id}`, `list` answers `{data: [], pagination, request_id}`, `bare` the schema itself. */
    envelope: Envelope;
    description: string;
    /** Where it is not `application/json`: `text/event-stream` for the streams. */
    contentType?: string;
  };
  /** The code of the 400 for a rejected field. */
  invalid: ErrorCode;
  /** Further errors it answers, beside those every endpoint has (401, 429, 500, …). */
  errors: readonly ErrorCode[];
  /** Whether it supports `Idempotency-Key`. */
  idempotent: boolean;
  /** As how many requests one counts for its client's address, where no credential is needed. One without it. */
  cost?: number;
  /** Answered only to test-mode credentials; 404 in live mode. */
  testModeOnly?: boolean;
}

export type Auth = 'none' | 'credential' | 'login';
export type Envelope = 'object' | 'list' | 'bare';

type EndpointInput<P extends TObject, Q extends TObject, B extends TSchema, D extends TSchema> = Omit<
  Endpoint<P, Q, B, D>,
  'operationId' | 'invalid' | 'errors' | 'idempotent'
> & { operationId?: string; invalid?: ErrorCode; errors?: readonly ErrorCode[]; idempotent?: boolean };

/**
 * Declares an endpoint, filling in what most of them share.
 *
 * `named` gives those of the API their `operationId`. `auth` and `envelope` stay literal in its type: a handler's caller
 * and answer follow from them.
 */
export function endpoint<
  P extends TObject = TObject<Record<never, never>>,
  Q extends TObject = TObject<Record<never, never>>,
  B extends TSchema = TSchema,
  D extends TSchema = TSchema,
  const A extends Auth = Auth,
  const V extends Envelope = Envelope,
>(
  input: EndpointInput<P, Q, B, D> & { auth: A; success: { envelope: V } },
): Endpoint<P, Q, B, D> & { auth: A; success: { envelope: V } } {
  return { operationId: '', invalid: 'invalid_request', errors: [], idempotent: false, ...input };
}

/** The endpoints with the names under which they are listed. */
export function named<All extends Record<string, { operationId: string }>>(all: All): All {
  return Object.fromEntries(
    Object.entries(all).map(([operationId, one]) => [operationId, { ...one, operationId }]),
  ) as All;
}

export type ParamsOf<E> = E extends Endpoint<infer P, TObject, TSchema, TSchema> ? Static<P> : never;
export type QueryOf<E> = E extends Endpoint<TObject, infer Q, TSchema, TSchema> ? Static<Q> : never;
export type BodyOf<E> = E extends Endpoint<TObject, TObject, infer B, TSchema> ? Static<B> : never;
export type DataOf<E> = E extends Endpoint<TObject, TObject, TSchema, infer D> ? Static<D> : never;
