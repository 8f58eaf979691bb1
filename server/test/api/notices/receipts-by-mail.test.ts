import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendNotices } from '../../../src/resources/notices/send-notices.ts';
import { deliverMails, ethereumWallet, mailbox } from '../../support/logins.ts';
import { proveWallet } from '../../support/prove.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

const DAY = 86_400;

const box = mailbox();
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { RECEIPT_MAILS_PER_DAY: '12' }, overrides: { mail: box }, movableClock: true });
});
afterAll(() => app.stop());

let made = 0;
const newAddress = () => `payer-${(made += 1)}@example.com`;

async function mailsTo(address: string) {
  while (await sendNotices(app.ctx));
  await deliverMails(app.ctx);
  return box.mails.filter(({ to, subject }) => to === address && subject.startsWith('Receipt'));
}

async function countMails(): Promise<number> {
  while (await sendNotices(app.ctx));
  await deliverMails(app.ctx);
  return box.mails.filter(({ subject }) => subject.startsWith('Receipt')).length;
}

/** A merchant in live mode with receipts by mail, and a wallet that is verified or not. */
async function newMerchant({ isProved = true, name = 'Fern & Fog' } = {}): Promise<Merchant> {
  const merchant = (await app.newMerchant()).live;
  await merchant.dashboard.patch('/account', {
    name,
    support_email: 'help@fern-and-fog.example',
    email_receipts: true,
  });
  const wallet = await merchant.createWallet({ address: ethereumWallet().address });
  if (isProved) await proveWallet(app.ctx.db, wallet.id);
  return merchant;
}

/** A live payment of this customer that the merchant accepts, which makes it paid. */
async function pay(merchant: Merchant, email: string, input: object = {}, arrivedUnits = 49_000_000n) {
  const session = await merchant.createSession({ customer: { email, name: 'Kim' }, ...input });
  const [row] = await app.ctx.db.query<{ id: string }>(
    'test_receive',
    `
    update payments set status = 'refund_required', failure_reason = 'underpaid', actual_output_units = $2,
      sequence = 2, started_at = created_at
     where session_id = $1 returning id`,
    [session.id, arrivedUnits],
  );
  await merchant.dashboard.post(`/payments/${row?.id}/accept`);
  return session;
}

async function payInTestMode(merchant: Merchant, email: string) {
  const session = await merchant.test.createSession({ customer: { email } });
  await merchant.test.pay(session.id);
}

describe('a receipt by mail', () => {
  test('goes to the customer once their payment is paid, with the amount, the merchant and the page of the receipt', async () => {
    const merchant = await newMerchant();
    const address = newAddress();
    const session = await pay(merchant, address.toUpperCase(), {
      description: 'a text of the merchant',
      order_id: 'o-1',
    });

    const [mail, ...others] = await mailsTo(address);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe('Receipt for your payment of 49.00 USD');
    expect(mail?.text).toContain('Amount:    49.00 USD\nPaid to:   Fern & Fog\nPaid at:   ');
    expect(mail?.text).toContain('Questions: help (at) fern-and-fog\u2024example\n');
    expect(mail?.text).toContain(`Receipt: ${app.config.publicUrl}/receipt/${session.id}\n`);
    expect(mail?.text).not.toMatch(/a text of the merchant|o-1|Kim/);
    expect((await app.inject('GET', `/receipt/${session.id}`)).status).toBe(200);
  });

  test.each([
    'call+1-900-555-0142@lure.example',
    '19005550142@lure.example',
    'help@1-900-555-0142.example',
    'call.900.555.0142@lure.example',
  ])('names no address that a program would call: %s stays on the page of the receipt', async (support) => {
    const merchant = await newMerchant();
    await merchant.dashboard.patch('/account', { support_email: support });
    const address = newAddress();
    await pay(merchant, address);
    const [mail] = await mailsTo(address);
    expect(mail?.text).toContain('Paid to:   Fern & Fog\n');
    expect(mail?.text).not.toMatch(/Questions|0142/);
  });

  test('says what arrived, if the merchant accepted less than the price', async () => {
    const merchant = await newMerchant();
    const address = newAddress();
    await pay(merchant, address, {}, 24_500_159n);
    const [mail] = await mailsTo(address);
    expect(mail?.subject).toBe('Receipt for your payment of 24.500159 USDC on Base');
    expect(mail?.text).toContain('The merchant accepted your payment, although less arrived than the price.');
    expect(mail?.text).toContain('Price:     49.00 USD\nArrived:   24.500159 USDC on Base\n');
  });

  test('is sent once, and not after a refund, nor without an address or without the setting', async () => {
    const merchant = await newMerchant();
    const [address, refunded] = [newAddress(), newAddress()];
    await pay(merchant, address);
    await mailsTo(address);
    expect(await mailsTo(address)).toHaveLength(1);

    await pay(merchant, refunded);
    const [{ id }] = (await merchant.get('/payments')).data;
    await merchant.post(`/payments/${id}/refund`);
    expect(await mailsTo(refunded)).toEqual([]);

    await merchant.dashboard.patch('/account', { email_receipts: false });
    await pay(merchant, address);
    expect(await mailsTo(address)).toHaveLength(1);
  });

  test('is not sent for live money to a wallet that the account has not verified', async () => {
    const merchant = await newMerchant({ isProved: false });
    const address = newAddress();
    await pay(merchant, address);
    expect(await mailsTo(address)).toEqual([]);
  });

  test('of a test payment goes only to the merchant', async () => {
    const merchant = await newMerchant();
    const address = newAddress();
    await payInTestMode(merchant, address);
    await payInTestMode(merchant, merchant.email);
    expect(await mailsTo(address)).toEqual([]);
    const [mail, ...others] = await mailsTo(merchant.email);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe('Receipt for your payment of 49.00 USD (test mode)');
    expect(mail?.text).toContain('no real money');
  });

  test('is one of at most ten to one address a day, whichever accounts send them', async () => {
    const address = newAddress();
    const merchants = [await newMerchant(), await newMerchant()];
    for (let count = 0; count < 6; count += 1) for (const merchant of merchants) await pay(merchant, address);
    expect(await mailsTo(address)).toHaveLength(10);
    await pay(merchants[0] as Merchant, address);
    await app.pass(DAY);
    expect(await mailsTo(address)).toHaveLength(11);
  });

  test('is one of as many as the operator allows an account a day', async () => {
    const merchant = await newMerchant();
    const before = await countMails();
    for (let count = 0; count < 15; count += 1) await pay(merchant, newAddress());
    expect((await countMails()) - before).toBe(12);
    await pay(merchant, newAddress());
    await app.pass(DAY);
    expect((await countMails()) - before).toBe(13);
  });

  test.each([
    ['Win at https://evil.example/now', /https?:|evil\.example|\/now/],
    ['Call evil.example@evil.example', /@evil|evil\.example/],
    ['Shop\r\nReceipt: https://evil.example', /\nReceipt: \S*evil|evil\.example/],
    ['\u202egpj.exe \u200b', /[\u202e\u200b]/],
    ['Call +44 (0)20 7946 0958 now', /\d{3}/],
    ['evil。example．com', /[。．]/],
    ['mailto：a＠evil.example', /[：＠]/],
  ])('contains the name %j as a name, and never as a link', async (name, lure) => {
    const merchant = await newMerchant();
    // Also one from before the API refused it.
    await app.ctx.db.query('test_name', 'update accounts set name = $2 where id = $1', [merchant.accountId, name]);
    const address = newAddress();
    await pay(merchant, address);
    const [mail] = await mailsTo(address);
    const [, shown = ''] = /^Paid to: +(.*)$/m.exec(mail?.text ?? '') ?? [];
    expect(shown).not.toBe('');
    expect(shown).not.toMatch(lure);
    expect(
      mail?.text.replaceAll(app.config.publicUrl, '').replaceAll(/\d{4}-\d\d-\d\d|cs_\w+|\d+\.\d+/g, ''),
    ).not.toMatch(lure);
  });
});
