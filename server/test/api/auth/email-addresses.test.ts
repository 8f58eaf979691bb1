import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { mailbox, newestCode } from '../../support/logins.ts';

/** What URL parsers and mail programs read as the domain example.com, or as something else than a person wrote. */
const REFUSED = [
  'kim@example.com/x',
  'kim@example.com?x',
  'kim@example.com#x',
  'kim@example.com:25',
  'kim@example.com\\x',
  'kim@exa%6dple.com',
  'kim@example',
  'kim@@example.com',
  'kim example@example.com',
];

const SALE = { amount: '49.00', currency: 'USD', description: 'A thing' };

const box = mailbox();
let app: TestApp;
let wallet: { id: string };
let link: { id: string };
let payment: string;
beforeAll(async () => {
  app = await startApp({ overrides: { mail: box } });
  // The first account is the operator's, who can invite.
  wallet = await app.merchant.createWallet();
  link = await app.merchant.createLink({ ask_for: ['email'] });
  const session = await app.merchant.createSession();
  const pay = `/test_helpers/checkout/sessions/${session.id}/pay`;
  ({ payment } = await app.merchant.post(pay, { pay_asset: 'USDC', pay_network: 'base', outcome: 'paid' }));
});
afterAll(() => app.stop());

test('an address with an international domain logs in, by code and from the dashboard, as one account', async () => {
  const ascii = 'kim@xn--mnchen-3ya.example';
  const start = async (email: string) => {
    expect(await app.inject('POST', '/v1/auth/email/start', { body: { email } })).toMatchObject({ status: 200 });
    return newestCode(app.ctx, box, ascii);
  };
  const email = 'kim@münchen.example';
  const verified = await app.inject('POST', '/v1/auth/email/verify', { body: { email, code: await start(email) } });
  const token = verified.body.data.session_token;
  expect((await app.inject('GET', '/v1/account', { token })).body.data.email).toBe(ascii);

  const headers = { origin: app.ctx.config.publicUrl };
  const code = await start('KIM@MÜNCHEN.example');
  expect(await app.inject('POST', '/dashboard/session/email', { body: { email: ascii, code }, headers })).toMatchObject(
    { status: 200 },
  );
});

describe('every field that takes an email address reads it by one rule', () => {
  const FIELDS: [string | (() => string), string, (email: string) => object, number][] = [
    ['/v1/auth/email/start', 'email', (email) => ({ email }), 200],
    ['/v1/auth/email/verify', 'email', (email) => ({ email, code: '222222' }), 401],
    ['/dashboard/session/email', 'email', (email) => ({ email, code: '222222' }), 401],
    ['/v1/invitations', 'email', (email) => ({ email }), 201],
    ['/v1/account', 'support_email', (email) => ({ support_email: email }), 200],
    ['/v1/checkout/sessions', 'customer.email', (email) => ({ ...SALE, customer: { email } }), 201],
    [
      '/v1/payment-links',
      'customer.email',
      (email) => ({ ...SALE, payout_wallet_id: wallet.id, customer: { email } }),
      201,
    ],
    [() => `/v1/public/payment-links/${link.id}/open`, 'email', (email) => ({ email }), 201],
    [() => `/v1/payments/${payment}/refunds`, 'link.email', (email) => ({ amount: '1.00', link: { email } }), 201],
  ];
  test.each(FIELDS)('%s: %s', async (where, param, body, accepted) => {
    const path = typeof where === 'string' ? where : where();
    const method = path === '/v1/account' ? 'PATCH' : 'POST';
    const token = /sessions|links|refunds/.test(path) ? app.merchant.testKey : app.merchant.loginToken;
    const headers = { origin: app.ctx.config.publicUrl };
    const send = (email: string) =>
      app.inject(method, path, { body: body(email), headers, ...(!/session\/|auth|public/.test(path) && { token }) });

    for (const email of REFUSED)
      expect(await send(email), email).toMatchObject({
        status: 400,
        body: { error: { param, message: expect.stringContaining('email address') } },
      });
    expect(await send('Ada@Bücher.example')).toMatchObject({ status: accepted });
  });
});
