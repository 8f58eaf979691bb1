import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../../src/platform/db/db.ts';
import { newId } from '../../../src/platform/ids.ts';
import { DAY_MS, later } from '../../../src/platform/time.ts';
import type { Creation } from '../../../src/resources/checkout-sessions/insert-store.ts';
import { insertTogether } from '../../../src/resources/checkout-sessions/insert-together.ts';
import { ALL_ASSETS } from '../../../src/resources/checkout-sessions/session-input.ts';
import { buildSession } from '../../../src/resources/checkout-sessions/new-session.ts';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
let now: Date;
let walletId: string;
beforeAll(async () => {
  app = await startApp();
  now = await app.ctx.db.now();
  walletId = (await app.merchant.createWallet()).id;
});
afterAll(() => app.stop());

describe('creations that are written together', () => {
  test('share statements, and each is written once', async () => {
    const { db, statements } = counting(app.ctx.db);
    const creations = Array.from({ length: 100 }, () => creation());
    const outcomes = await Promise.all(creations.map((one) => insertTogether(db, one)));
    expect(outcomes.every((outcome) => outcome === 'created')).toBe(true);
    expect(await written(creations)).toBe(100);
    expect(statements.length).toBeLessThanOrEqual(6);
  });

  test('do not suffer from one that the database refuses', async () => {
    const bad = creation();
    bad.session.amountMinor = 0n;
    const good = Array.from({ length: 9 }, () => creation());
    const results = await Promise.allSettled(
      [...good.slice(0, 4), bad, ...good.slice(4)].map((one) => insertTogether(app.ctx.db, one)),
    );
    expect(results.map((result) => result.status).filter((status) => status === 'rejected')).toHaveLength(1);
    expect(results[4]).toMatchObject({
      status: 'rejected',
      reason: { constraint: 'checkout_sessions_amount_minor_check' },
    });
    expect([await written(good), await written([bad])]).toEqual([9, 0]);
  });

  test('do not suffer from one whose wallet cannot be used', async () => {
    const foreign = await (await app.newMerchant()).createWallet();
    const [lost, ...good] = [creation({ walletId: foreign.id }), creation(), creation()];
    expect(await Promise.all([lost, ...good].map((one) => insertTogether(app.ctx.db, one as Creation)))).toEqual([
      'wallet_unusable',
      'created',
      'created',
    ]);
    expect(await written([lost as Creation])).toBe(0);
  });

  test('with one key are one: the others find it taken', async () => {
    const same = Array.from({ length: 20 }, () => creation({ key: 'same' }));
    const outcomes = await Promise.all(same.map((one) => insertTogether(app.ctx.db, one)));
    expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'key_taken')).toHaveLength(19);
    expect(await written(same)).toBe(1);
  });

  test('with one key, the first of which fails, let the next one be written', async () => {
    const bad = creation({ key: 'second chance' });
    bad.session.amountMinor = 0n;
    const good = creation({ key: 'second chance' });
    const results = await Promise.allSettled([insertTogether(app.ctx.db, bad), insertTogether(app.ctx.db, good)]);
    expect(results).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 'created' }]);
  });

  test('are not tried again if the connection was lost: it is unknown whether they were written', async () => {
    const lost = new Error('Connection terminated unexpectedly');
    let statements = 0;
    const db = {
      ...app.ctx.db,
      query: () => {
        statements += 1;
        return Promise.reject(lost);
      },
    } as Database;
    const results = await Promise.allSettled([creation(), creation()].map((one) => insertTogether(db, one)));
    expect(results).toMatchObject([
      { status: 'rejected', reason: lost },
      { status: 'rejected', reason: lost },
    ]);
    expect(statements).toBe(1);
  });

  test('from several processes with the same keys in opposite orders are written once each', async () => {
    const keys = Array.from({ length: 60 }, (_, at) => `race-${at}`);
    const batches = Array.from({ length: 6 }, (_, at) =>
      (at % 2 ? keys : keys.toReversed()).map((key) => creation({ key })),
    );
    // Each with its own place, because only calls on one place are joined.
    const outcomes = await Promise.all(
      batches.map((batch) => {
        const own = { ...app.ctx.db };
        return Promise.all(batch.map((one) => insertTogether(own, one)));
      }),
    );
    expect(outcomes.flat().filter((outcome) => outcome === 'created')).toHaveLength(60);
    expect(outcomes.flat().filter((outcome) => outcome === 'key_taken')).toHaveLength(300);
    expect(await written(batches.flat())).toBe(60);
  }, 30_000);

  test('read no session but those with their ids, so that they cost the same among millions', async () => {
    const db = {
      ...app.ctx.db,
      query: (name, sql, values) => {
        plan = app.ctx.db.query(`explain_${name}`, `explain (format json) ${sql}`, values);
        return app.ctx.db.query(name, sql, values);
      },
    } as Database;
    let plan: Promise<unknown> | undefined;
    // The plan of an empty table is the one that a connection keeps.
    await app.ctx.db.query('test_empty', 'truncate checkout_sessions cascade');
    expect(await insertTogether(db, creation({ key: 'among millions' }))).toBe('created');
    const reads = nodesOf(await plan)
      .filter((node) => node['Relation Name'] === 'checkout_sessions')
      .map((node) => node['Node Type']);
    expect(reads.toSorted()).toEqual(['Index Only Scan', 'ModifyTable']);
  });
});

/** Every object in a value, such as the nodes of a plan. */
function nodesOf(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(nodesOf)];
}

function creation({ key, walletId: wallet = walletId }: { key?: string; walletId?: string } = {}): Creation {
  const { session, payment } = buildSession(
    { id: app.merchant.accountId, livemode: false },
    {
      input: {
        amountMinor: 4_900n,
        currency: 'USD',
        orderId: null,
        description: null,
        metadata: {},
        customer: null,
        lineItems: null,
        acceptedAssets: [...ALL_ASSETS],
        expiresInSeconds: 3_600,
        successUrl: null,
        cancelUrl: null,
        paymentLinkId: null,
        retryOf: null,
        retryUntil: null,
      },
      wallet: { id: wallet, asset: 'USDC', network: 'base', address: '0x52908400098527886E0F7030069857D2E4169EE7' },
    },
    now,
  );
  return {
    session,
    payment,
    event: { id: newId('evt'), body: Buffer.from('{}') },
    claim:
      key === undefined
        ? null
        : {
            accountId: app.merchant.accountId,
            livemode: false,
            key,
            fingerprint: Buffer.alloc(32),
            now,
            expiresAt: later(now, DAY_MS),
            requestId: newId('req'),
            answer: Buffer.from('{}'),
          },
    byDefault: false,
    recordedAt: now,
  };
}

function counting(db: Database): { db: Database; statements: string[] } {
  const statements: string[] = [];
  return {
    statements,
    db: {
      ...db,
      query: (name, sql, values) => {
        statements.push(name);
        return db.query(name, sql, values);
      },
    },
  };
}

async function written(creations: Creation[]): Promise<number> {
  const [row] = await app.ctx.db.query<{ count: bigint }>(
    'test_written',
    `
    select count(*) from checkout_sessions s join payments p on p.session_id = s.id
      join events e on e.object_id = p.id where s.id = any ($1)`,
    [creations.map((one) => one.session.id)],
  );
  return Number(row?.count);
}
