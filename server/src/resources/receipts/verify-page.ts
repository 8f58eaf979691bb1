import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

/** One file without external resources, so that a saved copy verifies receipts offline. */
export function registerVerifyPage(server: FastifyInstance): void {
  const html = readFileSync(new URL('./verify-receipt.html', import.meta.url), 'utf8').replaceAll('\r\n', '\n');
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(html, 'script')}`,
    `style-src ${hashOf(html, 'style')}`,
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  server.get('/verify-receipt', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .headers({ 'content-security-policy': policy, 'cache-control': 'no-cache', 'referrer-policy': 'no-referrer' })
      .send(html),
  );
}

/** The policy allows exactly the one script and the one style of the page. */
function hashOf(html: string, tag: string): string {
  const content = html.slice(html.indexOf(`<${tag}>`) + tag.length + 2, html.indexOf(`</${tag}>`));
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
}
