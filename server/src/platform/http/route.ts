import type { BodyOf, DataOf, Endpoint, ErrorCode, ParamsOf, QueryOf } from '@quittance/contract';
import type { TObject, TSchema } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../caller.ts';
import type { Transaction } from '../db/db.ts';
import type { EventStream } from './event-stream.ts';

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
  /** SHA-256 of the credential as it was presented, for what ends or replaces it; null without one. */
  credentialHash: Buffer | null;
  /** The claim of this request's Idempotency-Key, for the one verb that stores its own answer. */
  idempotency: IdempotencyClaim | null;
  /** What `options.prepare` came to. */
  prepared: unknown;
  /** The answer's bytes, envelope and request id included, for the verb that stores its own. */
  serialize: (data: Answer<E>) => Buffer;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** An Idempotency-Key with everything that decides whether a later request repeats this one. */
export interface IdempotencyClaim {
  /** The account; for public endpoints the concrete path. */
  accountId: string;
  livemode: boolean;
  key: string;
  fingerprint: Buffer;
  /** The database's real time, by which an older answer has expired or not. */
  now: Date;
  /** When this one's answer will expire. */
  expiresAt: Date;
}

/** The answer of a route that commits by itself (`transaction: 'own'`), as the bytes that it stored. */
export class OwnAnswer {
  readonly status: number;
  readonly body: Buffer;
  /** Where the bytes are an earlier request's: its id. */
  readonly original: string | null;

  constructor(status: number, body: Buffer, original: string | null = null) {
    this.status = status;
    this.body = body;
    this.original = original;
  }
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
  options: RouteOptions<Ctx>;
}

/** What all clients together, and one of them, may ask of one object in a minute, and what a client is told beyond it. */
export interface ObjectQuota {
  name: string;
  perMinute: number;
  perClient: number;
  message: string;
  messageToClient: string;
}

export interface RouteOptions<Ctx = never, E = AnyEndpoint> {
  /**
   * `true` (the default for POST, PATCH and DELETE): one transaction around the handler, the idempotency row and the stored answer.
   * `false`: none, for reads and for routes that speak to the outside. `'own'`: the handler commits by one statement
   * of its own, stores its answer itself (`call.idempotency`) and returns it as an `OwnAnswer`.
   */
  transaction?: boolean | 'own';
  /** Speaks to the outside before the transaction opens; what it returns is `call.prepared`. Not run for a repeat. */
  prepare?: (ctx: Ctx, call: Call<E>) => Promise<unknown>;
  /** Seals the stored idempotent answer, because it holds a secret. */
  secretAnswer?: boolean;
  /** Overrides the code of a rejected field, where one endpoint has two. */
  invalid?: ErrorCode;
  /** Requests a minute of one client's address, for expensive routes without a credential. */
  mostPerMinute?: number;
  /** Shared by all routes that name the same quota; of one client's address unless `by` says otherwise. */
  quota?: { name: string; perMinute: number; by?: 'client' | 'account'; message?: string };
  /** Requests a minute of all clients together for one object, by the id in the path. */
  objectQuota?: ObjectQuota;
}

/** Ties an endpoint of the contract to the verb that answers it. */
export function route<Ctx, E extends AnyEndpoint>(
  endpoint: E,
  handle: (ctx: Ctx, call: Call<E>) => Promise<Answer<E> | OwnAnswer | EventStream>,
  options: RouteOptions<Ctx, E> = {},
): Route<Ctx> {
  return { endpoint, handle, options } as unknown as Route<Ctx>;
}
