import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Db } from '../../../src/platform/db/db.ts';
import { newId } from '../../../src/platform/ids.ts';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ listen: true });
});
afterAll(() => app?.stop());

describe('GET /v1/events', () => {
  test('lists the events of this account and mode, newest first, as they are delivered', async () => {
    const merchant = await app.newMerchant();
    const first = await merchant.createSession({ order_id: 'a' });
    const second = await merchant.createSession({ order_id: 'b' });
    await merchant.live.createSession();

    const { data, pagination } = await merchant.get('/events');
    expect(data.map((event: { data: { session: string } }) => event.data.session)).toEqual([second.id, first.id]);
    expect(data[0]).toMatchObject({
      id: expect.stringMatching(/^evt_/),
      type: 'payment.created',
      created: expect.any(String),
      data: { order_id: 'b', sequence: 1 },
    });
    expect(pagination).toEqual({ cursor: null, has_more: false });
  });

  test('is narrowed by type and by payment, and paged', async () => {
    const merchant = await app.newMerchant();
    for (let made = 0; made < 5; made += 1) await merchant.createSession();
    const page = await merchant.get('/events', { limit: 2, type: 'payment.created' });
    expect(page.pagination.has_more).toBe(true);
    const rest = await merchant.get('/events', { type: 'payment.created', cursor: page.pagination.cursor });
    expect(new Set([...page.data, ...rest.data].map(({ id }: { id: string }) => id)).size).toBe(5);
    expect((await merchant.get('/events', { type: 'payment.paid' })).data).toEqual([]);
    const payment = page.data[0].data.id;
    expect((await merchant.get('/events', { payment })).data).toEqual([page.data[0]]);
    expect((await merchant.get('/events', { payment, type: 'payment.created' })).data).toEqual([page.data[0]]);
    expect((await merchant.get('/events', { payment, type: 'payment.paid' })).data).toEqual([]);
  });

  test('the changes of one moment keep their order', async () => {
    const merchant = await app.newMerchant();
    for (const [pay_asset, pay_network] of [
      ['ETH', 'ethereum'],
      ['BTC', 'bitcoin'],
      ['USDC', 'base'],
    ]) {
      for (const outcome of ['paid', 'late', 'failed']) {
        const session = await merchant.createSession();
        await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, { pay_asset, pay_network, outcome });
        const { payment } = await merchant.get(`/checkout/sessions/${session.id}`);
        const sequences = (await merchant.get('/events', { payment })).data.map(
          (event: { data: { sequence: number } }) => event.data.sequence,
        );
        expect(sequences, `${pay_asset} ${outcome}`).toEqual([...sequences].sort((a, b) => b - a));
      }
    }
  });

  test.each([
    ['type', 'payment.lost'],
    ['limit', '0'],
    ['cursor', 'cur_nonsense'],
    ['cursor', `evt_${'0'.repeat(24)}`],
  ])('%s=%s answers 400', async (name, value) => {
    await expect(app.merchant.get('/events', { [name]: value })).rejects.toMatchObject({
      status: 400,
      code: 'invalid_list_request',
      param: name,
    });
  });
});

describe('GET /v1/events/{id}', () => {
  test("answers the event; another account's or mode's is a 404", async () => {
    const merchant = await app.newMerchant();
    await merchant.createSession();
    const [event] = (await merchant.get('/events')).data;
    expect(await merchant.get(`/events/${event.id}`)).toEqual(event);
    await expect(merchant.live.get(`/events/${event.id}`)).rejects.toMatchObject({ status: 404, code: 'not_found' });
    await expect(app.merchant.get(`/events/${event.id}`)).rejects.toMatchObject({ status: 404 });
    await expect(app.merchant.get('/events/nonsense')).rejects.toMatchObject({ status: 404 });
  });
});

describe('GET /v1/events/stream', () => {
  test('each credential gets a signing secret of its own, which a rotated key no longer gets', async () => {
    const dashboard = await app.newMerchant();
    const create = async (scopes?: string[]) =>
      (
        await app.inject('POST', '/v1/api-keys', {
          token: dashboard.loginToken,
          body: { mode: 'test', ...(scopes && { scopes }) },
        })
      ).body.data;
    const secretOf = async (key: string, headers = {}) => {
      const stream = await openStream(key, undefined, headers);
      const { data } = await stream.next();
      stream.close();
      return JSON.parse(data).signing_secret as string;
    };
    const [full, reading] = [await create(), await create(['events:read'])];
    const before = await secretOf(reading.secret);
    const rotated = (
      await app.inject('POST', `/v1/api-keys/${reading.id}/rotate`, { token: dashboard.loginToken, body: {} })
    ).body.data;
    const secrets = [
      before,
      await secretOf(dashboard.testKey),
      await secretOf(dashboard.liveKey),
      await secretOf(full.secret),
      await secretOf(rotated.secret),
      await secretOf(dashboard.loginToken, { 'service-mode': 'test' }),
      await secretOf(dashboard.loginToken, { 'service-mode': 'live' }),
    ];
    expect(new Set(secrets).size).toBe(secrets.length);
    expect(await secretOf(full.secret)).toBe(secrets[3]);
  });

  test('sends events as they happen, and takes up where a connection broke', async () => {
    const merchant = await app.newMerchant();
    const stream = await openStream(merchant.testKey);
    const ready = await stream.next();
    expect(ready.event).toBe('ready');
    expect(JSON.parse(ready.data).signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);

    const first = await merchant.createSession();
    const seen = await stream.next();
    expect(seen).toMatchObject({ event: 'payment.created', id: expect.stringMatching(/^evt_/) });
    expect(JSON.parse(seen.data).data.session).toBe(first.id);
    stream.close();

    const second = await merchant.createSession();
    const third = await merchant.createSession();
    const resumed = await openStream(merchant.testKey, seen.id);
    expect(await resumed.next()).toEqual(ready);
    expect(JSON.parse((await resumed.next()).data).data.session).toBe(second.id);
    expect(JSON.parse((await resumed.next()).data).data.session).toBe(third.id);
    resumed.close();
  });

  test('resumes with an event that was stamped before the last one that was sent, and committed after it', async () => {
    const merchant = await app.newMerchant();
    const stream = await openStream(merchant.testKey);
    await stream.next();
    await merchant.createSession();
    const sent = await stream.next();
    stream.close();
    const late = await copyOf(app.ctx.db, sent.id, -50);

    const resumed = await openStream(merchant.testKey, sent.id);
    await resumed.next();
    expect((await resumed.next()).id).toBe(late);
    // Neither is repeated on this connection.
    await merchant.createSession();
    const next = await resumed.next();
    expect([sent.id, late]).not.toContain(next.id);
    await merchant.createSession();
    expect([sent.id, late, next.id]).not.toContain((await resumed.next()).id);
    resumed.close();
  });

  test('begins with an event that was stamped before it and committed after it, and with none that was committed before', async () => {
    const merchant = await app.newMerchant();
    await merchant.createSession();
    const [before] = (await merchant.get('/events')).data;
    const [written, opened] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
    const writing = app.ctx.db.transaction(async (db) => {
      written.resolve(await copyOf(db, before.id, 1));
      await opened.promise;
    });
    const late = await written.promise;
    const streams = [await openStream(merchant.testKey), await openStream(merchant.testKey)];
    for (const stream of streams) expect((await stream.next()).event).toBe('ready');
    opened.resolve();
    await writing;

    for (const stream of streams) expect((await stream.next()).id).toBe(late);
    await merchant.createSession();
    const [after] = (await merchant.get('/events')).data;
    for (const stream of streams) {
      expect((await stream.next()).id).toBe(after.id);
      stream.close();
    }
  });

  test.each(['rotate', 'delete', 'logout'] as const)(
    'ends with its credential, and sends nothing of what happens afterwards (%s)',
    async (how) => {
      const merchant = await app.newMerchant();
      const { dashboard } = merchant;
      const created = await app.inject('POST', '/v1/api-keys', { token: dashboard.loginToken, body: { mode: 'test' } });
      const { id, secret } = created.body.data;
      const stream = await openStream(
        how === 'logout' ? dashboard.loginToken : secret,
        undefined,
        how === 'logout' ? { 'service-mode': 'test' } : {},
      );
      await stream.next();
      await merchant.createSession();
      expect(await stream.next()).toMatchObject({ event: 'payment.created' });

      if (how === 'rotate') await app.inject('POST', `/v1/api-keys/${id}/rotate`, { token: dashboard.loginToken });
      if (how === 'delete') await app.inject('DELETE', `/v1/api-keys/${id}`, { token: dashboard.loginToken });
      if (how === 'logout') await app.inject('POST', '/v1/auth/logout', { token: dashboard.loginToken });
      await merchant.createSession();
      await expect(stream.next()).rejects.toThrow('the stream ended');
    },
  );

  test('an account has 20 streams per mode: the next one is 429 rate_limited, and other accounts have theirs', async () => {
    const [merchant, other] = [await app.newMerchant(), await app.newMerchant()];
    const streams = [];
    for (let opened = 0; opened < 20; opened += 1) streams.push(await openStream(merchant.testKey));
    const refused = await fetch(`${app.url}/v1/events/stream`, {
      headers: { authorization: `Bearer ${merchant.testKey}` },
    });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(((await refused.json()) as { error: { code: string } }).error.code).toBe('rate_limited');
    for (const key of [merchant.liveKey, other.testKey]) streams.push(await openStream(key));
    for (const stream of streams) stream.close();
  });

  test("streams of an account share each look, and another account's events cause none", async () => {
    const [merchant, other] = [await app.newMerchant(), await app.newMerchant()];
    const streams = [];
    for (let opened = 0; opened < 10; opened += 1) streams.push(await openStream(merchant.testKey));
    const others = await openStream(other.testKey);
    for (const stream of [...streams, others]) await stream.next();
    const query = vi.spyOn(app.ctx.db, 'query');
    const looksOf = (id: string) =>
      query.mock.calls.filter(([name, , values]) => name === 'list_events_since' && values?.[0] === id).length;

    for (let made = 0; made < 12; made += 1) {
      await other.createSession();
      expect(await others.next()).toMatchObject({ event: 'payment.created' });
    }
    // A look that had begun before they were counted may have found the first event.
    expect(looksOf(other.accountId)).toBeGreaterThanOrEqual(11);
    // The feed polls every few seconds.
    const before = looksOf(merchant.accountId);
    expect(before).toBeLessThan(6);

    await merchant.createSession();
    for (const stream of streams) expect(await stream.next()).toMatchObject({ event: 'payment.created' });
    expect(looksOf(merchant.accountId) - before).toBeLessThan(5);
    query.mockRestore();
    for (const stream of [...streams, others]) stream.close();
  });

  test('without a credential it answers 401', async () => {
    expect((await app.inject('GET', '/v1/events/stream')).status).toBe(401);
  });
});

/** Another event with the same content, stamped some milliseconds later. Returns its id. */
async function copyOf(db: Db, id: string | undefined, laterMs: number): Promise<string> {
  const copy = newId('evt');
  await db.query(
    'test_copy_event',
    `
    insert into events (id, account_id, livemode, object_id, sequence, type, body, created_at, recorded_at)
    select $2, account_id, livemode, object_id, sequence + 1, type, body, created_at, recorded_at + $3::integer * interval '1 millisecond'
      from events where id = $1`,
    [id, copy, laterMs],
  );
  return copy;
}

interface Message {
  id?: string;
  event?: string;
  data: string;
}

async function openStream(key: string, lastEventId?: string, headers: Record<string, string> = {}) {
  const aborter = new AbortController();
  const response = await fetch(`${app.url}/v1/events/stream`, {
    headers: { ...headers, authorization: `Bearer ${key}`, ...(lastEventId && { 'last-event-id': lastEventId }) },
    signal: aborter.signal,
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async next(): Promise<Message> {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end >= 0) {
          const fields = text
            .slice(0, end)
            .split('\n')
            .filter((line) => !line.startsWith(':'))
            .map((line) => line.split(/: (.*)/s).slice(0, 2));
          text = text.slice(end + 2);
          if (fields.length > 0) return Object.fromEntries(fields) as Message;
          continue;
        }
        const { value, done } = await reader.read();
        if (done) throw new Error('the stream ended');
        text += value;
      }
    },
    close: () => aborter.abort(),
  };
}
