import { afterAll, beforeAll, expect, test } from 'vitest';
import { newestEvents } from '../../../../sdk/src/newest-events.ts';
import type { Event } from '../../../../sdk/src/types.gen.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';
import { keyedIdentity } from '../../../src/resources/checkout-sessions/identity.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

// The responses of a service that lost its newest rows by restoring an older backup.
let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
  await merchant.createWallet();
});
afterAll(() => app.stop());

const body = { amount: '49.00', order_id: 'order-1' };
const DIRECT = { pay_asset: 'USDC', pay_network: 'base', outcome: 'paid' };

test('a session that is created again by the same key after its row is lost has the same id, payment and reference', async () => {
  const first = await create(merchant, body, 'order-1');
  const identity = await identityOf(first.id);
  expect(identity?.paymentId).toMatch(/^pay_/);
  await loseNewestRows();

  const again = await create(merchant, body, 'order-1');
  expect(again.id).toBe(first.id);
  expect(await identityOf(again.id)).toEqual(identity);
});

test('its customer is asked for the same exact amount, and its events have the same ids', async () => {
  const first = await create(merchant, body, 'order-2');
  const amount = await choose(first.id);
  const events = await eventsOf(first.id);
  await loseNewestRows();

  const again = await create(merchant, body, 'order-2');
  expect(await choose(again.id)).toBe(amount);
  expect(await eventsOf(again.id)).toEqual(events);
  expect(events).toHaveLength(2);
});

test('an event that follows in another order after the restore is another event', async () => {
  const session = await create(merchant, body, 'order-3');
  await merchant.post('/test_helpers/clock/advance', { seconds: 40 * 86_400 });
  expect((await merchant.get(`/checkout/sessions/${session.id}`)).status).toBe('expired');
  const [, expired] = await eventsOf(session.id);
  await loseNewestRows();

  const again = await create(merchant, body, 'order-3');
  await choose(again.id);
  const [, pending] = await eventsOf(again.id);
  expect([expired, pending]).toMatchObject([
    { type: 'payment.expired', sequence: 2 },
    { type: 'payment.pending', sequence: 2 },
  ]);
  expect(pending?.id).not.toBe(expired?.id);
});

test('a receiver takes the payment of a session that expired and was created again, and takes nothing twice', async () => {
  const newest = newestEvents();
  const accepted = async (sessionId: string | undefined) => {
    const types: string[] = [];
    for (const event of await bodiesOf(sessionId)) await newest(event, ({ type }) => types.push(type));
    return types;
  };
  const { id } = await create(merchant, body, 'order-5');
  await choose(id);
  await merchant.post('/test_helpers/clock/advance', { seconds: 40 * 86_400 });
  expect((await merchant.get(`/checkout/sessions/${id}`)).status).toBe('expired');
  expect(await accepted(id)).toEqual(['payment.created', 'payment.pending', 'payment.expired']);

  for (const expected of [['payment.paid'], []]) {
    await loseNewestRows();
    expect((await create(merchant, body, 'order-5')).id).toBe(id);
    await merchant.post(`/test_helpers/checkout/sessions/${id}/pay`, DIRECT);
    expect((await bodiesOf(id)).map((event) => [event.data.sequence, event.type])).toEqual([
      [1, 'payment.created'],
      [2, 'payment.pending'],
      [3, 'payment.paid'],
    ]);
    expect(await accepted(id)).toEqual(expected);
  }
});

test('another account, the other mode and another request by the same key get other ids', async () => {
  const stranger = await app.newMerchant();
  await stranger.createWallet();
  await merchant.live.createWallet();
  const ids: unknown[] = [];
  for (const [by, fields] of [
    [merchant, body],
    [stranger, body],
    [merchant.live, body],
    [merchant, { ...body, amount: '50.00' }],
  ] as const) {
    // A taken id is never issued again, so the rows are deleted in between.
    ids.push((await create(by, fields, 'shared')).id);
    await loseNewestRows();
  }
  expect(new Set(ids).size).toBe(4);
});

test('a key that is used again after its day, while its session is there, makes a new session', async () => {
  const first = await create(merchant, body, 'order-4');
  await app.ctx.db.query('test_expire_keys', `update idempotency_keys set expires_at = now() - interval '1 second'`);
  const second = await create(merchant, body, 'order-4');
  expect(second.id).not.toBe(first.id);
  expect((await create(merchant, body, 'order-4')).id).toBe(second.id);

  await app.ctx.db.query('test_lose_keys', 'delete from idempotency_keys');
  const atOnce = await Promise.all(Array.from({ length: 20 }, () => create(merchant, body, 'order-4')));
  expect(new Set(atOnce.map(({ id }) => id)).size).toBe(1);
  expect([first.id, second.id]).not.toContain(atOnce[0]?.id);
});

test('an id that follows from a key cannot be computed without the master key', () => {
  const claim = { accountId: 'acc_1', livemode: true, key: 'order-1', fingerprint: Buffer.alloc(32) };
  const [one, two] = [1, 2].map((byte) => keyedIdentity(createSecrets(Buffer.alloc(32, byte)), claim));
  expect(one?.sessionId).not.toBe(two?.sessionId);
  expect(one?.reference).not.toEqual(two?.reference);
});

test('ids of a key that is a UUID of version 7 begin with its time, and the rest needs the master key', () => {
  const claim = {
    accountId: 'acc_1',
    livemode: true,
    key: '019ab0f6-8c00-7c2e-9f4b-0a8f6d1e2c3b',
    fingerprint: Buffer.alloc(32),
  };
  const [one, two] = [1, 2].map((byte) => keyedIdentity(createSecrets(Buffer.alloc(32, byte)), claim));
  const TIME = 7;
  for (const part of ['sessionId', 'paymentId'] as const) {
    const body = (of = one) => of?.[part].split('_')[1] ?? '';
    expect(body()).toMatch(/^[0-9A-Za-z]{24}$/);
    expect(body(two).slice(0, TIME)).toBe(body(one).slice(0, TIME));
    expect(body(two).slice(TIME)).not.toBe(body(one).slice(TIME));
  }
  const later = keyedIdentity(createSecrets(Buffer.alloc(32, 1)), {
    ...claim,
    key: claim.key.replace('019ab0f6-8c00', '019ab0f6-8d00'),
  });
  expect(one && later.sessionId > one.sessionId).toBe(true);
});

test('sessions without a key have ids that nothing foretells', async () => {
  const [one, two] = [await merchant.createSession(body), await merchant.createSession(body)];
  expect(one.id).not.toBe(two.id);
});

type Row = Record<string, string>;

async function create(by: Pick<Merchant, 'request'>, fields: object, key: string): Promise<Row> {
  const answer = await by.request('POST', '/checkout/sessions', { body: fields, headers: { 'idempotency-key': key } });
  expect(answer.status).toBe(201);
  return answer.body.data;
}

async function choose(sessionId: string | undefined): Promise<string> {
  const answer = await app.inject('POST', `/v1/public/checkout/sessions/${sessionId}/pay`, {
    body: { pay_asset: 'USDC', pay_network: 'base' },
  });
  expect(answer.status).toBe(200);
  return answer.body.data.payment.amount;
}

async function eventsOf(sessionId: string | undefined): Promise<{ id: string; type: string; sequence: number }[]> {
  return app.ctx.db.query(
    'test_events',
    `
    select e.id, e.type, e.sequence from events e join payments p on p.id = e.object_id
     where p.session_id = $1 order by e.sequence`,
    [sessionId],
  );
}

/** The events of a session's payment, as webhooks carry them. */
async function bodiesOf(sessionId: string | undefined): Promise<Event[]> {
  const rows = await app.ctx.db.query<{ body: Buffer }>(
    'test_bodies',
    'select e.body from events e join payments p on p.id = e.object_id where p.session_id = $1 order by e.sequence',
    [sessionId],
  );
  return rows.map(({ body }) => JSON.parse(body.toString()));
}

async function identityOf(
  sessionId: string | undefined,
): Promise<{ paymentId: string; reference: Buffer } | undefined> {
  const [row] = await app.ctx.db.query<{ paymentId: string; reference: Buffer }>(
    'test_identity',
    'select payment_id, reference from checkout_sessions where id = $1',
    [sessionId],
  );
  return row;
}

/** The database as in a backup from before all sessions. */
async function loseNewestRows(): Promise<void> {
  await app.ctx.db.query(
    'test_lose_rows',
    'truncate checkout_sessions, payments, payment_states, payment_targets, reserved_amounts, events, idempotency_keys cascade',
  );
}
