import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { DAY_MS, later } from '../../../src/platform/time.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
  await merchant.createWallet();
});
afterAll(() => app.stop());

const body = { amount: '10.00', metadata: { b: '2', a: '1' } };

describe('POST /v1/checkout/sessions with an Idempotency-Key', () => {
  test('answers a repeat with the bytes of the first answer', async () => {
    const first = await create(body, 'order-1');
    const second = await create(body, 'order-1');

    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.raw).toBe(first.raw);
    expect(first.headers['idempotent-replayed']).toBe(undefined);
    expect(second.headers).toMatchObject({
      'idempotent-replayed': 'true',
      'original-request': first.headers['request-id'],
    });
    expect(second.headers['request-id']).not.toBe(first.headers['request-id']);
    expect(await created('order-1')).toBe(1);
  });

  test('takes the same fields in another order and with other spaces for the same request', async () => {
    const first = await create(body, 'spelling');
    const second = await create('{ "metadata": {"a":"1","b":"2"},\n "amount": "10.00" }', 'spelling');
    expect(second.raw).toBe(first.raw);
  });

  test('answers 409 idempotency_conflict for another body, also for one that would be refused', async () => {
    await create(body, 'conflict');
    for (const other of [
      { ...body, amount: '11.00' },
      { amount: '10.00' },
      { ...body, payout_wallet_id: 'pp_4Xq2LwZ8nT6vRb1KsYc9MdHf' },
    ]) {
      const answer = await create(other, 'conflict');
      expect(answer.status).toBe(409);
      expect(answer.body.error).toMatchObject({ code: 'idempotency_conflict', param: 'Idempotency-Key' });
    }
  });

  test('makes one session of 100 parallel requests, with identical answers', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => create(body, 'race')));
    expect(new Set(answers.map((answer) => answer.raw)).size).toBe(1);
    expect(answers.every((answer) => answer.status === 201)).toBe(true);
    expect(answers.filter((answer) => !answer.headers['idempotent-replayed'])).toHaveLength(1);
    expect(await created('race')).toBe(1);
  });

  test('makes as many sessions as there are keys among 200 parallel requests', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => create(body, `mixed-${at % 40}`)));
    const byKey = new Map<string, Set<string>>();
    answers.forEach((answer, at) => byKey.set(`${at % 40}`, (byKey.get(`${at % 40}`) ?? new Set()).add(answer.raw)));
    expect([...byKey.values()].every((raws) => raws.size === 1)).toBe(true);
    expect(new Set(answers.map((answer) => answer.body.data.id)).size).toBe(40);
  });

  test('keeps no refusal: the key is free for the corrected request', async () => {
    const wrong = await create({ amount: '10.00', payout_wallet_id: 'pp_4Xq2LwZ8nT6vRb1KsYc9MdHf' }, 'corrected');
    const right = await create(body, 'corrected');
    expect([wrong.status, right.status]).toEqual([400, 201]);
  });

  test('belongs to the account and mode, not to the credential', async () => {
    const stranger = await app.newMerchant();
    await stranger.createWallet();
    await merchant.live.createWallet();
    const mine = await create(body, 'shared');
    const theirs = await stranger.request('POST', '/checkout/sessions', {
      body,
      headers: { 'idempotency-key': 'shared' },
    });
    const live = await merchant.live.request('POST', '/checkout/sessions', {
      body,
      headers: { 'idempotency-key': 'shared' },
    });
    const login = await merchant.dashboard.request('POST', '/checkout/sessions', {
      body,
      headers: { 'idempotency-key': 'shared' },
    });
    expect(new Set([mine, theirs, live].map((answer) => answer.body.data.id)).size).toBe(3);
    expect(login.raw).toBe(mine.raw);
  });

  test('used on another endpoint is a conflict', async () => {
    const { payout_wallet_id: id } = (await create(body, 'elsewhere')).body.data;
    const link = await merchant.request('POST', '/payment-links', {
      body: { payout_wallet_id: id, amount: '1', currency: 'USD', description: 'x' },
      headers: { 'idempotency-key': 'elsewhere' },
    });
    expect([link.status, link.body.error?.code]).toEqual([409, 'idempotency_conflict']);
  });

  test('answers a repeat as at first although the wallet has been archived since', async () => {
    const owner = await app.newMerchant();
    const wallet = await owner.createWallet();
    const input = { body: { ...body, payout_wallet_id: wallet.id }, headers: { 'idempotency-key': 'archived' } };
    const first = await owner.request('POST', '/checkout/sessions', input);
    await owner.createWallet({ network: 'polygon' });
    await owner.dashboard.post(`/payout-wallets/${wallet.id}/archive`);
    const second = await owner.request('POST', '/checkout/sessions', input);
    expect([second.status, second.raw]).toEqual([201, first.raw]);
  });

  test("expires after 24 hours by the database's clock, and not before", async () => {
    const first = await create(body, 'a day');
    await age('a day', DAY_MS - 60_000);
    expect((await create(body, 'a day')).raw).toBe(first.raw);
    await age('a day', 60_000);
    const second = await create({ amount: '12.00' }, 'a day');
    expect([second.status, second.body.data.amount]).toEqual([201, '12.00']);
    expect((await create({ amount: '12.00' }, 'a day')).raw).toBe(second.raw);
  });

  test('answers 409 idempotency_in_progress where another process holds the key for more than 5 s, and hurts no stranger meanwhile', async () => {
    const now = await app.ctx.db.now();
    const holding = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    const held = app.ctx.db
      .transaction(async (db) => {
        await db.query(
          'test_hold',
          `
        insert into idempotency_keys (account_id, livemode, key, fingerprint, request_id, expires_at)
          values ($1, false, 'busy', 'x', $2, $3)`,
          [merchant.accountId, newId('req'), later(now, DAY_MS)],
        );
        taken.resolve();
        await holding.promise;
        throw new Error('rolled back');
      })
      .catch(() => {});
    await taken.promise;

    const startedMs = performance.now();
    const busy = create(body, 'busy');
    const strangers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => create(body, at % 2 ? `stranger-${at}` : undefined)),
    );
    expect(strangers.every((answer) => answer.status === 201)).toBe(true);
    expect(performance.now() - startedMs).toBeLessThan(4_000);

    const answer = await busy;
    expect([answer.status, answer.body.error.code, answer.headers['retry-after']]).toEqual([
      409,
      'idempotency_in_progress',
      '1',
    ]);
    holding.resolve();
    await held;
    expect((await create(body, 'busy')).status).toBe(201);
  }, 15_000);

  test.each(['', ' ', 'k'.repeat(256)])('answers 400 for the key %j', async (key) => {
    const answer = await create(body, key);
    expect([answer.status, answer.body.error]).toMatchObject([
      400,
      { code: 'invalid_request', param: 'Idempotency-Key' },
    ]);
  });
});

function create(payload: unknown, key?: string) {
  return merchant.request('POST', '/checkout/sessions', {
    body: payload,
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });
}

async function created(key: string): Promise<number> {
  const [row] = await app.ctx.db.query<{ count: bigint }>(
    'test_created_by_key',
    `
    select count(*) from checkout_sessions s join idempotency_keys k on position(s.id::bytea in k.body) > 0
     where k.account_id = $1 and k.key = $2`,
    [merchant.accountId, key],
  );
  return Number(row?.count);
}

async function age(key: string, ms: number): Promise<void> {
  await app.ctx.db.query(
    'test_age',
    `
    update idempotency_keys set expires_at = expires_at - $2 * interval '1 millisecond' where key = $1`,
    [key, ms],
  );
}
