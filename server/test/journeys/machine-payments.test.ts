import { type Address, type Hex, toHex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  challengeFor,
  challengesIn,
  decode,
  oldOfferIn,
  requestOf,
  requiredIn,
  signMpp,
  signX402,
  signX402v1,
  type Challenge,
} from '../support/machine-client.ts';
import { type MachineShop, signTransaction, startMachineShop } from '../support/machine-shop.ts';

const DOMAIN = { name: 'USD Coin', version: '2' };
const LOOK_ONCE = { prefer: 'wait=0' };
let shop: MachineShop;
let alice: PrivateKeyAccount;
let bob: PrivateKeyAccount;

beforeAll(async () => {
  shop = await startMachineShop({ token: 'secret-of-the-operator' });
  [alice, bob] = shop.payers as [PrivateKeyAccount, PrivateKeyAccount];
});
afterAll(() => shop[Symbol.asyncDispose]());

describe('a program pays a live session', () => {
  test('by x402: the facilitator sends, and our own watcher says paid', async () => {
    const session = await shop.session();
    const before = await shop.balance(shop.wallet);
    const asked = requiredIn(await shop.client.ask(session.id));
    expect(asked.accepts[0]).toMatchObject({ network: 'eip155:31337', asset: shop.usdc, extra: DOMAIN });
    const answer = await shop.client.payX402(session.id, await signX402(asked.accepts[0], alice));
    expect(answer.status).toBe(200);
    expect(await shop.walk(session.id)).toEqual(['created', 'pending', 'paid']);
    expect(await shop.rulesOf(session.id)).toEqual(['authorization']);
    expect((await shop.balance(shop.wallet)) - before).toBe(BigInt(asked.accepts[0].amount));
    expect(shop.facilitator.credentials).toContain('Bearer secret-of-the-operator');
    expect(decode(answer.headers['payment-response'] as string, 'base64')).toMatchObject({
      success: true,
      payer: alice.address,
    });
  });

  test('by x402 version 1, on a chain that it has a word for', async () => {
    const chainId = 84_532;
    await using old = await startMachineShop({ chainId });
    const session = await old.session();
    const offer = oldOfferIn(await old.client.ask(session.id));
    expect(offer).toMatchObject({ network: 'base-sepolia', asset: old.usdc });
    const payload = await signX402v1(offer, old.payers[0] as PrivateKeyAccount, { chainId });
    const [answer, again] = await Promise.all([1, 2].map(() => old.client.payX402v1(session.id, payload)));
    expect([answer?.status, again?.status]).toEqual([200, 200]);
    expect(await old.walk(session.id)).toEqual(['created', 'pending', 'paid']);
    expect(await old.rulesOf(session.id)).toEqual(['authorization']);
    expect(await old.balance(old.wallet)).toBe(BigInt(offer.maxAmountRequired));
  });

  test('by an authorization of the "Payment" scheme, whose nonce is the hash of the challenge', async () => {
    const session = await shop.session();
    const challenge = challengeFor(await shop.client.ask(session.id), 'authorization');
    const answer = await shop.client.payMpp(session.id, challenge, await signMpp(challenge, alice, DOMAIN));
    expect(answer.status).toBe(200);
    expect(decode(answer.headers['payment-receipt'] as string, 'base64url')).toMatchObject({
      challengeId: challenge.id,
    });
    expect(await shop.rulesOf(session.id)).toEqual(['authorization']);
  });

  test('by a signed transaction, which is only broadcast here', async () => {
    const session = await shop.session();
    const challenge = challengeFor(await shop.client.ask(session.id), 'transaction');
    const answer = await shop.client.payMpp(session.id, challenge, await signTransaction(shop.chain, challenge, alice));
    expect(answer.status).toBe(200);
    expect(await shop.walk(session.id)).toEqual(['created', 'pending', 'paid']);
    expect(await shop.rulesOf(session.id)).toEqual(['amount']);
  });

  test('by the hash of a transaction that the payer sent', async () => {
    const session = await shop.session();
    const challenge = challengeFor(await shop.client.ask(session.id), 'hash');
    const { recipient, amount } = requestOf(challenge);
    const hash = await shop.chain.transferErc20({
      token: shop.usdc,
      from: bob.address,
      to: recipient,
      amount: BigInt(amount),
    });
    const answer = await shop.client.payMpp(session.id, challenge, { type: 'hash', hash });
    expect(answer.status).toBe(200);
    expect(await shop.walk(session.id)).toEqual(['created', 'pending', 'paid']);
  });

  test("another account's transaction pays nothing", async () => {
    const [mine, theirs] = [await shop.session(), await shop.session()];
    const amount = BigInt(requestOf(challengeFor(await shop.client.ask(theirs.id), 'hash')).amount);
    const challenge = challengeFor(await shop.client.ask(mine.id), 'hash');
    const hash = await shop.chain.transferErc20({ token: shop.usdc, from: bob.address, to: shop.wallet, amount });
    await shop.chain.included(hash);
    await expect.poll(() => shop.walk(theirs.id), { timeout: 20_000 }).toEqual(['created', 'pending', 'paid']);
    const answer = await shop.client.payMpp(mine.id, challenge, { type: 'hash', hash }, LOOK_ONCE);
    expect([answer.status, answer.body.type]).toEqual([402, 'https://paymentauth.org/problems/verification-failed']);
    expect(await shop.rulesOf(mine.id)).toEqual([]);
  });
});

test('twenty made-up hashes do not close a checkout to programs', async () => {
  const session = await shop.session();
  const challenge = challengeFor(await shop.client.ask(session.id), 'hash');
  const statuses: number[] = [];
  for (let made = 0; made < 20; made += 1) {
    const hash = toHex(crypto.getRandomValues(new Uint8Array(32)));
    statuses.push((await shop.client.payMpp(session.id, challenge, { type: 'hash', hash }, LOOK_ONCE)).status);
  }
  expect(new Set(statuses)).toEqual(new Set([202, 429]));
  expect((await shop.client.buy(session.id, alice)).status).toBe(200);
});

describe('an invalid credential gets the problem of the protocol with a fresh challenge, and nothing is sent', () => {
  type Wrong = (accepted: any) => Promise<unknown> | unknown;
  const other = `0x${'77'.repeat(20)}`;
  const wrong: [string, string, Wrong][] = [
    ['malformed JSON', 'malformed-credential', () => 'no json'],
    ['version 1', 'malformed-credential', async (one) => ({ ...(await signX402(one, alice)), x402Version: 1 })],
    ['another network', 'invalid-challenge', (one) => signX402({ ...one, network: 'eip155:1' }, alice)],
    ['another token', 'invalid-challenge', (one) => signX402({ ...one, asset: other }, alice)],
    ['another payee in the requirements', 'invalid-challenge', (one) => signX402({ ...one, payTo: other }, alice)],
    ['a smaller amount in the requirements', 'invalid-challenge', (one) => signX402({ ...one, amount: '1' }, alice)],
    ['another payee in the signature', 'verification-failed', (one) => signX402(one, alice, { to: other })],
    [
      'one unit short',
      'payment-insufficient',
      (one) => signX402(one, alice, { value: String(BigInt(one.amount) - 1n) }),
    ],
    ['one unit more', 'verification-failed', (one) => signX402(one, alice, { value: String(BigInt(one.amount) + 1n) })],
    ['an expired signature', 'payment-expired', (one) => signX402(one, alice, { validBefore: '1000' })],
    [
      'a signature for later',
      'verification-failed',
      (one) => signX402(one, alice, { validAfter: String(Math.floor(Date.now() / 1000) + 100) }),
    ],
    [
      'a signature for a day',
      'verification-failed',
      (one) => signX402(one, alice, { validBefore: String(Math.floor(Date.now() / 1000) + 86_400) }),
    ],
    ['another signer', 'verification-failed', (one) => signX402(one, alice, { from: bob.address })],
    [
      'another domain',
      'verification-failed',
      (one) => signX402(one, alice, { domain: { name: 'Other', version: '2' } }),
    ],
    ['a payer without money', 'verification-failed', (one) => signX402(one, POOR)],
    [
      'numbers that are none',
      'malformed-credential',
      async (one) => {
        const signed = await signX402(one, alice);
        return {
          ...signed,
          payload: { ...signed.payload, authorization: { ...signed.payload.authorization, value: '-1' } },
        };
      },
    ],
    [
      'a signature of another length',
      'malformed-credential',
      async (one) => {
        const signed = await signX402(one, alice);
        return { ...signed, payload: { ...signed.payload, signature: `${signed.payload.signature}00` } };
      },
    ],
  ];
  test.each(wrong)('x402 with %s', async (_name, problem, make) => {
    const session = await shop.session();
    const [accepted] = requiredIn(await shop.client.ask(session.id)).accepts;
    const sent = shop.facilitator.asked.length;
    const answer = await shop.client.payX402(session.id, await make(accepted));
    expect([answer.status, answer.body.type]).toEqual([402, `https://paymentauth.org/problems/${problem}`]);
    expect(requiredIn(answer).accepts).toEqual([accepted]);
    expect(challengesIn(answer).length).toBe(2);
    expect(answer.headers['payment-receipt']).toBeUndefined();
    expect(decode(answer.headers['payment-response'] as string, 'base64')).toMatchObject({
      success: false,
      transaction: '',
    });
    expect(shop.facilitator.asked.length).toBe(sent);
    expect(await shop.credentials(session.id)).toEqual([]);
    expect(await shop.walk(session.id)).toEqual(['created']);
  });

  const wrongMpp: [string, string, (challenge: Challenge) => Promise<[Challenge, unknown]>][] = [
    [
      'a changed challenge',
      'invalid-challenge',
      async (one) => {
        const request = Buffer.from(JSON.stringify({ ...requestOf(one), amount: '1' })).toString('base64url');
        const changed = { ...one, request };
        return [changed, await signMpp(changed, alice, DOMAIN)];
      },
    ],
    [
      'an extended challenge',
      'invalid-challenge',
      async (one) => {
        const extended = { ...one, expires: new Date(Date.now() + 3_000_000).toISOString() };
        return [extended, await signMpp(extended, alice, DOMAIN)];
      },
    ],
    [
      'a foreign nonce',
      'verification-failed',
      async (one) => [one, await signMpp(one, alice, DOMAIN, { nonce: `0x${'05'.repeat(32)}` })],
    ],
    ['a type that is not offered', 'malformed-credential', async (one) => [one, { type: 'permit2' }]],
    ['no payload', 'malformed-credential', async (one) => [one, 'nothing']],
  ];
  test.each(wrongMpp)('the "Payment" scheme with %s', async (_name, problem, make) => {
    const session = await shop.session();
    const answer = await shop.client.payMpp(
      session.id,
      ...(await make(challengeFor(await shop.client.ask(session.id), 'authorization'))),
    );
    expect([answer.status, answer.body.type]).toEqual([402, `https://paymentauth.org/problems/${problem}`]);
    expect(challengesIn(answer).length).toBe(2);
    expect(await shop.credentials(session.id)).toEqual([]);
  });

  const wrongTransactions: [string, string, (challenge: Challenge) => Promise<unknown>][] = [
    [
      'to another payee',
      'verification-failed',
      (one) => signTransaction(shop.chain, one, alice, { to: other as Address }),
    ],
    ['one unit short', 'payment-insufficient', (one) => signTransaction(shop.chain, one, alice, { short: 1n })],
    [
      'of another token',
      'verification-failed',
      (one) => signTransaction(shop.chain, one, alice, { token: other as Address }),
    ],
    ['for another chain', 'verification-failed', (one) => signTransaction(shop.chain, one, alice, { chainId: 1 })],
    ['that is not the next one', 'verification-failed', (one) => signTransaction(shop.chain, one, alice, { ahead: 5 })],
    [
      'with more behind its arguments',
      'malformed-credential',
      (one) => signTransaction(shop.chain, one, alice, { tail: '00' }),
    ],
    [
      'that moves something else',
      'malformed-credential',
      (one) => signTransaction(shop.chain, one, alice, { call: 'approve' }),
    ],
    ['without money', 'verification-failed', (one) => signTransaction(shop.chain, one, POOR)],
    ['with too little gas', 'verification-failed', (one) => signTransaction(shop.chain, one, alice, { gas: 21_700n })],
    [
      'with a fee that no block takes',
      'verification-failed',
      (one) => signTransaction(shop.chain, one, alice, { maxFeePerGas: 1n }),
    ],
  ];
  test.each(wrongTransactions)('a transaction %s', async (_name, problem, make) => {
    const session = await shop.session();
    const challenge = challengeFor(await shop.client.ask(session.id), 'transaction');
    const answer = await shop.client.payMpp(session.id, challenge, await make(challenge));
    expect([answer.status, answer.body.type]).toEqual([402, `https://paymentauth.org/problems/${problem}`]);
    expect(await shop.credentials(session.id)).toEqual([]);
  });

  test.each([
    ['authorization', 'Payment', 402],
    ['authorization', 'Payment !!!', 402],
    ['authorization', `Payment ${'A'.repeat(12_500)}`, 402],
    ['authorization', `Payment ${Buffer.from('[]').toString('base64url')}`, 402],
    ['authorization', `Payment ${Buffer.from('{"challenge":1}').toString('base64url')}`, 402],
    ['payment-signature', 'e30', 402],
    ['payment-signature', Buffer.from(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`).toString('base64'), 402],
    ['payment-signature', Buffer.from([0x22, 0xff, 0x22]).toString('base64'), 402],
    ['x-payment', 'e30=', 402],
  ])('a malformed %s header', async (name, value, status) => {
    const session = await shop.session();
    const answer = await shop.inject('GET', `/checkout/${session.id}`, { headers: { [name]: value } });
    expect([answer.status, answer.body.type]).toEqual([
      status,
      'https://paymentauth.org/problems/malformed-credential',
    ]);
    expect(challengesIn(answer).length).toBe(2);
  });

  test('the credential of one checkout is refused by another', async () => {
    const [a, b] = [await shop.session(), await shop.session()];
    const payload = await signX402(requiredIn(await shop.client.ask(a.id)).accepts[0], alice);
    const challenge = challengeFor(await shop.client.ask(a.id), 'authorization');
    await shop.client.ask(b.id);
    for (const answer of [
      await shop.client.payX402(b.id, payload),
      await shop.client.payMpp(b.id, challenge, await signMpp(challenge, alice, DOMAIN)),
    ])
      expect([answer.status, answer.body.type]).toEqual([402, 'https://paymentauth.org/problems/invalid-challenge']);
    expect(await shop.credentials(b.id)).toEqual([]);
  });

  test('a nonce that was used for one checkout is refused by another', async () => {
    const [a, b] = [await shop.session(), await shop.session()];
    const nonce = `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}` as Hex;
    expect((await shop.client.buy(a.id, alice, { nonce })).status).toBe(200);
    const answer = await shop.client.buy(b.id, alice, { nonce });
    expect([answer.status, answer.body.type]).toEqual([402, 'https://paymentauth.org/problems/invalid-challenge']);
    expect(await shop.walk(b.id)).toEqual(['created']);
  });
});

const POOR = privateKeyToAccount(`0x${'99'.repeat(32)}`);
