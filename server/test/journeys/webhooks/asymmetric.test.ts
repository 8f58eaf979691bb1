import { createPublicKey, verify } from 'node:crypto';
import { constructEventWithKeys, type PublicKeys } from '../../../../sdk/src/webhooks.ts';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { rotateSigningKeys } from '../../../src/platform/signing/signing-keys.ts';
import { runDueDeliveries } from '../../../src/resources/webhooks/delivery/run-due.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
let receiver: Receiver;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
  receiver = await startReceiver();
});
beforeEach(async () => {
  merchant = await app.newMerchant();
});
afterAll(async () => {
  await app?.stop();
  await receiver?.close();
});

test('an endpoint that asks for it is sent a v1a signature beside v1, which the public key verifies', async () => {
  const endpoint = await merchant.createEndpoint({ url: `${receiver.url}/a`, asymmetric_signature: true });
  expect(endpoint.asymmetric_signature).toBe(true);
  const { body, headers } = await deliver('/a');

  const event = await constructEventWithKeys(body, headers, await keys(endpoint));
  expect(event).toMatchObject({ type: 'payment.created', id: headers['webhook-id'] });
  expect(new Webhook(endpoint.secret).verify(body, headers)).toBeTruthy();

  // As the standard describes it, without the project's client.
  const [, v1a = ''] = /(?:^| )v1a,(\S+)/.exec(headers['webhook-signature'] ?? '') ?? [];
  const [key] = (await keys(endpoint)).jwks.keys;
  const isSigned = verify(
    null,
    Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`),
    createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key?.x ?? '' }, format: 'jwk' }),
    Buffer.from(v1a, 'base64'),
  );
  expect(isSigned).toBe(true);
});

test('an endpoint that does not ask for it gets none, and shows no such field', async () => {
  const endpoint = await merchant.createEndpoint({ url: `${receiver.url}/b` });
  expect(endpoint).not.toHaveProperty('asymmetric_signature');
  const { body, headers } = await deliver('/b');
  expect(headers['webhook-signature']).not.toContain('v1a');
  await expect(constructEventWithKeys(body, headers, await keys(endpoint))).rejects.toThrow('no `v1a` signature');
});

test('a changed body, id or time, and a delivery that is old, are refused', async () => {
  const endpoint = await merchant.createEndpoint({ url: `${receiver.url}/c`, asymmetric_signature: true });
  const { body, headers } = await deliver('/c');
  const trusted = await keys(endpoint);
  const audience = headers['service-audience'] ?? '';
  const seconds = Number(headers['webhook-timestamp']);
  for (const changed of [
    { body: body.replace('payment.created', 'payment.paid') },
    { headers: { ...headers, 'webhook-id': 'evt_other' } },
    { headers: { ...headers, 'webhook-timestamp': String(seconds + 1) } },
    { headers: { ...headers, 'service-audience': audience.replace(/v1a=\w+/, `v1a=${'0'.repeat(128)}`) } },
    { trusted: { ...trusted, jwks: { keys: [] } } },
  ]) {
    const input = { body, headers, trusted, ...changed };
    await expect(constructEventWithKeys(input.body, input.headers, input.trusted)).rejects.toThrow('No key fits');
  }
  const now = new Date((seconds + 301) * 1000);
  await expect(constructEventWithKeys(body, headers, trusted, { now })).rejects.toThrow('seconds old');
  expect(await constructEventWithKeys(body, new Headers(headers), trusted)).toMatchObject({
    id: headers['webhook-id'],
  });
});

test('after a rotation the new key signs, and what the old one signed still verifies', async () => {
  const endpoint = await merchant.createEndpoint({ url: `${receiver.url}/d`, asymmetric_signature: true });
  const before = await deliver('/d');
  const stale = await keys(endpoint);
  await rotateSigningKeys(app.ctx);
  receiver.received.length = 0;
  const after = await deliver('/d');

  await expect(constructEventWithKeys(after.body, after.headers, stale)).rejects.toThrow('Fetch the keys again');
  for (const { body, headers } of [before, after]) await constructEventWithKeys(body, headers, await keys(endpoint));
});

test('a test delivery and the headers that the dashboard shows carry it too', async () => {
  const endpoint = await merchant.createEndpoint({ url: `${receiver.url}/e`, asymmetric_signature: true });
  await merchant.post('/webhooks/test', { endpoint_id: endpoint.id, event: 'payment.paid' });
  const sent = received('/e');
  await constructEventWithKeys(sent.body, sent.headers, await keys(endpoint), { acceptSamples: true });

  receiver.received.length = 0;
  const { headers } = await deliver('/e');
  const { data } = await merchant.get(`/webhook-endpoints/${endpoint.id}/deliveries`);
  const answer = await app.inject('GET', `/dashboard/api/deliveries/${data[0].id}/signed`, {
    headers: { cookie: `session=${merchant.loginToken}`, 'service-mode': 'test' },
  });
  const shown = answer.body.data.attempts[0].headers;
  // Ed25519 has one signature for one message.
  for (const name of ['webhook-signature', 'service-audience']) expect(shown[name]).toBe(headers[name]);
});

/** One event of the merchant, delivered to the path. */
async function deliver(path: string): Promise<{ body: string; headers: Record<string, string> }> {
  await merchant.createSession();
  await runDueDeliveries(app.ctx, { accountId: merchant.accountId, deadlineMs: 10_000 });
  return received(path);
}

function received(path: string): { body: string; headers: Record<string, string> } {
  const got = receiver.received.find((one) => one.path.endsWith(path));
  if (!got) throw new Error(`nothing was delivered to ${path}`);
  return { body: String(got.body), headers: got.headers as Record<string, string> };
}

async function keys(endpoint: { id: string }): Promise<PublicKeys> {
  const path = `/.well-known/jwks/${merchant.accountId}/test.json`;
  return { jwks: JSON.parse((await app.inject('GET', path)).raw), endpoint: endpoint.id };
}
