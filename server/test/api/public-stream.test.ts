import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/index.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ listen: true });
});
afterAll(() => app.stop());

test('a page that follows a session is told of each change, under the payment\'s sequence', async () => {
  const session = await app.merchant.createSession();
  await using stream = await follow(session.id);
  expect(await stream.next()).toMatchObject({ id: '1', data: { id: session.id, status: 'created', payment: null } });

  await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, { body: { pay_asset: 'USDC', pay_network: 'base' } });
  expect(await stream.next()).toMatchObject({ id: '2', data: { status: 'pending', payment: { kind: 'direct' } } });

  await app.merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, { pay_asset: 'USDC', pay_network: 'base', outcome: 'underpaid' });
  expect(await stream.next()).toMatchObject({ id: '2', data: { status: 'pending', payment: { amount_received: expect.stringMatching(/^24\.5/) } } });

  await app.merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, { pay_asset: 'USDC', pay_network: 'base', outcome: 'paid' });
  expect(await stream.next()).toMatchObject({ id: '3', data: { status: 'paid' } });
});

test('who comes back with Last-Event-ID is told what they have missed', async () => {
  const session = await app.merchant.createSession();
  await app.merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, { pay_asset: 'USDC', pay_network: 'base', outcome: 'paid' });
  await using stream = await follow(session.id, '1');
  expect(await stream.next()).toMatchObject({ id: '3', data: { status: 'paid' } });
});

test('an unknown session has no stream: 404', async () => {
  const response = await fetch(`${app.url}/v1/public/checkout/sessions/cs_000000000000000000000000/events`);
  expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([404, 'not_found']);
});

test('a stream can be read from any page: it answers every origin, without credentials', async () => {
  const session = await app.merchant.createSession();
  await using stream = await follow(session.id, undefined, { origin: 'https://shop.example' });
  expect(stream.headers.get('access-control-allow-origin')).toBe('*');
  expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
  await stream.next();
});

async function follow(sessionId: string, lastEventId?: string, headers: Record<string, string> = {}) {
  const abort = new AbortController();
  const response = await fetch(`${app.url}/v1/public/checkout/sessions/${sessionId}/events`, {
    signal: abort.signal, headers: { ...headers, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
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
