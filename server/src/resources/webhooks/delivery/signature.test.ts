import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { createSecrets } from '../../../platform/secrets.ts';
import { newSigningSecret, openKeys, sealSecret, signatureHeaders, signingKeys } from './signature.ts';

const secret = 'whsec_ZXhhbXBsZS1leGFtcGxlLWV4YW1wbGUh';
const body = Buffer.from('{"id":"evt_1","type":"payment.paid"}');
const at = new Date(1_700_000_000_999);

test('the signature is the HMAC of second, point and body, keyed with the characters of the secret', () => {
  const headers = signatureHeaders({ keys: [signingKeys(secret)], eventId: 'evt_1', at, body });
  expect(headers['service-signature']).toBe(
    `t=1700000000,v1=${createHmac('sha256', secret).update(`1700000000.${body}`).digest('hex')}`,
  );
});

test('the headers of Standard Webhooks verify with its library', () => {
  const now = new Date();
  const headers = signatureHeaders({ keys: [signingKeys(secret)], eventId: 'evt_1', at: now, body });
  expect(new Webhook(secret).verify(body.toString(), headers)).toEqual({ id: 'evt_1', type: 'payment.paid' });
  expect(() => new Webhook(newSigningSecret()).verify(body.toString(), headers)).toThrow();
});

test('two secrets make two signatures of each kind, either of which verifies', () => {
  const old = newSigningSecret();
  const headers = signatureHeaders({
    keys: [signingKeys(secret), signingKeys(old)],
    eventId: 'evt_1',
    at: new Date(),
    body,
  });
  expect(headers['service-signature']?.match(/v1=/g)).toHaveLength(2);
  for (const one of [secret, old]) expect(new Webhook(one).verify(body.toString(), headers)).toBeTruthy();
});

test('a secret is 24 random bytes, and sealed for its own endpoint only', () => {
  const secrets = createSecrets(Buffer.alloc(32, 1));
  const keyRing = { secrets, caches: { webhookKeys: new Map() } };
  const made = newSigningSecret();
  expect(made).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
  const sealed = sealSecret(secrets, 'we_1', made);
  expect(sealed.toString('latin1')).not.toContain(made);
  expect(openKeys(keyRing, 'we_1', sealed).own.export().toString()).toBe(made);
  expect(() => openKeys(keyRing, 'we_2', sealed)).toThrow();
});
