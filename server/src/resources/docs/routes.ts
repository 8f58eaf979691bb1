import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { endpoints } from '@quittance/contract';
import { openApiDocument, type OpenApiDocument } from '@quittance/contract/openapi';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { clientPackages } from './packages.ts';
import { documentation } from './pages/pages.ts';

export const docsRoutes: Route<Context>[] = [
  route(endpoints.getOpenApi, async (ctx: Context) => ({ ...documentOf(ctx.config.publicUrl) })),
];

/** The same documentation for people and for programs that read for them, and the client to go with it: plain files, made once when the server starts. */
export function registerDocsPages(server: FastifyInstance, ctx: Context): void {
  const pages = new Map<string, Page>();
  const { pages: htmls, texts, overview } = documentation(documentOf(ctx.config.publicUrl));
  for (const [path, html] of htmls) pages.set(path, page(html, 'text/html; charset=utf-8'));
  for (const [path, text] of texts) pages.set(path, page(text, 'text/markdown; charset=utf-8'));
  const overviewPage = page(overview, 'text/plain; charset=utf-8');
  const style = page(readFileSync(new URL('./pages/docs.css', import.meta.url), 'utf8'), 'text/css; charset=utf-8');
  for (const [name, bytes] of clientPackages()) pages.set(name, page(bytes, 'application/gzip'));

  const options = { config: { rateLimit: 'show' as const } };
  server.get('/docs', options, (request, reply) => send(request, reply, pages.get('')));
  server.get('/llms.txt', options, (request, reply) => send(request, reply, overviewPage));
  server.get('/docs/docs.css', options, (request, reply) => send(request, reply, style));
  server.get<{ Params: { page: string } }>('/docs/:page', options, (request, reply) =>
    send(request, reply, pages.get(request.params.page)),
  );
  server.get<{ Params: { guide: string } }>('/docs/guides/:guide', options, (request, reply) =>
    send(request, reply, pages.get(`guides/${request.params.guide}`)),
  );
}

interface Page {
  body: Buffer;
  type: string;
  tag: string;
}

function page(content: string | Buffer, type: string): Page {
  const body = Buffer.from(content);
  return { body, type, tag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

// Nothing runs on these pages, so nothing is allowed to.
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function send(request: FastifyRequest, reply: FastifyReply, found: Page | undefined): FastifyReply {
  if (!found) fail('not_found', { message: 'Page not found. The documentation starts at /docs.' });
  reply.headers({
    'content-type': found.type,
    'content-security-policy': POLICY,
    'cache-control': 'no-cache',
    etag: found.tag,
  });
  return request.headers['if-none-match'] === found.tag ? reply.code(304).send() : reply.send(found.body);
}

const documents = new Map<string, OpenApiDocument>();

function documentOf(publicUrl: string): OpenApiDocument {
  const document = documents.get(publicUrl) ?? openApiDocument({ publicUrl });
  documents.set(publicUrl, document);
  return document;
}
