import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { findOrCreateEmailAccount } from '../../../src/resources/accounts/store.ts';
import { openAccount } from '../../../src/resources/accounts/invitations/admit.ts';
import { printSetupLink } from '../../../src/resources/accounts/invitations/setup-link.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { deliverMails, ethereumWallet, mailbox, newestCode, type TestWallet } from '../../support/logins.ts';

const PRODUCTION = { PROFILE: 'production', PUBLIC_URL: 'https://pay.example.com', MASTER_KEY: '11'.repeat(32) };
const box = mailbox();
const headers = { host: 'pay.example.com' };
let made = 0;
const newAddress = () => `merchant-${++made}@example.com`;
const newClient = () => `203.0.113.${++made % 250}`;

type Service = Pick<TestApp, 'inject' | 'ctx'>;

const start = ({ inject }: Service, email: string, invitation?: string) =>
  inject('POST', '/v1/auth/email/start', { body: { email, invitation }, headers, from: newClient() });
const verify = ({ inject }: Service, email: string, code: string) =>
  inject('POST', '/v1/auth/email/verify', { body: { email, code }, headers, from: newClient() });
const mailsTo = (email: string) => box.mails.filter((mail) => mail.to === email);

async function logInByWallet({ inject }: Service, wallet: TestWallet, invitation?: string) {
  const { address, network } = wallet;
  const nonce = await inject('POST', '/v1/auth/nonce', { body: { address, network }, headers });
  const signature = await wallet.sign(nonce.body.data.nonce);
  const send = (token = invitation) =>
    inject('POST', '/v1/auth/verify', { body: { address, network, signature, invitation: token }, headers });
  return { answer: await send(), send };
}

async function countAccounts({ ctx }: Service): Promise<number> {
  return (await ctx.db.query('all_accounts', 'select id from accounts')).length;
}

describe('SIGNUP=closed, the default in production', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ env: PRODUCTION, overrides: { mail: box } });
  });
  afterAll(() => app.stop());

  test('an unknown address gets the same answer as a known one, and a mail that says what to do in place of a code', async () => {
    const email = newAddress();
    const [known, unknown] = [await start(app, app.merchant.email), await start(app, email)];
    await deliverMails(app.ctx);

    expect(unknown.status).toBe(200);
    expect(unknown.body.data).toEqual(known.body.data);
    expect(Object.keys(unknown.headers).sort()).toEqual(Object.keys(known.headers).sort());
    expect(mailsTo(app.merchant.email)[0]?.subject).toMatch(/code: [A-Z0-9]{6}$/);
    const [mail] = mailsTo(email);
    expect(mail?.subject).toBe('No Quittance account for this address at pay.example.com');
    expect(mail?.text).toContain('does not accept new accounts');
    expect(mail?.text).not.toMatch(/\b[23456789A-HJKMNP-Z]{6}\b/);
  });

  test('an unknown address gets at most three such mails a day, and the same answers as before', async () => {
    const email = newAddress();
    for (let count = 0; count < 6; count += 1) expect((await start(app, email)).status).toBe(200);
    await deliverMails(app.ctx);
    expect(mailsTo(email)).toHaveLength(3);
  });

  test('an existing account logs in by code', async () => {
    await start(app, app.merchant.email);
    expect((await verify(app, app.merchant.email, await newestCode(app.ctx, box, app.merchant.email))).status).toBe(
      200,
    );
  });

  test('a wallet without an account gets 403 signup_closed, and no account', async () => {
    const before = await countAccounts(app);
    const { answer } = await logInByWallet(app, ethereumWallet());
    expect(answer).toMatchObject({
      status: 403,
      body: { error: { code: 'signup_closed', message: expect.stringContaining('does not accept new accounts') } },
    });
    expect(await countAccounts(app)).toBe(before);
  });

  test('the operator cannot invite', async () => {
    const answer = await app.inject('POST', '/v1/invitations', { token: app.merchant.loginToken, body: {}, headers });
    expect(answer).toMatchObject({
      status: 403,
      body: { error: { code: 'signup_closed', message: expect.stringContaining('SIGNUP=invite') } },
    });
  });

  test('the sign-in page knows it', async () => {
    expect((await app.inject('GET', '/dashboard/session/sign-up', { headers })).body.data).toEqual({
      sign_up: 'closed',
    });
  });
});

describe('SIGNUP=invite', () => {
  let app: TestApp;
  const invite = (body: object = {}, token = app.merchant.loginToken) =>
    app.inject('POST', '/v1/invitations', { token, body, headers });
  const tokenOf = (answer: { body: any }) => answer.body.data.url.split('#invitation=')[1] as string;

  beforeAll(async () => {
    app = await startApp({ env: { ...PRODUCTION, SIGNUP: 'invite' }, overrides: { mail: box } });
  });
  afterAll(() => app.stop());
  beforeEach(() => app.ctx.db.query('forget_invitations', 'delete from invitations'));

  test('an invitation opens one account by email, and no second one', async () => {
    const created = await invite({ label: 'The second shop' });
    expect(created.status).toBe(201);
    expect(created.body.data).toMatchObject({
      object: 'invitation',
      status: 'pending',
      label: 'The second shop',
      email: null,
      used_at: null,
    });
    const token = tokenOf(created);

    const [email, other] = [newAddress(), newAddress()];
    expect((await start(app, email, token)).status).toBe(200);
    expect((await start(app, other, token)).status).toBe(200);
    const [code, otherCode] = [await newestCode(app.ctx, box, email), await newestCode(app.ctx, box, other)];
    expect((await verify(app, email, code)).status).toBe(200);
    expect(await verify(app, other, otherCode)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_invitation' } },
    });
    expect(await start(app, newAddress(), token)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_invitation', param: 'invitation' } },
    });

    const list = await app.inject('GET', '/v1/invitations', { token: app.merchant.loginToken, headers });
    expect(list.body.data).toMatchObject([{ id: created.body.data.id, status: 'used', used_at: expect.any(String) }]);
    expect(list.raw).not.toContain(token);
  });

  test('of ten logins with one invitation at once, one opens an account', async () => {
    const token = tokenOf(await invite());
    const wallets = Array.from({ length: 10 }, () => ethereumWallet());
    const logins = await Promise.all(wallets.map((wallet) => logInByWallet(app, wallet, token)));
    expect(logins.map(({ answer }) => answer.status).sort()).toEqual([200, ...Array(9).fill(400)]);
  });

  test('a wallet without an invitation gets 403, and the same signature opens the account with one', async () => {
    const { answer, send } = await logInByWallet(app, ethereumWallet());
    expect(answer).toMatchObject({
      status: 403,
      body: { error: { code: 'signup_closed', message: expect.stringContaining('need an invitation') } },
    });
    expect((await send(tokenOf(await invite()))).status).toBe(200);
  });

  test('an existing account does not use up an invitation', async () => {
    const token = tokenOf(await invite());
    await start(app, app.merchant.email, token);
    expect((await verify(app, app.merchant.email, await newestCode(app.ctx, box, app.merchant.email))).status).toBe(
      200,
    );
    expect((await start(app, newAddress(), token)).status).toBe(200);
  });

  test.each([
    ['unknown', async () => 'a'.repeat(43)],
    ['malformed', async () => "' or 1=1 --"],
    [
      'revoked',
      async () => {
        const created = await invite();
        expect(
          (
            await app.inject('DELETE', `/v1/invitations/${created.body.data.id}`, {
              token: app.merchant.loginToken,
              headers,
            })
          ).status,
        ).toBe(200);
        return tokenOf(created);
      },
    ],
    [
      'expired',
      async () => {
        const created = await invite({ expires_in: 3600 });
        await app.ctx.db.query(
          'age_invitation',
          `update invitations set created_at = created_at - interval '2 hours', expires_at = expires_at - interval '2 hours'`,
        );
        return tokenOf(created);
      },
    ],
  ])('an invitation that is %s opens nothing, with one answer for known and unknown addresses', async (_what, read) => {
    const token = await read();
    const [known, unknown] = [await start(app, app.merchant.email, token), await start(app, newAddress(), token)];
    expect(unknown).toMatchObject({ status: 400, body: { error: { code: 'invalid_invitation' } } });
    expect(known.body.error).toEqual(unknown.body.error);
    expect((await logInByWallet(app, ethereumWallet(), token)).answer).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_invitation' } },
    });
  });

  test('an invitation that is revoked after its code was sent opens nothing', async () => {
    const created = await invite();
    const email = newAddress();
    await start(app, email, tokenOf(created));
    await app.inject('DELETE', `/v1/invitations/${created.body.data.id}`, { token: app.merchant.loginToken, headers });
    expect(await verify(app, email, await newestCode(app.ctx, box, email))).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_invitation' } },
    });
  });

  test('the link is mailed if an address is given, and the token is not in the database', async () => {
    const email = newAddress();
    const created = await invite({ email });
    await deliverMails(app.ctx);
    expect(mailsTo(email)[0]?.text).toContain(created.body.data.url);
    const [row] = await app.ctx.db.query<{ dump: string }>(
      'dump_invitations',
      `select string_agg(i::text, ' ') as dump from invitations i`,
    );
    expect(row?.dump).not.toContain(tokenOf(created));
  });

  test('only the operator manages invitations, and only with a login', async () => {
    const member = await app.newMerchant();
    const { id } = (await invite()).body.data;
    for (const [method, path] of [
      ['POST', '/v1/invitations'],
      ['GET', '/v1/invitations'],
      ['DELETE', `/v1/invitations/${id}`],
    ] as const) {
      expect(await app.inject(method, path, { token: member.loginToken, headers }), path).toMatchObject({
        status: 403,
        body: { error: { code: 'forbidden' } },
      });
      expect(await app.inject(method, path, { token: app.merchant.liveKey, headers }), path).toMatchObject({
        status: 403,
      });
    }
  });

  test('a hundred invitations may be pending, and two hundred a day may be created', async () => {
    const answers = await Promise.all(Array.from({ length: 105 }, () => invite()));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(100);
    expect(answers.find((answer) => answer.status === 400)?.body.error.message).toContain('100 pending invitations');
    await app.ctx.db.query('revoke_all', 'update invitations set revoked_at = created_at');
    for (let count = 0; count < 100; count += 1) await invite();
    await app.ctx.db.query('revoke_all', 'update invitations set revoked_at = created_at');
    expect(await invite()).toMatchObject({
      status: 429,
      body: { error: { code: 'rate_limited', message: expect.stringContaining('200 invitations') } },
    });
  });
});

describe('the first account in production', () => {
  let app: TestApp;
  let lines: string[];
  const printedTokens = () => lines.flatMap((line) => /#invitation=(\w{43})/.exec(line)?.[1] ?? []);

  beforeEach(async () => {
    lines = [];
    app = await startApp({
      env: { ...PRODUCTION, SIGNUP: 'open' },
      overrides: { mail: box, log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }) },
    });
    await app.ctx.db.query('forget_accounts', 'truncate accounts cascade');
    return () => app.stop();
  });

  test('needs the setup link from the log, whatever SIGNUP says; it belongs to the operator and ends every setup link', async () => {
    await printSetupLink(app.ctx);
    await printSetupLink(app.ctx);
    const [first, second] = printedTokens() as [string, string];
    expect(first).not.toBe(second);
    expect((await app.inject('GET', '/dashboard/session/sign-up', { headers })).body.data).toEqual({
      sign_up: 'setup',
    });

    const stranger = newAddress();
    await start(app, stranger);
    await deliverMails(app.ctx);
    expect(mailsTo(stranger)[0]?.text).toContain('setup link');
    expect((await logInByWallet(app, ethereumWallet())).answer).toMatchObject({
      status: 403,
      body: { error: { code: 'signup_closed', message: expect.stringContaining('setup link') } },
    });
    expect(await start(app, stranger, 'b'.repeat(43))).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_invitation' } },
    });
    expect(await countAccounts(app)).toBe(0);

    const [email, late] = [newAddress(), newAddress()];
    await start(app, email, first);
    await start(app, late, second);
    const login = await verify(app, email, await newestCode(app.ctx, box, email));
    expect(login.status).toBe(200);
    expect(
      (await app.inject('POST', '/v1/invitations', { token: login.body.data.session_token, body: {}, headers })).status,
    ).toBe(201);

    // SIGNUP=open applies again; the second setup link makes no one the operator.
    const member = await verify(app, late, await newestCode(app.ctx, box, late));
    expect(member.status).toBe(200);
    expect(
      (await app.inject('POST', '/v1/invitations', { token: member.body.data.session_token, body: {}, headers }))
        .status,
    ).toBe(403);
    lines = [];
    await printSetupLink(app.ctx);
    expect(printedTokens()).toEqual([]);
  });

  test('goes to one of two setup links that are used at once', async () => {
    await printSetupLink(app.ctx);
    await printSetupLink(app.ctx);
    const { db } = app.ctx;
    const [first, second] = (await db.query<{ id: string }>('setup_ids', 'select id from invitations')) as [
      { id: string },
      { id: string },
    ];
    const now = await db.now();
    const openWith = (invitationId: string, beforeCreate: () => Promise<void>) =>
      db.transaction((transaction) =>
        openAccount(app.ctx, transaction, {
          invitationId,
          now,
          find: async () => undefined,
          async create() {
            await beforeCreate();
            return findOrCreateEmailAccount(transaction, { id: newId('acc'), email: newAddress(), now });
          },
        }),
      );

    const begun = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const winner = openWith(first.id, async () => {
      begun.resolve();
      await gate.promise;
    });
    await begun.promise;
    let overtook = false;
    const loser = openWith(second.id, async () => {
      overtook = true;
    });
    const isWaiting = async () =>
      (
        await db.query(
          'waiting_locks',
          'select 1 as one from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())',
        )
      ).length > 0;
    await expect.poll(async () => overtook || (await isWaiting())).toBe(true);
    gate.resolve();
    await Promise.allSettled([winner, loser]);

    // SIGNUP=open admits the second one as a member, after the first.
    expect(await db.query('list_operators', 'select is_operator from accounts order by is_operator desc')).toEqual([
      { isOperator: true },
      { isOperator: false },
    ]);
  });

  test('the log keeps the link, the database only its hash, and at most twenty of them', async () => {
    for (let count = 0; count < 25; count += 1) await printSetupLink(app.ctx);
    const rows = await app.ctx.db.query<{ dump: string }>(
      'dump_setup_links',
      'select i::text as dump from invitations i',
    );
    expect(rows).toHaveLength(20);
    for (const token of printedTokens()) expect(JSON.stringify(rows)).not.toContain(token);
  });
});

test('development is open, and its first account needs no setup link', async () => {
  await using app = await startApp();
  await app.ctx.db.query('forget_accounts', 'truncate accounts cascade');
  const nonce = ethereumWallet();
  const {
    body: { data },
  } = await app.inject('POST', '/v1/auth/nonce', { body: { address: nonce.address } });
  expect(
    (
      await app.inject('POST', '/v1/auth/verify', {
        body: { address: nonce.address, signature: await nonce.sign(data.nonce) },
      })
    ).status,
  ).toBe(200);
});
