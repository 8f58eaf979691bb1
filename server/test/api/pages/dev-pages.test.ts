import { createHmac } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('access to the pages', () => {
  test.each([
    ['a forwarded request', { 'x-forwarded-for': '127.0.0.1' }],
    ['a forwarded host', { 'x-forwarded-host': 'localhost' }],
    ['a standard forwarding header', { forwarded: 'for=127.0.0.1' }],
    ['a proxy', { via: '1.1 proxy' }],
    ['another host name', { host: 'pay.example.com' }],
  ])('%s is refused', async (_name, headers) => {
    for (const path of ['/dev', '/dev/mail', '/dev/webhooks', '/dev/mail/x', '/dev/webhooks/1']) {
      expect((await app.inject('GET', path, { headers })).status).toBe(403);
    }
    expect((await app.inject('POST', '/dev/webhooks/receive', { headers, body: {} })).status).toBe(403);
  });

  test('another machine is refused', async () => {
    expect((await app.inject('GET', '/dev/mail', { from: '203.0.113.9' })).status).toBe(403);
  });

  test('they do not exist in production', async () => {
    await using production = await startApp({
      env: {
        PROFILE: 'production',
        PUBLIC_URL: 'https://pay.example.com',
        MASTER_KEY: 'ab'.repeat(32),
        SMTP_URL: 'smtp://127.0.0.1:9',
        MAIL_FROM: 'Shop <no-reply@pay.example.com>',
      },
    });
    for (const path of ['/dev', '/dev/mail', '/dev/webhooks'])
      expect((await production.inject('GET', path)).status).toBe(404);
    const signIn = await production.inject('POST', '/dashboard/session/logout', {
      body: {},
      headers: { cookie: `__Host-session=${production.merchant.loginToken}`, origin: 'https://pay.example.com' },
    });
    expect(signIn.headers['set-cookie']).toMatch(
      /^__Host-session=; Path=\/; HttpOnly; SameSite=Lax; Max-Age=0; Secure$/,
    );
  });
});

describe('the mail inbox', () => {
  test('shows mails as text, whatever they contain', async () => {
    const folder = join(app.config.dataDir, 'mail');
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, '2026-03-14T09-26-53.589Z-00000000.eml'),
      'From: Quittance\r\nTo: a@b.example\r\nSubject: =?UTF-8?Q?Your_=3Cscript=3E_code_=C3=A9?= ' +
        'K7MQ2X\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: ' +
        'quoted-printable\r\n\r\nYour code is <b>K7=\r\nMQ2X</b> =E2=82=AC\r\n',
    );
    const list = await app.inject('GET', '/dev/mail');
    expect(list.raw).toContain('Your &lt;script&gt; code é K7MQ2X');
    const mail = await app.inject('GET', '/dev/mail/2026-03-14T09-26-53.589Z-00000000.eml');
    expect(mail.raw).toContain('Your code is &lt;b&gt;K7MQ2X&lt;/b&gt; €');
    expect((await app.inject('GET', '/dev/mail/..%2f..%2fmaster.key')).status).toBe(404);
  });
});

describe('the webhook inbox', () => {
  test('verifies each signature by the bytes that came', async () => {
    const endpoint = await app.merchant.createEndpoint({ url: 'http://127.0.0.1:1/dev/webhooks/receive' });
    const body = '{ "id":"evt_1", "type":"payment.paid", "data":{"id":"<i>pay_1</i>"} }';
    const sign = (text: string, secret: string) =>
      `t=1,v1=${createHmac('sha256', secret).update(`1.${text}`).digest('hex')}`;
    const send = (header: string) =>
      app.inject('POST', '/dev/webhooks/receive', { body, headers: { 'service-signature': header } });

    expect((await send(sign(body, endpoint.secret))).status).toBe(200);
    expect((await send(sign(`${body} `, endpoint.secret))).status).toBe(400);
    expect((await send(sign(body, 'whsec_other'))).status).toBe(400);
    expect((await send('nonsense')).status).toBe(400);

    const { raw } = await app.inject('GET', '/dev/webhooks');
    expect(raw.match(/✓ verified/g)).toHaveLength(1);
    expect(raw.match(/✗ not verified/g)).toHaveLength(3);
    expect(raw).toContain('&lt;i&gt;pay_1&lt;/i&gt;');
    expect((await app.inject('GET', '/dev/webhooks/1')).raw).toContain(endpoint.id);
  });
});
