import { afterAll, beforeAll, expect, test } from 'vitest';
import * as endpoints from '@quittance/contract/dashboard';
import { findByIds } from '../../../src/resources/dashboard/search-store.ts';
import { deliverMails } from '../../support/logins.ts';
import { logRequestsNow, startDashboard, type DashboardTest } from '../../support/dashboard.ts';
import type { Merchant } from '../../support/merchant.ts';

let t: DashboardTest;
let owner: Merchant;
let stranger: Merchant;
/** One object of each kind that the owner has, in test mode. */
let ids: Record<string, string>;
/** Values that would be a leak in another account's response. */
let secrets: string[];

beforeAll(async () => {
  t = await startDashboard();
  owner = await t.app.newMerchant();
  stranger = await t.app.newMerchant();
  await stranger.createSession();
  const endpoint = await owner.createEndpoint({ url: 'http://127.0.0.1:9/owner-hook' });
  const link = await owner.createLink({ description: 'A thing of the owner' });
  const session = await owner.createSession({
    order_id: 'owner-order-77',
    customer: { email: 'owner-customer@example.com', name: 'Customer of the owner', reference: 'owner-customer-7' },
  });
  await t.pay(session, 'paid');
  const { payment } = await owner.get(`/checkout/sessions/${session.id}`);
  const wallet = (await owner.get('/payout-wallets')).data[0];
  const transfer = (await owner.get('/transfers')).data[0];
  const event = (await owner.get('/events')).data[0];
  const {
    data: [delivery],
  } = await owner.get(`/webhook-endpoints/${endpoint.id}/deliveries`);
  const refund = await owner.post(`/payments/${payment}/refunds`, { amount: '1', to: transfer.from });
  await owner.dashboard.request('POST', '/dashboard/api/payouts', {
    body: { csv: `${transfer.from},USDC,base,1`, import: 'own' },
  });
  const { data: keys } = await owner.dashboard.get('/api-keys', { mode: 'test' });
  await logRequestsNow();
  const request = (await t.page(owner, '/dashboard/api/requests')).data[0];
  await deliverMails(t.app.ctx);
  ids = {
    payment,
    session: session.id,
    wallet: wallet.id,
    link: link.id,
    endpoint: endpoint.id,
    transfer: transfer.id,
    event: event.id,
    delivery: delivery.id,
    key: keys[0].id,
    request: request.id,
    refund: refund.id,
    tx: transfer.tx_hash,
    sender: transfer.from,
  };
  secrets = [
    ...Object.values(ids),
    'owner-order-77',
    'owner-hook',
    'A thing of the owner',
    'owner-customer@example.com',
    'Customer of the owner',
    'owner-customer-7',
    owner.accountId,
    owner.email,
  ];
});
afterAll(() => t.app.stop());

const ROUTES: [
  method: 'GET' | 'POST' | 'DELETE',
  path: (of: Record<string, string>) => string,
  body?: (of: Record<string, string>) => object,
][] = [
  ['GET', () => '/dashboard/api/overview'],
  ['GET', () => '/dashboard/api/onboarding'],
  ['GET', () => '/dashboard/api/assets'],
  ['GET', () => '/dashboard/preview'],
  ['GET', () => '/dashboard/api/attention'],
  ['GET', () => '/dashboard/api/requests'],
  ['GET', (of) => `/dashboard/api/requests?cursor=${of.request}`],
  ['GET', () => '/dashboard/api/payments.csv?mode=test'],
  ['GET', () => '/dashboard/api/payments.csv?mode=live'],
  ['GET', () => '/dashboard/api/movements.csv?mode=test'],
  ['GET', () => '/dashboard/api/movements.csv?mode=live'],
  ...[
    'payment',
    'session',
    'wallet',
    'link',
    'endpoint',
    'transfer',
    'event',
    'delivery',
    'key',
    'request',
    'tx',
    'sender',
  ].map(
    (name) => ['GET', (of: Record<string, string>) => `/dashboard/api/search?q=${of[name]}`] as (typeof ROUTES)[number],
  ),
  ['GET', () => '/dashboard/api/search?q=owner-order'],
  ['GET', () => '/dashboard/api/search?q=owner-customer-7'],
  ['GET', () => '/dashboard/api/customers'],
  ['GET', () => '/dashboard/api/customers?q=owner-cust'],
  ['GET', () => '/dashboard/api/customer?reference=owner-customer-7'],
  ['GET', () => '/dashboard/api/customer/payments?reference=owner-customer-7'],
  ['GET', (of) => `/dashboard/api/payments/${of.payment}/refund-plan`],
  ['GET', (of) => `/dashboard/api/payments/${of.payment}/money`],
  ['GET', (of) => `/dashboard/api/transfers/${of.transfer}/suggested-payments`],
  [
    'POST',
    (of) => `/dashboard/api/payments/${of.payment}/refund-transaction`,
    (of) => ({ from: of.sender, to: of.sender, amount: '1' }),
  ],
  ['GET', (of) => `/dashboard/api/address-check?network=base&asset=USDC&address=${of.sender}`],
  ['POST', () => '/dashboard/api/logo', () => ({ picture: 'nothing' })],
  ['GET', () => '/v1/account'],
  [
    'POST',
    (of) => `/dashboard/api/payments/${of.payment}/check-refund`,
    (of) => ({ tx_hash: of.tx, address: of.sender }),
  ],
  ['GET', (of) => `/dashboard/api/deliveries/${of.delivery}/signed`],
  ['POST', (of) => `/dashboard/api/refunds/${of.refund}/confirm`, (of) => ({ to: of.sender, coin_amount: '1' })],
  ['POST', () => '/dashboard/api/refunds/send', (of) => ({ refunds: [of.refund], from: of.sender })],
  [
    'POST',
    () => '/dashboard/api/refunds/hold',
    (of) => ({ refunds: [of.refund], holder: 'browser', address: of.sender }),
  ],
  ['POST', () => '/dashboard/api/refunds/release', (of) => ({ refunds: [of.refund], holder: 'browser' })],
  ['GET', () => '/dashboard/api/payouts'],
  ['GET', (of) => `/dashboard/api/payouts?cursor=${of.payout}`],
  ['POST', () => '/dashboard/api/payouts/check', () => ({ csv: 'nothing' })],
  ['POST', () => '/dashboard/api/payouts', () => ({ csv: 'nothing', import: 'own' })],
  ['POST', () => '/dashboard/api/payouts/send', (of) => ({ payouts: [of.payout], from: of.sender, holder: 'browser' })],
  ['POST', () => '/dashboard/api/payouts/sent', (of) => ({ payouts: [of.payout], tx_hash: of.tx })],
  ['POST', () => '/dashboard/api/payouts/cancel', (of) => ({ payouts: [of.payout] })],
  ['POST', (of) => `/dashboard/api/payout-wallets/${of.wallet}/confirm`],
  ['GET', (of) => `/v1/payments/${of.payment}`],
  ['GET', (of) => `/v1/payments/${of.payment}/timeline`],
  ['POST', (of) => `/v1/payments/${of.payment}/refund`, () => ({})],
  ['POST', (of) => `/v1/payments/${of.payment}/accept`],
  ['GET', (of) => `/v1/payments?cursor=${of.payment}`],
  ['GET', () => '/v1/payments'],
  ['GET', () => '/v1/transfers'],
  ['POST', (of) => `/v1/transfers/${of.transfer}/assign`, (of) => ({ payment: of.payment })],
  ['POST', (of) => `/v1/transfers/${of.transfer}/handle`],
  ['GET', () => '/v1/payout-wallets'],
  ['POST', (of) => `/v1/payout-wallets/${of.wallet}/default`],
  ['POST', (of) => `/v1/payout-wallets/${of.wallet}/archive`],
  ['POST', (of) => `/v1/payout-wallets/${of.wallet}/prove`],
  ['GET', () => '/v1/payment-links'],
  ['POST', (of) => `/v1/payment-links/${of.link}/disable`],
  ['POST', (of) => `/v1/payment-links/${of.link}/enable`],
  ['GET', () => '/v1/webhook-endpoints'],
  ['DELETE', (of) => `/v1/webhook-endpoints/${of.endpoint}`],
  ['POST', (of) => `/v1/webhook-endpoints/${of.endpoint}/enable`],
  ['POST', (of) => `/v1/webhook-endpoints/${of.endpoint}/rotate-secret`],
  ['POST', (of) => `/v1/webhook-endpoints/${of.endpoint}/redeliver-failed`, () => ({ since: '2020-01-01T00:00:00Z' })],
  ['POST', () => '/v1/webhooks/test', (of) => ({ endpoint_id: of.endpoint, event: 'payment.paid' })],
  ['GET', (of) => `/v1/webhook-endpoints/${of.endpoint}/deliveries`],
  ['GET', (of) => `/v1/webhook-deliveries/${of.delivery}`],
  ['POST', (of) => `/v1/webhook-deliveries/${of.delivery}/redeliver`],
  ['GET', () => '/v1/api-keys'],
  ['POST', (of) => `/v1/api-keys/${of.key}/rotate`],
  ['DELETE', (of) => `/v1/api-keys/${of.key}`],
];

test('every address that the dashboard alone uses is among those that are tried', () => {
  const tried = ROUTES.map(
    ([method, path]) =>
      `${method} ${path(ids)
        .split('?')[0]
        ?.replace(/\/(pay|dlv|tr|rf|pp)_[0-9A-Za-z]+/, '/{id}')}`,
  );
  const missing = Object.values(endpoints)
    .map(({ method, path }) => `${method} ${path}`)
    .filter((one) => !one.includes('/dashboard/session/') && !tried.includes(one));
  expect(missing).toEqual([]);
});

test("every address of the dashboard, tried by another account with the owner's ids, gives nothing away and changes nothing", async () => {
  const before = await snapshot();
  const leaks: string[] = [];
  for (const mode of ['test', 'live']) {
    for (const [method, path, body] of ROUTES) {
      const address = path(ids);
      const answer = await t.app.inject(method, address, {
        headers: { cookie: `session=${stranger.loginToken}`, 'service-mode': mode, 'sec-fetch-site': 'same-origin' },
        ...(method !== 'GET' && { body: body?.(ids) ?? {} }),
      });
      // An error may repeat the request's values, but nothing else of the owner's.
      const sent = address + JSON.stringify(body?.(ids) ?? {});
      for (const secret of secrets)
        if (answer.raw.includes(secret) && !sent.includes(secret))
          leaks.push(`${mode} ${method} ${address}: ${secret}`);
      if (/\/(pay_|tr_|pp_|pl_|we_|dlv_|key_|rf_)/.test(address) && answer.status !== 404)
        leaks.push(`${mode} ${method} ${address} answered ${answer.status}`);
    }
  }
  console.log(`${ROUTES.length * 2} addresses tried with another account's ids: ${leaks.length} leaks`);
  expect(leaks).toEqual([]);
  expect(await snapshot()).toEqual(before);
});

test('a statement of the search finds nothing of another account, before its payments are read', async () => {
  for (const name of ['payment', 'session', 'event', 'delivery', 'transfer']) {
    const found = (merchant: Merchant) =>
      findByIds(t.app.ctx.db, { id: merchant.accountId, livemode: false }, String(ids[name]));
    expect([name, await found(owner), await found(stranger)]).toEqual([name, [ids.payment], []]);
  }
});

test('the owner in the other mode finds none of it either', async () => {
  for (const [method, path] of ROUTES.filter(
    ([method, path]) => method === 'GET' && /\/(pay_|we_|dlv_)/.test(path(ids)),
  )) {
    const answer = await t.app.inject(method, path(ids), {
      headers: { cookie: `session=${owner.loginToken}`, 'service-mode': 'live' },
    });
    expect([path(ids), answer.status]).toEqual([path(ids), 404]);
  }
});

async function snapshot() {
  const [payments, wallets, links, endpoints, keys, transfers] = await Promise.all([
    owner.get('/payments'),
    owner.get('/payout-wallets'),
    owner.get('/payment-links'),
    owner.get('/webhook-endpoints'),
    owner.dashboard.get('/api-keys', { mode: 'test' }),
    owner.get('/transfers'),
  ]);
  const still = (list: { data: object[] }) => list.data.map((one) => ({ ...one, last_used_at: undefined }));
  return [payments, wallets, links, endpoints, keys, transfers].map(still);
}
