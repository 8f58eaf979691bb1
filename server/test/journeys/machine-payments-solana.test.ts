import { base64 } from '@scure/base';
import type { KeyPairSigner } from '@solana/kit';
import { getApproveInstruction } from '@solana-program/token';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keysOfReceipt } from '../support/receipt-keys.ts';
import { verifyReceipt } from '../../../sdk/src/receipts.ts';
import { challengeFor, requestOf, requiredIn, type Challenge } from '../support/machine-client.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type SolanaMachineShop, startSolanaMachineShop } from '../support/solana/machine-shop.ts';
import { memo, signAndEncode, solTransfer, tokenTransfer } from '../support/solana/transactions.ts';
import { TOKEN_PROGRAM } from '../support/solana/index.ts';

const EVENTS = ['payment.created', 'payment.pending', 'payment.paid', 'payment.refunded'];
let shop: SolanaMachineShop;
let receiver: Receiver;

beforeAll(async () => {
  shop = await startSolanaMachineShop(() => async () => Promise.reject(new Error('not asked')));
  receiver = await startReceiver();
  await shop.merchant.createEndpoint({ url: receiver.url, events: EVENTS });
});
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]();
  await receiver?.close();
});

describe('a program pays a live session on Solana', () => {
  test('by the signature of a transaction that it sent, and a refund shows', async () => {
    const session = await shop.session();
    const challenge = challengeFor(await shop.client.ask(session.id), 'signature');
    const { amount, recipient, externalId } = requestOf(challenge);
    const signature = await shop.cluster.transferToken({
      mint: shop.usdc,
      from: shop.payer,
      to: recipient,
      amount: BigInt(amount),
      memo: externalId,
    });
    const answer = await shop.client.payMpp(session.id, challenge, { type: 'signature', signature });
    expect(answer.status).toBe(200);
    expect(answer.body.receipt).toMatchObject({ method: 'solana', reference: signature });
    expect(await shop.walk(session.id)).toEqual(['created', 'pending', 'paid']);
    await refundShows(session.id, answer.body.receipt.jws);
  });

  test('by a signed transaction, which is only broadcast here, and a refund shows', async () => {
    const session = await shop.session();
    const challenge = challengeFor(await shop.client.ask(session.id), 'transaction');
    const before = await shop.cluster.balance(shop.usdc, shop.wallet.address);
    const answer = await shop.client.payMpp(session.id, challenge, await signed(challenge));
    expect(answer.status).toBe(200);
    expect(await shop.walk(session.id)).toEqual(['created', 'pending', 'paid']);
    expect((await shop.cluster.balance(shop.usdc, shop.wallet.address)) - before).toBe(
      BigInt(requestOf(challenge).amount),
    );
    await refundShows(session.id, answer.body.receipt.jws);
  });

  test('is offered x402 with the fee payer of the facilitator, and the reference as the memo', async () => {
    const session = await shop.session();
    expect(requiredIn(await shop.client.ask(session.id)).accepts).toEqual([
      {
        scheme: 'exact',
        network: shop.caip2,
        amount: expect.stringMatching(/^49\d{6}$/),
        asset: shop.usdc,
        payTo: shop.wallet.address,
        maxTimeoutSeconds: 120,
        extra: { feePayer: shop.sponsor.address, memo: session.reference, session: session.id },
      },
    ]);
  });
});

describe('a checkout whose amount is not reserved', () => {
  /** Another account saved the payout wallet first, so no exact amounts are reserved for this one. */
  async function unreserved() {
    const wallet = await shop.cluster.newWallet();
    await shop.cluster.mint(shop.usdc, wallet.address, 1n);
    const first = await shop.app.newMerchant({ mode: 'live' });
    const saved = { asset: 'USDC', network: 'solana', address: wallet.address };
    await first.createWallet(saved);
    const { id } = await shop.merchant.createWallet(saved);
    return { wallet, session: await shop.session({ payout_wallet_id: id }) };
  }

  test('a transaction without the memo, which alone names the payment, is rejected', async () => {
    const { wallet, session } = await unreserved();
    const challenge = challengeFor(await shop.client.ask(session.id), 'transaction');
    const before = await shop.cluster.balance(shop.usdc, wallet.address);
    for (const changes of [{ memo: null }, { memo: 'another' }]) {
      const answer = await shop.client.payMpp(session.id, challenge, await signed(challenge, changes));
      expect([answer.status, answer.body.type]).toEqual([402, 'https://paymentauth.org/problems/verification-failed']);
      expect(answer.body.detail).toContain('memo');
    }
    expect(await shop.cluster.balance(shop.usdc, wallet.address)).toBe(before);
    expect(await shop.walk(session.id)).toEqual(['created']);
  });

  test.each(['MPP', 'x402'])(
    "is not paid out of another's account by its delegate, whose memo counts for nothing: %s",
    async (protocol) => {
      const { wallet, session } = await unreserved();
      const asked = await shop.client.ask(session.id);
      const challenge = challengeFor(asked, 'transaction');
      const before = await shop.cluster.balance(shop.usdc, wallet.address);
      const delegate = await delegateOf(shop.payer);
      const feePayer = protocol === 'MPP' ? delegate : shop.sponsor;
      const payload = await signed(challenge, { delegate, feePayer });
      const [accepted] = requiredIn(asked).accepts;
      const answer =
        protocol === 'MPP'
          ? await shop.client.payMpp(session.id, challenge, payload)
          : await shop.client.payX402(session.id, { x402Version: 2, accepted, payload });
      expect(answer.status).toBe(402);
      expect(answer.raw + JSON.stringify(answer.headers)).toContain('associated token account');
      expect(await shop.cluster.balance(shop.usdc, wallet.address)).toBe(before);
      expect(await shop.walk(session.id)).toEqual(['created']);
    },
  );

  test('is paid by a transaction with the memo', async () => {
    const { session } = await unreserved();
    const challenge = challengeFor(await shop.client.ask(session.id), 'transaction');
    expect(requestOf(challenge).amount).toBe('49000000');
    expect((await shop.client.payMpp(session.id, challenge, await signed(challenge))).status).toBe(200);
    expect(await shop.walk(session.id)).toEqual(['created', 'pending', 'paid']);
  });
});

test('a transaction without the memo pays a checkout whose amount is reserved', async () => {
  const session = await shop.session();
  const challenge = challengeFor(await shop.client.ask(session.id), 'transaction');
  expect((await shop.client.payMpp(session.id, challenge, await signed(challenge, { memo: null }))).status).toBe(200);
});

describe('an invalid credential gets the problem of the protocol, and nothing is sent', () => {
  const wrong: [string, string, (challenge: Challenge) => Promise<unknown>][] = [
    ['one unit short', 'payment-insufficient', (one) => signed(one, { short: 1n })],
    ['to another payee', 'verification-failed', (one) => signed(one, { to: shop.sponsor.address })],
    ['of another mint', 'verification-failed', async (one) => signed(one, { mint: await shop.cluster.createMint() })],
    ['of SOL', 'verification-failed', (one) => signed(one, { sol: true })],
    ['with a second transfer beside it', 'malformed-credential', (one) => signed(one, { twice: true })],
    [
      'of a payer without money',
      'verification-failed',
      async (one) => signed(one, { payer: await shop.cluster.newWallet() }),
    ],
    [
      'with a changed byte',
      'malformed-credential',
      async (one) => {
        const { type, transaction } = (await signed(one)) as { type: string; transaction: string };
        const bytes = base64.decode(transaction);
        bytes[70] = (bytes[70] ?? 0) ^ 1;
        return { type, transaction: base64.encode(bytes) };
      },
    ],
    ['that cannot be decoded', 'malformed-credential', async () => ({ type: 'transaction', transaction: 'AAAA' })],
  ];
  test.each(wrong)('a transaction %s', async (_name, problem, make) => {
    const session = await shop.session();
    const challenge = challengeFor(await shop.client.ask(session.id), 'transaction');
    const before = await shop.cluster.balance(shop.usdc, shop.wallet.address);
    const answer = await shop.client.payMpp(session.id, challenge, await make(challenge));
    expect([answer.status, answer.body.type]).toEqual([402, `https://paymentauth.org/problems/${problem}`]);
    expect(await shop.cluster.balance(shop.usdc, shop.wallet.address)).toBe(before);
    expect(await shop.walk(session.id)).toEqual(['created']);
  });

  test('a payout wallet without a token account is not offered to programs', async () => {
    const bare = await shop.cluster.newWallet();
    const { id } = await shop.merchant.createWallet({ asset: 'USDC', network: 'solana', address: bare.address });
    const answer = await shop.client.ask((await shop.session({ payout_wallet_id: id })).id);
    expect([answer.status, answer.body.type]).toEqual([400, 'https://paymentauth.org/problems/method-unsupported']);
  });
});

/** The refund ends the checkout for programs, is sent by webhook as a person's is, and is in the newer receipt. */
async function refundShows(sessionId: string, jws: string): Promise<void> {
  const trusted = { jwks: await keysOfReceipt(shop.app, jws), payee: shop.wallet.address };
  const before = await verifyReceipt(jws, trusted);
  expect(before).toMatchObject({ session: sessionId, status: 'paid', refunds: [] });
  const { payment } = await shop.merchant.get(`/checkout/sessions/${sessionId}`);
  await shop.merchant.dashboard.post(`/payments/${payment}/refund`, { amount: '49.00', reason: 'returned' });
  expect(await shop.walk(sessionId)).toEqual(['created', 'pending', 'paid', 'refunded']);
  expect((await shop.client.ask(sessionId)).status).toBe(410);
  const delivered = await receiver.waitFor(EVENTS.length, ({ event }) => event?.data.session === sessionId);
  expect(new Set(delivered.map(({ event }) => event.type))).toEqual(new Set(EVENTS));
  const after = await verifyReceipt((await shop.merchant.get(`/payments/${payment}/receipt`)).jws, trusted);
  expect(after).toMatchObject({ status: 'refunded', refunds: [{ amount: '49.00' }], supersedes: before.jti });
}

/** A key that may move the money of another one. */
async function delegateOf(owner: KeyPairSigner): Promise<KeyPairSigner> {
  const delegate = await shop.cluster.newWallet();
  const source = await shop.cluster.tokenAccount(shop.usdc, owner.address);
  const approval = getApproveInstruction({ source, delegate: delegate.address, owner, amount: 100_000_000n });
  await shop.cluster.send([approval], { from: owner });
  return delegate;
}

interface Changes {
  short?: bigint;
  to?: string;
  mint?: string;
  sol?: boolean;
  twice?: boolean;
  payer?: KeyPairSigner;
  delegate?: KeyPairSigner;
  feePayer?: KeyPairSigner;
  memo?: string | null;
}

/** A transaction that the payer signs completely, including the fee. */
async function signed(challenge: Challenge, changes: Changes = {}): Promise<unknown> {
  const { amount, recipient, externalId } = requestOf(challenge);
  const { payer = shop.payer, mint = shop.usdc, to = recipient } = changes;
  const units = BigInt(amount) - (changes.short ?? 0n);
  const transfer = changes.sol
    ? solTransfer(payer, to, units)
    : tokenTransfer({
        source: await shop.cluster.tokenAccount(mint, payer.address),
        mint,
        destination: await shop.cluster.tokenAccount(mint, to),
        authority: changes.delegate ?? payer,
        amount: units,
        decimals: 6,
        program: TOKEN_PROGRAM as never,
      });
  const text = changes.memo === undefined ? externalId : changes.memo;
  const instructions = [...(text === null ? [] : memo(text)), transfer, ...(changes.twice ? [transfer] : [])];
  const { feePayer = payer } = changes;
  const wire = await signAndEncode(shop.cluster.ledger, instructions, { feePayer, tables: [], legacy: false });
  return { type: 'transaction', transaction: base64.encode(wire) };
}
