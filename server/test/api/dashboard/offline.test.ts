import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { LOCALES } from '@quittance/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const script = () => app.inject('GET', '/dashboard/offline.js');

test('the script of the page for a server that is away may ask this service alone, and is never kept by a cache', async () => {
  const { status, headers } = await script();
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'content-security-policy': "default-src 'none'; connect-src 'self'",
    'cache-control': 'no-store',
    'service-worker-allowed': '/dashboard',
  });
});

test('it answers where the network or a proxy fails, and leaves every answer of the service and every other request alone', async () => {
  const own = (status: number) => new Response('own', { status, headers: { 'request-id': 'req_1' } });
  const answer = await answersOf((await script()).raw);
  for (const away of [
    () => Promise.reject(new TypeError('Failed to fetch')),
    async () => new Response('bad gateway', { status: 502 }),
  ])
    expect(await (await answer({}, away))?.text()).toContain('Can’t reach the server');
  for (const status of [200, 404, 500, 503])
    expect(await (await answer({}, async () => own(status)))?.text()).toBe('own');
  for (const request of [{ mode: 'cors' }, { destination: 'iframe' }, { method: 'POST' }])
    expect(await answer(request, async () => own(200))).toBeUndefined();
});

test('its page is in the language that the dashboard had here, otherwise in English, and may run only the script of that', async () => {
  const answer = await answersOf((await script()).raw);
  const page = (await answer({}, () => Promise.reject(new TypeError('Failed to fetch')))) as Response;
  const html = await page.text();
  const inline = /<script>([\s\S]*)<\/script>/.exec(html)?.[1] ?? '';
  expect(page.headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; " +
      `script-src 'sha256-${createHash('sha256').update(inline).digest('base64')}'; base-uri 'none'; frame-ancestors 'none'`,
  );
  const shownIn = (locale: string | null) => {
    const texts: Record<string, { textContent: string }> = {};
    const document = {
      documentElement: { lang: 'en' },
      title: '',
      querySelector: (name: string) => (texts[name] = { textContent: '' }),
    };
    runInNewContext(inline, { document, localStorage: { getItem: (key: string) => key === 'shown_locale' && locale } });
    return { lang: document.documentElement.lang, title: document.title, heading: texts.h1?.textContent, ...texts };
  };
  expect(shownIn('de')).toMatchObject({ lang: 'de', heading: 'Der Server ist nicht erreichbar' });
  expect(shownIn('pt-BR')).toMatchObject({ title: 'Não foi possível acessar o servidor · Quittance' });
  expect(LOCALES.filter((locale) => shownIn(locale).lang !== locale)).toEqual([]);
  for (const unknown of [null, 'xx', 'constructor', '__proto__', '<script>'])
    expect(shownIn(unknown)).toEqual({ lang: 'en', title: '', heading: undefined });
  expect(html).toContain('<h1>Can’t reach the server</h1>');
});

test('only the dashboard may name it', async () => {
  const policyOf = async (path: string) => (await app.inject('GET', path)).headers['content-security-policy'];
  expect(await policyOf('/dashboard')).toContain('trusted-types offline');
  const { id } = await app.merchant.createSession();
  expect(await policyOf(`/checkout/${id}`)).toContain("trusted-types 'none'");
});

/** What the script answers to a request; nothing if it leaves it to the browser. */
async function answersOf(text: string) {
  const listeners: Record<string, (event: object) => void> = {};
  return async (request: object, fetch: () => Promise<Response>): Promise<Response | undefined> => {
    let answer: Promise<Response> | undefined;
    runInNewContext(text, {
      Response,
      fetch,
      addEventListener: (name: string, on: () => void) => (listeners[name] = on),
    });
    listeners.fetch?.({
      request: { mode: 'navigate', destination: 'document', method: 'GET', ...request },
      respondWith: (given: Promise<Response>) => (answer = given),
    });
    return answer;
  };
}
