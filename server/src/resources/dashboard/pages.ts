import { existsSync, readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { QueryOf } from '@quittance/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import { invariant } from '../../platform/errors.ts';
import { serveFiles } from '../../platform/http/files.ts';
import { sendPage } from '../../platform/http/page.ts';
import { refuseBadParameters } from '../../platform/http/validation/text.ts';
import { queryCheck } from '../../platform/http/validation/validate.ts';
import { redeemLoginLink } from '../logins/create-login-link.ts';
import { exportMovements, exportPayments } from '@quittance/contract/dashboard';
import type { BuiltPages } from '../checkout-pages/built.ts';
import { Exports } from './export.ts';
import { movementsFile } from './movements.ts';
import { serveOffline } from './offline.ts';
import { servePreview } from './preview.ts';
import { holdsSession, keepSession } from './session.ts';

const ASSETS_PATH = '/assets/dashboard/';

interface Chunk {
  file: string;
  css?: string[];
  imports?: string[];
  isEntry?: boolean;
}

type Manifest = Record<string, Chunk>;

/** The merchant's pages: one document, its files, the first sign-in link, and the exports. */
export async function registerDashboardPages(server: FastifyInstance, ctx: Context, pages: BuiltPages): Promise<void> {
  const folder = new URL('../../../../web/dist/dashboard/', import.meta.url);
  const html = documentOf(folder);
  await serveFiles(server, { root: fileURLToPath(folder), prefix: ASSETS_PATH });

  const exports = new Exports(ctx);
  servePreview(server, ctx, pages);
  serveOffline(server);
  // Merchants' logos may be on any host, and are shown in their settings.
  const show = (_request: FastifyRequest, reply: FastifyReply) =>
    sendPage(reply, html, { imageOrigins: ['https:'], framesOwnPages: true, trustedTypes: 'offline' });
  server.get('/', (_request, reply) => reply.redirect('/dashboard', 302));
  server.get('/dashboard', show);
  server.get('/dashboard/*', show);

  server.get<{ Querystring: { token?: unknown } }>('/dashboard/open', async (request, reply) => {
    const { token } = request.query;
    try {
      keepSession(ctx, reply, await redeemLoginLink(ctx, typeof token === 'string' ? token : ''));
    } catch {
      // A second visit to the link finds the session of the first.
      return reply.redirect(holdsSession(ctx, request) ? '/dashboard' : '/dashboard/sign-in?notice=link', 303);
    }
    return reply.redirect('/dashboard', 303);
  });

  serveExport(server, exportPayments, 'payments', (account, query) => exports.csv(account, query));
  serveExport(server, exportMovements, 'bookkeeping', (account, query) =>
    exports.stream(account, movementsFile(ctx, account, query)),
  );
}

/** A file of the account in the mode of the URL. Only the parameters of its endpoint may be read. */
function serveExport<Asked extends typeof exportPayments | typeof exportMovements>(
  server: FastifyInstance,
  endpoint: Asked,
  name: string,
  open: (account: Account, query: QueryOf<Asked>) => Readable,
): void {
  const check = endpoint.query && queryCheck(endpoint.query);
  server.get<{ Querystring: Record<string, unknown> }>(endpoint.path, { config: { endpoint } }, (request, reply) => {
    const { caller, query } = request;
    invariant(caller, 'the endpoint asks for a login');
    refuseBadParameters(query, endpoint.invalid);
    const refused = check?.(query, endpoint.invalid);
    if (refused) throw refused;
    const asked = query as QueryOf<Asked>;
    const stream = open({ id: caller.id, livemode: asked.mode === 'live' }, asked);
    const day = caller.realNow.toISOString().slice(0, 10);
    return reply
      .headers({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="${name}-${asked.mode}-${day}.csv"`,
      })
      .send(stream);
  });
}

/** The document around the built files. Throws if they are not built, with the command to run. */
function documentOf(folder: URL): string {
  const file = new URL('manifest.json', folder);
  if (!existsSync(file)) throw new Error('The dashboard is not built. Run: npm run build -w web');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  const entry = Object.values(manifest).find(({ isEntry }) => isEntry);
  invariant(entry, 'the manifest of the dashboard names an entry');
  const styles = (entry.css ?? []).map((style) => `<link rel="stylesheet" href="${ASSETS_PATH}${style}">`).join('');
  // Otherwise a browser learns of these only from the entry, a round trip later.
  const preloads = [...importsOf(manifest, entry)].map(
    (script) => `<link rel="modulepreload" href="${ASSETS_PATH}${script}">`,
  );
  return (
    '<!doctype html><html lang="en" dir="ltr"><head><meta charset="utf-8"><meta name="viewport" ' +
    'content="width=device-width, initial-scale=1"><title>Quittance</title>' +
    `<link rel="icon" href="${ASSETS_PATH}icon.svg" type="image/svg+xml">${styles}<script type="module" ` +
    `src="${ASSETS_PATH}${entry.file}"></script>${preloads.join('')}</head>` +
    // Shown until the scripts have arrived, and replaced by them.
    '<body><div id="root"><p class="opening">Quittance</p></div><noscript>The dashboard requires ' +
    'JavaScript. Everything in it is also available through the API: see /docs.</noscript></body></html>'
  );
}

/** What a script imports before it runs, and what that imports. */
function importsOf(manifest: Manifest, { imports = [] }: Chunk, found = new Set<string>()): Set<string> {
  for (const key of imports) {
    const chunk = manifest[key];
    invariant(chunk, 'the manifest of the dashboard describes every import');
    if (found.has(chunk.file)) continue;
    found.add(chunk.file);
    importsOf(manifest, chunk, found);
  }
  return found;
}
