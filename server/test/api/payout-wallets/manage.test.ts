import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { deliverMails, ethereumWallet, loginByWallet, mailbox, solanaWallet } from '../../support/logins.ts';
import type { Merchant } from '../../support/merchant.ts';

const box = mailbox();
const address = '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e';
let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp({
    overrides: { mail: box },
    env: { TOKEN_USDC_BASE: '0x52908400098527886E0F7030069857D2E4169EE7' },
  });
  merchant = await app.newMerchant();
});
afterAll(() => app.stop());

const create = (body: unknown, by: Merchant = merchant) => by.request('POST', '/payout-wallets', { body });
const usdcOnBase = { asset: 'USDC', network: 'base', address };

describe('POST /v1/payout-wallets', () => {
  test('201: the wallet, whole; the first one is the default, the next is not', async () => {
    const fresh = await app.newMerchant();
    const first = await create({ ...usdcOnBase, label: 'Treasury' }, fresh);

    expect(first.status).toBe(201);
    expect(first.body.data).toEqual({
      id: expect.stringMatching(/^pp_[0-9A-Za-z]{24}$/),
      object: 'payout_wallet',
      livemode: false,
      asset: 'USDC',
      network: 'base',
      address,
      label: 'Treasury',
      is_default: true,
      archived: false,
      proved: false,
      proof: 'not_required',
      looked_up: true,
      unfit: null,
      waits_for: null,
      created_by: 'key',
      created_at: expect.any(String),
    });
    expect((await create(usdcOnBase, fresh)).body.data.is_default).toBe(false);
    expect((await create(usdcOnBase, fresh.live)).body.data).toMatchObject({ is_default: true, livemode: true });
  });

  test.each([
    ['USDC', 'solana', 'USDC on Solana'],
    ['USDC', 'base', 'USDC on Base'],
    ['USDC', 'ethereum', 'USDC on Ethereum'],
    ['USDC', 'polygon', 'USDC on Polygon'],
    ['USDC', 'arbitrum', 'USDC on Arbitrum'],
    ['USDT', 'ethereum', 'USDT on Ethereum'],
    ['ETH', 'ethereum', 'ETH on Ethereum'],
    ['SOL', 'solana', 'SOL on Solana'],
  ])('201: %s on %s, with a label of its own, read in any case', async (asset, network, label) => {
    const wallet = network === 'solana' ? solanaWallet() : ethereumWallet();
    const answer = await create({
      asset: asset.toLowerCase(),
      network: network.toUpperCase(),
      address: network === 'solana' ? wallet.address : wallet.address.toLowerCase(),
    });
    expect(answer.status).toBe(201);
    expect(answer.body.data).toMatchObject({ asset, network, label, address: wallet.address });
  });

  test('201: the same address may be saved more than once', async () => {
    const [one, two] = [await create(usdcOnBase), await create(usdcOnBase)];
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(one.body.data.id).not.toBe(two.body.data.id);
  });

  test('201: unknown fields do nothing', async () => {
    const eve = ethereumWallet().address;
    const answer = await create({
      ...usdcOnBase,
      payout_address: eve,
      id: 'pp_eve',
      is_default: true,
      livemode: true,
      archived: true,
      proved: true,
    });
    expect(answer.body.data).toMatchObject({
      address,
      livemode: false,
      archived: false,
      proved: false,
      is_default: false,
    });
    expect(answer.raw).not.toContain(eve);
  });

  test('201: an Idempotency-Key makes one wallet of two requests', async () => {
    const ask = () =>
      merchant.request('POST', '/payout-wallets', { body: usdcOnBase, headers: { 'idempotency-key': 'wallet-1' } });
    const [one, two] = [await ask(), await ask()];
    expect(two.raw).toBe(one.raw);
    expect(two.headers['idempotent-replayed']).toBe('true');
  });

  test('201: of many first wallets at once one is the default', async () => {
    const fresh = await app.newMerchant();
    const answers = await Promise.all(Array.from({ length: 30 }, () => create(usdcOnBase, fresh)));
    expect(answers.every((answer) => answer.status === 201)).toBe(true);
    expect(answers.filter((answer) => answer.body.data.is_default)).toHaveLength(1);
  });

  const solana = { asset: 'USDC', network: 'solana' };
  test.each([
    ['asset', { ...usdcOnBase, asset: undefined }],
    ['asset', { ...usdcOnBase, asset: null }],
    ['asset', { ...usdcOnBase, asset: 5 }],
    ['asset', { ...usdcOnBase, asset: '' }],
    ['asset', { ...usdcOnBase, asset: 'USDT' }],
    ['asset', { ...usdcOnBase, asset: 'ETH' }],
    ['asset', { ...usdcOnBase, asset: 'DOGE' }],
    ['asset', { ...usdcOnBase, asset: 'USDC_BASE' }],
    ['asset', { ...usdcOnBase, network: 'arbitrum', asset: 'ETH' }],
    ['asset', { ...solana, asset: 'USDT', address: solanaWallet().address }],
    ['network', { ...usdcOnBase, network: undefined }],
    ['network', { ...usdcOnBase, network: null }],
    ['network', { ...usdcOnBase, network: ['base'] }],
    ['network', { ...usdcOnBase, network: '' }],
    ['network', { ...usdcOnBase, network: 'bitcoin', asset: 'BTC' }],
    ['network', { ...usdcOnBase, network: 'tron', asset: 'USDT' }],
    ['network', { ...usdcOnBase, network: 'bnb', asset: 'BNB' }],
    ['network', { ...usdcOnBase, network: 'Base Sepolia' }],
    ['network', { ...usdcOnBase, network: 'base\u0000' }],
    ['address', { ...usdcOnBase, address: undefined }],
    ['address', { ...usdcOnBase, address: null }],
    ['address', { ...usdcOnBase, address: 0 }],
    ['address', { ...usdcOnBase, address: '' }],
    ['address', { ...usdcOnBase, address: '0x' }],
    ['address', { ...usdcOnBase, address: address.slice(2) }],
    ['address', { ...usdcOnBase, address: `${address}00` }],
    ['address', { ...usdcOnBase, address: ` ${address}` }],
    ['address', { ...usdcOnBase, address: '0xa0Cf798816D4b9b9866b5330EEa46a18382f251e' }],
    ['address', { ...usdcOnBase, address: 'vitalik.eth' }],
    ['address', { ...usdcOnBase, address: `0x${'0'.repeat(40)}` }],
    ['address', { ...usdcOnBase, address: '0x0000000000000000000000000000000000000004' }],
    ['address', { ...usdcOnBase, address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }],
    ['address', { ...usdcOnBase, address: '0x52908400098527886E0F7030069857D2E4169EE7' }],
    ['address', { ...usdcOnBase, address: solanaWallet().address }],
    ['address', { ...solana, address }],
    ['address', { ...solana, address: '11111111111111111111111111111111' }],
    ['address', { ...solana, address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' }],
    ['address', { ...solana, address: `1${solanaWallet().address}` }],
    ['label', { ...usdcOnBase, label: 7 }],
    ['label', { ...usdcOnBase, label: 'x'.repeat(101) }],
    ['label', { ...usdcOnBase, label: 'a\u0000b' }],
    ['label', { ...usdcOnBase, label: '\ud83d' }],
  ])('400 invalid_payout_wallet: %s of %j', async (param, body) => {
    expect(await create(body)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_payout_wallet', param } },
    });
  });

  test('401 without a credential', async () => {
    expect((await app.inject('POST', '/v1/payout-wallets', { body: usdcOnBase })).status).toBe(401);
  });

  test('403 forbidden: a wallet account has only the wallet that it logs in with', async () => {
    const { session_token: token } = await loginByWallet(app.inject, ethereumWallet());
    const key = (await app.inject('POST', '/v1/api-keys', { token, body: { mode: 'test' } })).body.data.secret;
    for (const credential of [token, key]) {
      const answer = await app.inject('POST', '/v1/payout-wallets', { token: credential, body: usdcOnBase });
      expect(answer).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
    }
    expect((await app.inject('GET', '/v1/payout-wallets', { token })).body.data).toHaveLength(1);
  });

  test('403 forbidden: a secret key, where wallets are added by login only', async () => {
    const careful = await app.newMerchant();
    await careful.dashboard.patch('/account', { wallets_by_login_only: true });
    expect(await create(usdcOnBase, careful)).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
    expect(await create(usdcOnBase, careful.dashboard)).toMatchObject({
      status: 201,
      body: { data: { created_by: 'login' } },
    });
  });
});

describe('a wallet that a secret key added is announced by mail', () => {
  const mailsTo = async (to: string) => {
    await deliverMails(app.ctx);
    return box.mails.filter((mail) => mail.to === to);
  };

  test("to the account's own address, with where the money would go and nothing that was sent", async () => {
    const fresh = await app.newMerchant();
    const { id } = await fresh.live.createWallet({ address, label: 'Click https://evil.example' });
    const [mail] = await mailsTo(fresh.email);
    expect(mail?.subject).toBe('A payout wallet was added in live mode');
    expect(mail?.text).toContain(`USDC on Base\n  ${address}\n  ${id}`);
    expect(mail?.text).not.toContain('evil');
  });

  test('not where a login added it, and not where it was refused', async () => {
    const fresh = await app.newMerchant();
    await fresh.live.dashboard.createWallet({ address });
    await create({ ...usdcOnBase, address: '0x' }, fresh.live);
    expect(await mailsTo(fresh.email)).toEqual([]);
  });

  test('twenty times a day in each mode', async () => {
    const fresh = await app.newMerchant();
    for (let count = 0; count < 25; count += 1) await fresh.live.createWallet({ address });
    for (let count = 0; count < 21; count += 1) await fresh.createWallet({ address });
    const subjects = (await mailsTo(fresh.email)).map((mail) => mail.subject);
    expect(subjects.filter((subject) => subject.includes('live'))).toHaveLength(20);
    expect(subjects.filter((subject) => subject.includes('test'))).toHaveLength(20);
  });
});

describe("the announcements of a test key's wallets", () => {
  test('are twenty in 24 real hours, however far its test clock goes', async () => {
    const fresh = await app.newMerchant();
    for (let count = 0; count < 20; count += 1) await fresh.createWallet({ address });
    await fresh.post('/test_helpers/clock/advance', { seconds: 86_401 });
    for (let count = 0; count < 3; count += 1) await fresh.createWallet({ address });
    await deliverMails(app.ctx);
    expect(box.mails.filter(({ to, subject }) => to === fresh.email && subject.includes('test mode'))).toHaveLength(20);
  });
});

describe('GET /v1/payout-wallets and /v1/payout-wallets/{id}', () => {
  test('200: newest first, in pages, archived ones among them', async () => {
    const fresh = await app.newMerchant();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.unshift((await fresh.createWallet({ address })).id);
    await fresh.dashboard.post(`/payout-wallets/${ids[1]}/archive`);

    const first = await fresh.get('/payout-wallets', { limit: 3 });
    const second = await fresh.get('/payout-wallets', { limit: 3, cursor: first.pagination.cursor });
    const byId = await fresh.get('/payout-wallets', { limit: 3, starting_after: ids[2] });

    expect([...first.data, ...second.data].map((wallet: { id: string }) => wallet.id)).toEqual(ids);
    expect(first.pagination).toEqual({ cursor: expect.stringMatching(/^cur_/), has_more: true });
    expect(second.pagination).toEqual({ cursor: null, has_more: false });
    expect(byId.data).toEqual(second.data);
    expect(first.data[1].archived).toBe(true);
  });

  test('200: an empty list', async () => {
    expect(await (await app.newMerchant()).get('/payout-wallets')).toMatchObject({
      data: [],
      pagination: { cursor: null, has_more: false },
    });
  });

  test.each<Record<string, string | number>>([
    { limit: 0 },
    { limit: 101 },
    { limit: '1e1' },
    { limit: 'ten' },
    { cursor: 'cur_x' },
    { cursor: 'pp_9rKd4MzXv6TqWb2LnHs8GcYf' },
    { starting_after: 'x' },
  ])('400 invalid_list_request: %j', async (query) => {
    const answer = await merchant.request('GET', '/payout-wallets', { query });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_list_request', param: Object.keys(query)[0] } },
    });
  });

  test("400 invalid_list_request: another account's cursor, or the other mode's", async () => {
    const [one, other] = [await app.newMerchant(), await app.newMerchant()];
    for (let count = 0; count < 2; count += 1)
      for (const by of [one, one.live, other]) await by.createWallet({ address });
    const { pagination } = await one.get('/payout-wallets', { limit: 1 });
    for (const by of [one.live, other]) {
      expect((await by.request('GET', '/payout-wallets', { query: { cursor: pagination.cursor } })).status).toBe(400);
    }
  });

  test('200: by id, by key and by login', async () => {
    const wallet = await merchant.createWallet({ address });
    expect(await merchant.get(`/payout-wallets/${wallet.id}`)).toEqual(wallet);
    expect(await merchant.dashboard.get(`/payout-wallets/${wallet.id}`)).toEqual(wallet);
  });

  test("404: foreign ids, the other mode's, missing and malformed ones, for every verb, with one answer", async () => {
    const [mine, theirs] = [await app.newMerchant(), await app.newMerchant()];
    const ids = [
      (await theirs.createWallet({ address })).id,
      (await mine.live.createWallet({ address })).id,
      'pp_9rKd4MzXv6TqWb2LnHs8GcYf',
      'pp_1',
      'wallet',
      'cs_9rKd4MzXv6TqWb2LnHs8GcYf',
    ];
    for (const id of ids) {
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['POST', '/default', undefined],
        ['POST', '/archive', undefined],
        ['POST', '/prove', undefined],
        ['POST', '/prove', { signature: '0x00' }],
      ] as const) {
        const answer = await mine.dashboard.request(method, `/payout-wallets/${id}${path}`, { body });
        expect(answer.status, `${method} ${id}${path}`).toBe(404);
        expect(answer.body.error).toEqual({ code: 'not_found', message: expect.any(String), param: 'id' });
      }
    }
    expect((await theirs.get('/payout-wallets')).data[0]).toMatchObject({ archived: false, is_default: true });
  });
});

describe('POST /v1/payout-wallets/{id}/default', () => {
  test('200: the default moves, in this mode only', async () => {
    const fresh = await app.newMerchant();
    const [first, second, live] = [
      await fresh.createWallet({ address }),
      await fresh.createWallet({ address }),
      await fresh.live.createWallet({ address }),
    ];

    expect(await fresh.dashboard.post(`/payout-wallets/${second.id}/default`)).toEqual({ ...second, is_default: true });

    expect((await fresh.get(`/payout-wallets/${first.id}`)).is_default).toBe(false);
    expect((await fresh.live.get(`/payout-wallets/${live.id}`)).is_default).toBe(true);
    expect((await fresh.dashboard.post(`/payout-wallets/${second.id}/default`)).is_default).toBe(true);
  });

  test('200: of many moves at once one wins, and there is one default', async () => {
    const fresh = await app.newMerchant();
    const wallets = await Promise.all(Array.from({ length: 8 }, () => fresh.createWallet({ address })));
    await Promise.all(
      wallets.flatMap(({ id }) => [
        fresh.dashboard.post(`/payout-wallets/${id}/default`),
        fresh.dashboard.post(`/payout-wallets/${id}/default`),
      ]),
    );
    const { data } = await fresh.get('/payout-wallets');
    expect(data.filter((wallet: { is_default: boolean }) => wallet.is_default)).toHaveLength(1);
  });

  test('400 invalid_payout_wallet: an archived wallet', async () => {
    const fresh = await app.newMerchant();
    const { id } = await fresh.createWallet({ address });
    await fresh.dashboard.post(`/payout-wallets/${id}/archive`);
    await expect(fresh.dashboard.post(`/payout-wallets/${id}/default`)).rejects.toMatchObject({
      status: 400,
      code: 'invalid_payout_wallet',
    });
  });

  test('403 forbidden: a secret key cannot move the default or archive, 401 without a credential', async () => {
    const { id } = await merchant.createWallet({ address });
    for (const verb of ['default', 'archive', 'prove']) {
      expect(await merchant.request('POST', `/payout-wallets/${id}/${verb}`)).toMatchObject({
        status: 403,
        body: { error: { code: 'forbidden' } },
      });
      expect((await app.inject('POST', `/v1/payout-wallets/${id}/${verb}`)).status).toBe(401);
    }
  });
});

describe('POST /v1/payout-wallets/{id}/archive', () => {
  test('200: it stays in lists and is never the default', async () => {
    const fresh = await app.newMerchant();
    const [first, second] = [await fresh.createWallet({ address }), await fresh.createWallet({ address })];

    expect(await fresh.dashboard.post(`/payout-wallets/${first.id}/archive`)).toEqual({
      ...first,
      archived: true,
      is_default: false,
    });

    expect((await fresh.dashboard.post(`/payout-wallets/${first.id}/archive`)).archived).toBe(true);
    expect(await fresh.get(`/payout-wallets/${second.id}`)).toEqual(second);
    expect((await fresh.get('/payout-wallets')).data).toHaveLength(2);
  });

  test("after the default is archived, a key's new wallet does not become it; one added by login does", async () => {
    const fresh = await app.newMerchant();
    const { id } = await fresh.createWallet({ address });
    await fresh.dashboard.post(`/payout-wallets/${id}/archive`);
    expect((await fresh.createWallet({ address })).is_default).toBe(false);
    expect((await fresh.dashboard.createWallet({ address })).is_default).toBe(true);
  });

  test('403 forbidden: the only wallet of a wallet account', async () => {
    const login = await loginByWallet(app.inject, ethereumWallet());
    const answer = await app.inject('POST', `/v1/payout-wallets/${login.payout_wallet_id}/archive`, {
      token: login.session_token,
    });
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
  });
});
