import type { Endpoint } from '@quittance/contract';
import { type TSchema, Type } from '@sinclair/typebox';
import type { FastifyReply } from 'fastify';
import { EventStream } from '../event-stream.ts';
import { type HttpExchange, type Page, RawAnswer } from '../route.ts';

type Schema = Record<string, unknown>;

/** The schema that serializes an endpoint's answers. Undeclared fields are left out. */
export function answerSchema(endpoint: Endpoint): Schema {
  const { data, envelope } = endpoint.success;
  return withNullables<Schema>(
    envelope === 'bare'
      ? data
      : Type.Object({
          data: envelope === 'list' ? Type.Array(data) : data,
          ...(envelope === 'list' ? { pagination: PAGINATION } : {}),
          request_id: Type.String(),
        }),
  );
}

const PAGINATION: TSchema = Type.Object({
  cursor: Type.Union([Type.String(), Type.Null()]),
  has_more: Type.Boolean(),
  total: Type.Optional(Type.Integer()),
});

/** A serialized answer. A keyed request's answer is bytes, because they are stored. */
export interface WrittenAnswer {
  status: number;
  body: Buffer | string;
  /** The first request that got these bytes; null if it is this one. */
  original: string | null;
}

/** The answer for a verb's result; null if the verb has answered by a stream. */
export function answerOf(endpoint: Endpoint, result: unknown, { request, reply }: HttpExchange): WrittenAnswer | null {
  if (result instanceof EventStream) return null;
  if (result instanceof RawAnswer) return { status: result.status, body: result.body, original: null };
  // As text, the head and the body are one write.
  const body = writeAnswer(endpoint, result, request.id, reply);
  return { status: endpoint.success.status, body, original: null };
}

/** A verb's result as the text of the answer. */
export function writeAnswer(endpoint: Endpoint, result: unknown, requestId: string, reply: FastifyReply): string {
  const { envelope, status } = endpoint.success;
  const serialize = reply.getSerializationFunction(String(status)) as (payload: unknown) => string;
  if (envelope === 'bare') return serialize(result);
  if (envelope === 'list') {
    const { data, pagination } = result as Page<unknown>;
    return serialize({ data, pagination, request_id: requestId });
  }
  return serialize({ data: result, request_id: requestId });
}

/**
 * A union with null is written as a nullable schema, because a union would be validated again for every value. So would
 * one of several objects, which are written as they are.
 */
function withNullables<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(withNullables) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const { anyOf } = schema as { anyOf?: Schema[] };
  const hasNull = anyOf?.length === 2 && anyOf.some((branch) => branch.type === 'null');
  const other = hasNull ? anyOf.find((branch) => branch.type !== 'null') : undefined;
  if (typeof other?.type === 'string') return { ...withNullables(other), nullable: true } as T;

  if (anyOf && anyOf.filter((branch) => branch.type === 'object').length > 1) return {} as T;

  const copy: Schema = {};
  for (const [key, value] of Object.entries(schema)) {
    // Names of fields are not keywords.
    if (key === 'properties')
      copy[key] = Object.fromEntries(
        Object.entries(value as Schema).map(([name, field]) => [name, withNullables(field)]),
      );
    else if (key !== 'examples' && key !== 'description') copy[key] = withNullables(value);
  }
  return copy as T;
}
