import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressObjection, urlObjection } from '../../../src/outside/http/address.ts';
import { createOutbound } from '../../../src/outside/http/undici.ts';
import type { OutboundAnswer } from '../../../src/outside/http/outbound.ts';
import { runDueDeliveries } from '../../../src/resources/webhooks/delivery/run-due.ts';
import { watchConnections } from '../../support/connections.ts';
import { startReceiver } from '../../support/receiver.ts';
import { startApp, type TestApp } from '../../support/index.ts';
import { allowedUrls, forbiddenUrls, metadataAddresses } from './addresses.ts';

const production = { allowPrivate: false, ownUrl: 'https://pay.example.com' };
const development = { allowPrivate: true, ownUrl: 'http://localhost:3000' };

let app: TestApp;

beforeAll(async () => {
  app = await startApp({
    env: { WEBHOOK_ALLOW_PRIVATE: 'false' },
    overrides: { outbound: createOutbound({ ...production, resolve: async () => ['127.0.0.1'] }) },
  });
});
afterAll(() => app?.stop());

test('the corpus holds at least two hundred refused URLs', () => {
  expect(new Set(forbiddenUrls).size).toBeGreaterThanOrEqual(200);
});

test('every refused URL is refused as it stands, every allowed one is not', () => {
  expect(forbiddenUrls.filter((url) => urlObjection(url, production) === null)).toEqual([]);
  expect(allowedUrls.filter((url) => urlObjection(url, production) !== null)).toEqual([]);
});

test('metadata services stay out of reach in the development profile', () => {
  expect(metadataAddresses.filter((address) => addressObjection(address, development) === null)).toEqual([]);
});

test('the private networks are reached in the development profile only', () => {
  for (const address of ['127.0.0.1', '::1', '10.1.2.3', '192.168.1.1', '172.20.0.5', 'fd12::1', '::ffff:127.0.0.1']) {
    expect(addressObjection(address, development)).toBe(null);
    expect(addressObjection(address, production)).not.toBe(null);
  }
});

test.each(['https://pay.example.com/v1/webhooks', 'https://PAY.example.com./', 'https://pay.example.com:8443/'])(
  'our own address is refused: %s',
  (url) => {
    expect(urlObjection(url, production)).toMatch(/point to this service/);
  },
);

test("this machine's own public address is out of reach, also as an IPv4-mapped literal", async () => {
  const outbound = createOutbound({
    ...production,
    resolve: async () => ['::ffff:5.6.7.8'],
    ownAddresses: () => ['127.0.0.1', '5.6.7.8'],
  });
  for (const url of ['https://5.6.7.8:8443/', 'https://[::ffff:5.6.7.8]:8443/', 'https://own.example/']) {
    const sent = await outbound.post({ owner: url, url, headers: {}, body: Buffer.from('{}'), timeoutMs: 500 });
    expect(sent, url).toMatchObject({ error: 'blocked_address' });
  }
  await outbound.close();
});

describe('at the connection', () => {
  test('not one socket is opened for a refused URL, whether it was registered or not', async () => {
    const outbound = createOutbound({ ...production, resolve: async () => ['10.0.0.1'] });
    const answers = await socketsDuring(async () => {
      const sent: OutboundAnswer[] = [];
      for (const url of forbiddenUrls.filter((text) => /^https?:/.test(text) && URL.canParse(text))) {
        sent.push(await outbound.post({ owner: url, url, headers: {}, body: Buffer.from('{}'), timeoutMs: 2_000 }));
      }
      return sent;
    });
    expect(answers.result.length).toBeGreaterThan(400);
    expect(answers.result.filter(({ error }) => error !== 'blocked_address')).toEqual([]);
    expect(answers.sockets).toBe(0);
    await outbound.close();
  });

  test.each([
    ['that now stands for this machine', ['127.0.0.1']],
    ['that stands for a metadata service', ['169.254.169.254']],
    ['with one good and one forbidden address', ['93.184.216.34', '10.0.0.1']],
    ['with a forbidden IPv6 beside a good IPv4', ['93.184.216.34', '::1']],
    ['with an embedded IPv4', ['::ffff:192.168.0.1']],
    ['that resolves to a malformed address', ['nonsense']],
  ])('a name %s is refused before a socket is opened', async (_what, addresses) => {
    const outbound = createOutbound({ ...production, resolve: async () => addresses });
    const { result, sockets } = await socketsDuring(() =>
      outbound.post({
        owner: 'we_1',
        url: 'https://rebound.example/',
        headers: {},
        body: Buffer.from('{}'),
        timeoutMs: 2_000,
      }),
    );
    expect(result).toMatchObject({ error: 'blocked_address' });
    expect(sockets).toBe(0);
    await outbound.close();
  });

  test.each([
    [
      'does not resolve',
      async () => {
        throw new Error('ENOTFOUND');
      },
      500,
    ],
    ['has no address', async () => [], 500],
    ['is never answered for', () => new Promise<string[]>(() => {}), 3_000],
  ])('a name that %s is refused: what cannot be judged is not reached', async (_what, resolve, withinMs) => {
    const outbound = createOutbound({ ...production, resolve });
    const { result, sockets } = await socketsDuring(() =>
      outbound.post({
        owner: 'we_1',
        url: 'https://lost.example/',
        headers: {},
        body: Buffer.from('{}'),
        timeoutMs: 5_000,
      }),
    );
    expect(result).toMatchObject({ error: 'name_not_resolved' });
    expect(result.durationMs).toBeLessThan(withinMs);
    expect(sockets).toBe(0);
    await outbound.close();
  });

  test('the connection goes to the address that was checked, though the name now resolves to another', async () => {
    const receiver = await startReceiver();
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    const outbound = createOutbound({ ...development, resolve: async () => answers.shift() ?? ['169.254.169.254'] });
    const url = `http://rebound.example:${receiver.port}/`;
    const { result: first, sockets } = await socketsDuring(() =>
      outbound.post({ owner: 'we_first', url, headers: {}, body: Buffer.from('{}'), timeoutMs: 2_000 }),
    );
    // This file's counter works.
    expect(sockets).toBe(1);
    const second = await outbound.post({
      owner: 'we_second',
      url,
      headers: {},
      body: Buffer.from('{}'),
      timeoutMs: 2_000,
    });
    expect(first).toMatchObject({ status: 200 });
    expect(receiver.received[0]?.headers.host).toBe(`rebound.example:${receiver.port}`);
    expect(second).toMatchObject({ error: 'blocked_address' });
    expect(receiver.received).toHaveLength(1);
    await outbound.close();
    await receiver.close();
  });
});

test('an international host is looked up and connected to by its name in the DNS', async () => {
  const receiver = await startReceiver();
  const names: string[] = [];
  const resolve = async (name: string) => {
    names.push(name);
    return ['127.0.0.1'];
  };
  const outbound = createOutbound({ ...development, resolve });
  const url = `http://münchen.example:${receiver.port}/hooks`;
  const sent = await outbound.post({ owner: 'we_idn', url, headers: {}, body: Buffer.from('{}'), timeoutMs: 2_000 });
  expect(sent).toMatchObject({ status: 200 });
  expect(names).toEqual(['xn--mnchen-3ya.example']);
  expect(receiver.received[0]?.headers.host).toBe(`xn--mnchen-3ya.example:${receiver.port}`);
  await outbound.close();
  await receiver.close();
});

describe('through the API of a production server', () => {
  test('no refused URL can be registered', async () => {
    const accepted: string[] = [];
    for (const url of forbiddenUrls) {
      const answer = await app.merchant.request('POST', '/webhook-endpoints', {
        body: { url, events: ['payment.paid'] },
      });
      if (answer.status !== 400 || answer.body.error.param !== 'url') accepted.push(`${url} ${answer.status}`);
    }
    expect(accepted).toEqual([]);
  });

  test('a name that resolves to this machine and one that does not exist look the same, and neither is reached', async () => {
    const looks = async (resolve: () => Promise<string[]>) => {
      await using server = await startApp({
        env: { WEBHOOK_ALLOW_PRIVATE: 'false' },
        overrides: { outbound: createOutbound({ ...production, resolve }) },
      });
      const { merchant } = server;
      const endpoint = await merchant.createEndpoint({ url: 'https://rebound.example/' });
      const paymaster = await merchant.dashboard.patch('/account', { paymaster_url: 'https://rebound.example/' });
      const tested = await merchant.post('/webhooks/test', { endpoint_id: endpoint.id, event: 'payment.paid' });
      await merchant.createSession();
      await runDueDeliveries(server.ctx, { accountId: merchant.accountId, deadlineMs: 60_000 });
      const { data } = await merchant.get(`/webhook-endpoints/${endpoint.id}/deliveries`);
      const { attempts } = await merchant.get(`/webhook-deliveries/${data[0].id}`);
      const { outcome, response_code, error, duration_ms } = attempts[0];
      return { host: paymaster.paymaster_host, tested, outcome, response_code, error, duration_ms };
    };
    const { result, sockets } = await socketsDuring(() =>
      Promise.all([
        looks(async () => ['127.0.0.1']),
        looks(async () => ['93.184.216.34', '10.0.0.1']),
        looks(async () => []),
        looks(async () => {
          await pause(80);
          throw new Error('ENOTFOUND');
        }),
      ]),
    );
    expect(new Set(result.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(result[0]).toMatchObject({ outcome: 'failed', response_code: null, error: 'no_public_address' });
    expect(sockets).toBe(0);
  });

  test('a forbidden URL in the database is not tested or delivered to, and both look like any other failure', async () => {
    const urls = forbiddenUrls.filter((text) => /^https?:/.test(text) && URL.canParse(text));
    const tens = Array.from({ length: Math.ceil(urls.length / 10) }, (_, index) =>
      urls.slice(index * 10, index * 10 + 10),
    );
    const { sockets } = await socketsDuring(() =>
      Promise.all(
        tens.map(async (ten) => {
          const merchant = await app.newMerchant();
          const ids = await Promise.all(ten.map((url) => insertEndpoint(merchant.accountId, url)));
          await merchant.createSession();
          const tests = await Promise.all(
            ids.map((id) => merchant.post('/webhooks/test', { endpoint_id: id, event: 'payment.paid' })),
          );
          for (const answer of tests) expect(answer).toEqual({ delivered: false, response_code: 0 });
          await runDueDeliveries(app.ctx, { accountId: merchant.accountId, deadlineMs: 60_000 });
          const errors = await app.ctx.db.query<{ error: string }>(
            'attempts_for_test',
            `
        select error from delivery_attempts where endpoint_id = any ($1)`,
            [ids],
          );
          expect(errors.map(({ error }) => error)).toEqual(ids.map(() => 'blocked_address'));
        }),
      ),
    );
    expect(sockets).toBe(0);
    expect(urls.length).toBeGreaterThan(400);
  }, 120_000);
});

async function insertEndpoint(accountId: string, url: string): Promise<string> {
  const id = `we_${Math.random().toString(36).slice(2).padEnd(24, '0').slice(0, 24)}`;
  await app.ctx.db.query(
    'smuggle_endpoint',
    `
    insert into webhook_endpoints (id, account_id, livemode, url, events, secret, status, created_at)
    values ($1, $2, false, $3, array['payment.created'], $4, 'active', $5)`,
    [
      id,
      accountId,
      url,
      app.ctx.secrets.seal('whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2Vj', `webhook_endpoints.secret:${id}`),
      new Date(),
    ],
  );
  return id;
}

/** Counts attempted connections to anything but the database. */
async function socketsDuring<T>(work: () => Promise<T>): Promise<{ result: T; sockets: number }> {
  const watch = watchConnections();
  try {
    const result = await work();
    const database = Number(new URL(app.config.databaseUrl ?? 'http://none').port);
    return { result, sockets: watch.attempts.filter(({ port }) => port !== database).length };
  } finally {
    watch.stop();
  }
}
