import type { BodyOf, DataOf, Endpoint, ErrorCode, ParamsOf, QueryOf } from '@quittance/contract';
import type { TObject, TSchema } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../caller.ts';
import type { Transaction } from '../db/db.ts';

type AnyEndpoint = Endpoint<TObject, TObject, TSchema, TSchema>;

/** What a handler is given: parsed by the contract's schema, authenticated, counted, inside its transaction. */
export interface Call<E> {
  caller: E extends { auth: 'none' } ? null : Caller;
  params: ParamsOf<E>;
  query: QueryOf<E>;
  body: BodyOf<E>;
  /** The transaction of the request; for `transaction: false` routes there is none, they use `ctx.db`. */
  db: Transaction;
  requestId: string;
  /** The client's address, forwarded headers believed only from trusted proxies. */
  client: string;
  /** The claim of this request's Idempotency-Key, for the one verb that stores its own answer. */
  idempotency: IdempotencyClaim | null;
  request: FastifyRequest;
  reply: FastifyReply;
}

export interface IdempotencyClaim {
  key: string;
  fingerprint: Buffer;
}

export interface Page<Item> {
  data: Item[];
  pagination: { cursor: string | null; has_more: boolean };
}

/** `data` for an object, a page for a list, the bare body for `bare`. */
export type Answer<E> = E extends { success: { envelope: 'list' } } ? Page<DataOf<E>> : DataOf<E>;

export interface Route<Ctx> {
  endpoint: AnyEndpoint;
  handle: (ctx: Ctx, call: Call<AnyEndpoint>) => Promise<unknown>;
  options: RouteOptions;
}

export interface RouteOptions {
  /**
   * `true` (the default for POST, PATCH and DELETE): one transaction around the handler, the idempotency row and the stored answer.
   * `false`: none, for reads and for routes that speak to the outside. `'own'`: the handler commits by one statement
   * of its own and stores its answer itself (`call.idempotency`).
   */
  transaction?: boolean | 'own';
  /** Seals the stored idempotent answer, because it holds a secret. */
  secretAnswer?: boolean;
  /** Overrides the code of a rejected field, where one endpoint has two. */
  invalid?: ErrorCode;
}

/** Ties an endpoint of the contract to the verb that answers it. */
export function route<Ctx, E extends AnyEndpoint>(
  endpoint: E,
  handle: (ctx: Ctx, call: Call<E>) => Promise<Answer<E>>,
  options: RouteOptions = {},
): Route<Ctx> {
  return { endpoint, handle: handle as unknown as Route<Ctx>['handle'], options };
}
