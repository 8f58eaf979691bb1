import { ed25519 } from '@noble/curves/ed25519.js';
import { NETWORKS } from '@quittance/contract';
import { base58 } from '@scure/base';
import { parseSiweMessage } from 'viem/siwe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { ethereumWallet, solanaWallet } from '../../support/logins.ts';
import type { Merchant } from '../../support/merchant.ts';
import { SOLANA_ENVELOPES } from '../../support/solana-envelopes.ts';

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
  merchant = await app.newMerchant();
});
afterAll(() => app.stop());

describe('POST /v1/payout-wallets/{id}/prove', () => {
  const prove = (id: string, signature?: unknown) =>
    merchant.dashboard.request('POST', `/payout-wallets/${id}/prove`, {
      body: signature === undefined ? undefined : { signature },
    });

  test.each([
    ['base', ethereumWallet],
    ['ethereum', ethereumWallet],
    ['solana', solanaWallet],
  ] as const)('200: first the text to sign, then that it is proved, on %s', async (network, make) => {
    const owner = make();
    const { id } = await merchant.createWallet({ network, address: owner.address });

    const asked = await prove(id);
    expect(asked.body.data).toEqual({
      payout_wallet_id: id,
      proved: false,
      message: expect.any(String),
      expires_in: 300,
      proof: 'not_required',
      transfer: null,
    });
    const { host, origin } = new URL(app.ctx.config.publicUrl);
    const isSolana = network === 'solana';
    expect(asked.body.data.message.split('\n')).toEqual([
      `${host} wants you to sign in with your ${isSolana ? 'Solana' : 'Ethereum'} account:`,
      owner.address,
      '',
      expect.stringMatching(
        `^Prove that this address on ${NETWORKS[network].name} belongs to the account acc_\\w+.*\\. This moves no funds\\.$`,
      ),
      '',
      `URI: ${origin}`,
      'Version: 1',
      `Chain ID: ${isSolana ? 'mainnet' : (NETWORKS[network] as { chainId: number }).chainId}`,
      expect.stringMatching(/^Nonce: [0-9A-Za-z]{22}$/),
      expect.stringMatching(/^Issued At: 20.*Z$/),
      expect.stringMatching(/^Expiration Time: 20.*Z$/),
      `Request ID: ${id}`,
    ]);
    if (!isSolana) expect(parseSiweMessage(asked.body.data.message)).toMatchObject({ domain: host, requestId: id });
    const answer = await prove(id, await owner.sign(asked.body.data.message));

    expect(answer).toMatchObject({
      status: 200,
      body: { data: { payout_wallet_id: id, proved: true, message: null, expires_in: null } },
    });
    expect((await merchant.get(`/payout-wallets/${id}`)).proved).toBe(true);
    expect((await prove(id)).body.data.proved).toBe(true);
  });

  test.each(Object.entries(SOLANA_ENVELOPES))(
    '200: a Solana wallet that signs the envelope of %s proves its live address, and no other',
    async (_, envelope) => {
      const live = await app.newMerchant({ mode: 'live' });
      const [secret, stranger] = [ed25519.utils.randomSecretKey(), ed25519.utils.randomSecretKey()];
      const address = base58.encode(ed25519.getPublicKey(secret));
      const { id } = await live.createWallet({ network: 'solana', address });
      const send = (signature?: string) =>
        live.dashboard.request('POST', `/payout-wallets/${id}/prove`, { body: signature && { signature } });
      const { message } = (await send()).body.data;
      const signed = (text: string, by: Uint8Array) => base58.encode(ed25519.sign(envelope(text, address), by));
      for (const wrong of [signed(message, stranger), signed(`${message} `, secret)])
        expect(await send(wrong)).toMatchObject({ status: 400, body: { error: { code: 'invalid_signature' } } });

      expect(await send(signed(message, secret))).toMatchObject({ status: 200, body: { data: { proved: true } } });
      expect(await live.get(`/payout-wallets/${id}`)).toMatchObject({ proved: true, livemode: true });
    },
  );

  test('a repeat under its Idempotency-Key is answered the same text, and gives no new one', async () => {
    const owner = ethereumWallet();
    const { id } = await merchant.createWallet({ address: owner.address });
    const ask = () =>
      merchant.dashboard.request('POST', `/payout-wallets/${id}/prove`, {
        headers: { 'idempotency-key': 'prove-once' },
      });

    const asked = await ask();
    const again = await ask();

    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toEqual(asked.body);
    expect((await prove(id, await owner.sign(asked.body.data.message))).body.data.proved).toBe(true);
  });

  test("400 invalid_signature: another wallet's, another text's, an older text's, an expired one's, none asked for", async () => {
    const [owner, stranger] = [ethereumWallet(), ethereumWallet()];
    const { id } = await merchant.createWallet({ address: owner.address });
    const other = await merchant.createWallet({ address: owner.address });
    const refused = async (signature: unknown) =>
      expect(await prove(id, signature)).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_signature', param: 'signature' } },
      });

    await refused(await owner.sign('anything'));
    const older = (await prove(id)).body.data.message;
    const text = (await prove(id)).body.data.message;
    await refused(await stranger.sign(text));
    await refused(await owner.sign(older));
    await refused(await owner.sign((await prove(other.id)).body.data.message));
    for (const nonsense of ['', '0x', 5, null, 'x'.repeat(70_000)]) await refused(nonsense);
    await app.ctx.db.query(
      'age_challenge',
      `update wallet_challenges set expires_at = expires_at - interval '301 seconds' where payout_wallet_id = $1`,
      [id],
    );
    await refused(await owner.sign(text));
    expect((await merchant.get(`/payout-wallets/${id}`)).proved).toBe(false);
  });
});
