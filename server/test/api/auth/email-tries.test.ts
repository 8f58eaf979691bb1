import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { deliverMails, mailbox, newestCode } from '../../support/logins.ts';

const box = mailbox();
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ overrides: { mail: box } });
});
afterAll(() => app.stop());

const OWNER = '203.0.113.1';
let made = 0;
const newAddress = () => `owner-${++made}@example.com`;
const stranger = (number: number) => `198.51.${100 + Math.floor(number / 250)}.${1 + (number % 250)}`;
const start = (email: string, from = OWNER) => app.inject('POST', '/v1/auth/email/start', { body: { email }, from });
const verify = (email: string, code: string, from = OWNER) =>
  app.inject('POST', '/v1/auth/email/verify', { body: { email, code }, from });
const wrong = (code: string) => (code.startsWith('2') ? '3' : '2') + code.slice(1);

async function newCode(email: string, from?: string): Promise<string> {
  await start(email, from);
  return newestCode(app.ctx, box, email);
}

async function newLink(email: string): Promise<{ email: string; token: string }> {
  await start(email);
  await deliverMails(app.ctx);
  const text = box.mails.findLast((mail) => mail.to === email)?.text ?? '';
  const fragment = /^http:\/\/localhost:\d+\/dashboard\/sign-in#(\S+)$/m.exec(text)?.[1];
  const fields = new URLSearchParams(fragment);
  return { email: fields.get('email') ?? 'no address', token: fields.get('login') ?? 'no link' };
}

const followLink = (
  link: { email: string; token: string },
  input: { from?: string; headers?: Record<string, string> } = {},
) =>
  app.inject('POST', '/dashboard/session/link', {
    body: link,
    from: input.from ?? OWNER,
    headers: { origin: app.config.publicUrl, ...input.headers },
  });

describe('tries of a code', () => {
  test('five wrong tries of each of nine strangers leave the owner their five', async () => {
    const email = newAddress();
    const code = await newCode(email);
    for (let number = 0; number < 9; number += 1) {
      for (let count = 0; count < 5; count += 1)
        expect((await verify(email, wrong(code), stranger(number))).status).toBe(401);
    }
    for (let count = 0; count < 4; count += 1) expect((await verify(email, wrong(code))).status).toBe(401);
    expect((await verify(email, code)).status).toBe(200);
  });

  test('after five wrong tries of one client the right code is refused to that client, an IPv6 one by its /64', async () => {
    const email = newAddress();
    const code = await newCode(email);
    for (let count = 0; count < 5; count += 1) await verify(email, wrong(code), `2001:db8:7:1::${count + 1}`);
    expect((await verify(email, code, '2001:db8:7:1:ffff::1')).status).toBe(401);
    expect((await verify(email, code, '2001:db8:7:2::1')).status).toBe(200);
  });

  test('forty-five tries of strangers, however many there are, use up their share: no more are compared', async () => {
    const email = newAddress();
    const code = await newCode(email);
    await Promise.all(Array.from({ length: 60 }, (_, number) => verify(email, wrong(code), stranger(number))));
    const [row] = await app.ctx.db.query<{ attempts: number }>(
      'attempts_of',
      'select attempts from email_codes where email = $1',
      [email],
    );
    expect(row?.attempts).toBe(45);
    expect((await verify(email, code, stranger(70))).status).toBe(401);
    expect((await verify(email, code)).status).toBe(200);
  });

  test('twenty tries of all clients of an IPv6 /48 are compared, and the rest is left to others', async () => {
    const email = newAddress();
    const code = await newCode(email, '2001:db8:8:1::1');
    const neighbor = (number: number) => `2001:db8:8:${(number + 2).toString(16)}::1`;
    await Promise.all(Array.from({ length: 40 }, (_, number) => verify(email, wrong(code), neighbor(number))));
    const [row] = await app.ctx.db.query<{ attempts: number; counted: number }>(
      'tries_of',
      `select attempts, (select count(*)::integer from email_code_tries t where t.code_id = c.id) as counted
         from email_codes c where email = $1`,
      [email],
    );
    expect(row?.attempts).toBe(20);
    for (let number = 40; number < 45; number += 1) await verify(email, wrong(code), neighbor(number));
    const [after] = await app.ctx.db.query<{ counted: number }>(
      'tries_after',
      'select count(*)::integer as counted from email_code_tries t join email_codes c on c.id = t.code_id where email = $1',
      [email],
    );
    // What is refused stores nothing.
    expect(after?.counted).toBe(row?.counted);
    expect((await verify(email, code, neighbor(45))).status).toBe(401);
    for (let count = 0; count < 4; count += 1) await verify(email, wrong(code), '2001:db8:8:1::1');
    expect((await verify(email, code, '2001:db8:9:1::1')).status).toBe(200);

    const own = newAddress();
    const ownCode = await newCode(own, '2001:db8:8:1::1');
    for (let number = 0; number < 21; number += 1) await verify(own, wrong(ownCode), neighbor(number));
    expect((await verify(own, ownCode, '2001:db8:8:1::1')).status).toBe(200);
  });

  test('codes that strangers request do not push out the one that the owner requested', async () => {
    const email = newAddress();
    const code = await newCode(email);
    for (let number = 0; number < 6; number += 1) await start(email, stranger(number));
    expect((await verify(email, code, stranger(9))).status).toBe(401);
    expect((await verify(email, code)).status).toBe(200);
  });
});

describe('the link in the mail', () => {
  test('signs in once, whatever was tried before, and ends the code', async () => {
    const email = newAddress();
    const link = await newLink(email);
    const code = await newestCode(app.ctx, box, email);
    for (let number = 0; number < 50; number += 1) await verify(email, wrong(code), stranger(number));
    for (let count = 0; count < 20; count += 1)
      expect((await followLink({ email, token: 'a'.repeat(43) }, { from: stranger(count) })).status).toBe(401);

    const answer = await followLink(link);
    expect(answer).toMatchObject({ status: 200, body: { data: { signed_in: true } } });
    expect(answer.headers['set-cookie']).toMatch(/=ses_\w{43};.*HttpOnly/);
    expect(await followLink(link)).toMatchObject({
      status: 401,
      body: { error: { code: 'invalid_code', message: expect.stringContaining('used or has expired') } },
    });
    expect((await verify(email, code)).status).toBe(401);
  });

  test('is the only one of twenty at once that signs in', async () => {
    const link = await newLink(newAddress());
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, number) => followLink(link, { from: stranger(number) })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(401)]);
  });

  test('ends with its code, after ten minutes, and with another address', async () => {
    const [used, expired, foreign] = [
      await newLink(newAddress()),
      await newLink(newAddress()),
      await newLink(newAddress()),
    ];
    expect((await verify(used.email, await newestCode(app.ctx, box, used.email))).status).toBe(200);
    expect((await followLink(used)).status).toBe(401);
    await app.ctx.db.query(
      'age_codes',
      `update email_codes set expires_at = created_at + interval '1 millisecond' where email = $1`,
      [expired.email],
    );
    expect((await followLink(expired)).status).toBe(401);
    expect((await followLink({ ...foreign, email: used.email })).status).toBe(401);
    expect((await followLink(foreign)).status).toBe(200);
  });

  test('is not used up by opening the page: the token is in the fragment, and only a post from our page counts', async () => {
    const link = await newLink(newAddress());
    expect((await app.inject('GET', '/dashboard/sign-in')).status).toBe(200);
    expect((await app.inject('GET', '/dashboard/session/link', { query: link })).headers['set-cookie']).toBeUndefined();
    expect((await followLink(link, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect((await followLink(link)).status).toBe(200);
  });

  test('is not in the database', async () => {
    const { token } = await newLink(newAddress());
    const [row] = await app.ctx.db.query<{ dump: string }>(
      'dump_codes',
      `select string_agg(c::text, ' ') || (select string_agg(m::text, ' ') from mails m) as dump from email_codes c`,
    );
    expect(row?.dump).not.toContain(token);
    expect(token).toMatch(/^[0-9A-Za-z]{43}$/);
  });
});

test('429 rate_limited: the twenty-first verification of one client in a minute, by code or by link, for whichever addresses', async () => {
  const from = '203.0.113.77';
  for (let count = 0; count < 10; count += 1) {
    expect((await verify(newAddress(), '222222', from)).status).toBe(401);
    expect((await followLink({ email: newAddress(), token: 'b'.repeat(43) }, { from })).status).toBe(401);
  }
  const refused = await verify(newAddress(), '222222', from);
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(
    (
      await app.inject('POST', '/dashboard/session/email', {
        body: { email: newAddress(), code: '222222' },
        from,
        headers: { origin: app.config.publicUrl },
      })
    ).status,
  ).toBe(429);
  expect((await verify(newAddress(), '222222', '203.0.113.78')).status).toBe(401);
});
