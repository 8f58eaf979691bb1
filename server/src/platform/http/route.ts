import type { BodyOf, DataOf, Endpoint, ErrorCode, ParamsOf, QueryOf } from '@quittance/contract';
import type { TObject, TSchema } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../caller.ts';
import type { Transaction } from '../db/db.ts';
import type { Client } from './admission/client.ts';
import type { ObjectQuota } from './admission/client-quota.ts';
import type { EventStream } from './event-stream.ts';
import type { IdempotencyClaim } from './idempotency/claim.ts';

export type AnyEndpoint = Endpoint<TObject, TObject, TSchema, TSchema>;

/** A handler's input: parsed by the contract's schema, authenticated, counted, inside its transaction. */
export interface Call<E> {
  caller: E extends { auth: 'none' } ? null : Caller;
  params: ParamsOf<E>;
  query: QueryOf<E>;
  body: BodyOf<E>;
  /** The transaction of the request; routes without one use `ctx.db`. */
  db: Transaction;
  http: HttpExchange;
}

/** The request and its response as HTTP, for the few handlers that read or set headers. */
export interface HttpExchange {
  request: FastifyRequest;
  reply: FastifyReply;
  client: Client;
  /** SHA-256 of the request's credential, for verbs that end or replace it; null without one. */
  credentialHash: Buffer | null;
}

/** For a handler that stores its own answer: the key to claim, and the answer's bytes, including the envelope. */
export interface OwnAnswer<E> {
  claim: IdempotencyClaim | null;
  serialize: (data: Answer<E>) => Buffer;
}

/** An answer with prepared bytes. */
export class RawAnswer {
  readonly status: number;
  readonly body: Buffer;

  constructor(status: number, body: Buffer) {
    this.status = status;
    this.body = body;
  }
}

export interface Page<Item> {
  data: Item[];
  pagination: { cursor: string | null; has_more: boolean };
}

/** `data` for an object, a page for a list, the plain body for `bare`. */
export type Answer<E> = E extends { success: { envelope: 'list' } } ? Page<DataOf<E>> : DataOf<E>;

type Handle<Ctx, E, Prepared> = (
  ctx: Ctx,
  call: Call<E>,
  prepared: Prepared,
) => Promise<Answer<E> | RawAnswer | EventStream>;

/** Commits by itself; returns the answer that it stored, or null if the key was taken. */
export type Commit<Ctx, E> = (ctx: Ctx, call: Call<E>, own: OwnAnswer<E>) => Promise<Buffer | null>;

export interface Route<Ctx> {
  endpoint: AnyEndpoint;
  handle: (ctx: Ctx, call: Call<AnyEndpoint>, prepared: unknown) => Promise<unknown>;
  /** Instead of `handle`. */
  commit?: Commit<Ctx, AnyEndpoint>;
  options: RouteOptions<Ctx, AnyEndpoint, unknown>;
}

export interface RouteOptions<Ctx = never, E = AnyEndpoint, Prepared = unknown> {
  /**
   * `true` (the default for POST, PATCH and DELETE): one transaction around the handler, the idempotency row and the
   * stored answer. `false`: none, for reads and for routes that call external services.
   */
  transaction?: boolean;
  /** Calls external services before the transaction opens; the handler gets its result. Not run for a replay. */
  prepare?: (ctx: Ctx, call: Call<E>) => Promise<Prepared>;
  /** Seals the stored idempotent answer, because it contains a secret. */
  secretAnswer?: boolean;
  /** Overrides the error code of a rejected field, if one endpoint has two. */
  invalid?: ErrorCode;
  /** Requests a minute per client address, for expensive routes without a credential. */
  maxPerMinute?: number;
  /** Shared by all routes that name the same quota; per client address unless `by` says otherwise. */
  quota?: { name: string; perMinute: number; by?: 'client' | 'account'; message?: string };
  /** Whether the answer may contain many of a merchant's objects, as lists do: an account's long answers are paced. */
  isLong?: boolean;
  /** Requests a minute of all clients together for one object, by the id in the path. */
  objectQuota?: ObjectQuota;
}

/** Connects an endpoint of the contract to its verb. */
export function route<Ctx, E extends AnyEndpoint, Prepared = undefined>(
  endpoint: E,
  handle: Handle<Ctx, E, Prepared>,
  options: RouteOptions<Ctx, E, Prepared> = {},
): Route<Ctx> {
  return { endpoint, handle, options } as unknown as Route<Ctx>;
}

/** The same for a verb that commits in one statement, including the claim of the key and the answer. */
export function committingRoute<Ctx, E extends AnyEndpoint>(
  endpoint: E,
  commit: Commit<Ctx, E>,
  options: Omit<RouteOptions<Ctx, E>, 'transaction' | 'prepare' | 'secretAnswer'> = {},
): Route<Ctx> {
  return { endpoint, commit, options } as unknown as Route<Ctx>;
}
