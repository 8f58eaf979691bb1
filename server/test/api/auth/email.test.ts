import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { sendMails } from '../../../src/resources/mails/send-mails.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { deliverMails, loginByEmail, mailbox, newestCode } from '../../support/logins.ts';

const box = mailbox();
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ overrides: { mail: box } });
});
afterAll(() => app.stop());

const start = (email: unknown, from?: string) => app.inject('POST', '/v1/auth/email/start', { body: { email }, from });
const verify = (email: unknown, code: unknown, from?: string) =>
  app.inject('POST', '/v1/auth/email/verify', { body: { email, code }, from });
let made = 0;
const newAddress = () => `merchant-${++made}@example.com`;
const wrong = (code: string) => (code.startsWith('2') ? '3' : '2') + code.slice(1);

describe('POST /v1/auth/email/start', () => {
  test('200: a code of six characters is the last word of the subject', async () => {
    const email = newAddress();
    const answer = await start(email);

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ data: { expires_in: 600, sent: true }, request_id: expect.stringMatching(/^req_/) });
    expect(await newestCode(app.ctx, box, email)).toMatch(/^[23456789ABCDEFGHJKMNPQRSTUVWXYZ]{6}$/);
    expect(box.mails.at(-1)?.text).toContain(box.mails.at(-1)?.subject.split(' ').at(-1));
  });

  test('200: the answer is the same for an address with an account and one without', async () => {
    const known = newAddress();
    await loginByEmail(app, box, known);
    const [one, other] = [await start(known), await start(newAddress())];

    expect(one.status).toBe(other.status);
    expect(one.body.data).toEqual(other.body.data);
    expect(Object.keys(one.headers).sort()).toEqual(Object.keys(other.headers).sort());
  });

  test('200: the mail contains nothing that the caller sent except the address', async () => {
    const email = newAddress();
    await app.inject('POST', '/v1/auth/email/start', {
      body: { email, name: '<b>Mallory</b>', payout_address: 'mallory' },
    });
    await deliverMails(app.ctx);
    expect(JSON.stringify(box.mails.at(-1))).not.toMatch(/mallory/i);
  });

  test('200: the code is nowhere in the database as it is', async () => {
    const email = newAddress();
    await start(email);
    const [row] = await app.ctx.db.query<{ dump: string }>(
      'dump_mails',
      `
      select string_agg(m::text, ' ') || (select string_agg(c::text, ' ') from email_codes c) as dump from mails m`,
    );
    expect(row?.dump).not.toContain(await newestCode(app.ctx, box, email));
  });

  test.each([
    [undefined],
    [null],
    [''],
    [5],
    [true],
    [[]],
    [{}],
    ['ada'],
    ['ada@'],
    ['@example.com'],
    ['ada@localhost'],
    ['ada@example'],
    ['a b@example.com'],
    ['ada@example.com\r\nBcc: eve@example.com'],
    [' ada@example.com'],
    ['"ada"@example.com'],
    ['ada@[127.0.0.1]'],
    ['ada\u0000@example.com'],
    ['ada\ud800@example.com'],
    [`${'a'.repeat(250)}@example.com`],
    [['ada@example.com']],
  ])('400 invalid_email_request: %j is not an address', async (email) => {
    const answer = await start(email);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'invalid_email_request', param: 'email' });
  });

  test('429 rate_limited: the sixth code of one address and client in ten minutes', async () => {
    const email = newAddress();
    for (let count = 0; count < 5; count += 1) expect((await start(email, '203.0.113.7')).status).toBe(200);

    const sixth = await start(email, '203.0.113.7');

    expect(sixth.status).toBe(429);
    expect(sixth.body.error.code).toBe('rate_limited');
    expect(Number(sixth.headers['retry-after'])).toBeGreaterThan(0);
    expect((await start(email, '203.0.113.8')).status).toBe(200);
    expect((await start(newAddress(), '203.0.113.7')).status).toBe(200);
  });

  test('429 rate_limited: of fifty at once five go through, however they race', async () => {
    const email = newAddress();
    const answers = await Promise.all(Array.from({ length: 50 }, () => start(email, '203.0.113.9')));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(5);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(45);
  });

  test('429 rate_limited: one client that asks for many addresses, an IPv6 one by its /64', async () => {
    for (let count = 0; count < 30; count += 1)
      expect((await start(newAddress(), `2001:db8:1:2::${count + 1}`)).status).toBe(200);
    expect((await start(newAddress(), '2001:db8:1:2:ffff::1')).status).toBe(429);
    expect((await start(newAddress(), '2001:db8:1:3::1')).status).toBe(200);
  });

  test('200: loopback clients in development are not counted', async () => {
    const email = newAddress();
    for (let count = 0; count < 25; count += 1)
      expect((await start(email, count % 2 ? '::1' : '127.0.0.1')).status).toBe(200);
    await deliverMails(app.ctx);
    expect(box.mails.filter((mail) => mail.to === email)).toHaveLength(25);
  });

  test('429 rate_limited: in production loopback clients are counted like all others', async () => {
    await using production = await startApp({ env: PRODUCTION, overrides: { mail: mailbox() } });
    const ask = () =>
      production.inject('POST', '/v1/auth/email/start', {
        body: { email: 'ada@example.com' },
        headers: { host: 'pay.example.com' },
      });
    for (let count = 0; count < 5; count += 1) expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(429);
  });

  test('503 email_unavailable: a production server without a mail server', async () => {
    await using production = await startApp({ env: PRODUCTION });
    for (const [path, body] of [
      ['start', { email: 'ada@example.com' }],
      ['verify', { email: 'ada@example.com', code: 'K7MQ2X' }],
    ] as const) {
      const answer = await production.inject('POST', `/v1/auth/email/${path}`, {
        body,
        headers: { host: 'pay.example.com' },
      });
      expect(answer.status).toBe(503);
      expect(answer.body.error.code).toBe('email_unavailable');
    }
  });

  test('without a mail server in development each mail is a file below DATA_DIR/mail', async () => {
    await using own = await startApp();
    await own.inject('POST', '/v1/auth/email/start', { body: { email: 'ada@example.com' } });
    await deliverMails(own.ctx);

    const folder = join(own.config.dataDir, 'mail');
    const [file] = await readdir(folder);
    const mail = await PostalMime.parse(await readFile(join(folder, file as string)));
    const code = mail.subject?.split(' ').at(-1);
    const answer = await own.inject('POST', '/v1/auth/email/verify', { body: { email: 'ada@example.com', code } });

    expect(answer.status).toBe(200);
  });
});

describe('POST /v1/auth/email/verify', () => {
  test('200: a login token, and an account at the first one only', async () => {
    const email = newAddress();
    const count = async () =>
      (await app.ctx.db.query('accounts_of', `select id from accounts where email = $1`, [email])).length;
    await start(email);
    expect(await count()).toBe(0);

    const answer = await verify(email, await newestCode(app.ctx, box, email));

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: { session_token: expect.stringMatching(/^ses_[0-9A-Za-z]{43}$/) },
      request_id: expect.any(String),
    });
    const second = await loginByEmail(app, box, email);
    expect(second).not.toBe(answer.body.data.session_token);
    expect(await count()).toBe(1);
    const account = await app.inject('GET', '/v1/account', { token: second });
    expect(account.body.data).toMatchObject({ email, login_method: 'email', livemode: true });
  });

  test('200: upper and lower case are the same, in the code and in the address', async () => {
    const email = newAddress();
    await start(email.toUpperCase());
    const code = await newestCode(app.ctx, box, email);
    expect((await verify(email.replace('m', 'M'), code.toLowerCase())).status).toBe(200);
  });

  test('200: up to three codes are good at a time, an older one is not', async () => {
    const email = newAddress();
    const codes: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      await start(email);
      codes.push(await newestCode(app.ctx, box, email));
    }
    expect((await verify(email, codes[0])).status).toBe(401);
    expect((await verify(email, codes[1])).status).toBe(200);
    expect((await verify(email, codes[3])).status).toBe(200);
    expect((await verify(email, codes[2])).status).toBe(200);
  });

  test('401 invalid_code: a used code', async () => {
    const email = newAddress();
    await start(email);
    const code = await newestCode(app.ctx, box, email);
    expect((await verify(email, code)).status).toBe(200);
    expect(await verify(email, code)).toMatchObject({ status: 401, body: { error: { code: 'invalid_code' } } });
  });

  test('401 invalid_code: after five wrong tries the right one too', async () => {
    const email = newAddress();
    await start(email);
    const code = await newestCode(app.ctx, box, email);
    for (let count = 0; count < 5; count += 1) expect((await verify(email, wrong(code))).status).toBe(401);
    expect((await verify(email, code)).status).toBe(401);
  });

  test('200: the fifth try may be the right one', async () => {
    const email = newAddress();
    await start(email);
    const code = await newestCode(app.ctx, box, email);
    for (let count = 0; count < 4; count += 1) await verify(email, wrong(code));
    expect((await verify(email, code)).status).toBe(200);
  });

  test('401 invalid_code: an expired code', async () => {
    const email = newAddress();
    await start(email);
    const code = await newestCode(app.ctx, box, email);
    await app.ctx.db.query(
      'age_codes',
      `update email_codes set expires_at = created_at + interval '1 millisecond' where email = $1`,
      [email],
    );
    expect((await verify(email, code)).status).toBe(401);
  });

  test("401 invalid_code: another address's code", async () => {
    const [mine, theirs] = [newAddress(), newAddress()];
    await start(mine);
    await start(theirs);
    expect((await verify(theirs, await newestCode(app.ctx, box, mine))).status).toBe(401);
  });

  test('401 invalid_code: wrong, used, unknown and malformed codes get one and the same answer', async () => {
    const email = newAddress();
    await start(email);
    const code = await newestCode(app.ctx, box, email);
    await verify(email, code);
    const answers = await Promise.all([
      verify(email, code),
      verify(email, wrong(code)),
      verify(newAddress(), code),
      verify(email, '!!!!!!'),
      verify(email, '000000'),
    ]);
    for (const answer of answers) {
      expect(answer.status).toBe(401);
      expect(answer.body.error).toEqual(answers[0]?.body.error);
    }
  });

  test.each([[undefined], [null], [''], ['K7MQ2'], ['K7MQ2XX'], [123456], [true], [['K7MQ2X']], [{}]])(
    '400 invalid_email_request: the code %j',
    async (code) => {
      expect(await verify('ada@example.com', code)).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_email_request', param: 'code' } },
      });
    },
  );

  test.each([[undefined], [null], ['ada'], [''], [7], ['ada\u0000@example.com']])(
    '400 invalid_email_request: the address %j',
    async (email) => {
      expect(await verify(email, 'K7MQ2X')).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_email_request', param: 'email' } },
      });
    },
  );

  test('of two hundred at once with the right code exactly one logs in', async () => {
    const email = newAddress();
    await start(email);
    const code = await newestCode(app.ctx, box, email);

    const answers = await Promise.all(Array.from({ length: 200 }, () => verify(email, code)));

    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(199);
  });

  test('two hundred wrong tries at once count five, against each of three live codes', async () => {
    const email = newAddress();
    for (let count = 0; count < 3; count += 1) await start(email);
    await Promise.all(Array.from({ length: 200 }, () => verify(email, '222222')));
    const rows = await app.ctx.db.query<{ attempts: number }>(
      'attempts_of',
      `select attempts from email_codes where email = $1`,
      [email],
    );
    expect(rows.map((row) => row.attempts)).toEqual([5, 5, 5]);
  });

  test('two codes of one new address at once make one account', async () => {
    const email = newAddress();
    await start(email);
    const one = await newestCode(app.ctx, box, email);
    await start(email);
    const two = await newestCode(app.ctx, box, email);

    const answers = await Promise.all([verify(email, one), verify(email, two)]);

    expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
    const accounts = await Promise.all(
      answers.map((answer) => app.inject('GET', '/v1/account', { token: answer.body.data.session_token })),
    );
    expect(accounts[0]?.body.data.id).toBe(accounts[1]?.body.data.id);
  });
});

describe('mail is sent by leases and tries', () => {
  test('a mail that fails for now is tried again, a rejected one is not', async () => {
    const { PermanentError, TemporaryError } = await import('../../../src/platform/errors.ts');
    let failure: Error | null = new TemporaryError('busy');
    const sent: string[] = [];
    await using own = await startApp({
      overrides: {
        mail: {
          available: true,
          async send(mail) {
            if (failure) throw failure;
            sent.push(mail.to);
          },
          async close() {},
        },
      },
    });
    const queued = () =>
      own.ctx.db.query<{ attempts: number; due: boolean; empty: boolean; error: string | null }>(
        'look_at_mails',
        `
      select attempts, due_at is not null as due, content is null as empty, error from mails order by created_at desc limit 1`,
      );
    const makeDue = () =>
      own.ctx.db.query('make_mails_due', `update mails set due_at = created_at where due_at is not null`);
    const ask = (email: string) => own.inject('POST', '/v1/auth/email/start', { body: { email } });

    await ask('ada@example.com');
    await sendMails(own.ctx);
    expect(await queued()).toEqual([{ attempts: 1, due: true, empty: false, error: 'busy' }]);
    await sendMails(own.ctx);
    expect((await queued())[0]?.attempts).toBe(1);
    failure = null;
    await makeDue();
    await sendMails(own.ctx);
    expect(await queued()).toEqual([{ attempts: 2, due: false, empty: true, error: null }]);
    expect(sent).toEqual(['ada@example.com']);

    failure = new PermanentError('no such user');
    await ask('nobody@example.com');
    await sendMails(own.ctx);
    expect(await queued()).toEqual([{ attempts: 1, due: false, empty: true, error: 'no such user' }]);

    failure = null;
    await ask('late@example.com');
    await own.ctx.db.query('age_mails', `update mails set useful_until = created_at where due_at is not null`);
    await sendMails(own.ctx);
    expect((await queued())[0]).toMatchObject({ due: false, empty: true });
    expect(sent).toEqual(['ada@example.com']);
  });

  test('of several workers one sends a mail', async () => {
    const email = newAddress();
    await start(email);
    await Promise.all(Array.from({ length: 8 }, () => sendMails(app.ctx)));
    expect(box.mails.filter((mail) => mail.to === email)).toHaveLength(1);
  });
});

const PRODUCTION = { PROFILE: 'production', PUBLIC_URL: 'https://pay.example.com', MASTER_KEY: '11'.repeat(32) };
