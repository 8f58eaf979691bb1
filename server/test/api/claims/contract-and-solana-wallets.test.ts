import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { TemporaryError } from '../../../src/platform/errors.ts';
import { later } from '../../../src/platform/time.ts';
import { claimsJob } from '../../../src/settlement/attribution/verify-claims.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';
import { SOLANA_ENVELOPES } from '../../support/solana-envelopes.ts';
import { take } from '../../support/transfers.ts';
import { dueNow, LONG_SIGNATURE, newKey, statusOf, stored, submit, textOf, transferOf, work } from './claims.ts';

const SOLANA_WALLET = '7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs';
const CONTRACT = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

const contractWallets = {
  isSigned: vi.fn(async (_signed: { address: string; message: string; signature: string }, _asker: object) => false),
};
let app: TestApp;
let merchant: Merchant;

beforeAll(async () => {
  app = await startApp({ overrides: { contractWallets } });
  merchant = app.merchant.live;
});
afterAll(() => app.stop());
beforeEach(async () => {
  contractWallets.isSigned.mockReset().mockResolvedValue(false);
  await app.ctx.db.query('test_no_claims', 'delete from signed_claims');
});

describe('a contract wallet', () => {
  test('claims by a signature that two providers confirm, before its transfer is read or afterwards', async () => {
    contractWallets.isSigned.mockResolvedValue(true);
    const [before, after] = [await merchant.createSession(), await merchant.createSession()];
    const [first, second] = [transferOf({ from: CONTRACT }), transferOf({ from: CONTRACT })];
    expect(
      (
        await submit(app, before.id, {
          tx_hash: first.txHash,
          signature: LONG_SIGNATURE,
          sender: CONTRACT.toLowerCase(),
        })
      ).status,
    ).toBe(202);
    expect(contractWallets.isSigned).not.toHaveBeenCalled();
    for (const transfer of [first, second]) await take(app.ctx, transfer);
    expect(await statusOf(app, before.id)).toBe('created');
    await dueNow(app);
    await work(app);
    expect(await statusOf(app, before.id)).toBe('paid');
    expect(contractWallets.isSigned).toHaveBeenCalledWith(
      {
        network: 'base',
        address: CONTRACT,
        message: textOf(before.id, first.txHash),
        signature: LONG_SIGNATURE,
      },
      { for: 'claim' },
    );

    // The 65 bytes of an owner's key are also a signature of the wallet.
    const { status } = await submit(app, after.id, {
      tx_hash: second.txHash,
      signature: await newKey().signMessage({ message: 'by the rules of the wallet' }),
      sender: CONTRACT,
    });
    expect([status, await statusOf(app, after.id)]).toEqual([202, 'paid']);
    expect(await stored(app, after.id)).toMatchObject([{ signer: CONTRACT, signature: null, verified: true }]);
  });

  test('does not claim what its providers do not confirm, and is asked three times at most', async () => {
    const [{ id }, transfer] = [await merchant.createSession(), transferOf({ from: CONTRACT })];
    await take(app.ctx, transfer);
    await submit(app, id, { tx_hash: transfer.txHash, signature: LONG_SIGNATURE, sender: CONTRACT });
    for (let round = 0; round < 5; round += 1) {
      await dueNow(app);
      await work(app);
    }
    expect([contractWallets.isSigned.mock.calls.length, await statusOf(app, id), await stored(app, id)]).toEqual([
      3,
      'created',
      [],
    ]);
  });

  test('is asked again where its providers were too busy', async () => {
    const [{ id }, transfer] = [await merchant.createSession(), transferOf({ from: CONTRACT })];
    await take(app.ctx, transfer);
    contractWallets.isSigned.mockRejectedValue(new TemporaryError('busy'));
    await submit(app, id, { tx_hash: transfer.txHash, signature: LONG_SIGNATURE, sender: CONTRACT });
    for (let round = 0; round < 5; round += 1) {
      await dueNow(app);
      await work(app);
    }
    contractWallets.isSigned.mockResolvedValue(true);
    await dueNow(app);
    await work(app);
    expect(await statusOf(app, id)).toBe('paid');
  });

  test.each([
    ['new', 0, 10],
    ['4 minutes old', 4 * 60, 2 * 60],
    ['a week old', 7 * 24 * 3600, 5 * 60],
  ])('is asked ever more rarely while its providers stay silent: a claim that is %s', async (_, ageSeconds, waits) => {
    const [{ id }, transfer] = [await merchant.createSession(), transferOf({ from: CONTRACT })];
    contractWallets.isSigned.mockRejectedValue(new TemporaryError('silence'));
    await submit(app, id, { tx_hash: transfer.txHash, signature: LONG_SIGNATURE, sender: CONTRACT });
    await take(app.ctx, transfer);
    const now = await app.ctx.db.now();
    const { query } = app.ctx.db;
    const created = later(now, -ageSeconds * 1000);
    await query('test_aged', 'update signed_claims set created_at = $1, due_at = $1', [created]);
    const ctx = { ...app.ctx, db: { ...app.ctx.db, now: async () => now } };
    await claimsJob.run(ctx, new AbortController().signal, () => {});
    expect(contractWallets.isSigned).toHaveBeenCalledOnce();
    expect(await query('test_due_at', 'select due_at from signed_claims')).toEqual([
      { dueAt: later(now, waits * 1000) },
    ]);
  });

  test('is not kept out by strangers who sign for it', async () => {
    const transfer = transferOf({ from: CONTRACT });
    await take(app.ctx, transfer);
    for (let time = 0; time < 12; time += 1)
      await submit(app, (await merchant.createSession()).id, {
        tx_hash: transfer.txHash,
        signature: `0x${'ef'.repeat(100 + time)}`,
        sender: CONTRACT,
      });
    const { id } = await merchant.createSession();
    contractWallets.isSigned.mockImplementation(async ({ signature }) => signature === LONG_SIGNATURE);
    for (let round = 0; round < 3; round += 1) {
      await dueNow(app);
      await work(app);
    }
    expect(
      (await submit(app, id, { tx_hash: transfer.txHash, signature: LONG_SIGNATURE, sender: CONTRACT })).status,
    ).toBe(202);
    expect(await statusOf(app, id)).toBe('paid');
  });
});

describe('on Solana', () => {
  const secret = ed25519.utils.randomSecretKey();
  const customer = base58.encode(ed25519.getPublicKey(secret));
  const signed = (text: string) => base58.encode(ed25519.sign(new TextEncoder().encode(text), secret));

  test('a claim that names its sender is verified when it arrives', async () => {
    const { id } = await solanaSession();
    const transfer = transferOf({ network: 'solana', to: SOLANA_WALLET, from: customer });
    const signature = signed(textOf(id, transfer.txHash, 'solana'));
    const wrong = await submit(app, id, { tx_hash: transfer.txHash, signature, sender: SOLANA_WALLET });
    expect([wrong.status, wrong.body.error.code, wrong.body.error.param]).toEqual([
      400,
      'invalid_signature',
      'signature',
    ]);
    expect((await submit(app, id, { tx_hash: transfer.txHash, signature, sender: customer })).status).toBe(202);
    expect(await stored(app, id)).toMatchObject([{ signer: customer, signature: null, verified: true }]);
    await take(app.ctx, transfer);
    expect(await statusOf(app, id)).toBe('paid');
  });

  test('one that does not is verified against the account that was debited', async () => {
    const [right, wrong] = [await solanaSession(), await solanaSession()];
    const transfer = transferOf({ network: 'solana', to: SOLANA_WALLET, from: customer });
    expect(
      (
        await submit(app, right.id, {
          tx_hash: transfer.txHash,
          signature: signed(textOf(right.id, transfer.txHash, 'solana')),
        })
      ).status,
    ).toBe(202);
    expect(
      (
        await submit(app, wrong.id, {
          tx_hash: transfer.txHash,
          signature: signed(textOf(right.id, transfer.txHash, 'solana')),
        })
      ).status,
    ).toBe(202);
    expect(await stored(app, right.id)).toMatchObject([{ signer: '', verified: false }]);
    await take(app.ctx, transfer);
    await dueNow(app);
    await work(app);
    expect([await statusOf(app, right.id), await statusOf(app, wrong.id)]).toEqual(['paid', 'created']);
    expect([await stored(app, right.id), await stored(app, wrong.id)]).toMatchObject([
      [{ signer: customer, signature: null, verified: true }],
      [],
    ]);
  });

  test.each(Object.entries(SOLANA_ENVELOPES))(
    'a signature of the off-chain envelope claims by the text in it and no other, with and without a sender (%s)',
    async (_, envelope) => {
      const [named, unnamed, other] = [await solanaSession(), await solanaSession(), await solanaSession()];
      const wrap = (id: string, txHash: string) =>
        base58.encode(ed25519.sign(envelope(textOf(id, txHash, 'solana'), customer), secret));

      const first = transferOf({ network: 'solana', to: SOLANA_WALLET, from: customer });
      const claim = { tx_hash: first.txHash, signature: wrap(named.id, first.txHash), sender: customer };
      expect(await submit(app, other.id, claim)).toMatchObject({ status: 400 });
      expect(await submit(app, named.id, claim)).toMatchObject({ status: 202 });
      await take(app.ctx, first);

      const second = transferOf({ network: 'solana', to: SOLANA_WALLET, from: customer });
      const signature = wrap(unnamed.id, second.txHash);
      await submit(app, unnamed.id, { tx_hash: second.txHash, signature });
      await submit(app, other.id, { tx_hash: second.txHash, signature });
      await take(app.ctx, second);
      await dueNow(app);
      await work(app);
      const statuses = [named, unnamed, other].map(({ id }) => statusOf(app, id));
      expect(await Promise.all(statuses)).toEqual(['paid', 'paid', 'created']);
    },
  );

  test.each([
    ['hex of 65 bytes', `0x${'ab'.repeat(65)}`],
    ['no signature', 'x'],
    ['500 bytes', LONG_SIGNATURE],
  ])('a malformed signature is a 400 (%s)', async (_, signature) => {
    const { id } = await solanaSession();
    const { status, body } = await submit(app, id, { tx_hash: base58.encode(new Uint8Array(64).fill(7)), signature });
    expect([status, body.error.param]).toEqual([400, 'signature']);
  });

  const solanaSession = () => merchant.createSession({ payout_wallet_id: solanaWallet });
  let solanaWallet: string;
  beforeAll(async () => {
    solanaWallet = (await merchant.createWallet({ asset: 'USDC', network: 'solana', address: SOLANA_WALLET })).id;
  });
});
