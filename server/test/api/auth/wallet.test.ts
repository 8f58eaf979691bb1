import { ed25519 } from '@noble/curves/ed25519.js';
import { base58, hex } from '@scure/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { ethereumWallet, loginByWallet, solanaWallet, type TestWallet } from '../../support/logins.ts';
import { SOLANA_ENVELOPES } from '../../support/solana-envelopes.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const askNonce = (body: unknown) => app.inject('POST', '/v1/auth/nonce', { body });
const verify = (body: unknown) => app.inject('POST', '/v1/auth/verify', { body });
const nonceOf = async ({ address, network }: TestWallet): Promise<string> =>
  (await askNonce({ address, network })).body.data.nonce;
const kinds = [
  ['ethereum', ethereumWallet],
  ['solana', solanaWallet],
] as const;
const age = (address: string, seconds: number) =>
  app.ctx.db.query(
    'age_nonces',
    `
  update login_nonces set created_at = created_at - make_interval(secs => $2), expires_at = expires_at - make_interval(secs => $2)
   where address = $1`,
    [address, seconds],
  );

describe('POST /v1/auth/nonce', () => {
  test.each(kinds)('200: the whole message to sign, %s', async (network, make) => {
    const wallet = make();
    const answer = await askNonce({ address: wallet.address, network });

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: { nonce: expect.any(String), expires_in: 300 },
      request_id: expect.any(String),
    });
    const [domain, address] = answer.body.data.nonce.split('\n');
    expect(domain).toBe(
      `${new URL(app.config.publicUrl).host} wants you to sign in with your ${network === 'ethereum' ? 'Ethereum' : 'Solana'} account:`,
    );
    expect(address).toBe(wallet.address);
  });

  test('200: ethereum unless said otherwise; an address without checksum is answered with it', async () => {
    const wallet = ethereumWallet();
    const answer = await askNonce({ address: wallet.address.toLowerCase() });
    expect(answer.status).toBe(200);
    expect(answer.body.data.nonce).toContain(wallet.address);
  });

  test.each([
    ['address', {}],
    ['address', { address: null }],
    ['address', { address: '' }],
    ['address', { address: 5 }],
    ['address', { address: ['0x'] }],
    ['address', { address: 'vitalik.eth' }],
    ['address', { address: '0x123' }],
    ['address', { address: `0x${'0'.repeat(40)}` }],
    ['address', { address: '0xa0Cf798816D4b9b9866b5330EEa46a18382f251e' }],
    ['address', { address: '0xdAC17F958D2ee523a2206206994597C13D831ec7' }],
    ['address', { address: '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e', network: 'solana' }],
    ['address', { address: '11111111111111111111111111111111', network: 'solana' }],
    ['address', { address: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', network: 'solana' }],
    ['address', { address: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTtXwCFLtV', network: 'ethereum' }],
    ['address', { address: '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e\u0000' }],
    ['network', { address: '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e', network: 'base' }],
    ['network', { address: '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e', network: 'ETHEREUM' }],
    ['network', { address: '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e', network: 1 }],
  ])('400 invalid_nonce_request: %s of %j', async (param, body) => {
    expect(await askNonce(body)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_nonce_request', param } },
    });
  });

  test('200: however often a stranger asks, the text that was issued to the owner stays valid', async () => {
    const wallet = ethereumWallet();
    for (let count = 0; count < 3; count += 1) await nonceOf(wallet);
    const mine = await nonceOf(wallet);
    const flood = await Promise.all(Array.from({ length: 60 }, () => nonceOf(wallet)));

    expect(new Set(flood).size).toBe(1);
    const rows = await app.ctx.db.query('nonces_of', `select id from login_nonces where address = $1`, [
      wallet.address,
    ]);
    expect(rows).toHaveLength(5);
    expect((await verify({ address: wallet.address, signature: await wallet.sign(mine) })).status).toBe(200);
  });

  test('200: of five live texts that have grown old the oldest makes room', async () => {
    const wallet = ethereumWallet();
    const texts: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      texts.push(await nonceOf(wallet));
      await age(wallet.address, 1);
    }
    await age(wallet.address, 200);
    const fresh = await nonceOf(wallet);

    expect(texts).not.toContain(fresh);
    expect((await verify({ address: wallet.address, signature: await wallet.sign(texts[0] as string) })).status).toBe(
      400,
    );
    expect((await verify({ address: wallet.address, signature: await wallet.sign(texts[1] as string) })).status).toBe(
      200,
    );
    expect((await verify({ address: wallet.address, signature: await wallet.sign(fresh) })).status).toBe(200);
  });
});

describe('POST /v1/auth/verify', () => {
  test.each(kinds)('200: an account with its one payout wallet, %s', async (network, make) => {
    const wallet = make();
    const login = await loginByWallet(app.inject, wallet);

    expect(login).toEqual({
      session_token: expect.stringMatching(/^ses_[0-9A-Za-z]{43}$/),
      payout_wallet_id: expect.stringMatching(/^pp_/),
    });
    const account = await app.inject('GET', '/v1/account', { token: login.session_token });
    expect(account.body.data).toMatchObject({
      login_method: 'wallet',
      email: null,
      login_wallet: { network, address: wallet.address },
    });
    const live = await app.inject('GET', `/v1/payout-wallets/${login.payout_wallet_id}`, {
      token: login.session_token,
    });
    expect(live.body.data).toMatchObject({
      asset: 'USDC',
      network,
      address: wallet.address,
      is_default: true,
      livemode: true,
      proved: true,
      archived: false,
      label: network === 'ethereum' ? 'USDC on Ethereum' : 'USDC on Solana',
    });
    const test = await app.inject('GET', '/v1/payout-wallets', {
      token: login.session_token,
      headers: { 'service-mode': 'test' },
    });
    expect(test.body.data).toMatchObject([{ network, address: wallet.address, is_default: true, livemode: false }]);
  });

  test.each(kinds)('200: the same wallet comes back to the same account, %s', async (_network, make) => {
    const wallet = make();
    const [one, two] = [await loginByWallet(app.inject, wallet), await loginByWallet(app.inject, wallet)];
    expect(two.payout_wallet_id).toBe(one.payout_wallet_id);
    expect(two.session_token).not.toBe(one.session_token);
  });

  test('200: every form that an Ethereum wallet sends', async () => {
    const wallet = ethereumWallet();
    const forms: ((signature: string) => string)[] = [
      (signature) => signature,
      (signature) => signature.slice(0, 130) + (signature.endsWith('1b') ? '00' : '01'),
      (signature) => compact(signature),
    ];
    for (const form of forms) {
      const signature = form(await wallet.sign(await nonceOf(wallet)));
      expect((await verify({ address: wallet.address.toLowerCase(), signature })).status).toBe(200);
    }
  });

  test('200: every form that a Solana wallet sends', async () => {
    const wallet = solanaWallet();
    const forms: ((signature: Uint8Array) => string)[] = [
      base58.encode,
      hex.encode,
      (bytes) => Buffer.from(bytes).toString('base64'),
    ];
    for (const form of forms) {
      const signature = form(base58.decode(await wallet.sign(await nonceOf(wallet))));
      expect((await verify({ address: wallet.address, network: 'solana', signature })).status).toBe(200);
    }
  });

  test.each(Object.entries(SOLANA_ENVELOPES))(
    '200: a Solana wallet that signs the envelope of %s',
    async (_, envelope) => {
      const secret = ed25519.utils.randomSecretKey();
      const address = base58.encode(ed25519.getPublicKey(secret));
      const { nonce } = (await askNonce({ address, network: 'solana' })).body.data;
      const signature = base58.encode(ed25519.sign(envelope(nonce, address), secret));
      expect((await verify({ address, network: 'solana', signature })).status).toBe(200);
    },
  );

  test('200: each of the texts that are live may be the one that was signed', async () => {
    const wallet = ethereumWallet();
    const texts: string[] = [];
    for (let count = 0; count < 5; count += 1) texts.push(await nonceOf(wallet));
    for (const text of texts)
      expect((await verify({ address: wallet.address, signature: await wallet.sign(text) })).status).toBe(200);
  });

  test.each(kinds)('400 invalid_signature: a text that was used, %s', async (network, make) => {
    const wallet = make();
    const signature = await wallet.sign(await nonceOf(wallet));
    expect((await verify({ address: wallet.address, network, signature })).status).toBe(200);
    expect(await verify({ address: wallet.address, network, signature })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_signature' } },
    });
  });

  test('400 invalid_signature: a text that has expired', async () => {
    const wallet = ethereumWallet();
    const signature = await wallet.sign(await nonceOf(wallet));
    await age(wallet.address, 301);
    expect((await verify({ address: wallet.address, signature })).status).toBe(400);
  });

  test('400 invalid_signature: a text that was never issued', async () => {
    const wallet = ethereumWallet();
    const text = await nonceOf(wallet);
    expect(
      (
        await verify({
          address: wallet.address,
          signature: await wallet.sign(text.replace('URI: http:', 'URI: https:')),
        })
      ).status,
    ).toBe(400);
    const unasked = ethereumWallet();
    expect((await verify({ address: unasked.address, signature: await unasked.sign(text) })).status).toBe(400);
  });

  test("400 invalid_signature: another wallet's signature, and it uses nothing up", async () => {
    const [owner, stranger] = [ethereumWallet(), ethereumWallet()];
    const text = await nonceOf(owner);
    for (let count = 0; count < 30; count += 1) {
      expect((await verify({ address: owner.address, signature: await stranger.sign(text) })).status).toBe(400);
    }
    expect((await verify({ address: owner.address, signature: await owner.sign(text) })).status).toBe(200);
  });

  test("400 invalid_signature: one network's text on the other", async () => {
    const wallet = solanaWallet();
    const signature = await wallet.sign(await nonceOf(wallet));
    expect((await verify({ address: wallet.address, network: 'ethereum', signature })).status).toBe(400);
    expect((await verify({ address: wallet.address, signature })).status).toBe(400);
  });

  test.each([
    ['address', { signature: '0x00' }],
    ['address', { address: null, signature: '0x00' }],
    ['address', { address: 'me', signature: '0x00' }],
    ['address', { address: '0xa0Cf798816D4b9b9866b5330EEa46a18382f251e', signature: '0x00' }],
    ['signature', { address: '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e' }],
    ['signature', { address: '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e', signature: null }],
    ['signature', { address: '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e', signature: '' }],
    ['signature', { address: '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e', signature: 7 }],
    ['signature', { address: '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e', signature: {} }],
    ['signature', { address: '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e', signature: '0x' }],
    ['signature', { address: '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e', signature: '0xzz' }],
    ['signature', { address: '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e', signature: `0x${'00'.repeat(65)}` }],
    ['signature', { address: '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e', signature: `0x${'ff'.repeat(20_000)}` }],
    ['signature', { address: '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e', signature: '\ud800' }],
    ['network', { address: '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e', signature: '0x00', network: 'bitcoin' }],
  ])('400 invalid_signature: %s of %j', async (param, body) => {
    expect(await verify(body)).toMatchObject({ status: 400, body: { error: { code: 'invalid_signature', param } } });
  });

  test('400: a Solana key of small order cannot log in', async () => {
    const forged = hex.encode(Uint8Array.of(1, ...new Uint8Array(63)));
    for (const key of SMALL_ORDER_KEYS) {
      const address = base58.encode(hex.decode(key));
      expect((await askNonce({ address, network: 'solana' })).status).toBe(400);
      // Even if a text was issued.
      await app.ctx.db.query(
        'plant_nonce',
        `
        insert into login_nonces (id, network, address, message, created_at, expires_at)
        select 'nonce_' || n || $1, 'solana', $1, 'text ' || n, $2, $3 from generate_series(1, 5) n`,
        [address, new Date(), new Date(Date.now() + 300_000)],
      );
      expect((await verify({ address, network: 'solana', signature: forged })).status).toBe(400);
    }
  });

  test.each(kinds)('of two hundred at once with one signature exactly one logs in, %s', async (network, make) => {
    const wallet = make();
    const signature = await wallet.sign(await nonceOf(wallet));

    const answers = await Promise.all(
      Array.from({ length: 200 }, () => verify({ address: wallet.address, network, signature })),
    );

    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 400)).toHaveLength(199);
  });

  test('five texts of a new wallet at once make one account with one wallet in each mode', async () => {
    const wallet = ethereumWallet();
    const signatures: string[] = [];
    for (let count = 0; count < 5; count += 1) signatures.push(await wallet.sign(await nonceOf(wallet)));

    const answers = await Promise.all(signatures.map((signature) => verify({ address: wallet.address, signature })));

    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map((answer) => answer.body.data.payout_wallet_id)).size).toBe(1);
    const rows = await app.ctx.db.query('wallets_at', `select id from payout_wallets where address = $1`, [
      wallet.address,
    ]);
    expect(rows).toHaveLength(2);
  });

  test('nothing that a caller sends decides where the money goes', async () => {
    const wallet = ethereumWallet();
    const signature = await wallet.sign(await nonceOf(wallet));
    const answer = await verify({ address: wallet.address, signature, payout_address: ethereumWallet().address });
    const saved = await app.inject('GET', `/v1/payout-wallets/${answer.body.data.payout_wallet_id}`, {
      token: answer.body.data.session_token,
    });
    expect(saved.body.data.address).toBe(wallet.address);
  });
});

test('the two networks are two accounts, and so are two wallets', async () => {
  const logins = await Promise.all(
    [ethereumWallet(), ethereumWallet(), solanaWallet()].map((wallet) => loginByWallet(app.inject, wallet)),
  );
  const accounts = await Promise.all(
    logins.map((login) => app.inject('GET', '/v1/account', { token: login.session_token })),
  );
  expect(new Set(accounts.map((answer) => answer.body.data.id)).size).toBe(3);
});

/** EIP-2098: the parity in the highest bit of s. */
function compact(signature: string): string {
  const bytes = hex.decode(signature.slice(2));
  if (bytes[64] === 28) bytes[32] = (bytes[32] as number) | 0x80;
  return `0x${hex.encode(bytes.slice(0, 64))}`;
}

const SMALL_ORDER_KEYS = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
];
