import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Secrets } from '../../platform/secrets.ts';
import { keyedIdentity } from './identity.ts';

const keyedHash: Secrets['keyedHash'] = (text, purpose) => createHash('sha256').update(`${purpose} ${text}`).digest();
const request = { accountId: 'acc_1', livemode: true, fingerprint: Buffer.from('ab', 'hex') };
const identityOf = (key: string) => keyedIdentity({ keyedHash } as Secrets, { ...request, key });

test('the same request has the same identity, and another request shares no part of it', () => {
  const [one, same, other] = ['order 1', 'order 1', 'order 2'].map(identityOf);
  expect(same).toEqual(one);
  expect(other?.sessionId).not.toBe(one?.sessionId);
  expect(other?.paymentId).not.toBe(one?.paymentId);
  expect(other?.reference).not.toEqual(one?.reference);
});

test('with a UUID of version 7 the reference differs from that of a release whose ids had no time', () => {
  const key = '0190b6a8-7c00-7abc-8def-0123456789ab';
  const root = keyedHash(JSON.stringify(['acc_1', true, key, 'ab']), 'session identity');
  const before = createHash('sha256').update('reference ').update(root).digest();
  expect(identityOf(key).reference).not.toEqual(before);
});
