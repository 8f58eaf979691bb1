import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
let receiver: Receiver;

beforeAll(async () => {
  app = await startApp();
  receiver = await startReceiver();
});
afterAll(async () => {
  await app?.stop();
  await receiver?.close();
});

test('moving the clock attempts all that is due, and loads few deliveries of an endpoint at a time', async () => {
  const merchant = await app.newMerchant();
  for (const path of ['one', 'two']) await merchant.createEndpoint({ url: `${receiver.url}/${path}`, events: CREATED });
  await createSessions(merchant, 20);
  const loaded = await rowsOf('load_leased', () => advance(merchant));
  expect(receiver.received).toHaveLength(40);
  expect(Math.max(...loaded)).toBeLessThanOrEqual(4);
});

test('a delivery that was sent again, failed and is due by its schedule is attempted once by one move', async () => {
  const merchant = await app.newMerchant();
  const endpoint = await merchant.createEndpoint({ url: `${receiver.url}/again`, events: CREATED });
  receiver.answer(500);
  onTestFinished(() => receiver.answer(200));
  await createSessions(merchant, 3);
  const attempts = () => receiver.received.filter(({ path }) => path === '/hook/again').length;
  await advance(merchant);
  expect(attempts()).toBe(3);
  for (const { id } of (await merchant.get(`/webhook-endpoints/${endpoint.id}/deliveries`)).data)
    await merchant.post(`/webhook-deliveries/${id}/redeliver`);
  await advance(merchant, 120);
  expect(attempts()).toBe(6);
});

test('moves of one clock share their attempts: one waits for the other, and none loads the same deliveries', async () => {
  const merchant = await app.newMerchant();
  const answer = Promise.withResolvers<number>();
  await merchant.createEndpoint({ url: `${receiver.url}/hanging`, events: CREATED });
  await createSessions(merchant, 4);
  const begun = receiver.begun();
  receiver.answer(() => answer.promise);
  onTestFinished(() => receiver.answer(200));
  const leased = await rowsOf('claim_these_deliveries', async () => {
    const moves = Array.from({ length: 8 }, () => advance(merchant));
    await expect.poll(() => receiver.begun()).toBe(begun + 4);
    await expect.poll(async () => (await merchant.get('/account')).test_clock.offset_seconds).toBe(8);
    answer.resolve(200);
    await Promise.all(moves);
  });
  expect(leased).toEqual([4]);
});

const CREATED = ['payment.created'];

async function createSessions(merchant: Merchant, count: number): Promise<void> {
  await merchant.createSession();
  await Promise.all(Array.from({ length: count - 1 }, () => merchant.createSession()));
}

function advance(merchant: Merchant, seconds = 1): Promise<unknown> {
  return merchant.post('/test_helpers/clock/advance', { seconds });
}

/** How many rows each run of this statement returned meanwhile. */
async function rowsOf(statement: string, work: () => Promise<unknown>): Promise<number[]> {
  const query = vi.spyOn(app.ctx.db, 'query');
  onTestFinished(() => query.mockRestore());
  await work();
  const results = query.mock.results.filter((_, index) => query.mock.calls[index]?.[0] === statement);
  return Promise.all(results.map(async ({ value }) => (await value).length));
}
