import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { deliverMails, type Mailbox, mailbox, newestCode } from '../../support/logins.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

let made = 0;
const newAddress = () => `stranger-${++made}@example.com`;
const newClient = () => `198.51.${100 + Math.floor(++made / 250)}.${1 + (made % 250)}`;
const start = ({ inject }: TestApp, email: string, from = newClient()) =>
  inject('POST', '/v1/auth/email/start', { body: { email }, from });
const verify = ({ inject }: TestApp, email: string, code: string) =>
  inject('POST', '/v1/auth/email/verify', { body: { email, code }, from: newClient() });
const countRows = async ({ ctx }: TestApp) =>
  (await ctx.db.query('count_codes', 'select 1 as one from email_codes')).length;

async function mailsTo({ ctx }: TestApp, box: Mailbox, email: string): Promise<number> {
  await deliverMails(ctx);
  return box.mails.filter((mail) => mail.to === email).length;
}

describe('mails to one address', () => {
  const box = mailbox();
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({
      env: { LOGIN_MAILS_PER_HOUR: '1000' },
      overrides: { mail: box },
      movableClock: true,
    });
  });
  afterAll(() => app.stop());

  const startFromMany = async (email: string, many: number) => {
    const answers = [];
    for (let count = 0; count < many; count += 1) answers.push(await start(app, email));
    return answers;
  };

  test('are at most ten an hour and twenty a day, however many clients ask, and the answer is the same', async () => {
    const [known, unknown] = [(await app.newMerchant()).email, newAddress()];
    const answers = [...(await startFromMany(known, 15)), ...(await startFromMany(unknown, 15))];
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
    expect(answers.map(({ body }) => body.data)).toEqual(Array(30).fill({ expires_in: 600, sent: true }));
    expect([await mailsTo(app, box, known), await mailsTo(app, box, unknown)]).toEqual([10, 10]);

    await app.pass(HOUR);
    await startFromMany(unknown, 15);
    expect(await mailsTo(app, box, unknown)).toBe(20);
    await app.pass(HOUR);
    expect((await startFromMany(unknown, 5)).map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(await mailsTo(app, box, unknown)).toBe(20);
    await app.pass(24 * HOUR);
    await startFromMany(unknown, 1);
    expect(await mailsTo(app, box, unknown)).toBe(21);
  });

  test('that are not sent leave the code and the link of the last one valid', async () => {
    const { email } = await app.newMerchant();
    await startFromMany(email, 10);
    const code = await newestCode(app.ctx, box, email);
    await startFromMany(email, 20);
    expect((await verify(app, email, code)).status).toBe(200);

    const other = (await app.newMerchant()).email;
    await startFromMany(other, 30);
    await deliverMails(app.ctx);
    const text = box.mails.findLast(({ to }) => to === other)?.text ?? '';
    const token = new URLSearchParams(/#(\S+)$/m.exec(text)?.[1]).get('login');
    const answer = await app.inject('POST', '/dashboard/session/link', {
      body: { email: other, token },
      from: newClient(),
      headers: { origin: app.config.publicUrl },
    });
    expect(answer.status).toBe(200);
  });

  test('beyond the limit are sent to an account that has no usable code, so that strangers lock no one out', async () => {
    const { email } = await app.newMerchant();
    await startFromMany(email, 12);
    expect(await mailsTo(app, box, email)).toBe(10);
    await app.pass(HOUR);
    await startFromMany(email, 12);
    expect(await mailsTo(app, box, email)).toBe(20);

    for (let more = 1; more <= 3; more += 1) {
      await app.pass(10 * MINUTE);
      await startFromMany(email, 12);
      expect(await mailsTo(app, box, email)).toBe(20 + more);
      expect((await verify(app, email, await newestCode(app.ctx, box, email))).status).toBe(200);
    }
    // The code is used: the owner who signs in elsewhere gets another.
    await startFromMany(email, 2);
    expect(await mailsTo(app, box, email)).toBe(24);
  });

  test('that are not sent count for their client like others, so that no limit reveals which addresses have an account', async () => {
    for (const email of [(await app.newMerchant()).email, newAddress()]) {
      await startFromMany(email, 10);
      const from = newClient();
      const statuses = [];
      for (let count = 0; count < 6; count += 1) statuses.push((await start(app, email, from)).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    }
  });

  test('that race do not pass the limit', async () => {
    const email = newAddress();
    await Promise.all(Array.from({ length: 40 }, () => start(app, email)));
    expect(await mailsTo(app, box, email)).toBe(10);
  });

  test('429 rate_limited: the 121st start of an IPv6 /48 in ten minutes says what was reached and when it frees, and leaves no row', async () => {
    for (let count = 1; count <= 120; count += 1)
      expect((await start(app, newAddress(), `2001:db8:1:${count}::1`)).status).toBe(200);
    const before = await countRows(app);
    const refused = await start(app, newAddress(), '2001:db8:1:ffff::1');

    expect(refused.status).toBe(429);
    expect(refused.body.error).toMatchObject({
      code: 'rate_limited',
      message: expect.stringMatching(/^120 login codes were requested from .*\/48.* limit\..* in 10 minutes\.$/),
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(500);
    expect(await countRows(app)).toBe(before);
    expect((await start(app, newAddress(), '2001:db8:2:1::1')).status).toBe(200);

    await app.pass(Number(refused.headers['retry-after']) + 1);
    expect((await start(app, newAddress(), '2001:db8:1:ffff::1')).status).toBe(200);
  });
});

describe('all login mails of an hour', () => {
  async function startLimited() {
    const box = mailbox();
    const alarms: unknown[] = [];
    const write = (line: string) => {
      const { alarm, sent } = JSON.parse(line) as { alarm?: string; sent?: number };
      if (alarm) alarms.push({ alarm, sent });
    };
    const app = await startApp({
      env: { LOGIN_MAILS_PER_HOUR: '10' },
      overrides: { mail: box, log: pino({ level: 'error' }, { write }) },
      movableClock: true,
    });
    return { app, box, alarms, [Symbol.asyncDispose]: () => app.stop() };
  }

  test('half of them are kept for accounts: strangers who ask for many addresses lock no owner out', async () => {
    await using limited = await startLimited();
    const { app, box, alarms } = limited;
    const { email } = app.merchant;

    const addresses = Array.from({ length: 20 }, newAddress);
    const answers = await Promise.all(addresses.map((address) => start(app, address)));
    expect(answers.map(({ status, body }) => [status, body.data.sent])).toEqual(Array(20).fill([200, true]));
    await deliverMails(app.ctx);
    expect(box.mails.filter(({ to }) => addresses.includes(to))).toHaveLength(5);

    expect((await start(app, email)).status).toBe(200);
    expect(await mailsTo(app, box, email)).toBe(1);
    // Strangers who ask for the owner's address as well use up no more of the rest while the owner has a code.
    for (let count = 0; count < 10; count += 1) await start(app, email);
    expect(await mailsTo(app, box, email)).toBe(1);
    expect((await verify(app, email, await newestCode(app.ctx, box, email))).status).toBe(200);
    expect(alarms).toEqual([{ alarm: 'login_mails_limited', sent: 5 }]);
  });

  test('429 rate_limited: when all are sent, for every address alike, until the first leaves the hour', async () => {
    await using limited = await startLimited();
    const { app, box, alarms } = limited;
    for (let count = 0; count < 5; count += 1) await start(app, newAddress());
    for (let count = 0; count < 5; count += 1)
      expect((await start(app, (await app.newMerchant()).email)).status).toBe(200);
    const before = await countRows(app);

    const [known, unknown] = [await start(app, app.merchant.email), await start(app, newAddress())];
    expect([known.status, unknown.status]).toEqual([429, 429]);
    expect(known.body.error).toEqual(unknown.body.error);
    expect(known.body.error.message).toMatch(
      /^This server has sent 10 login mails within an hour, .* in (60|59) minutes\.$/,
    );
    const seconds = Number(known.headers['retry-after']);
    expect(seconds).toBeGreaterThan(HOUR - MINUTE);
    expect(await countRows(app)).toBe(before);
    expect(alarms).toEqual([
      { alarm: 'login_mails_limited', sent: 5 },
      { alarm: 'login_mails_limited', sent: 10 },
    ]);

    await app.pass(seconds + 1);
    expect((await start(app, app.merchant.email)).status).toBe(200);
    expect(await mailsTo(app, box, app.merchant.email)).toBe(1);
  });
});
