import { endpoints } from '@quittance/contract';
import { expect, test } from 'vitest';
import { Quittance } from '../src/index.ts';

/** Not for a merchant's server: logins, requests of customers' browsers, and streams, which have separate readers. */
const FOR_OTHERS = new Set([
  'startEmailLogin',
  'verifyEmailCode',
  'issueNonce',
  'verifyWallet',
  'logout',
  'logoutEverywhere',
  'streamEvents',
  'getOpenApi',
]);

test("every call of a merchant's server has a method, each method is an endpoint, and sends a key if the endpoint takes one", async () => {
  const called = new Set<string>();
  const keyed = new Set<string>();
  const quittance = new Quittance('ses_0', {
    baseUrl: 'http://localhost',
    fetch: async (url, init) => {
      const place = `${init?.method} ${new URL(url as string).pathname}`;
      called.add(place);
      if (new Headers(init?.headers).has('idempotency-key')) keyed.add(place);
      return Response.json({ data: [], pagination: { has_more: false, next_cursor: null } });
    },
  });
  for (const resource of [quittance.checkout.sessions, ...Object.values(quittance)]) {
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(resource))) {
      if (name === 'constructor' || resource === quittance.webhooks || resource === quittance.checkout) continue;
      await (resource as Record<string, (...values: unknown[]) => Promise<unknown>>)[name]?.(...argumentsOf(name));
    }
  }

  const promised = Object.values(endpoints).filter(
    (endpoint) => !FOR_OTHERS.has(endpoint.operationId) && !endpoint.path.startsWith('/v1/public/'),
  );
  const placesOf = (some: typeof promised) =>
    some.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, 'ID')}`).sort();
  expect([...called].sort()).toEqual(placesOf(promised));
  // An operation without a key is not retried, because it could run twice.
  expect([...keyed].sort()).toEqual(placesOf(promised.filter(({ idempotent }) => idempotent)));
});

/** Times first if a method takes one, otherwise ids. */
function argumentsOf(method: string): unknown[] {
  return ['ID', method === 'redeliverFailed' ? new Date(0) : 'ID'];
}

test('what cannot be a key is refused before it is sent, also the example of a guide', () => {
  expect(() => new Quittance(undefined)).toThrow('Is the environment variable set?');
  expect(() => new Quittance('whsec_1')).toThrow('This is a webhook signing secret.');
  expect(() => new Quittance('pk_1')).toThrow('A secret key starts with sk_test_ or sk_live_');
  expect(() => new Quittance('sk_test_…')).toThrow('A key cannot contain “…”.');
});

test('an event that is read is of a payment or of a refund', async () => {
  const data = { id: 'evt_1', type: 'refund.final', data: { id: 'rf_1', payment: 'pay_1' } };
  const fetch = async (url: unknown) => Response.json({ data: String(url).endsWith('/evt_1') ? data : [data] });
  const { events } = new Quittance('sk_test_0', { baseUrl: 'http://localhost', fetch });
  for (const event of [await events.retrieve('evt_1'), ...(await events.list().toArray({ limit: 1 }))])
    expect(event.type === 'refund.final' && event.data.payment).toBe('pay_1');
});
