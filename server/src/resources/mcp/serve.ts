import { randomBytes } from 'node:crypto';
import { answerMcp, type CallApi, isKnownVersion } from '@quittance/contract/mcp';
import { type Endpoint, endpoints } from '@quittance/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { nameOf } from '../../platform/caller.ts';
import { fail } from '../../platform/errors.ts';
import { refuseBadText } from '../../platform/http/validation/text.ts';

/** Admits requests as the API does: any key, counted and limited. The key's scopes decide which tools it can use. */
const ADMISSION: Endpoint = { ...endpoints.getCurrentApiKey, operationId: 'mcp', method: 'POST', path: '/mcp' };

/**
 * MCP over Streamable HTTP, without sessions: each POST is one message or batch and gets one JSON answer. A tool's request goes
 * through the API like any other, with the same key, so MCP allows nothing that the API does not.
 */
export function registerMcp(server: FastifyInstance, ctx: Context, version: string): void {
  if (!ctx.config.mcp) return;
  server.post('/mcp', { config: { endpoint: ADMISSION } }, async (request, reply) => {
    refuseForeignOrigin(request, ctx.config.publicUrl);
    refuseUnknownVersion(request);
    refuseBadText(request.body, 'invalid_request');
    const { caller } = request;
    if (caller?.via !== 'key') fail('forbidden', { message: 'MCP needs a secret key; a login may not use it.' });
    const body = await ctx.lines.mcp.inTurn(nameOf(caller), async () => {
      // Its client has left while it waited.
      if (reply.raw.destroyed) return undefined;
      await ctx.pace.keepRate(caller.id);
      const answer = await answerMcp(request.body, {
        scopes: caller.scopes,
        api: callerOf(server, request),
        version,
        boundary: () => randomBytes(12).toString('hex'),
      });
      if (!answer) return undefined;
      const text = JSON.stringify(answer);
      ctx.pace.spend(caller.id, Buffer.byteLength(text));
      return text;
    });
    return send(reply, body);
  });
}

function send(reply: FastifyReply, body: string | undefined): FastifyReply {
  reply.header('cache-control', 'no-store');
  if (body === undefined) return reply.code(202).send();
  return reply.type('application/json; charset=utf-8').send(body);
}

/** Programs send no `Origin`; a page of another site does, even if its name resolves to this machine. */
function refuseForeignOrigin({ headers }: FastifyRequest, publicUrl: string): void {
  if (headers.origin !== undefined && headers.origin !== new URL(publicUrl).origin)
    fail('forbidden', { param: 'Origin', message: 'Pages of other sites may not use MCP.' });
}

/** A client names the version from its second message on. */
function refuseUnknownVersion({ headers }: FastifyRequest): void {
  const version = headers['mcp-protocol-version'];
  if (typeof version === 'string' && !isKnownVersion(version))
    fail('invalid_request', {
      param: 'MCP-Protocol-Version',
      message: 'This version is not supported; `initialize` says which is.',
    });
}

function callerOf(server: FastifyInstance, request: FastifyRequest): CallApi {
  const { authorization, host } = request.headers;
  return async ({ method, path, query = {}, body, idempotencyKey }) => {
    const answer = await server.inject({
      method,
      url: path,
      remoteAddress: request.ip,
      query: Object.fromEntries(
        Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
      ),
      headers: {
        ...(authorization && { authorization }),
        ...(host && { host }),
        ...(body && { 'content-type': 'application/json' }),
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      ...(body && { payload: JSON.stringify(body) }),
    });
    return { status: answer.statusCode, body: answer.json<unknown>() };
  };
}
