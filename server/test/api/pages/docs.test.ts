import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('GET /v1/openapi.json is compressed once and known by its tag, as every page of the documentation is', async () => {
  for (const path of ['/v1/openapi.json', '/docs', '/llms.txt']) {
    const plain = await app.server.inject({ url: path, headers: { 'accept-encoding': 'br, gzip;q=0' } });
    expect(plain.headers['content-encoding']).toBeUndefined();
    const packed = await app.server.inject({ url: path, headers: { 'accept-encoding': 'br, gzip' } });
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: expect.stringMatching(/accept-encoding/i),
    });
    expect(gunzipSync(packed.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
    const known = await app.server.inject({ url: path, headers: { 'if-none-match': String(packed.headers.etag) } });
    expect([known.statusCode, known.rawPayload.length]).toEqual([304, 0]);
  }
});

test('GET /v1/openapi.json answers the whole document, bare and without a credential', async () => {
  const answer = await app.inject('GET', '/v1/openapi.json');

  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    openapi: '3.1.0',
    info: { version: '1.0.0-draft' },
    servers: [{ url: `${app.config.publicUrl}/v1` }],
  });
  expect(answer.body.paths['/checkout/sessions'].post.operationId).toBe('createCheckoutSession');
  expect(answer.body.components.schemas.Payment.properties.service_fee).toBeDefined();
  expect(answer.body.request_id).toBeUndefined();
});

test('every operation of the document has a route', async () => {
  const { body } = await app.inject('GET', '/v1/openapi.json');
  const unanswered: string[] = [];
  for (const [path, methods] of Object.entries(body.paths as Record<string, Record<string, { operationId: string }>>)) {
    for (const [method, { operationId }] of Object.entries(methods)) {
      const url = `/v1${path.replaceAll(/\{\w+\}/g, 'none')}`;
      if (
        !app.server.hasRoute({
          method: method.toUpperCase() as 'GET',
          url: `/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        })
      )
        unanswered.push(`${operationId} ${url}`);
    }
  }
  expect(unanswered).toEqual([]);
});

test.each([
  '/docs',
  '/docs/checkout-sessions',
  '/docs/events-and-signatures',
  '/docs/errors',
  '/docs/objects',
  '/docs/guides/first-payment',
  '/docs/changelog',
])('%s is a page that runs only the script of the documentation', async (path) => {
  const answer = await app.inject('GET', path);

  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(answer.headers['content-security-policy']).toContain(
    "default-src 'none'; script-src 'self'; connect-src 'self'",
  );
  expect(answer.headers['content-security-policy']).not.toContain('unsafe');
  expect(answer.raw).toContain('</html>');
});

test('a program finds the guides in Markdown from one list', async () => {
  const overview = await app.inject('GET', '/llms.txt');
  expect([overview.status, overview.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  const links = [...overview.raw.matchAll(/\]\(([^)]+)\)/g)].map(([, url = '']) => url);
  expect(links).toContain(`${app.config.publicUrl}/docs/guides/first-payment.md`);
  for (const link of links)
    expect((await app.inject('GET', link.slice(app.config.publicUrl.length))).status, link).toBe(200);

  const guide = await app.inject('GET', '/docs/guides/webhooks.md');
  expect(guide.headers['content-type']).toBe('text/markdown; charset=utf-8');
  expect(guide.raw).toMatch(/^# Webhooks\n/);
});

test('a page that has not changed is not sent again', async () => {
  const first = await app.inject('GET', '/docs');
  const second = await app.inject('GET', '/docs', { headers: { 'if-none-match': first.headers.etag as string } });
  expect(second.status).toBe(304);
  expect(second.raw).toBe('');
});

test.each([
  ['/docs/docs.css', 'text/css; charset=utf-8'],
  ['/docs/docs.js', 'text/javascript; charset=utf-8'],
  ['/docs/search.json', 'application/json'],
  ['/robots.txt', 'text/plain; charset=utf-8'],
  ['/favicon.svg', 'image/svg+xml'],
  ['/favicon.ico', 'image/svg+xml'],
])('%s is served from this server', async (path, type) => {
  const answer = await app.inject('GET', path);
  expect([answer.status, answer.headers['content-type']]).toEqual([200, type]);
});

test('a person who follows a wrong link within the documentation stays in it', async () => {
  const answer = await app.inject('GET', '/docs/nothing', { headers: { accept: 'text/html' } });
  expect(answer.status).toBe(404);
  expect(answer.raw).toContain('There is no page of the documentation at this address.');
});

test.each(['/docs/nothing', '/docs/guides/nothing', '/docs/guides/..%2Foperating'])(
  '%s, which is not there, is a 404',
  async (path) => {
    expect((await app.inject('GET', path)).status).toBe(404);
  },
);

test.each(['/docs', '/docs/search.json', '/docs/nothing-here', '/llms.txt'])(
  '%s counts for the limit of its client',
  async (path) => {
    const { headers } = await app.inject('GET', path);
    const counted = Number(headers['x-ratelimit-limit']) - Number(headers['x-ratelimit-remaining']);
    expect(counted).toBeGreaterThan(0);
  },
);
