import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deliverMails, mailbox } from '../../support/logins.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

type Data = any;

const OWN = '0x52908400098527886E0F7030069857D2E4169EE7';
const OTHER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

const box = mailbox();
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ overrides: { mail: box } });
});
afterAll(() => app.stop());

/** A live merchant who wants to confirm wallets of keys. */
async function careful(): Promise<Merchant> {
  const { live } = await app.newMerchant();
  await live.dashboard.patch('/account', { confirm_key_wallets: true });
  return live;
}

const confirm = (merchant: Merchant, id: string, token = merchant.loginToken) =>
  app.inject('POST', `/dashboard/api/payout-wallets/${id}/confirm`, { token, headers: { 'service-mode': 'live' } });
const refusals = async (merchant: Merchant, id: string | undefined) => {
  const wallet = id === undefined ? {} : { payout_wallet_id: id };
  const money = { amount: '49.00', currency: 'USD', ...wallet };
  const answers: Data[] = [
    await merchant.request('POST', '/checkout/sessions', { body: money }),
    ...(id === undefined
      ? []
      : [
          await merchant.request('POST', '/payment-links', { body: { ...money, description: 'A fern' } }),
          await merchant.request('GET', '/routes/quote', {
            query: { pay_asset: 'USDC', pay_network: 'base', payout_wallet_id: id, amount: '49.00' },
          }),
        ]),
  ];
  return answers.map(({ status, body }) => [status, body.error?.param ?? null]);
};

describe('a wallet that a live key added', () => {
  test('waits where the account wants that, and nothing settles to it before its owner confirms it', async () => {
    const merchant = await careful();
    const own = await merchant.dashboard.createWallet({ address: OWN });
    expect(own).toMatchObject({ is_default: true, waits_for: null });
    const added = await merchant.createWallet({ address: OTHER });
    expect(added).toMatchObject({ is_default: false, waits_for: 'confirmation', created_by: 'key' });
    expect(await merchant.get(`/payout-wallets/${added.id}`)).toMatchObject({ waits_for: 'confirmation' });
    const refused = [400, 'payout_wallet_id'];
    expect(await refusals(merchant, added.id)).toEqual([refused, refused, refused]);
    // The owner is refused as well, until the wallet is confirmed.
    expect(await refusals(merchant.dashboard, added.id)).toEqual([refused, refused, refused]);
    await expect(merchant.dashboard.post(`/payout-wallets/${added.id}/default`)).rejects.toMatchObject({ status: 400 });
    // The wallets of the owner are not affected.
    expect((await merchant.createSession({ payout_wallet_id: own.id })).payout_wallet_id).toBe(own.id);

    // No key confirms its own wallet, and no stranger.
    expect((await confirm(merchant, added.id, merchant.liveKey)).status).toBe(403);
    expect((await confirm(merchant, added.id, (await app.newMerchant()).loginToken)).status).toBe(404);
    expect((await confirm(merchant, added.id)).body.data).toMatchObject({ waits_for: null });
    expect((await confirm(merchant, added.id)).status).toBe(200);
    const ok = [201, null];
    expect(await refusals(merchant, added.id)).toEqual([ok, ok, [200, null]]);
  });

  test('also the first one, which is the default and waits all the same', async () => {
    const merchant = await careful();
    const added = await merchant.createWallet({ address: OTHER });
    expect(added).toMatchObject({ is_default: true, waits_for: 'confirmation' });
    expect(await refusals(merchant, undefined)).toEqual([[400, 'payout_wallet_id']]);
    await confirm(merchant, added.id);
    expect(await refusals(merchant, undefined)).toEqual([[201, null]]);
  });

  test('keeps waiting when the account stops wanting that, and cannot be confirmed once it is archived', async () => {
    const merchant = await careful();
    const added = await merchant.createWallet({ address: OTHER });
    await merchant.dashboard.patch('/account', { confirm_key_wallets: false });
    expect(await merchant.get(`/payout-wallets/${added.id}`)).toMatchObject({ waits_for: 'confirmation' });
    await merchant.dashboard.post(`/payout-wallets/${added.id}/archive`);
    expect((await confirm(merchant, added.id)).body.error).toMatchObject({ code: 'invalid_payout_wallet' });
  });

  test('is announced with where to confirm it', async () => {
    const merchant = await careful();
    await merchant.createWallet({ address: OTHER });
    await deliverMails(app.ctx);
    const [mail] = box.mails.filter(({ to }) => to === merchant.email);
    expect(mail?.text).toContain('No payment settles to it before you confirm it');
    expect(mail?.text).toContain('/dashboard/wallets');
  });

  test('is usable at once by default, and in test mode, and where a login adds it', async () => {
    const merchant = (await app.newMerchant()).live;
    expect(await merchant.createWallet({ address: OTHER })).toMatchObject({ waits_for: null });
    const guarded = await careful();
    expect(await guarded.test.createWallet({ address: OTHER })).toMatchObject({ waits_for: null });
    expect(await guarded.dashboard.createWallet({ address: OTHER })).toMatchObject({ waits_for: null });
  });

  test('the setting is one of a login, not of a key', async () => {
    const merchant = await careful();
    await expect(merchant.patch('/account', { confirm_key_wallets: false })).rejects.toMatchObject({ status: 403 });
    await expect(merchant.dashboard.patch('/account', { confirm_key_wallets: 'no' })).rejects.toMatchObject({
      status: 400,
      param: 'confirm_key_wallets',
    });
    expect(await merchant.get('/account')).toMatchObject({ confirm_key_wallets: true });
  });
});
