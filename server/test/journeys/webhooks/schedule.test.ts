import { constructEvent } from '@quittance/sdk/webhooks';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { HOUR_MS, later, MINUTE_MS, SECOND_MS } from '../../../src/platform/time.ts';
import { runDueDeliveries } from '../../../src/resources/webhooks/delivery/run-due.ts';
import { setLanes } from '../../../src/resources/webhooks/delivery/endpoint-state-store.ts';
import { shiftDeliveries } from '../../../src/resources/webhooks/delivery/lease-store.ts';
import { deliverMails, type Mailbox, mailbox } from '../../support/logins.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
let receiver: Receiver;
let mails: Mailbox;

beforeAll(async () => {
  mails = mailbox();
  app = await startApp({ overrides: { mail: mails } });
  receiver = await startReceiver();
});
afterAll(async () => {
  await app?.stop();
  await receiver?.close();
});

const DELAYS_MS = [1 * MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS];

test('six attempts, correctly spaced, of one body under fresh signatures; then disabled, parked, enabled, delivered', async () => {
  const merchant = await app.newMerchant();
  receiver.answer(500);
  const endpoint = await merchant.createEndpoint({ url: `${receiver.url}/six` });
  const session = await merchant.createSession();
  const mine = () => receiver.received.filter(({ path }) => path === '/hook/six');
  const clock = clockAhead();

  await runDue(merchant);
  for (const [index, delayMs] of DELAYS_MS.entries()) {
    expect(mine()).toHaveLength(index + 1);
    await advance(merchant, delayMs - 5 * SECOND_MS);
    expect(mine()).toHaveLength(index + 1);
    clock.forwardMs(2 * SECOND_MS);
    await advance(merchant, 3 * SECOND_MS);
  }
  const attempts = mine();
  expect(attempts).toHaveLength(6);
  expect(new Set(attempts.map(({ body }) => body.toString())).size).toBe(1);
  expect(attempts[0]?.event.data.session).toBe(session.id);
  // Each is signed at its own time: a receiver that accepts an age of one second accepts this one, and no longer the
  // one before.
  const signatures = attempts.map(({ headers }) => String(headers['service-signature']));
  const times = signatures.map((signature) => Number(/^t=(\d+),/.exec(signature)?.[1]));
  for (const [index, { body }] of attempts.entries()) {
    await constructEvent(body, signatures[index], endpoint.secret, {
      now: new Date(times[index]! * SECOND_MS),
      toleranceSeconds: 1,
    });
    if (index > 0) expect(times[index]! - times[index - 1]!).toBeGreaterThanOrEqual(2);
  }
  expect(new Set(attempts.map(({ headers }) => headers['webhook-signature'])).size).toBe(6);

  const [failed] = (await merchant.get(`/webhook-endpoints/${endpoint.id}/deliveries`)).data;
  expect(failed).toMatchObject({ status: 'failed', attempt_count: 6, last_response_code: 500, next_attempt_at: null });
  expect((await merchant.get('/webhook-endpoints')).data[0]).toMatchObject({ status: 'disabled' });
  expect(
    (await merchant.get(`/webhook-deliveries/${failed.id}`)).attempts.map(({ number }: { number: number }) => number),
  ).toEqual([1, 2, 3, 4, 5, 6]);

  // Events are parked meanwhile.
  const later = await merchant.createSession();
  await runDue(merchant);
  expect(mine()).toHaveLength(6);
  const [parked] = (await merchant.get(`/webhook-endpoints/${endpoint.id}/deliveries`)).data;
  expect(parked).toMatchObject({ status: 'parked', attempt_count: 0 });

  receiver.answer(200);
  await merchant.post(`/webhook-endpoints/${endpoint.id}/enable`);
  await runDue(merchant);
  expect(mine()).toHaveLength(7);
  expect(mine()[6]?.event.data.session).toBe(later.id);
  expect(await merchant.get(`/webhook-deliveries/${parked.id}`)).toMatchObject({
    status: 'delivered',
    attempt_count: 1,
  });
});

test('in test mode, advancing the test clock by exactly the documented delays makes all six attempts', async () => {
  const merchant = await app.newMerchant();
  receiver.answer(500);
  await merchant.createEndpoint({ url: `${receiver.url}/documented`, events: ['payment.created'] });
  await merchant.createSession();
  const attempts = () => receiver.received.filter(({ path }) => path === '/hook/documented').length;

  await runDue(merchant);
  for (const [index, delayMs] of DELAYS_MS.entries()) {
    expect(attempts()).toBe(index + 1);
    await merchant.post('/test_helpers/clock/advance', { seconds: delayMs / SECOND_MS });
  }
  expect(attempts()).toBe(6);
});

test('pending deliveries of an endpoint are parked when the last attempt of another delivery fails', async () => {
  const merchant = await app.newMerchant();
  receiver.answer(500);
  const endpoint = await merchant.createEndpoint({ url: receiver.url });
  await merchant.createSession();
  for (let attempt = 1; attempt < 6; attempt += 1) await advance(merchant, 7 * HOUR_MS);
  await merchant.createSession();
  await runDue(merchant);
  await advance(merchant, 7 * HOUR_MS);

  const { data } = await merchant.get(`/webhook-endpoints/${endpoint.id}/deliveries`);
  expect(data.map(({ status }: { status: string }) => status).sort()).toEqual(['failed', 'parked']);
});

test('the merchant is notified by mail at the fourth failure and when the endpoint is disabled', async () => {
  const merchant = await app.newMerchant();
  receiver.answer(404);
  await merchant.createEndpoint({ url: receiver.url });
  await merchant.createSession();
  await merchant.createSession();
  const subjects = () =>
    mails.mails
      .filter(({ to, subject }) => to === merchant.email && subject.includes('webhook'))
      .map(({ subject }) => subject);

  await runDue(merchant);
  for (let attempt = 2; attempt <= 3; attempt += 1) await advance(merchant, 7 * HOUR_MS);
  await deliverMails(app.ctx);
  expect(subjects()).toEqual([]);

  await advance(merchant, 7 * HOUR_MS);
  await deliverMails(app.ctx);
  expect(subjects()).toEqual(['Action needed: your webhook endpoint is failing']);

  for (let attempt = 5; attempt <= 6; attempt += 1) await advance(merchant, 7 * HOUR_MS);
  await deliverMails(app.ctx);
  expect(subjects()).toEqual(['Action needed: your webhook endpoint is failing', 'Your webhook endpoint was disabled']);
});

test('a failing endpoint is mailed about once in 24 hours, though other deliveries succeed in between', async () => {
  const merchant = await app.newMerchant();
  const endpoint = await merchant.createEndpoint({ url: `${receiver.url}/mixed` });
  const failing = new Set<string>();
  receiver.answer(({ event }) => (failing.has(event.data.session) ? 500 : 200));
  for (let round = 0; round < 3; round += 1) {
    const sessions = await Promise.all([merchant.createSession(), merchant.createSession()]);
    failing.clear();
    failing.add(sessions[0].id);
    await runDue(merchant);
    for (let attempt = 2; attempt <= 4; attempt += 1) await advance(merchant, 7 * HOUR_MS);
    failing.clear();
    await advance(merchant, 7 * HOUR_MS);
    await setLanes(app.ctx.db, new Map([[endpoint.id, 'slow']]));
    await setLanes(app.ctx.db, new Map([[endpoint.id, 'healthy']]));
  }
  await deliverMails(app.ctx);
  expect(mails.mails.filter(({ to, subject }) => to === merchant.email && subject.includes('failing'))).toHaveLength(1);
});

test('an account is mailed about at most twenty failing endpoints in 24 hours', async () => {
  const merchant = await app.newMerchant();
  receiver.answer(500);
  const endpoints: string[] = [];
  for (let count = 0; count < 20; count += 1)
    endpoints.push((await merchant.createEndpoint({ url: receiver.url, events: ['payment.created'] })).id);
  const fail = async () => {
    await merchant.createSession();
    await runDue(merchant);
    for (let attempt = 2; attempt <= 4; attempt += 1) await advance(merchant, 7 * HOUR_MS);
  };
  await fail();
  for (const id of endpoints.slice(0, 2)) await merchant.delete(`/webhook-endpoints/${id}`);
  for (let count = 0; count < 2; count += 1)
    await merchant.createEndpoint({ url: receiver.url, events: ['payment.created'] });
  await fail();
  await deliverMails(app.ctx);
  expect(mails.mails.filter(({ to, subject }) => to === merchant.email && subject.includes('failing'))).toHaveLength(
    20,
  );
});

test('after a hundred lost events in 24 hours, a disabled endpoint is not mailed about any more', async () => {
  const merchant = await app.newMerchant();
  receiver.answer(500);
  const endpoint = await merchant.createEndpoint({ url: receiver.url });
  const disable = async () => {
    await merchant.createSession();
    for (let attempt = 1; attempt <= 6; attempt += 1) await advance(merchant, 7 * HOUR_MS);
    await merchant.post(`/webhook-endpoints/${endpoint.id}/enable`);
  };
  const disabledMails = async () => {
    await deliverMails(app.ctx);
    return mails.mails.filter(({ to, subject }) => to === merchant.email && subject.includes('disabled')).length;
  };
  await disable();
  await disable();
  expect(await disabledMails()).toBe(2);
  await app.ctx.db.query(
    'test_fail_many',
    `
    insert into deliveries (id, account_id, livemode, endpoint_id, event_id, event_type, state, attempts, recorded_at,
      event_recorded_at, finished_at)
    select d.id || n, account_id, livemode, endpoint_id, event_id, event_type, state, attempts, recorded_at, event_recorded_at, finished_at
      from (select * from deliveries where endpoint_id = $1 and state = 'failed' limit 1) d, generate_series(1, 98) n`,
    [endpoint.id],
  );
  await disable();
  expect(await disabledMails()).toBe(2);
});

test('one call makes at most one attempt of each delivery, however far the clock goes', async () => {
  const merchant = await app.newMerchant();
  receiver.answer(500);
  await merchant.createEndpoint({ url: `${receiver.url}/one` });
  await merchant.createSession();
  await runDue(merchant);
  await advance(merchant, 100 * HOUR_MS);
  expect(receiver.received.filter(({ path }) => path === '/hook/one')).toHaveLength(2);
});

test('while a rotated secret overlaps, deliveries are signed with both; afterwards with the new one alone', async () => {
  const merchant = await app.newMerchant();
  receiver.answer(200);
  const endpoint = await merchant.createEndpoint({ url: `${receiver.url}/rotated` });
  await merchant.post(`/webhook-endpoints/${endpoint.id}/rotate-secret`, { overlap_seconds: 60 });
  await merchant.createSession();
  await runDue(merchant);
  await merchant.post(`/webhook-endpoints/${endpoint.id}/rotate-secret`, { overlap_seconds: 0 });
  await merchant.createSession();
  await runDue(merchant);

  const [both, one] = receiver.received.filter(({ path }) => path === '/hook/rotated').map(({ headers }) => headers);
  expect(String(both?.['service-signature'])).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  expect(String(both?.['webhook-signature']).split(' ')).toHaveLength(2);
  expect(String(one?.['service-signature'])).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
});

async function advance(merchant: Merchant, ms: number): Promise<void> {
  await shiftDeliveries(app.ctx.db, merchant.accountId, Math.round(ms));
  await runDue(merchant);
}

/** Moves the service's time ahead of the real one, for this test. */
function clockAhead(): { forwardMs: (ms: number) => void } {
  let aheadMs = 0;
  const realNow = app.ctx.db.now.bind(app.ctx.db);
  const now = vi.spyOn(app.ctx.db, 'now').mockImplementation(async () => later(await realNow(), aheadMs));
  onTestFinished(() => now.mockRestore());
  return {
    forwardMs: (ms) => {
      aheadMs += ms;
    },
  };
}

function runDue(merchant: Merchant): Promise<void> {
  return runDueDeliveries(app.ctx, { accountId: merchant.accountId, deadlineMs: 12_000 });
}
