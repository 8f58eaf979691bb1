import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

// What a stranger who only opens a link can write, and what the merchant is notified of.
let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
  await merchant.createWallet();
  // No worker runs, so nothing is sent to it.
  await merchant.createEndpoint();
});
afterAll(() => app.stop());

const open = async (linkId: string): Promise<string> => {
  const answer = await app.inject('POST', `/v1/public/payment-links/${linkId}/open`);
  expect(answer.status).toBe(201);
  return answer.body.data.id;
};
const pay = (sessionId: string) =>
  app.inject('POST', `/v1/public/checkout/sessions/${sessionId}/pay`, {
    body: { pay_asset: 'USDC', pay_network: 'base' },
  });
const eventsOf = async (sessionId: string) =>
  (
    await app.ctx.db.query<{ type: string; sequence: number; deliveries: bigint }>(
      'test_reported',
      `
      select e.type, e.sequence, (select count(*) from deliveries d where d.event_id = e.id) as deliveries
        from events e join payments p on p.id = e.object_id where p.session_id = $1 order by e.recorded_at`,
      [sessionId],
    )
  ).map(({ type, sequence, deliveries }) => `${sequence} ${type} to ${deliveries}`);

test('opening a link records no event and no delivery; the choice of the customer records payment.created and payment.pending', async () => {
  const session = await open((await merchant.createLink()).id);
  expect(await eventsOf(session)).toEqual([]);

  expect((await pay(session)).status).toBe(200);
  expect(await eventsOf(session)).toEqual(['1 payment.created to 1', '2 payment.pending to 1']);
  const events = (await merchant.get('/events', { limit: 2 })).data;
  expect(events.map((event: { data: object }) => event.data)).toMatchObject([
    { status: 'pending', sequence: 2 },
    { status: 'created', sequence: 1 },
  ]);
  expect((await pay(session)).status).toBe(200);
  expect(await eventsOf(session)).toHaveLength(2);
});

test('a session of a link that expires before an asset was chosen records no event', async () => {
  const session = await open((await merchant.createLink()).id);
  await merchant.post('/test_helpers/clock/advance', { seconds: 40 * 86_400 });
  expect((await merchant.get(`/checkout/sessions/${session}`)).status).toBe('expired');
  expect(await eventsOf(session)).toEqual([]);
});

test('a session that the merchant creates is announced at once, as before', async () => {
  const { id } = await merchant.createSession();
  expect(await eventsOf(id)).toEqual(['1 payment.created to 1']);
});
