import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/platform/secrets.ts';
import { prune } from '../../../src/retention/prune.ts';
import { createLoginLink, redeemLoginLink } from '../../../src/resources/logins/create-login-link.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { ethereumWallet, loginByWallet } from '../../support/logins.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const account = (token: string, headers?: Record<string, string>) =>
  app.inject('GET', '/v1/account', { token, headers });
const login = async () => (await loginByWallet(app.inject, ethereumWallet())).session_token;
let aged = 0;
const age = (token: string, change: string) =>
  app.ctx.db.query(`age_token_${++aged}`, `update login_tokens set ${change} where token_hash = $1`, [sha256(token)]);

describe('a login token', () => {
  test('is kept as a hash only', async () => {
    const token = await login();
    const [row] = await app.ctx.db.query<{ dump: string }>(
      'dump_tokens',
      `select string_agg(t::text, ' ') as dump from login_tokens t`,
    );
    expect(row?.dump).not.toContain(token.slice(4));
    expect(row?.dump).toContain(sha256(token).toString('hex'));
  });

  test('works in both modes, live unless said', async () => {
    const token = await login();
    expect((await account(token)).body.data.livemode).toBe(true);
    expect((await account(token, { 'service-mode': 'test' })).body.data.livemode).toBe(false);
  });

  test('ends after twelve hours without use, and seven days after the login at the latest', async () => {
    const idle = await login();
    await age(idle, `last_used_at = last_used_at - interval '11 hours 59 minutes'`);
    expect((await account(idle)).status).toBe(200);
    await age(idle, `last_used_at = created_at - interval '12 hours'`);
    expect(await account(idle)).toMatchObject({ status: 401, body: { error: { code: 'invalid_credentials' } } });

    const old = await login();
    await age(old, `expires_at = created_at + interval '1 millisecond'`);
    expect((await account(old)).status).toBe(401);
  });

  test('is kept alive by use, noted at most once a minute', async () => {
    const token = await login();
    await age(token, `last_used_at = last_used_at - interval '2 minutes'`);
    await account(token);
    const lastUsed = async () =>
      (
        await app.ctx.db.query<{ seconds: number }>(
          'token_last_used',
          `
      select extract(epoch from (clock_timestamp() - last_used_at))::float8 as seconds from login_tokens where token_hash = $1`,
          [sha256(token)],
        )
      )[0]?.seconds as number;
    await expect.poll(lastUsed).toBeLessThan(60);

    await age(token, `last_used_at = last_used_at - interval '30 seconds'`);
    await account(token);
    await account(token);
    expect(await lastUsed()).toBeGreaterThan(25);
  });

  test('is deleted once it has ended', async () => {
    const [ended, good] = [await login(), await login()];
    await age(ended, `last_used_at = created_at - interval '12 hours'`);
    await prune(app.ctx, new AbortController().signal);
    const left = await app.ctx.db.query<{ tokenHash: Buffer }>('tokens_left', `select token_hash from login_tokens`);
    const hashes = left.map((row) => row.tokenHash.toString('hex'));
    expect(hashes).not.toContain(sha256(ended).toString('hex'));
    expect(hashes).toContain(sha256(good).toString('hex'));
  });
});

describe('POST /v1/auth/logout', () => {
  test('200: this login ends at once, another of the account goes on', async () => {
    const wallet = ethereumWallet();
    const [one, two] = [
      (await loginByWallet(app.inject, wallet)).session_token,
      (await loginByWallet(app.inject, wallet)).session_token,
    ];

    const answer = await app.inject('POST', '/v1/auth/logout', { token: one });

    expect(answer).toMatchObject({ status: 200, body: { data: { logged_out: true } } });
    expect((await account(one)).status).toBe(401);
    expect((await app.inject('POST', '/v1/auth/logout', { token: one })).status).toBe(401);
    expect((await account(two)).status).toBe(200);
  });

  test('401 without a credential, 403 with a secret key', async () => {
    for (const path of ['logout', 'logout-everywhere']) {
      expect((await app.inject('POST', `/v1/auth/${path}`)).status).toBe(401);
      expect(await app.inject('POST', `/v1/auth/${path}`, { token: app.merchant.liveKey })).toMatchObject({
        status: 403,
        body: { error: { code: 'forbidden' } },
      });
    }
  });
});

describe('POST /v1/auth/logout-everywhere', () => {
  test("200: every login of the account ends, no other account's, and secret keys stay valid", async () => {
    const wallet = ethereumWallet();
    const logins = [await loginByWallet(app.inject, wallet), await loginByWallet(app.inject, wallet)].map(
      (one) => one.session_token,
    );
    const stranger = await login();
    const key = (await app.inject('POST', '/v1/api-keys', { token: logins[0], body: { mode: 'live' } })).body.data
      .secret;

    expect((await app.inject('POST', '/v1/auth/logout-everywhere', { token: logins[1] })).status).toBe(200);

    for (const token of logins) expect((await account(token)).status).toBe(401);
    expect((await account(stranger)).status).toBe(200);
    expect((await account(key)).status).toBe(200);
  });
});

describe('a login link', () => {
  test('logs into its account once', async () => {
    const link = await createLoginLink(app.ctx, app.merchant.accountId);
    const token = await redeemLoginLink(app.ctx, link);
    expect((await account(token)).body.data.id).toBe(app.merchant.accountId);
    await expect(redeemLoginLink(app.ctx, link)).rejects.toMatchObject({ code: 'invalid_credentials' });
  });

  test('of a hundred uses at once one logs in', async () => {
    const link = await createLoginLink(app.ctx, app.merchant.accountId);
    const uses = await Promise.allSettled(Array.from({ length: 100 }, () => redeemLoginLink(app.ctx, link)));
    expect(uses.filter((use) => use.status === 'fulfilled')).toHaveLength(1);
  });

  test('ends after half an hour, and no other text is one', async () => {
    const link = await createLoginLink(app.ctx, app.merchant.accountId);
    await app.ctx.db.query('age_links', `update login_links set expires_at = created_at where token_hash = $1`, [
      sha256(link),
    ]);
    for (const text of [link, '', 'x'.repeat(43), '\u0000'.repeat(43)]) {
      await expect(redeemLoginLink(app.ctx, text)).rejects.toMatchObject({ code: 'invalid_credentials' });
    }
  });
});
