import { createPrivateKey, createPublicKey } from 'node:crypto';
import { signJws, thumbprint } from '../../server/src/platform/signing/jws.ts';

type Refusal = 'form' | 'key' | 'signature' | 'payee' | 'issuer' | 'test_mode';

export interface ReceiptVector {
  name: string;
  receipt: string;
  /** The name of a key set in `jwks`. */
  keys: string;
  payee: string;
  issuer?: string;
  allow_test_mode?: boolean;
  expect: { payment: string } | { refused: Refusal };
}

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const ISSUER = 'https://pay.example.com';
const IAT = 1_773_480_413;
const CLAIMS = {
  iss: ISSUER,
  jti: 'rct_4fzqzXm2V9pQ7rT1kB3nW8yA',
  iat: IAT,
  livemode: true,
  payment: 'pay_4fzqzXm2V9pQ7rT1kB3nW8yA',
  status: 'paid',
  order_id: 'order-1001',
  amount: '49.00',
  currency: 'USD',
  received: '49.000317',
  payee: `eip155:8453:${ADDRESS}`,
  supersedes: null,
};
/** The fixed header of an Ed25519 private key in PKCS #8, before its 32 bytes. */
const PKCS8 = '302e020100300506032b657004220420';

/** Receipts, signed as the server signs them with keys that are published here and nowhere else used. */
export function receiptVectors(): { jwks: Record<string, { keys: object[] }>; cases: ReceiptVector[] } {
  const [key, other] = [keyOf(1), keyOf(2)];
  const jwks = {
    current: { keys: [key.jwk] },
    other: { keys: [other.jwk] },
    rotated: { keys: [other.jwk, { ...key.jwk, exp: IAT + 86_400 }] },
    'retired before': { keys: [{ ...key.jwk, exp: IAT - 61 }] },
    empty: { keys: [] },
  };
  const sign = (changes: object = {}, type = 'receipt+jwt') => signJws(key, type, { ...CLAIMS, ...changes });
  const valid = sign();
  const [header = '', payload = '', signature = ''] = valid.split('.');
  const cheaper = Buffer.from(JSON.stringify({ ...CLAIMS, amount: '0.01' })).toString('base64url');
  const unsigned = Buffer.from('{"alg":"none","typ":"receipt+jwt"}').toString('base64url');
  const one = (name: string, fields: Partial<ReceiptVector>): ReceiptVector => ({
    name,
    receipt: valid,
    keys: 'current',
    payee: ADDRESS,
    expect: { payment: CLAIMS.payment },
    ...fields,
  });
  const refused = (name: string, why: Refusal, fields: Partial<ReceiptVector>) =>
    one(name, { expect: { refused: why }, ...fields });
  return {
    jwks,
    cases: [
      one('valid', {}),
      one('the payee in small letters', { payee: ADDRESS.toLowerCase() }),
      one('the payee in CAIP-10, and the issuer', { payee: CLAIMS.payee, issuer: ISSUER }),
      one('signed with a key that was retired later', { keys: 'rotated' }),
      one('of test mode, where that is wanted', { receipt: sign({ livemode: false }), allow_test_mode: true }),
      refused('of test mode', 'test_mode', { receipt: sign({ livemode: false }) }),
      refused('of money to another address', 'payee', { payee: `0x${'1'.repeat(40)}` }),
      refused('of another service', 'issuer', { issuer: 'https://other.example.com' }),
      refused('signed with a key that was retired before', 'key', { keys: 'retired before' }),
      refused('of another account', 'key', { keys: 'other' }),
      refused('without any keys', 'key', { keys: 'empty' }),
      refused('another amount', 'signature', { receipt: `${header}.${cheaper}.${signature}` }),
      refused('the signature of another key', 'signature', {
        receipt: `${header}.${payload}.${signJws(other, 'receipt+jwt', CLAIMS).split('.')[2]}`,
      }),
      refused('without a signature', 'form', { receipt: `${unsigned}.${payload}.` }),
      refused('a statement of another kind', 'form', { receipt: sign({}, 'offer+jwt') }),
      refused('a text that is no receipt', 'form', { receipt: 'paid' }),
    ],
  };
}

function keyOf(number: number) {
  const der = Buffer.from(PKCS8 + String(number).padStart(2, '0').repeat(32), 'hex');
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const x = createPublicKey(privateKey).export({ format: 'jwk' }).x ?? '';
  const kid = thumbprint(Buffer.from(x, 'base64url'));
  return { kid, privateKey, jwk: { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' } };
}
