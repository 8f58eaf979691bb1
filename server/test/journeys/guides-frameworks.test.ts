import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { checkout } from '@quittance/integrations/next';
import { generateTestHeader } from '@quittance/sdk/webhooks';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../src/platform/db/embedded/postmaster.ts';
import { type Project, startProject } from '../support/guides.ts';
import { startApp, type TestApp } from '../support/index.ts';

const SECRET = 'whsec_dGVzdA==';
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ listen: true, work: true });
  await app.merchant.createWallet();
});
afterAll(() => app?.stop());

/** The example app of a framework, as the guide prints it. */
interface Shop extends AsyncDisposable {
  url: string;
  /** The next line that says so. */
  fulfilled(): Promise<string>;
}

const SHOPS: Record<string, (service: string) => Promise<Shop>> = {
  Express: (service) => serve('express-shop.mjs', 'npm install express', service),
  Hono: (service) => serve('hono-shop.mjs', 'npm install hono @hono/node-server', service),
  'Next.js': serveRoutes,
};

describe.each(Object.entries(SHOPS))('the shop in %s', (_, start) => {
  test('sends the customer to a checkout, and fulfills the order once it is paid', async () => {
    await using shop = await start(app.url);
    const { secret, id } = await app.merchant.createEndpoint({ url: `${shop.url}/webhooks`, events: ['payment.paid'] });
    expect(secret).toMatch(/^whsec_/);
    const answer = await fetch(`${shop.url}/checkout`, { method: 'POST', redirect: 'manual' });
    expect(answer.status).toBe(303);
    const [, session] = /\/checkout\/(cs_\w+)$/.exec(answer.headers.get('location') ?? '') ?? [];
    expect(await app.merchant.get(`/checkout/sessions/${session}`)).toMatchObject({ order_id: 'order-1001' });
    await app.merchant.delete(`/webhook-endpoints/${id}`);

    // The same event twice, then another one: each order is fulfilled once.
    const [one, other] = [eventOf({ id: 'evt_1' }), eventOf({ id: 'evt_2', order_id: 'order-1002' })];
    for (const event of [one, one, other]) expect((await post(shop, event)).status).toBe(200);
    expect(await shop.fulfilled()).toBe('fulfill order-1001');
    expect(await shop.fulfilled()).toBe('fulfill order-1002');
  });

  test('refuses what is not signed, does nothing for a sample, and goes on', async () => {
    await using shop = await start(app.url);
    expect((await post(shop, eventOf({ id: 'evt_0' }), 'whsec_other')).status).toBe(400);
    expect((await fetch(`${shop.url}/webhooks`, { method: 'POST', body: '{}' })).status).toBe(400);
    const sample = { ...eventOf({ id: 'evt_2', order_id: 'none' }), sample: true };
    expect((await post(shop, sample)).status).toBe(200);
    expect((await post(shop, eventOf({ id: 'evt_3', order_id: 'Größe 1' }))).status).toBe(200);
    expect(await shop.fulfilled()).toBe('fulfill Größe 1');
  });

  test('gives the customer a way out while the service cannot be reached', async () => {
    await using shop = await start('http://127.0.0.1:9');
    const answer = await fetch(`${shop.url}/checkout`, { method: 'POST', redirect: 'manual' });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60']);
    expect(await answer.text()).toContain('try again in a minute');
  });
});

test('two clicks find the same checkout, if the shop names a key for them, and a changed order another one', async () => {
  let amount = '49.00';
  const open = checkout({
    order: () => ({ amount, order_id: 'order-1001' }),
    idempotencyKey: () => 'order-1001',
    key: app.merchant.testKey,
    baseUrl: app.url,
  });
  const click = () => open(new Request('https://shop.example.com/checkout'));
  const answers = await Promise.all([click(), click()]);
  amount = '59.00';
  answers.push(await click());
  expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
  const [first, second, changed] = answers.map(({ headers }) => headers.get('location'));
  expect(second).toBe(first);
  expect(changed).not.toBe(first);
});

test('the steps of an order are those that the guide prints', async () => {
  await using project = await startProject({ url: app.url, key: '', port: 4000 });
  expect(await project.node('order.mjs')).toBe('capture 49.00\n0\n');
});

function eventOf({ id, ...fields }: { id: string; order_id?: string }) {
  const data = { id: `pay_${id}`, order_id: 'order-1001', sequence: 3, created_at: '2026-03-14T09:20:00Z', ...fields };
  return { id, type: 'payment.paid', created: '2026-03-14T09:26:53Z', data };
}

async function post({ url }: Shop, event: object, secret = SECRET): Promise<Response> {
  const body = JSON.stringify(event);
  const headers = { 'service-signature': await generateTestHeader(body, secret) };
  return fetch(`${url}/webhooks`, { method: 'POST', body, headers });
}

async function openProject(service: string, port: number): Promise<Project> {
  return startProject({ url: service, key: app.merchant.testKey, port, env: { WEBHOOK_SECRET: SECRET } });
}

async function serve(file: string, packages: string, service: string): Promise<Shop> {
  const port = await freePort();
  const project = await openProject(service, port);
  await project.install(packages);
  const lines = project.serve(file);
  await lines.line(/^http:/);
  return {
    url: `http://localhost:${port}`,
    fulfilled: () => lines.line(/fulfill/),
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  };
}

/** The route handlers of Next.js, which take a web request and return a web response. */
async function serveRoutes(service: string): Promise<Shop> {
  const port = await freePort();
  const project = await openProject(service, port);
  vi.stubEnv('QUITTANCE_KEY', app.merchant.testKey).stubEnv('QUITTANCE_URL', service);
  vi.stubEnv('WEBHOOK_SECRET', SECRET);
  onTestFinished(() => void vi.unstubAllEnvs());
  const load = async (file: string) => (await import(pathToFileURL(join(project.folder, file)).href)).POST;
  const routes: Record<string, (request: Request) => Promise<Response>> = {
    '/checkout': await load('app/checkout/route.js'),
    '/webhooks': await load('app/webhooks/route.js'),
  };
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = await buffer(request);
    const answer = await routes[url]?.(
      new Request(`http://localhost${url}`, { method, headers: headers as Record<string, string>, body }),
    );
    response.writeHead(answer?.status ?? 404, Object.fromEntries(answer?.headers ?? [])).end(await answer?.text());
  }).listen(port, '127.0.0.1');
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  let read = 0;
  return {
    url: `http://127.0.0.1:${port}`,
    // The handler has logged before it answers.
    fulfilled: async () => log.mock.calls[read++]?.join(' ') ?? '',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await project[Symbol.asyncDispose]();
    },
  };
}
