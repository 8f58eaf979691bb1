import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendNotices } from '../../../src/resources/notices/send-notices.ts';
import { inSandbox } from '../../../src/resources/test-helpers/sandbox.ts';
import { lockPayments } from '../../../src/settlement/records/payment-store.ts';
import { finalizeTransfersIn } from '../../../src/settlement/records/unverified-store.ts';
import { deliverMails, ethereumWallet, mailbox } from '../../support/logins.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';
import { arrive as arrived, transferTo } from '../../support/transfers.ts';

const HOUR = 3_600;
const NONE = { paid: false, needs_decision: false, unattributed: false };
const ALL = { paid: true, needs_decision: true, unattributed: true };

const box = mailbox();
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ overrides: { mail: box }, movableClock: true });
});
afterAll(() => app.stop());

/** The mails that this merchant got since the last look, after everything due was sent. */
async function newMails({ email }: Merchant) {
  while (await sendNotices(app.ctx));
  await deliverMails(app.ctx);
  const own = box.mails.filter(({ to, text }) => to === email && text.includes('your account asks for it'));
  box.mails.splice(0, box.mails.length, ...box.mails.filter(({ to }) => to !== email));
  return own;
}

async function newMerchant(notifications: object = ALL): Promise<Merchant> {
  const merchant = await app.newMerchant();
  await merchant.dashboard.patch('/account', { email_notifications: { ...NONE, ...notifications } });
  return merchant;
}

const ETH = { pay_asset: 'ETH', pay_network: 'arbitrum' };

async function pay(
  merchant: Merchant,
  outcome = 'paid',
  input: object = {},
  coin = { pay_asset: 'USDC', pay_network: 'base' },
): Promise<string> {
  const session = await merchant.createSession(input);
  const { payment } = await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, {
    ...coin,
    outcome,
  });
  return payment;
}

/** The customer sends the money a second time, which belongs to no payment. */
async function payAgain(merchant: Merchant, paymentId: string): Promise<void> {
  await inSandbox(app.ctx, merchant.accountId, async (sandbox) => {
    const payment = (await lockPayments(sandbox.db, [paymentId])).get(paymentId);
    if (!payment) throw new Error('no payment');
    await sandbox.send(payment, payment.actualOutputUnits ?? 0n);
    await sandbox.makeFinal(payment.receiveNetwork);
  });
}

/** The facts of a mail by their names. */
function factsOf(mail: { text: string } | undefined): Record<string, string> {
  return Object.fromEntries(
    [...(mail?.text ?? '').matchAll(/^(\w[\w ]*): +(.+)$/gm)].map(([, name, value]) => [name, value]),
  );
}

describe('mails to the merchant', () => {
  test('are of sales and decisions until the account asks for others, kind by kind', async () => {
    const merchant = await app.newMerchant();
    await pay(merchant);
    await pay(merchant, 'late');
    expect((await newMails(merchant)).map(({ subject }) => subject)).toEqual([
      'Paid: 49.00 USD (test mode)',
      'Needs a decision: 49.00 USD (test mode)',
    ]);
    expect(await merchant.get('/account')).toMatchObject({
      email_notifications: { paid: true, needs_decision: true, unattributed: false },
      email_receipts: false,
    });

    await merchant.dashboard.patch('/account', { email_notifications: { paid: true, needs_decision: false } });
    await pay(merchant);
    await pay(merchant, 'late');
    expect((await newMails(merchant)).map(({ subject }) => subject)).toEqual(['Paid: 49.00 USD (test mode)']);
    expect((await merchant.get('/account')).email_notifications).toEqual({
      paid: true,
      needs_decision: false,
      unattributed: false,
    });
  });

  test('say what was paid, by whom, and where to look', async () => {
    const merchant = await newMerchant({ paid: true });
    const payment = await pay(merchant, 'paid', {
      order_id: 'order-7',
      customer: { name: 'Kim \u200eReyes' },
    });
    // From before the API refused such texts.
    await app.ctx.db.query('test_order_id', `update checkout_sessions set order_id = $2 where account_id = $1`, [
      merchant.accountId,
      'order-7\r\nBcc: all@example.com',
    ]);

    const [mail, ...others] = await newMails(merchant);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe('Paid: 49.00 USD (test mode)');
    expect(mail?.text).toMatch(/A payment is paid: 49\.\d{6} USDC on Base is final in your payout wallet\./);
    expect(mail?.text).toContain('Order:       order-7 Bcc: all@example.com\n');
    expect(mail?.text).toContain('Customer:    Kim Reyes\n');
    expect(mail?.text).toContain(`${app.config.publicUrl}/dashboard/payments/${payment}`);
  });

  test('about a payment that is overpaid say by how much', async () => {
    const merchant = await newMerchant({ paid: true });
    for (const outcome of ['overpaid', 'paid']) await pay(merchant, outcome);
    const mails = await newMails(merchant);
    expect(mails.map((mail) => factsOf(mail).Overpaid).sort()).toEqual(['4.90 USD', undefined]);
  });

  test('say what was sold, to which address, and what the customer noted on the page of the link', async () => {
    const merchant = await newMerchant({ paid: true });
    const link = await merchant.createLink({ description: 'Oak stool', ask_for: ['name', 'email', 'note'] });
    const opened = await app.inject('POST', `/v1/public/payment-links/${link.id}/open`, {
      body: { name: 'Anna Berg', email: 'anna@example.com', note: 'With felt\npads https://bad.example' },
    });
    await merchant.pay(opened.body.data.id);
    const [mail] = await newMails(merchant);
    expect(mail?.subject).toBe('Paid: 49.00 USD, Oak stool (test mode)');
    expect(factsOf(mail)).toMatchObject({
      Item: 'Oak stool',
      Customer: 'Anna Berg',
      Email: 'anna@example.com',
      // No link, where strangers could lead the merchant.
      Note: 'With felt pads https bad\u2024example',
    });
  });

  test.each([
    ['late', /^49\.\d{6} USDC on Base$/, 'the money arrived after the checkout had expired'],
    ['refund_required', /^24\.\d{6} USDC on Base$/, 'less than the total arrived before the checkout expired'],
  ])(
    'about a payment whose money is in the wallet (%s) say what arrived beside the order amount',
    async (outcome, arrived, reason) => {
      const merchant = await newMerchant({ needs_decision: true });
      await pay(merchant, outcome);
      const [mail] = await newMails(merchant);
      expect(mail?.text).toContain('accept what arrived, or send it back');
      expect(factsOf(mail)).toMatchObject({
        Amount: '49.00 USD',
        Arrived: expect.stringMatching(arrived),
        Reason: reason,
      });
      expect(factsOf(mail)['Held by']).toBeUndefined();
    },
  );

  test.each([
    ['route_failed', 'the conversion failed, and its provider still holds the money'],
    ['compliance_hold', 'the provider of the conversion holds the money for a compliance review'],
  ])(
    'about a conversion that is stuck (%s) say who holds the money and whom to ask, and ask for nothing to be sent',
    async (reason, words) => {
      const merchant = await newMerchant({ needs_decision: true });
      const payment = await pay(merchant, 'refund_required', {}, ETH);
      await app.ctx.db.query('test_reason', 'update payments set failure_reason = $2 where id = $1', [payment, reason]);
      const [order] = await app.ctx.db.query<{ reference: string; depositAddress: string }>(
        'test_order',
        'select reference, deposit_address from route_orders where payment_id = $1',
        [payment],
      );
      const [mail] = await newMails(merchant);
      expect(mail?.text).toContain('Sandbox holds the money, and nothing has reached your wallet');
      expect(mail?.text).toContain(`Ask Sandbox about its order ${order?.reference}.`);
      expect(mail?.text).not.toMatch(/accept what arrived|send it back/);
      expect(factsOf(mail)).toMatchObject({
        Amount: '49.00 USD',
        Arrived: 'nothing',
        'Held by': expect.stringMatching(/^Sandbox, 0\.\d+ ETH on Arbitrum$/),
        'Its order': order?.reference,
        'Deposit to': order?.depositAddress,
        Reason: words,
      });
    },
  );

  test('name no amount that the provider did not report', async () => {
    const merchant = await newMerchant({ needs_decision: true });
    const payment = await pay(merchant, 'refund_required', {}, ETH);
    await app.ctx.db.query('test_unknown', 'update route_orders set deposited_units = null where payment_id = $1', [
      payment,
    ]);
    expect(factsOf((await newMails(merchant))[0])['Held by']).toBe('Sandbox, a deposit on Arbitrum');
  });

  test('about a payment that was accepted with less say how much is in the wallet', async () => {
    const merchant = await newMerchant({ paid: true });
    const payment = await pay(merchant, 'refund_required');
    await merchant.dashboard.post(`/payments/${payment}/accept`);
    const [mail] = await newMails(merchant);
    expect(mail?.subject).toMatch(/^Paid: 24\.\d{6} USDC on Base for 49\.00 USD \(test mode\)$/);
    expect(mail?.text).toMatch(
      /paid with less than the order amount: 24\.\d{6} USDC on Base is final in your payout wallet/,
    );
  });

  test('about a payment that was refunded before they are sent do not call the money the merchant’s', async () => {
    const merchant = await newMerchant({ paid: true });
    const payment = await pay(merchant);
    await merchant.post(`/payments/${payment}/refund`);
    expect((await newMails(merchant))[0]?.text).not.toContain('in your payout wallet');
  });

  test('tell of a transfer that belongs to no payment, once it is final', async () => {
    const merchant = await newMerchant({ unattributed: true });
    const payment = await pay(merchant);
    expect(await newMails(merchant)).toEqual([]);
    await payAgain(merchant, payment);

    const [mail, ...others] = await newMails(merchant);
    expect(others).toEqual([]);
    expect(mail?.subject).toMatch(/^Unattributed: 49\.\d+ USDC \(test mode\)$/);
    expect(mail?.text).toContain(`${app.config.publicUrl}/dashboard/transfers`);
  });

  test('tell of live transfers when their block is final, and not of those that are handled by then', async () => {
    const { address } = ethereumWallet();
    const merchant = (await newMerchant({ unattributed: true })).live;
    await merchant.createWallet({ address });
    const first = await arrive(address, 7_000_001n);
    expect(await newMails(merchant)).toEqual([]);
    await finalizeTransfersIn(app.ctx.db, 'base', [first], await app.ctx.db.now());
    const second = await arrive(address, 7_000_002n);
    await finalizeTransfersIn(app.ctx.db, 'base', [second], await app.ctx.db.now());
    const { data } = await merchant.get('/transfers');
    await merchant.dashboard.post(`/transfers/${data[0].id}/handle`);

    expect((await newMails(merchant)).map(({ subject }) => subject)).toEqual(['Unattributed: 7.000001 USDC']);
  });

  test('tell of one transfer the first five accounts with its address, and none whose wallet is archived', async () => {
    const { address } = ethereumWallet();
    const savers: Merchant[] = [];
    for (let count = 0; count < 7; count += 1) {
      const saver = (await newMerchant({ unattributed: true })).live;
      const wallet = await saver.createWallet({ address });
      if (count === 0) await saver.dashboard.post(`/payout-wallets/${wallet.id}/archive`);
      savers.push(saver);
    }
    await finalizeTransfersIn(app.ctx.db, 'base', [await arrive(address, 8_000_001n)], await app.ctx.db.now());
    while (await sendNotices(app.ctx));
    const counts: number[] = [];
    for (const saver of savers) counts.push((await newMails(saver)).length);
    expect(counts).toEqual([0, 1, 1, 1, 1, 1, 0]);
  });

  test('about a payment that is decided before they are sent are not sent', async () => {
    const merchant = await newMerchant({ needs_decision: true });
    const payment = await pay(merchant, 'late');
    await merchant.dashboard.post(`/payments/${payment}/accept`);
    expect(await newMails(merchant)).toEqual([]);
  });

  test('are at most twenty a day; everything beyond comes in one summary an hour', async () => {
    const merchant = await newMerchant({ paid: true });
    for (let count = 0; count < 19; count += 1) await pay(merchant);
    expect(await newMails(merchant)).toHaveLength(19);

    for (let count = 0; count < 3; count += 1) await pay(merchant, 'paid', { order_id: `order-${count}` });
    const [summary, ...others] = await newMails(merchant);
    expect(others).toEqual([]);
    expect(summary?.subject).toBe('3 payments and transfers (test mode)');
    expect(summary?.text).toContain('3  paid');
    expect(summary?.text.match(/order-\d/g)).toEqual(['order-0', 'order-1', 'order-2']);

    // One more fits into the twenty; then nothing until the hour is over, and nothing is lost.
    await pay(merchant);
    expect(await newMails(merchant)).toHaveLength(1);
    for (let count = 0; count < 2; count += 1) await pay(merchant);
    expect(await newMails(merchant)).toEqual([]);
    await pay(merchant);
    expect(await newMails(merchant)).toEqual([]);
    await app.pass(HOUR);
    expect((await newMails(merchant)).map(({ subject }) => subject)).toEqual(['3 payments and transfers (test mode)']);

    await app.pass(24 * HOUR);
    await pay(merchant);
    expect((await newMails(merchant)).map(({ subject }) => subject)).toEqual(['Paid: 49.00 USD (test mode)']);
  });

  test('that were left out do not count as mails of the day', async () => {
    const merchant = await newMerchant(ALL);
    for (let count = 0; count < 18; count += 1)
      await merchant.dashboard.post(`/payments/${await pay(merchant, 'late')}/accept`);
    await app.ctx.db.query(
      'test_only_decisions',
      `update notices set outcome = 'skipped', handled_at = due_at where kind = 'paid' and account_id = $1`,
      [merchant.accountId],
    );
    await pay(merchant);
    expect(await newMails(merchant)).toHaveLength(1);
    for (let count = 0; count < 2; count += 1) await pay(merchant);
    expect((await newMails(merchant)).map(({ subject }) => subject)).toEqual(
      Array(2).fill('Paid: 49.00 USD (test mode)'),
    );
  });

  test('are at most twenty a day of two workers together', async () => {
    const merchant = await newMerchant({ paid: true });
    for (let count = 0; count < 19; count += 1) await pay(merchant);
    const [ready, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: typeof app.ctx = {
      ...app.ctx,
      db: {
        ...app.ctx.db,
        transaction: (run: any) =>
          app.ctx.db.transaction((db: any) =>
            run({
              ...db,
              query: async (name: string, ...rest: any[]) => {
                if (name === 'find_notice_recipient') {
                  ready.resolve();
                  await go.promise;
                }
                return db.query(name, ...rest);
              },
            }),
          ),
      } as typeof app.ctx.db,
    };
    const first = sendNotices(slow);
    await ready.promise;
    for (let count = 0; count < 19; count += 1) await pay(merchant);
    const second = sendNotices(app.ctx);
    const waiting = () =>
      app.ctx.db.query('test_waiting', `select from pg_locks where locktype = 'advisory' and not granted`, []);
    await expect.poll(async () => (await waiting()).length).toBe(1);
    go.resolve();
    await Promise.all([first, second]);
    const subjects = (await newMails(merchant)).map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject.startsWith('Paid'))).toHaveLength(19);
    expect(subjects).toHaveLength(20);
  });

  test('are counted for each mode, so that test payments use up none of live mode', async () => {
    const { address } = ethereumWallet();
    const merchant = await newMerchant(ALL);
    for (let count = 0; count < 25; count += 1) await pay(merchant);
    expect(await newMails(merchant)).toHaveLength(1);
    await merchant.live.createWallet({ address });
    await finalizeTransfersIn(app.ctx.db, 'base', [await arrive(address, 3_000_001n)], await app.ctx.db.now());
    expect((await newMails(merchant)).map(({ subject }) => subject)).toEqual(['Unattributed: 3.000001 USDC']);
  });

  test('cannot be asked for by an account that logs in with a wallet and has no address', async () => {
    await using own = await startApp({ overrides: { mail: box } });
    const { address, network, sign } = ethereumWallet();
    const nonce = (await own.inject('POST', '/v1/auth/nonce', { body: { address, network } })).body.data.nonce;
    const login = await own.inject('POST', '/v1/auth/verify', {
      body: { address, network, signature: await sign(nonce) },
    });
    const token = login.body.data.session_token;
    const change = (body: object) => own.inject('PATCH', '/v1/account', { token, body });

    expect((await change({ email_notifications: { paid: true } })).body.error).toMatchObject({
      code: 'invalid_request',
      param: 'email_notifications.paid',
    });
    expect((await change({ email_receipts: true })).status).toBe(200);
    expect((await change({ email_notifications: { paid: false } })).status).toBe(200);
  });
});

test('without a mail server nothing waits, and payments are paid as ever', async () => {
  await using own = await startApp({ overrides: { mail: { ...box, available: false } } });
  const { merchant } = own;
  await merchant.dashboard.patch('/account', { email_notifications: ALL });
  const session = await merchant.createSession();
  await merchant.pay(session.id);
  await sendNotices(own.ctx);
  const [row] = await own.ctx.db.query<{ count: number }>(
    'test_count_notices',
    'select count(*)::integer as count from notices',
  );
  expect(row?.count).toBe(0);
  expect((await merchant.get('/payments')).data[0].status).toBe('paid');
});

let made = 0;

/** A live transfer of USDC on Base, in a block of its own. */
async function arrive(to: string, amountUnits: bigint): Promise<{ number: bigint; hash: string }> {
  made += 1;
  const now = await app.ctx.db.now();
  const block = { number: BigInt(1_000 + made), hash: `0x${String(made).padStart(64, 'b')}`, time: now };
  await arrived(app.ctx, transferTo(to, { amountUnits, block }));
  return block;
}
