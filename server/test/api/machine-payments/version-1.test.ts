import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { decode, machineClient, oldOfferIn, requiredIn, signX402v1 } from '../../support/machine-client.ts';

// Programs that speak version 1 of x402.
const payer = privateKeyToAccount(`0x${'42'.repeat(32)}`);
let app: TestApp;
let client: ReturnType<typeof machineClient>;

beforeAll(async () => {
  app = await startApp();
  client = machineClient(app.inject);
});
afterAll(() => app.stop());

const chainId = 84_532;

test('a program finds the same offer in the body, in the words of its version', async () => {
  const session = await app.merchant.createSession({ description: 'Two ferns' });
  const answer = await client.ask(session.id);
  const [entry] = requiredIn(answer).accepts;
  expect(answer.body).toMatchObject({ x402Version: 1, status: 402, checkout_url: session.checkout_url });
  expect(answer.body.accepts).toEqual([
    {
      scheme: 'exact',
      network: 'base-sepolia',
      maxAmountRequired: entry.amount,
      resource: `${session.checkout_url}/pay`,
      description: 'Two ferns',
      mimeType: 'application/json',
      payTo: entry.payTo,
      maxTimeoutSeconds: 120,
      asset: entry.asset,
      extra: { name: 'USDC', version: '2' },
    },
  ]);
});

test('a program pays once, and gets the answer of its version', async () => {
  const session = await app.merchant.createSession();
  const payload = await signX402v1(oldOfferIn(await client.ask(session.id)), payer, { chainId });
  const answers = [await client.payX402v1(session.id, payload), await client.payX402v1(session.id, payload)];
  for (const answer of answers) {
    expect([answer.status, answer.body.session.status]).toEqual([200, 'paid']);
    expect(decode(String(answer.headers['x-payment-response']), 'base64')).toEqual({
      success: true,
      network: 'base-sepolia',
      payer: payer.address,
      transaction: answer.body.receipt.reference,
    });
  }
  expect(await typesOf(session.id)).toEqual(['payment.created', 'payment.pending', 'payment.paid']);
});

test('what was signed once pays once, in the words of both versions and at one checkout', async () => {
  const [session, other] = [await app.merchant.createSession(), await app.merchant.createSession()];
  const asked = await client.ask(session.id);
  const [accepted] = requiredIn(asked).accepts;
  const old = await signX402v1(oldOfferIn(asked), payer, { chainId });
  const both = { x402Version: 2, accepted, payload: old.payload };
  const answers = await Promise.all([client.payX402v1(session.id, old), client.payX402(session.id, both)]);
  expect(answers.map(({ status, body }) => [status, body.session.status])).toEqual([
    [200, 'paid'],
    [200, 'paid'],
  ]);
  expect(await typesOf(session.id)).toEqual(['payment.created', 'payment.pending', 'payment.paid']);
  for (const answer of [await client.payX402v1(other.id, old), await client.payX402(other.id, both)])
    expect([answer.status, answer.body.type]).toEqual([402, expect.stringMatching(/problems\/invalid-challenge$/)]);
  expect(await typesOf(other.id)).toEqual(['payment.created']);
});

test('a program gets what it must repeat in its own words', async () => {
  const session = await app.merchant.createSession();
  const signed = await signX402v1(oldOfferIn(await client.ask(session.id)), payer, { chainId });
  const { body } = await client.payX402v1(session.id, { ...signed, network: 'base' });
  expect(body.detail).toBe(
    '`scheme` and `network` are not what this checkout asks for now. Repeat those of the entry in `accepts`.',
  );
});

test('a program is refused what does not pay this checkout, with a fresh offer', async () => {
  const [session, other] = [await app.merchant.createSession(), await app.merchant.createSession()];
  const offer = oldOfferIn(await client.ask(session.id));
  const signed = await signX402v1(offer, payer, { chainId });
  const { asset: _, ...extra } = signed as unknown as Record<string, unknown>;
  for (const [wrong, problem] of [
    [{ ...signed, x402Version: 2 }, 'malformed-credential'],
    [{ ...extra, payload: 'text' }, 'malformed-credential'],
    [{ ...signed, network: 'base' }, 'invalid-challenge'],
    [{ ...signed, network: 'constructor' }, 'invalid-challenge'],
    [{ ...signed, network: undefined, scheme: undefined }, 'invalid-challenge'],
    [{ ...signed, scheme: 'upto' }, 'invalid-challenge'],
    [
      await signX402v1(oldOfferIn(await client.ask(other.id)), payer, { chainId }),
      '(payment-insufficient|verification-failed)',
    ],
    [await signX402v1({ ...offer, payTo: payer.address }, payer, { chainId }), 'verification-failed'],
    [await signX402v1(offer, payer, { chainId: 8453 }), 'verification-failed'],
  ] as const) {
    const answer = await client.payX402v1(session.id, wrong);
    expect([answer.status, answer.body.type]).toEqual([402, expect.stringMatching(new RegExp(`problems/${problem}$`))]);
    expect(oldOfferIn(answer)).toEqual(offer);
  }
  expect(await typesOf(session.id)).toEqual(['payment.created']);
});

test('there is no offer at a payment link, whose checkout its payment cannot name', async () => {
  const link = await app.merchant.createLink();
  const answer = await app.inject('POST', `/pay/${link.id}`, { headers: { accept: 'application/json' } });
  expect([answer.status, oldOfferIn(answer)]).toEqual([402, undefined]);
});

test('a program reaches the door with the default of axios, which is not a browser', async () => {
  const session = await app.merchant.createSession();
  const headers = { accept: 'application/json, text/plain, */*' };
  expect((await app.inject('GET', `/checkout/${session.id}`, { headers })).status).toBe(402);
});

/** The events of a session, oldest first. */
async function typesOf(session: string): Promise<string[]> {
  const { data } = await app.merchant.get('/events?limit=100');
  const own = data.filter((event: { data: { session: string } }) => event.data.session === session);
  return own.map(({ type }: { type: string }) => type).reverse();
}
