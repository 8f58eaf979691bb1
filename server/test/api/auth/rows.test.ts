import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS, later } from '../../../src/platform/time.ts';
import { prune } from '../../../src/retention/prune.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { mailbox } from '../../support/logins.ts';

// The rows that strangers can write by requesting logins.
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ overrides: { mail: mailbox() } });
});
afterAll(() => app.stop());

const randomAddress = () => base58.encode(ed25519.getPublicKey(ed25519.utils.randomSecretKey()));
const askNonce = (from: string, address = randomAddress()) =>
  app.inject('POST', '/v1/auth/nonce', { body: { address, network: 'solana' }, from });
const count = async (table: 'login_nonces' | 'email_codes' | 'mails') =>
  (await app.ctx.db.query(`count_${table}`, `select 1 as one from ${table}`)).length;

test('429 rate_limited: the sixty-first message to sign of one client in a minute, whichever the wallets; it leaves no row', async () => {
  const answers = [];
  for (let asked = 0; asked < 61; asked += 1) answers.push(await askNonce(`2001:db8:5:5::${asked + 1}`));
  expect(answers.slice(0, 60).map(({ status }) => status)).toEqual(Array(60).fill(200));
  expect(answers[60]).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
  expect(Number(answers[60]?.headers['retry-after'])).toBeGreaterThan(0);
  expect(await count('login_nonces')).toBe(60);
  expect((await askNonce('2001:db8:5:6::1')).status).toBe(200);
});

test('429 rate_limited: the sixty-first login code of one client in a minute, before anything is looked up', async () => {
  const statuses = [];
  for (let asked = 0; asked < 61; asked += 1)
    statuses.push(
      (await app.inject('POST', '/v1/auth/email/start', { body: { email: 'nonsense' }, from: '203.0.113.200' })).status,
    );
  expect(statuses).toEqual([...Array(60).fill(400), 429]);
});

test('logins are ordered without a row each: a hundred at once for one wallet leave five messages and nothing else', async () => {
  const address = randomAddress();
  await Promise.all(Array.from({ length: 100 }, (_, number) => askNonce(`198.51.100.${number + 1}`, address)));
  expect(
    await app.ctx.db.query('messages_of', 'select 1 as one from login_nonces where address = $1', [address]),
  ).toHaveLength(5);
  await Promise.all(
    Array.from({ length: 10 }, (_, number) =>
      app.inject('POST', '/v1/auth/email/start', {
        body: { email: 'queue@example.com' },
        from: `198.51.100.${number + 1}`,
      }),
    ),
  );
});

test('expired rows are deleted in batches of a thousand, and valid ones stay', async () => {
  const now = await app.ctx.db.now();
  const live = [await count('login_nonces'), await count('email_codes'), await count('mails')];
  const old = later(now, -40 * DAY_MS);
  const { db } = app.ctx;
  await db.query(
    'old_nonces',
    `insert into login_nonces (id, network, address, message, created_at, expires_at)
      select 'nonce_old_' || n, 'solana', 'a', 'm', $1, $1 from generate_series(1, 2500) n`,
    [old],
  );
  await db.query(
    'old_codes',
    `insert into email_codes (id, email, code_hash, created_at, expires_at, client)
      select 'code_old_' || n, 'a@example.com', '\\x00', $1, $1, 'client' from generate_series(1, 1200) n`,
    [old],
  );
  await db.query(
    'old_tries',
    `insert into email_code_tries (code_id, client, tries) select id, 'client', 1 from email_codes where id like 'code_old_%'`,
  );
  await db.query(
    'old_mails',
    `insert into mails (id, to_address, content, created_at, useful_until, attempts)
      select 'mail_old_' || n, 'a@example.com', null, $1, $1, 0 from generate_series(1, 10) n`,
    [old],
  );

  const deleted: number[] = [];
  const counting = {
    ...db,
    query: async (...query: Parameters<typeof db.query>) => {
      const rows = await db.query(...query);
      if (query[0] === 'delete_expired_nonces') deleted.push(rows.length);
      return rows;
    },
  } as typeof db;
  await prune({ ...app.ctx, db: counting }, new AbortController().signal);
  expect(deleted).toEqual([1000, 1000, 500]);
  expect([await count('login_nonces'), await count('email_codes'), await count('mails')]).toEqual(live);
});
