import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSecrets } from '../../platform/secrets.ts';
import { canonicalJson, decodeJson, encodeJson } from './json.ts';
import * as mpp from './mpp.ts';
import type { Offer } from './offer.ts';
import * as x402 from './x402.ts';
import * as x402v1 from './x402-v1.ts';

const secrets = createSecrets(Buffer.alloc(32, 7));
const now = new Date('2026-03-14T09:26:53.000Z');
const offer: Offer = {
  accountId: `acc_${'a'.repeat(24)}`,
  sessionId: `cs_${'a'.repeat(24)}`,
  livemode: true,
  network: 'base',
  asset: 'USDC',
  decimals: 6,
  amountUnits: 49_001_234n,
  seenUnits: 0n,
  isReserved: true,
  payTo: '0x52908400098527886E0F7030069857D2E4169EE7',
  reference: '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs',
  description: 'A "thing" \\ of Zoë’s 🪴',
  resourceUrl: 'https://pay.example.com/checkout/cs_1/pay',
  realm: 'pay.example.com',
  machine: { family: 'evm', caip2: 'eip155:8453', chainId: 8453, token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
  domain: { name: 'USD Coin', version: '2' },
  facilitator: { feePayer: null },
  now,
  endsAt: new Date(now.getTime() + 3_600_000),
};

describe('a challenge', () => {
  test('is understood again, names its session, and stays far below 8 KB', () => {
    const challenges = mpp.challengesOf(offer, secrets);
    expect(mpp.writeChallenges(challenges).length).toBeLessThan(4_096);
    for (const challenge of challenges) {
      const credential = mpp.readCredential(`Payment ${encodeJson({ challenge, payload: {} }, 'base64url')}`);
      expect(credential?.challenge).toEqual(challenge);
      expect(mpp.sessionOf(challenge, secrets)).toBe(offer.sessionId);
      expect(mpp.isOffered(challenge, offer)).toBe(true);
    }
  });

  test('is not valid any more once one character of any field has changed', () => {
    const [challenge] = mpp.challengesOf(offer, secrets) as [mpp.Challenge];
    for (const name of Object.keys(challenge) as (keyof mpp.Challenge)[]) {
      const text = challenge[name];
      const changed = { ...challenge, [name]: `${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}` };
      expect([name, mpp.sessionOf(changed, secrets)]).toEqual([name, undefined]);
    }
    expect(mpp.sessionOf(challenge, createSecrets(Buffer.alloc(32, 8)))).toBeUndefined();
  });

  test('is not what is offered once the amount, the payee or the token has changed', () => {
    const [challenge] = mpp.challengesOf(offer, secrets) as [mpp.Challenge];
    for (const changes of [{ amountUnits: 1n }, { payTo: offer.sessionId }, { sessionId: 'cs_2' }])
      expect(mpp.isOffered(challenge, { ...offer, ...changes })).toBe(false);
  });

  test('asks for no signature that could outlive the session', () => {
    const short = { ...offer, endsAt: new Date(now.getTime() + 170_000) };
    expect(mpp.challengesOf(short, secrets).map(mpp.typesOf)).toEqual([['transaction', 'hash']]);
    expect(x402.requirementsOf(short)).toBeUndefined();
  });
});

test('requirements of x402 are offered in any order of their keys, and with no other value', () => {
  const accepted = x402.requirementsOf(offer) as x402.PaymentRequirements;
  const turned = Object.fromEntries(Object.entries(accepted).reverse());
  expect(x402.isOffered({ accepted: turned, payload: {} }, offer)).toBe(true);
  for (const name of Object.keys(accepted))
    expect(x402.isOffered({ accepted: { ...accepted, [name]: 'other' }, payload: {} }, offer)).toBe(false);
  expect(x402.isOffered({ accepted: { ...accepted, more: 1 }, payload: {} }, offer)).toBe(false);
});

test('x402 version 1 has an offer only where the amount is the checkout’s own, on a network that it has a word for', () => {
  const accepted = { scheme: 'exact', network: 'base' };
  const requirements = x402.requirementsOf(offer) as x402.PaymentRequirements;
  const isThere = (one: Offer) => [
    x402v1.isOffered({ version: 1, accepted, payload: {} }, one),
    x402v1.requiredBody(x402.requirementsOf(one) ?? requirements, one, '') !== undefined,
  ];
  expect(isThere(offer)).toEqual([true, true]);
  expect(isThere({ ...offer, isReserved: false })).toEqual([false, false]);
  const elsewhere = { ...offer.machine, caip2: 'eip155:42161' } as Offer['machine'];
  expect(isThere({ ...offer, machine: elsewhere })).toEqual([false, false]);
});

test('a long description is cut between characters, not inside one', () => {
  const long = { ...offer, description: `${'x'.repeat(197)}👩🏽‍🌾 and more` };
  const [challenge] = mpp.challengesOf(long, secrets) as [mpp.Challenge];
  const requirements = x402.requirementsOf(long) as x402.PaymentRequirements;
  const read = [
    decodeJson(challenge.request, 'base64url'),
    decodeJson(x402.writeRequired(requirements, long, '', undefined), 'base64')?.resource,
  ] as { description: string }[];
  expect(read.map(({ description }) => description)).toEqual(Array(2).fill('x'.repeat(197)));
});

describe('text from outside', () => {
  test('never throws, and is read only as an object', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        for (const read of [mpp.readCredential, x402.readPayload, x402v1.readPayload])
          expect(() => read(text)).not.toThrow();
        for (const alphabet of ['base64', 'base64url'] as const) {
          const encoded = Buffer.from(text).toString(alphabet);
          const value = decodeJson(encoded, alphabet);
          expect(value === undefined || (typeof value === 'object' && !Array.isArray(value))).toBe(true);
        }
      }),
    );
  });

  test('with a text that cannot be stored is refused, wherever it is', () => {
    for (const value of [{ a: '\0' }, { a: { b: ['x', 'a\0b'] } }, { 'a\0': 1 }, { a: '\ud800' }])
      expect(decodeJson(Buffer.from(JSON.stringify(value)).toString('base64'), 'base64')).toBeUndefined();
  });

  test('has one encoding: padding, other alphabets and invalid UTF-8 are refused', () => {
    const text = Buffer.from('{"a":1}').toString('base64');
    expect(decodeJson(text, 'base64')).toEqual({ a: 1 });
    for (const wrong of [`${text}=`, ` ${text}`, text.replace('=', ''), `${text}\n`]) {
      expect([wrong, decodeJson(wrong, 'base64')]).toEqual([wrong, undefined]);
    }
    expect(
      decodeJson(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]).toString('base64'), 'base64'),
    ).toBeUndefined();
    expect(
      decodeJson(Buffer.from(`${'{"a":'.repeat(9)}1${'}'.repeat(9)}`).toString('base64'), 'base64'),
    ).toBeUndefined();
  });

  test('is written in one way, whatever the order of its keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(turned)).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
