import { createHmac, hkdfSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSecrets } from './secrets.ts';

const masterKey = Buffer.alloc(32, 1);
const secrets = createSecrets(masterKey);

test('a keyed hash is an HMAC by a key of its purpose, however often it is asked for', () => {
  // Hashes are stored and ids follow from them, so the derivation never changes.
  const expected = (purpose: string, text: string) => {
    const key = Buffer.from(hkdfSync('sha256', masterKey, new Uint8Array(), `quittance ${purpose}`, 32));
    return createHmac('sha256', key).update(text).digest();
  };
  for (const purpose of ['one', 'other', 'one'])
    for (const text of ['a', 'b']) expect(secrets.keyedHash(text, purpose)).toEqual(expected(purpose, text));
});

test('two master keys have different hashes', () => {
  const other = createSecrets(Buffer.alloc(32, 2));
  expect(other.keyedHash('text', 'purpose')).not.toEqual(secrets.keyedHash('text', 'purpose'));
});

test('a sealed value is opened in its own place only', () => {
  const sealed = secrets.seal('plain', 'rows.secret:one');
  expect(secrets.open(sealed, 'rows.secret:one').toString()).toBe('plain');
  expect(() => secrets.open(sealed, 'rows.secret:other')).toThrow();
});
