import { readFileSync } from 'node:fs';
import { endpoints } from '@quittance/contract';
import { openApiDocument, type OpenApiDocument } from '@quittance/contract/openapi';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { RawAnswer, type Route, route } from '../../platform/http/route.ts';
import { chooseEncoding, type DocumentFile, documentFile } from './file.ts';
import { clientPackages } from './packages.ts';
import { documentation } from './pages/pages.ts';

/** Served as one. */
const STYLE_SHEETS = ['docs.css', 'reference.css'];

export const docsRoutes: Route<Context>[] = [
  // Writing 300 kB of JSON anew for each request would let one client keep a core busy.
  route(endpoints.getOpenApi, async (ctx: Context, { http }) => {
    const { status, body } = chooseEncoding(http.request, http.reply, documentFileOf(ctx.config.publicUrl));
    return new RawAnswer(status, body);
  }),
];

/** The same documentation for people and for programs that read for them, and the client to go with it: plain files, made once when the server starts. */
export function registerDocsPages(server: FastifyInstance, ctx: Context): void {
  const pages = new Map<string, DocumentFile>();
  const { pages: htmls, texts, overview } = documentation(documentOf(ctx.config.publicUrl));
  for (const [path, html] of htmls) pages.set(path, documentFile(html, 'text/html; charset=utf-8'));
  for (const [path, text] of texts) pages.set(path, documentFile(text, 'text/markdown; charset=utf-8'));
  const overviewPage = documentFile(overview, 'text/plain; charset=utf-8');
  const style = documentFile(
    STYLE_SHEETS.map((name) => readFileSync(new URL(`./pages/${name}`, import.meta.url), 'utf8')).join('\n'),
    'text/css; charset=utf-8',
  );
  for (const [name, bytes] of clientPackages()) pages.set(name, documentFile(bytes, 'application/gzip'));

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

// Nothing runs on these pages, so nothing is allowed to.
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function send(request: FastifyRequest, reply: FastifyReply, found: DocumentFile | undefined): FastifyReply {
  if (!found) fail('not_found', { message: 'Page not found. The documentation starts at /docs.' });
  const { status, body } = chooseEncoding(request, reply, found);
  return reply.code(status).headers({ 'content-type': found.type, 'content-security-policy': POLICY }).send(body);
}

const documents = new Map<string, OpenApiDocument>();

function documentOf(publicUrl: string): OpenApiDocument {
  const document = documents.get(publicUrl) ?? openApiDocument({ publicUrl });
  documents.set(publicUrl, document);
  return document;
}

const files = new Map<string, DocumentFile>();

function documentFileOf(publicUrl: string): DocumentFile {
  const file = files.get(publicUrl) ?? documentFile(JSON.stringify(documentOf(publicUrl)), 'application/json');
  files.set(publicUrl, file);
  return file;
}
