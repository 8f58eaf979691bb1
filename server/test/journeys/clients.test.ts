import { execFile } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLIENTS, isInstalled, skippedNote } from '../../../clients/interpreters.ts';
import { ConnectionError, Quittance, type QuittanceError } from '../../../sdk/src/index.ts';
import { type Merchant, startApp, type TestApp } from '../support/index.ts';
import { type Listening, serve } from '../support/listen.ts';

// The three clients do the same for a merchant of their own, on one running server.
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
let app: TestApp;
let lossy: Listening;
let redirect: Listening;
let redirected = 0;
/** The requests whose first answer was lost, and the number of their attempts. */
let attempts: Map<string, number>;

beforeAll(async () => {
  app = await startApp({ listen: true, work: true });
  lossy = await serve(async (request, response) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !/^(host|connection)$/.test(name)),
    );
    const { method = '', url = '' } = request;
    const body = await buffer(request);
    const answer = await fetch(`${app.url}${url}`, {
      method,
      headers: headers as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
    const text = await answer.text();
    const times = (attempts.get(`${method} ${url}`) ?? 0) + 1;
    attempts.set(`${method} ${url}`, times);
    // The server has done it, and the client hears nothing.
    if (times === 1) request.socket.destroy();
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  redirect = await serve(({ url }, response) => {
    if (url === '/v1/elsewhere') redirected += 1;
    response.writeHead(302, { location: `${redirect.url}/v1/elsewhere` }).end();
  });
});
afterAll(async () => {
  for (const server of [lossy, redirect]) await server?.stop();
  await app?.stop();
});

const EXPECTED = {
  same: true,
  paid: 'paid',
  lost: 'lost',
  orders: ['keyed', 'lost'],
  errors: [
    ['AuthenticationError', 'invalid_credentials', null],
    ['NotFoundError', 'not_found', 'id'],
    ['InvalidRequestError', 'invalid_checkout_session', 'amount'],
    ['ConflictError', 'idempotency_conflict', 'Idempotency-Key'],
    ['ConnectionError'],
  ],
};

test.each([...CLIENTS, { name: 'TypeScript', program: 'node', folder: 'sdk' }])(
  'the client in $name creates once per key, also if an answer is lost, reads lists and raises what is documented',
  async ({ name, program, folder }) => {
    if (!isInstalled(program)) return console.warn(`the client in ${name}${skippedNote(program)}`);
    attempts = new Map();
    redirected = 0;
    const merchant = await app.newMerchant();
    await merchant.createWallet();
    const { deleted, endpoint, errors, ...found } =
      name === 'TypeScript' ? await live(merchant) : await runLive(program, folder, merchant);
    expect({ ...found, errors: errors.slice(0, -1) }).toEqual(EXPECTED);
    expect(deleted).toEqual({ id: endpoint, deleted: true });
    expect([...attempts.values()]).toEqual([2, 2]);
    // A redirect would take the key to another address.
    expect([errors.at(-1)?.[0], redirected]).toEqual([expect.stringMatching(/^(ServerError|ConnectionError)$/), 0]);
    const { data: events } = await merchant.get('/events?limit=100');
    const created = events.filter(({ type }: { type: string }) => type === 'payment.created');
    expect(created).toHaveLength(2);
  },
);

interface Found {
  errors: unknown[][];
  deleted: unknown;
  endpoint: string;
}

async function runLive(program: string, folder: string, { testKey }: Merchant): Promise<Found> {
  const file = `${folder}/tests/live.${program === 'php' ? 'php' : 'py'}`;
  const args = [file, app.url, lossy.url, redirect.url, testKey];
  return JSON.parse((await promisify(execFile)(program, args, { cwd: ROOT })).stdout);
}

/** The same with the SDK. */
async function live({ testKey }: Merchant): Promise<Found & Record<string, unknown>> {
  const client = (baseUrl = app.url, key = testKey) => new Quittance(key, { baseUrl });
  const kind = (call: PromiseLike<unknown>) =>
    Promise.resolve(call).then(
      () => [],
      (error) => [error.name, ...(error instanceof ConnectionError ? [] : detailsOf(error))],
    );
  const shop = client();
  const body = { amount: '49.00', order_id: 'keyed', metadata: { note: 'Größe 1' } };
  const keyed = { idempotencyKey: 'order-1' };
  const [one, same] = [
    await shop.checkout.sessions.create(body, keyed),
    await shop.checkout.sessions.create(body, keyed),
  ];
  const pay = { pay_asset: 'USDC', pay_network: 'base', outcome: 'paid' } as const;
  const { payment } = await shop.testHelpers.pay(one.id, pay);
  const lost = await client(lossy.url).checkout.sessions.create({ amount: '49.00', order_id: 'lost' });
  await shop.testHelpers.pay(lost.id, pay);
  const { id } = await shop.webhookEndpoints.create({ url: 'https://shop.example.com/hook', events: ['payment.paid'] });
  const payments = await shop.payments.list({ limit: 1 }).toArray({ limit: 10 });
  return {
    same: one.id === same.id && one.metadata.note === 'Größe 1',
    paid: (await shop.payments.retrieve(payment ?? '')).status,
    lost: lost.order_id,
    deleted: await client(lossy.url).webhookEndpoints.delete(id),
    endpoint: id,
    orders: payments.map(({ order_id }) => order_id).sort(),
    errors: [
      await kind(client(app.url, `sk_test_${'0'.repeat(36)}`).payments.list()),
      await kind(shop.payments.retrieve('pay_none')),
      await kind(shop.checkout.sessions.create({ amount: '49,00' })),
      await kind(shop.checkout.sessions.create({ ...body, amount: '50.00' }, keyed)),
      await kind(client('http://127.0.0.1:9').payments.list()),
      await kind(client(redirect.url).payments.list()),
    ],
  };
}

function detailsOf({ code, param }: QuittanceError): unknown[] {
  return [code, param];
}
