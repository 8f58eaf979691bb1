import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ listen: true });
});
afterAll(() => app.stop());

test("a page that follows a session receives each change, under the payment's sequence", async () => {
  const session = await app.merchant.createSession();
  await using stream = await follow(session.id);
  expect(await stream.next()).toMatchObject({ id: '1', data: { id: session.id, status: 'created', payment: null } });

  await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
    body: { pay_asset: 'USDC', pay_network: 'base' },
  });
  expect(await stream.next()).toMatchObject({ id: '2', data: { status: 'pending', payment: { kind: 'direct' } } });

  await app.merchant.pay(session.id, 'underpaid');
  expect(await stream.next()).toMatchObject({
    id: '2',
    data: { status: 'pending', payment: { amount_received: expect.stringMatching(/^24\.5/) } },
  });

  await app.merchant.pay(session.id);
  expect(await stream.next()).toMatchObject({ id: '3', data: { status: 'paid' } });
});

test('a client that returns with Last-Event-ID gets the events that it missed', async () => {
  const session = await app.merchant.createSession();
  await app.merchant.pay(session.id);
  await using stream = await follow(session.id, '1');
  expect(await stream.next()).toMatchObject({ id: '3', data: { status: 'paid' } });
});

test('an unknown session has no stream: 404', async () => {
  const response = await fetch(`${app.url}/v1/public/checkout/sessions/cs_000000000000000000000000/events`);
  expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
    404,
    'not_found',
  ]);
});

test('a stream can be read from any page: it answers every origin, without credentials', async () => {
  const session = await app.merchant.createSession();
  await using stream = await follow(session.id, undefined, { origin: 'https://shop.example' });
  expect(stream.headers.get('access-control-allow-origin')).toBe('*');
  expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
  await stream.next();
});

test('one stranger follows 100 checkouts at a time, and no more', async () => {
  await using proxied = await startApp({ listen: true, env: { TRUSTED_PROXIES: '127.0.0.1' } });
  const session = await proxied.merchant.createSession();
  const abort = new AbortController();
  const open = (client: string) =>
    fetch(`${proxied.url}/v1/public/checkout/sessions/${session.id}/events`, {
      signal: abort.signal,
      headers: { 'x-forwarded-for': client },
    });
  const streams = await Promise.all(Array.from({ length: 100 }, () => open('203.0.113.9')));
  expect(new Set(streams.map((response) => response.status))).toEqual(new Set([200]));

  const refused = await open('203.0.113.9');
  expect([
    refused.status,
    ((await refused.json()) as { error: { code: string } }).error.code,
    Number(refused.headers.get('retry-after')) > 1,
  ]).toEqual([429, 'rate_limited', true]);
  expect((await open('198.51.100.7')).status).toBe(200);
  abort.abort();
});

test('fifty pages of one checkout share each look at the database', async () => {
  const session = await app.merchant.createSession();
  const streams = await Promise.all(Array.from({ length: 50 }, () => follow(session.id)));
  for (const stream of streams) expect(await stream.next()).toMatchObject({ id: '1' });

  const query = vi.spyOn(app.ctx.db, 'query');
  await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
    body: { pay_asset: 'USDC', pay_network: 'base' },
  });
  for (const stream of streams) expect(await stream.next()).toMatchObject({ id: '2', data: { status: 'pending' } });
  const looks = query.mock.calls.filter(([name]) => name === 'find_stream_state').length;
  query.mockRestore();
  expect(looks).toBeLessThanOrEqual(5);
  for (const stream of streams) await stream[Symbol.asyncDispose]();
});

test('a page that joins others receives the current state', async () => {
  const session = await app.merchant.createSession();
  await using first = await follow(session.id);
  expect(await first.next()).toMatchObject({ id: '1' });
  await app.ctx.db.query('touch_payment', 'update payments set sequence = sequence + 5 where session_id = $1', [
    session.id,
  ]);
  await using second = await follow(session.id);
  expect(await second.next()).toMatchObject({ id: '6' });
});

test('beyond the cap a client with many streams loses its oldest to one with fewer, and no other stream is admitted', async () => {
  await using capped = await startApp({ listen: true, env: { TRUSTED_PROXIES: '127.0.0.1', MAX_PUBLIC_STREAMS: '4' } });
  const session = await capped.merchant.createSession();
  const open = (client: string) =>
    fetch(`${capped.url}/v1/public/checkout/sessions/${session.id}/events`, { headers: { 'x-forwarded-for': client } });
  const greedy = [
    await open('203.0.113.9'),
    await open('203.0.113.9'),
    await open('203.0.113.9'),
    await open('203.0.113.9'),
  ];
  expect((await open('203.0.113.9')).status).toBe(503);

  const honest = [await open('198.51.100.1'), await open('198.51.100.2')];
  expect(honest.map(({ status }) => status)).toEqual([200, 200]);
  // The oldest two have ended.
  for (const ended of greedy.slice(0, 2)) expect(await ended.text()).toMatch(/^:/);
  const refused = await open('198.51.100.2');
  expect([
    refused.status,
    ((await refused.json()) as { error: { code: string } }).error.code,
    Number(refused.headers.get('retry-after')) > 1,
  ]).toEqual([503, 'service_unavailable', true]);
});

async function follow(sessionId: string, lastEventId?: string, headers: Record<string, string> = {}) {
  const abort = new AbortController();
  const response = await fetch(`${app.url}/v1/public/checkout/sessions/${sessionId}/events`, {
    signal: abort.signal,
    headers: { ...headers, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
  });
  if (!response.body) throw new Error('there is no stream');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    headers: response.headers,
    async next(): Promise<{ id: string; data: unknown }> {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end === -1) {
          const { value, done } = await reader.read();
          if (done) throw new Error('the stream has ended');
          text += value;
          continue;
        }
        const event = text.slice(0, end);
        text = text.slice(end + 2);
        const id = /^id: (.*)$/m.exec(event)?.[1];
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (id !== undefined && data !== undefined) return { id, data: JSON.parse(data) };
      }
    },
    async [Symbol.asyncDispose]() {
      abort.abort();
      await reader.cancel().catch(() => {});
    },
  };
}
