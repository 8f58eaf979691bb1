import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendNotices } from '../../../src/resources/notices/send-notices.ts';
import { refundsJob } from '../../../src/resources/refunds/verify.ts';
import { deliverMails, mailbox } from '../../support/logins.ts';
import { ApiCallError, type Merchant, startApp, type TestApp } from '../../support/index.ts';
import { recording } from '../../support/recording.ts';

type Data = any;

const CUSTOMER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const OTHER = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const OWN_WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const DAY = 86_400;

const box = mailbox();
const lines: Record<string, unknown>[] = [];
let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp({ overrides: { mail: box, log: recording(lines, 'info') }, movableClock: true });
  merchant = app.merchant;
});
afterAll(() => app.stop());

/** An overpaid payment of 98.00 of a customer. */
async function payment(email: string | null = null, owner = merchant): Promise<Data> {
  const session = await owner.createSession({ amount: '98.00', ...(email && { customer: { email } }) });
  const { payment: id } = await owner.post(`/test_helpers/checkout/sessions/${session.id}/pay`, {
    pay_asset: 'USDC',
    pay_network: 'base',
    outcome: 'overpaid',
  });
  return owner.get(`/payments/${id}`);
}

async function ask(fields: object = {}, id?: string): Promise<{ refund: Data; path: string }> {
  const of = id ?? (await payment()).id;
  const refund = await merchant.post(`/payments/${of}/refunds`, { amount: '9.80', link: {}, ...fields });
  return { refund, path: new URL(refund.link.url).pathname };
}

const open = (path: string, language = 'en') =>
  app.server.inject({ url: path, headers: { accept: 'text/html', 'accept-language': language } });
const answer = (path: string, fields: Record<string, string>) =>
  app.server.inject({
    method: 'POST',
    url: path,
    payload: new URLSearchParams(fields).toString(),
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
  });
const read = (id: string) => merchant.get(`/refunds/${id}`);
async function confirm(id: string, body: object, owner = merchant.dashboard): Promise<Data> {
  const headers = { 'service-mode': 'test' };
  const sent = { token: owner.token, body, headers };
  const answer = await app.inject('POST', `/dashboard/api/refunds/${id}/confirm`, sent);
  if (answer.status >= 400) throw new ApiCallError('confirm', answer);
  return answer.body.data;
}
const right = { to: CUSTOMER, coin_amount: '9.800000' };

async function mailsTo(address: string) {
  await deliverMails(app.ctx);
  return box.mails.filter(({ to, subject }) => to === address && !subject.includes('wallet'));
}

describe('a refund whose address the customer names', () => {
  test('shows a typed address once more before it is the answer', async () => {
    const { refund, path } = await ask();
    const typed = async (step: string) => (await answer(path, { address: CUSTOMER, [step]: '1' })).body;
    expect(await typed('review')).toContain(`name="address" value="${CUSTOMER}"`);
    expect(await typed('change')).toContain(`dir="ltr" value="${CUSTOMER}"`);
    expect((await read(refund.id)).link.status).toBe('open');
    expect((await answer(path, { address: 'nonsense', review: '1' })).statusCode).toBe(400);
    expect((await answer(path, { address: CUSTOMER })).statusCode).toBe(303);
    await merchant.post(`/refunds/${refund.id}/cancel`);
  });

  test('is on the page of its checkout instead of the advice to ask for it', async () => {
    const { id, session } = await payment();
    const page = async () =>
      (await open(`/checkout/${session}`)).body.split('id="page-state"')[0]?.replace(/[\u2066-\u2069]/g, '');
    expect(await page()).toMatch(/You sent 9\.8\d* USDC too much/);
    await ask({}, id);
    expect(await page()).toContain('is preparing a refund of 9.8 USDC.');
    expect(await page()).not.toContain('You sent');
  });

  test('waits for it, then for the merchant, and only then can be sent', async () => {
    const { id } = await payment();
    const { refund, path } = await ask({}, id);
    expect(refund).toMatchObject({
      status: 'requested',
      to: null,
      sequence: 1,
      link: { status: 'open', mailed_to: null, address: null, proved: false, answered_at: null },
    });
    expect((await read(refund.id)).link.url).toBeNull();
    const page = await open(path);
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('9.800000');
    expect(page.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
    });
    await expect(confirm(refund.id, right)).rejects.toMatchObject({ status: 400, code: 'invalid_payment_state' });
    await expect(
      merchant.post(`/refunds/${refund.id}/sent`, { tx_hash: `0x${'12'.repeat(32)}` }),
    ).rejects.toMatchObject({ status: 400, code: 'invalid_payment_state' });

    const sent = await answer(path, { address: ` ${CUSTOMER.toLowerCase()} ` });
    expect([sent.statusCode, sent.headers.location]).toEqual([303, path]);
    expect(await read(refund.id)).toMatchObject({
      status: 'requested',
      to: null,
      link: { status: 'answered', address: CUSTOMER, proved: false },
    });
    expect((await open(path)).body).toContain(CUSTOMER);
    const asMerchant = { token: merchant.dashboard.token, headers: { 'service-mode': 'test' } };
    const waiting = (await app.inject('GET', '/dashboard/api/attention', asMerchant)).body.data;
    expect([waiting.refunds.map(({ id }: Data) => id), waiting.counts.refunds]).toEqual([[refund.id], 1]);
    await expect(
      merchant.post(`/refunds/${refund.id}/sent`, { tx_hash: `0x${'12'.repeat(32)}` }),
    ).rejects.toMatchObject({ status: 400 });

    for (const [param, body] of [
      ['to', { ...right, to: OTHER }],
      ['to', { ...right, to: CUSTOMER.toLowerCase() }],
      ['coin_amount', { ...right, coin_amount: '9.800001' }],
      ['coin_amount', { ...right, coin_amount: '98' }],
      ['coin_amount', { to: CUSTOMER }],
      ['to', { coin_amount: '9.8' }],
    ] as const)
      await expect(confirm(refund.id, body)).rejects.toMatchObject({ status: 400, code: 'invalid_refund', param });
    // A person compares, not a program.
    await expect(confirm(refund.id, right, merchant)).rejects.toMatchObject({ status: 403 });
    expect(await confirm(refund.id, right)).toMatchObject({ status: 'planned', to: CUSTOMER });
    expect(await confirm(refund.id, right)).toMatchObject({ status: 'planned', to: CUSTOMER });

    const done = await merchant.post(`/refunds/${refund.id}/sent`, { tx_hash: `0x${'12'.repeat(32)}` });
    expect(done).toMatchObject({ status: 'final', link: { status: 'answered', mailed_to: null } });
    expect(await merchant.get(`/payments/${id}`)).toMatchObject({ status: 'paid', refunded_amount: '9.80' });
    expect((await open(path)).body).toContain('has arrived');
  });

  test('takes one answer: a second one changes nothing, also from another device at once', async () => {
    const { refund, path } = await ask();
    const answers = await Promise.all([CUSTOMER, OTHER, CUSTOMER, OTHER].map((address) => answer(path, { address })));
    const named = (await read(refund.id)).link.address;
    expect([CUSTOMER, OTHER]).toContain(named);
    expect(answers.filter(({ statusCode }) => statusCode === 303)).toHaveLength(2);
    const late = await answer(path, { address: named === OTHER ? CUSTOMER : OTHER });
    expect(late.statusCode).toBe(409);
    expect(late.body).toContain('already used');
    expect((await read(refund.id)).link.address).toBe(named);
    // A page that is sent again with the same address does not answer a second time.
    expect((await answer(path, { address: named })).statusCode).toBe(303);
  });

  test('can be opened as often as mail programs do, and that changes nothing', async () => {
    const { refund, path } = await ask();
    const before = await read(refund.id);
    for (let times = 0; times < 5; times += 1) expect((await open(path)).statusCode).toBe(200);
    expect((await app.server.inject({ method: 'HEAD', url: path })).statusCode).toBe(200);
    expect(await read(refund.id)).toEqual(before);
  });

  test.each([
    ['no address', ''],
    ['an email address', 'kim@example.com'],
    ['a wrong checksum', CUSTOMER.replace('8617E', '8617e')],
    ["another network's address", '11111111111111111111111111111112'],
    ["the merchant's own wallet", OWN_WALLET],
    ['the contract of a token', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
    ['a text without end', 'x'.repeat(10_000)],
  ])('does not take %s, and can be answered after it', async (_what, address) => {
    const { refund, path } = await ask();
    const refused = await answer(path, { address });
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('role="alert"');
    expect((await read(refund.id)).link.status).toBe('open');
    expect((await answer(path, { address: CUSTOMER })).statusCode).toBe(303);
  });

  test('does not believe a signature that no wallet made', async () => {
    const { refund, path } = await ask();
    const refused = await answer(path, { address: CUSTOMER, signature: `0x${'5c'.repeat(64)}1b` });
    expect(refused.statusCode).toBe(400);
    expect((await read(refund.id)).link.status).toBe('open');
  });

  test('ends with its time: nothing can be named, and the amount is free', async () => {
    const { id } = await payment();
    const { refund, path } = await ask({ link: { expires_in: 3600 } }, id);
    await app.pass(3601);
    expect((await answer(path, { address: CUSTOMER })).statusCode).toBe(409);
    expect((await open(path)).body).toContain('no longer works');
    await refundsJob.run(app.ctx, new AbortController().signal, () => {});
    expect(await read(refund.id)).toMatchObject({ status: 'cancelled', link: { status: 'closed', address: null } });
    expect((await answer(path, { address: CUSTOMER })).statusCode).toBe(409);
    const { received_amount: amount } = await merchant.get(`/payments/${id}`);
    expect(await merchant.post(`/payments/${id}/refunds`, { to: CUSTOMER })).toMatchObject({ amount });
  });

  test('stays when it was answered in time, however late the merchant confirms', async () => {
    const { refund, path } = await ask({ link: { expires_in: 3600 } });
    await answer(path, { address: CUSTOMER });
    await app.pass(7200);
    await refundsJob.run(app.ctx, new AbortController().signal, () => {});
    expect(await confirm(refund.id, right)).toMatchObject({ status: 'planned', to: CUSTOMER });
  });

  test('that was cancelled takes no answer and cannot be confirmed', async () => {
    const { refund, path } = await ask();
    await merchant.post(`/refunds/${refund.id}/cancel`);
    expect((await answer(path, { address: CUSTOMER })).statusCode).toBe(409);
    const other = await ask();
    await answer(other.path, { address: CUSTOMER });
    await merchant.post(`/refunds/${other.refund.id}/cancel`);
    await expect(confirm(other.refund.id, right)).rejects.toMatchObject({ code: 'invalid_payment_state' });
  });

  test('is refused when the named address became a payout wallet meanwhile', async () => {
    const { refund, path } = await ask();
    await answer(path, { address: OTHER });
    await merchant.createWallet({ address: OTHER });
    await expect(confirm(refund.id, { ...right, to: OTHER })).rejects.toMatchObject({ param: 'to' });
  });
});

describe('its link', () => {
  test('is stored as a hash, stands in no log, and an unknown one is not found', async () => {
    const { path } = await ask();
    await open(path);
    await answer(path, { address: CUSTOMER });
    const token = path.split('/').at(-1) as string;
    expect(JSON.stringify(lines)).not.toContain(token);
    expect(JSON.stringify(lines)).not.toContain(CUSTOMER);
    const rows = await app.ctx.db.query<{ row: string }>('test_rows', 'select refunds::text as row from refunds', []);
    expect(JSON.stringify(rows)).not.toContain(token);
    for (const wrong of [`${path.slice(0, -1)}!`, path.slice(0, -1), `/refund/${'a'.repeat(43)}`, `/refund/%00`])
      for (const { statusCode } of [await open(wrong), await answer(wrong, { address: CUSTOMER })])
        expect(statusCode).toBe(404);
  });

  test('is the same for a repeat of the Idempotency-Key, which is stored sealed', async () => {
    const { id } = await payment();
    const call = () =>
      merchant.request('POST', `/payments/${id}/refunds`, {
        body: { amount: '1.00', link: {} },
        headers: { 'idempotency-key': `link-${id}` },
      });
    const first = await call();
    expect((await call()).raw).toBe(first.raw);
    const rows = await app.ctx.db.query<{ row: string }>(
      'test_keys',
      `select encode(body, 'escape') as row from idempotency_keys where body is not null`,
      [],
    );
    expect(JSON.stringify(rows)).not.toContain(first.body.data.link.url);
  });

  test.each([
    ['to', { to: CUSTOMER, link: {} }],
    ['to', {}],
    ['tx_hash', { link: {}, tx_hash: `0x${'12'.repeat(32)}` }],
    ['link.expires_in', { link: { expires_in: 60 } }],
    ['link.expires_in', { link: { expires_in: 31 * DAY } }],
    ['link.locale', { link: { locale: 'xx' } }],
    ['link.email', { link: { email: 'nobody' } }],
  ])('is refused by %s of %j', async (param, body) => {
    const { id } = await payment();
    await expect(merchant.post(`/payments/${id}/refunds`, { amount: '1.00', ...body })).rejects.toMatchObject({
      status: 400,
      code: 'invalid_refund',
      param,
    });
  });

  test('answers in the language of the visitor, and holds its number of answers back', async () => {
    const { path } = await ask();
    expect((await open(path, 'de')).body).toContain('Ihre Erstattung');
    expect((await open(path, 'ar')).body).toContain('dir="rtl"');
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async () => (await answer(path, { address: '' })).statusCode),
    );
    // Clients of the developer's own machine have no share of their own.
    expect(statuses.every((status) => status === 400 || status === 429)).toBe(true);
    expect((await answer(path, { address: CUSTOMER })).statusCode).toBe(429);
    await app.pass(61);
  });

  test('a reader and a payments key can neither make, confirm nor cancel one', async () => {
    const { refund, path } = await ask();
    await answer(path, { address: CUSTOMER });
    const { secret } = await merchant.dashboard.post('/api-keys', {
      mode: 'test',
      scopes: ['payments:read', 'payments:write', 'refunds:read'],
    });
    const { id } = await payment();
    for (const [url, body] of [
      [`/v1/payments/${id}/refunds`, { link: {} }],
      [`/dashboard/api/refunds/${refund.id}/confirm`, right],
      [`/v1/refunds/${refund.id}/cancel`, {}],
    ] as const)
      expect((await app.inject('POST', url, { token: secret, body })).status).toBe(403);
    const stranger = await app.newMerchant();
    await expect(confirm(refund.id, right, stranger.dashboard)).rejects.toMatchObject({ status: 404 });
  });
});

describe('its mails', () => {
  test('ask, say that an address was named, and that the money is back, in the language of the customer', async () => {
    await merchant.dashboard.patch('/account', { name: 'Fern & Fog', support_email: 'help@fern.example' });
    const { id } = await payment(merchant.email);
    const { refund, path } = await ask({ link: { locale: 'de' } }, id);
    expect(refund.link.mailed_to).toBe(merchant.email);
    const [asked] = await mailsTo(merchant.email);
    expect(asked?.subject).toBe('Ihre Erstattung von 9.80 USD');
    expect(asked?.text).toContain(path);
    expect(asked?.text).toContain('Fern & Fog');
    expect(asked?.text).toContain('9.800000 USDC');

    await answer(path, { address: CUSTOMER });
    // Mails that are due at once are sent side by side.
    await mailsTo(merchant.email);
    await confirm(refund.id, right);
    await merchant.post(`/refunds/${refund.id}/sent`, { tx_hash: `0x${'34'.repeat(32)}` });
    const texts = (await mailsTo(merchant.email)).slice(1);
    expect(texts.map(({ subject }) => subject)).toEqual([
      'Eine Adresse für Ihre Erstattung von 9.80 USD',
      'Ihre Erstattung von 9.80 USD wurde gesendet',
    ]);
    expect(texts[0]?.text).toContain(CUSTOMER);
    expect(texts[0]?.text).not.toContain(path);
    expect(texts[1]?.text).toContain(`0x${'34'.repeat(32)}`);
    // It was kept for these mails only.
    expect((await read(refund.id)).link.mailed_to).toBeNull();
  });

  test('go to no stranger in test mode, and to no one against the word of the merchant', async () => {
    const { id } = await payment('stranger@example.com');
    expect((await ask({}, id)).refund.link.mailed_to).toBeNull();
    expect((await ask({ amount: '1.00', link: { email: 'other@example.com' } }, id)).refund.link.mailed_to).toBeNull();
    const own = await payment(merchant.email);
    const before = (await mailsTo(merchant.email)).length;
    expect((await ask({ link: { email: null } }, own.id)).refund.link.mailed_to).toBeNull();
    expect(await mailsTo(merchant.email)).toHaveLength(before);
    expect(await mailsTo('stranger@example.com')).toEqual([]);
    expect(await mailsTo('other@example.com')).toEqual([]);
  });

  test('tell the merchant once that an address waits for them, if they want to know of decisions', async () => {
    const owner = await app.newMerchant();
    await owner.dashboard.patch('/account', { email_notifications: { paid: false, needs_decision: false } });
    const { id } = await payment(null, owner);
    const named = async () => {
      const made = await owner.post(`/payments/${id}/refunds`, { amount: '1.00', link: {} });
      const path = new URL(made.link.url).pathname;
      await answer(path, { address: CUSTOMER });
      await answer(path, { address: CUSTOMER });
      return made;
    };
    const told = async () => {
      while (await sendNotices(app.ctx));
      return (await mailsTo(owner.email)).map(({ subject, text }) => ({ subject, text }));
    };
    await named();
    expect(await told()).toEqual([]);
    await owner.dashboard.patch('/account', { email_notifications: { needs_decision: true } });
    await named();
    const mails = await told();
    expect(mails.map(({ subject }) => subject)).toEqual(['Refund to confirm: 1.00 USD (test mode)']);
    expect(mails[0]?.text).toContain(`Address:     ${CUSTOMER}\n`);
    expect(mails[0]?.text).toContain('To send:     1.000000 USDC\n');
    expect(mails[0]?.text).toContain(`/dashboard/payments/${id}`);
    // One that was cancelled or confirmed before the mail was written needs no decision any more.
    await owner.post(`/refunds/${(await named()).id}/cancel`);
    const confirmed = await named();
    const body = { to: CUSTOMER, coin_amount: '1.000000' };
    expect(await confirm(confirmed.id, body, owner.dashboard)).toMatchObject({ status: 'planned' });
    expect(await told()).toHaveLength(1);
  });

  test('have the limit of receipts, but the warning that an address was named is always sent', async () => {
    const [owner, answered] = [await app.newMerchant(), await app.newMerchant()];
    const [{ id }, paid] = [await payment(owner.email, owner), await payment(answered.email, answered)];
    const ask = async (by: typeof owner, of: string) =>
      (await by.post(`/payments/${of}/refunds`, { amount: '0.10', link: {} })).link;
    const links: any[] = [];
    for (let made = 0; made < 12; made += 1) links.push(await ask(owner, id));
    expect(links.filter(({ mailed_to }) => mailed_to !== null)).toHaveLength(10);
    await answer(new URL(links[0].url).pathname, { address: CUSTOMER });
    expect(await mailsTo(owner.email)).toHaveLength(11);
    for (let made = 0; made < 8; made += 1)
      await answer(new URL((await ask(answered, paid.id)).url).pathname, { address: CUSTOMER });
    expect(await mailsTo(answered.email)).toHaveLength(10);
  });
});
