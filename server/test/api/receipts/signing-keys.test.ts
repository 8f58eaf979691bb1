import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyReceipt } from '../../../../sdk/src/receipts.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';
import { type RotatedKeys, rotateSigningKeys } from '../../../src/platform/signing/signing-keys.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';
import { keysOf, testKeysOf, verifyTestReceipt } from '../../support/receipt-keys.ts';

type Data = any;

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
});
afterAll(() => app.stop());

describe('the signing key', () => {
  test('is listed for every page on the web, and its private half is nowhere to be read', async () => {
    const answer = await app.inject('GET', keysOf(merchant));
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': '*' });
    const jwks: Data = JSON.parse(answer.raw);
    expect(jwks.keys[0]).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      x: expect.stringMatching(/^[\w-]{43}$/),
      kid: expect.stringMatching(/^[\w-]{43}$/),
      use: 'sig',
      alg: 'EdDSA',
    });
  });

  test('can be rotated: old receipts still verify, new ones are signed by the new key, the old one can sign no more', async () => {
    const { payment } = await paid();
    const first = await merchant.get(`/payments/${payment}/receipt`);
    await rotateSigningKeys(app.ctx);

    expect(await verifyTestReceipt(app, merchant, first.jws)).toMatchObject({ jti: first.id });
    expect((await merchant.get(`/payments/${payment}/receipt`)).jws).toBe(first.jws);
    await merchant.post(`/payments/${payment}/refund`);
    const second = await merchant.get(`/payments/${payment}/receipt`);
    const [old, kid] = [first, second].map(
      ({ jws }) => JSON.parse(Buffer.from(jws.split('.')[0], 'base64url').toString()).kid,
    );
    expect(kid).not.toBe(old);
    expect(await verifyTestReceipt(app, merchant, second.jws)).toMatchObject({ supersedes: first.id });

    const rows = await app.ctx.db.query<{ kid: string; privateKey: Buffer | null }>(
      'test_signing_keys',
      'select kid, private_key from signing_keys where account_id = $1 and not livemode',
      [merchant.accountId],
    );
    expect(rows.filter((row) => row.privateKey !== null).map((row) => row.kid)).toEqual([kid]);
    const jwks: Data = await testKeysOf(app, merchant);
    expect(jwks.keys.find((key: Data) => key.kid === kid)).not.toHaveProperty('exp');
    expect(jwks.keys.filter((key: Data) => key.exp === undefined)).toHaveLength(1);
  });

  test('of one account and mode is rotated alone, and so is that of one account or mode', async () => {
    const other = await app.newMerchant();
    const paths = [keysOf(merchant), keysOf(merchant).replace('/test', '/live'), keysOf(other)];
    const current = async () =>
      Promise.all(
        paths.map(async (path) => {
          const jwks: Data = JSON.parse((await app.inject('GET', path)).raw);
          return jwks.keys.find((key: Data) => key.exp === undefined).kid;
        }),
      );
    const changes = async (what: RotatedKeys) => {
      const before = await current();
      await rotateSigningKeys(app.ctx, what);
      return (await current()).map((kid, index) => kid !== before[index]);
    };
    const { accountId } = merchant;
    expect(await changes({ accountId, livemode: false })).toEqual([true, false, false]);
    expect(await changes({ accountId })).toEqual([true, true, false]);
    expect(await changes({ livemode: false })).toEqual([true, false, true]);
    expect(await changes({})).toEqual([true, true, true]);
  });

  test('signs for no whole service, whose set is empty', async () => {
    await paid();
    expect(JSON.parse((await app.inject('GET', '/.well-known/jwks.json')).raw)).toEqual({ keys: [] });
  });

  test('that was retired cannot have signed what is dated later', async () => {
    const { payment } = await paid();
    const { jws } = await merchant.get(`/payments/${payment}/receipt`);
    const jwks: Data = structuredClone(await testKeysOf(app, merchant));
    const iat = JSON.parse(Buffer.from(jws.split('.')[1], 'base64url').toString()).iat;
    for (const key of jwks.keys) key.exp = iat - 61;
    await expect(verifyReceipt(jws, { jwks, payee: PAYEE, allowTestMode: true })).rejects.toThrow('could have signed');
  });

  test('is created once by processes that start together', async () => {
    await using other = await startApp();
    const read = await Promise.all(Array.from({ length: 10 }, () => other.inject('GET', keysOf(other.merchant))));
    expect(new Set(read.map(({ raw }) => raw)).size).toBe(1);
  });

  test('that another master key sealed makes receipts unavailable, and a rotation mends that', async () => {
    await using other = await startApp();
    await other.inject('GET', keysOf(other.merchant));
    const secrets = createSecrets(Buffer.alloc(32, 7));
    await using second = await startApp({ database: undefined, overrides: { secrets } });
    await rotateSigningKeys(other.ctx);
    await other.inject('GET', keysOf(other.merchant));
    const [row] = await other.ctx.db.query<Data>('test_key', 'select * from signing_keys where retired_at is null');
    await second.ctx.db.query(
      'test_foreign_key',
      `insert into signing_keys (kid, account_id, livemode, public_key, private_key, created_at)
       values ($1, $2, false, $3, $4, $5)`,
      [row.kid, second.merchant.accountId, row.publicKey, row.privateKey, row.createdAt],
    );
    expect((await second.inject('GET', keysOf(second.merchant))).status).toBe(503);
    await rotateSigningKeys(second.ctx);
    expect((await second.inject('GET', keysOf(second.merchant))).status).toBe(200);
  });
});

async function paid(): Promise<{ payment: string }> {
  const { id } = await merchant.createSession();
  return merchant.pay(id);
}

const PAYEE = '0x52908400098527886E0F7030069857D2E4169EE7';
