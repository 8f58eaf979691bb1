import { readFileSync } from 'node:fs';
import { endpoints } from '@quittance/contract';
import { openApiDocument } from '@quittance/contract/openapi';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { documentation } from '../../../../web/docs/pages.ts';
import { fail } from '../../platform/errors.ts';
import { RawAnswer, type Route, route } from '../../platform/http/route.ts';
import { chooseEncoding, type DocumentFile, documentFile } from './file.ts';
import { clientPackages } from './packages.ts';

/** Served as one. */
const STYLE_SHEETS = ['docs.css', 'reference.css', 'reading.css'];

export const docsRoutes: Route<Context>[] = [
  route(endpoints.getOpenApi, async (ctx: Context, { http }) => {
    const file = await ctx.caches.openApi.get('', async () =>
      documentFile(JSON.stringify(openApiDocument(ctx.config)), 'application/json'),
    );
    const { status, body } = chooseEncoding(http.request, http.reply, file);
    return new RawAnswer(status, body);
  }),
];

/** The documentation for people and for programs, and the client's packages: plain files, built once. */
export function registerDocsPages(server: FastifyInstance, ctx: Context): void {
  let built: Files | undefined;
  const files = () => (built ??= buildFiles(ctx));
  // It takes some hundred milliseconds, so a request does not wait for it. A server that does not listen builds them later.
  server.addHook('onListen', (done) => {
    files();
    done();
  });

  // They are as large as a checkout page, but not drawn for each request.
  const options = { config: { cost: 2 } };
  const answer = (request: FastifyRequest, reply: FastifyReply, name: string) => {
    const { pages, missing } = files();
    const found = pages.get(name);
    if (found) return send(request, reply, found);
    if (!(request.headers.accept ?? '').includes('text/html'))
      fail('not_found', { message: 'Page not found. The documentation starts at /docs.' });
    return reply
      .code(404)
      .headers({ 'content-type': missing.type, 'content-security-policy': POLICY })
      .send(missing.body);
  };
  server.get('/docs', options, (request, reply) => answer(request, reply, ''));
  server.get<{ Params: { '*': string } }>('/docs/*', options, (request, reply) =>
    answer(request, reply, request.params['*']),
  );
  server.get('/llms.txt', options, (request, reply) => send(request, reply, files().overview));
  server.get('/robots.txt', options, (request, reply) => send(request, reply, files().robots));
  // Browsers request the second one if a page names no icon.
  for (const path of ['/favicon.svg', '/favicon.ico'])
    server.get(path, options, (request, reply) => send(request, reply, files().icon));
}

interface Files {
  /** By the last part of their addresses. */
  pages: Map<string, DocumentFile>;
  overview: DocumentFile;
  missing: DocumentFile;
  icon: DocumentFile;
  robots: DocumentFile;
}

function buildFiles({ config }: Context): Files {
  const pages = new Map<string, DocumentFile>();
  const { pages: htmls, texts, overview, search, notFound } = documentation(openApiDocument(config));
  for (const [path, html] of htmls) pages.set(path, documentFile(html, 'text/html; charset=utf-8'));
  for (const [path, text] of texts) pages.set(path, documentFile(text, 'text/markdown; charset=utf-8'));
  pages.set('docs.css', documentFile(STYLE_SHEETS.map(readPart).join('\n'), 'text/css; charset=utf-8'));
  pages.set('docs.js', documentFile(readPart('docs.js'), 'text/javascript; charset=utf-8'));
  pages.set('search.json', documentFile(JSON.stringify(search), 'application/json'));
  for (const [name, bytes] of clientPackages()) pages.set(name, documentFile(bytes, 'application/gzip'));
  return {
    pages,
    overview: documentFile(overview, 'text/plain; charset=utf-8'),
    missing: documentFile(notFound, 'text/html; charset=utf-8'),
    icon: documentFile(readPart('icon.svg'), 'image/svg+xml'),
    robots: documentFile(ROBOTS, 'text/plain; charset=utf-8'),
  };
}

function readPart(name: string): string {
  return readFileSync(new URL(`../../../../web/docs/${name}`, import.meta.url), 'utf8');
}

/**
 * Checkout addresses are secrets and the dashboard is for merchants, so search engines may read only the documentation.
 */
const ROBOTS = 'User-agent: *\nAllow: /docs\nDisallow: /\n';

// Only the pages' own script runs, and it builds no HTML from text.
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

function send(request: FastifyRequest, reply: FastifyReply, found: DocumentFile): FastifyReply {
  const { status, body } = chooseEncoding(request, reply, found);
  return reply.code(status).headers({ 'content-type': found.type, 'content-security-policy': POLICY }).send(body);
}
