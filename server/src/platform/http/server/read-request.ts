import type { Endpoint } from '@quittance/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database, Transaction } from '../../db/db.ts';
import { fail } from '../../errors.ts';
import { type IdPrefix, isId } from '../../ids.ts';
import { clientOf } from '../admission/client.ts';
import { type IdempotencyClaim, readClaim } from '../idempotency/claim.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { Call, Route } from '../route.ts';
import { refuseBadParameters, refuseBadText } from '../validation/text.ts';
import { bodyCheck, queryCheck } from '../validation/validate.ts';

export type AnyCall = Call<Endpoint>;

/** A validated request, and the claim of its Idempotency-Key. */
export interface ReadRequest {
  call: AnyCall;
  claim: IdempotencyClaim | null;
}

/** Validates every part of the request in turn. Its result is trusted from here on. */
export function requestReader<Ctx>({ endpoint, options }: Route<Ctx>, database: Database, idempotency: Idempotency) {
  const code = options.invalid ?? endpoint.invalid;
  const checkQuery = endpoint.query && queryCheck(endpoint.query);
  const checkBody = endpoint.body && bodyCheck(endpoint.body);
  const ids = Object.entries(endpoint.params?.properties ?? {}).flatMap(([name, schema]) =>
    typeof schema.idPrefix === 'string' ? [{ name, prefix: schema.idPrefix as IdPrefix }] : [],
  );
  const untransacted: Transaction = {
    query: (name, sql, values) => database.query(name, sql, values),
    afterCommit: (run) => run(),
  };

  return async (request: FastifyRequest, reply: FastifyReply): Promise<ReadRequest> => {
    const params = request.params as Record<string, string>;
    const query = request.query as Record<string, unknown>;
    refuseBadParameters(params, code);
    refuseBadParameters(query, code);
    refuseBadText(request.body, code);
    const badQuery = checkQuery?.(query, code);
    if (badQuery) throw badQuery;
    const claim = endpoint.idempotent ? await readClaim(request, request.caller, () => database.now()) : null;
    // A missing body counts as an empty one, so that the error names the first missing field.
    const body = checkBody && (request.body === undefined ? {} : request.body);
    const badBody = checkBody?.(body, code);
    if (badBody) {
      if (claim) await idempotency.refuseReuse(claim);
      throw badBody;
    }
    for (const { name, prefix } of ids) if (!isId(prefix, params[name] ?? '')) fail('not_found', { param: name });

    return {
      call: {
        caller: request.caller as AnyCall['caller'],
        params,
        query,
        body: body as AnyCall['body'],
        db: untransacted,
        http: { request, reply, client: clientOf(request), credentialHash: request.credentialHash },
      },
      claim,
    };
  };
}
