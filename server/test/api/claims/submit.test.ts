import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findClaimed } from '../../../src/settlement/attribution/claim-store.ts';
import { prune } from '../../../src/retention/prune.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';
import { take } from '../../support/transfers.ts';
import { claim, count, LONG_SIGNATURE, newHash, newKey, statusOf, stored, submit, transferOf, work } from './claims.ts';

let app: TestApp;
let merchant: Merchant;

beforeAll(async () => {
  app = await startApp({ overrides: { contractWallets: { isSigned: async () => false } } });
  merchant = app.merchant.live;
});
afterAll(() => app.stop());
beforeEach(() => app.ctx.db.query('test_no_claims', 'delete from signed_claims'));

describe('a claim that arrives', () => {
  test.each([
    ['empty text', ''],
    ['no hex digits', 'signed by me'],
    ['an odd number of digits', `0x${'a'.repeat(129)}`],
    ['too few bytes', `0x${'ab'.repeat(63)}`],
    ['66 bytes without the address of a contract wallet', `0x${'ab'.repeat(66)}`],
    ['numbers outside the range of a signature', `0x${'f'.repeat(130)}`],
    ['2,049 bytes', `0x${'ab'.repeat(2_049)}`],
    ['64 KB', `0x${'ab'.repeat(32_000)}`],
  ])('with a malformed signature (%s) is a 400 that names it, and leaves nothing', async (_, signature) => {
    const { id } = await merchant.createSession();
    const { status, body } = await submit(app, id, { tx_hash: newHash(), signature });
    expect([status, body.error.code, ['signature', 'sender'].includes(body.error.param)]).toEqual([
      400,
      'invalid_request',
      true,
    ]);
    expect(await stored(app, id)).toEqual([]);
    expect(await count(app, 'transaction_hints', id)).toBe(0);
  });

  test('of a named contract wallet beyond 2,048 bytes is a 400 that names the signature', async () => {
    const { id } = await merchant.createSession();
    const asked = { tx_hash: newHash(), sender: newKey().address };
    const { status, body } = await submit(app, id, { ...asked, signature: 'ab'.repeat(2_049) });
    expect([status, body.error.param, await stored(app, id)]).toEqual([400, 'signature', []]);
  });

  test('with a malformed sender is a 400 that names it', async () => {
    const { id } = await merchant.createSession();
    const { status, body } = await submit(app, id, { tx_hash: newHash(), signature: LONG_SIGNATURE, sender: '0x12' });
    expect([status, body.error.param]).toEqual([400, 'sender']);
  });

  test('is stored once under the key that signed it, without its signature', async () => {
    const [{ id }, customer, hash] = [await merchant.createSession(), newKey(), newHash()];
    for (let time = 0; time < 3; time += 1) expect((await claim(app, id, hash, customer)).status).toBe(202);
    expect(await stored(app, id)).toEqual([
      { signer: customer.address, txHash: hash, signature: null, verified: true },
    ]);
  });

  test("is never replaced by another signer's", async () => {
    const [{ id }, customer, transfer] = [await merchant.createSession(), newKey(), transferOf({ from: 'later' })];
    await claim(app, id, transfer.txHash, customer);
    await claim(app, id, transfer.txHash, newKey());
    await take(app.ctx, { ...transfer, from: customer.address });
    expect(await statusOf(app, id)).toBe('paid');
  });

  test('of a stranger takes nothing, whichever comes first', async () => {
    const [before, after, customer] = [await merchant.createSession(), await merchant.createSession(), newKey()];
    const transfer = transferOf({ from: customer.address });
    await claim(app, before.id, transfer.txHash, newKey());
    await take(app.ctx, transfer);
    await claim(app, after.id, transfer.txHash, newKey());
    await work(app);
    expect([await statusOf(app, before.id), await statusOf(app, after.id)]).toEqual(['created', 'created']);
  });
});

describe('limits', () => {
  test('a checkout stores eight claims; the ninth is a 429 that leaves nothing, even if all are sent at once', async () => {
    const [{ id }, hash] = [await merchant.createSession(), newHash()];
    const answers = await Promise.all(Array.from({ length: 12 }, () => claim(app, id, hash, newKey())));
    const refused = answers.filter(({ status }) => status === 429);
    expect([refused.length, refused[0]?.body.error.code, Number(refused[0]?.headers['retry-after']) > 0]).toEqual([
      4,
      'rate_limited',
      true,
    ]);
    expect(refused[0]?.body.error.message).toContain('8 claims');
    expect(await stored(app, id)).toHaveLength(8);

    const another = newHash();
    expect((await claim(app, id, another, newKey())).status).toBe(429);
    expect(await count(app, 'transaction_hints', id)).toBe(1);
  });

  test('by the sender of a transfer that was read still counts', async () => {
    const [{ id }, customer, hash] = [await merchant.createSession(), newKey(), newHash()];
    for (let time = 0; time < 8; time += 1) await claim(app, id, hash, newKey());
    const transfer = transferOf({ from: customer.address });
    await take(app.ctx, transfer);
    expect((await claim(app, id, transfer.txHash, customer)).status).toBe(202);
    expect(await statusOf(app, id)).toBe('paid');
  });

  test('a signer claims one transaction for eight checkouts', async () => {
    const [customer, hash] = [newKey(), newHash()];
    const statuses: number[] = [];
    for (let time = 0; time < 9; time += 1)
      statuses.push((await claim(app, (await merchant.createSession()).id, hash, customer)).status);
    expect(statuses).toEqual([...Array.from({ length: 8 }, () => 202), 429]);
  });

  test('however many claims of a signer are stored for a transaction, eight are read', async () => {
    const [{ id }, customer] = [await merchant.createSession(), newKey()];
    const transfer = transferOf({ from: customer.address });
    expect((await claim(app, id, transfer.txHash, customer)).status).toBe(202);
    await app.ctx.db.query(
      'test_more_claims',
      `
      insert into signed_claims (payment_id, livemode, network, tx_hash, signer, signature_sha256, verified_at, created_at, expires_at)
      select payment_id, livemode, network, tx_hash, signer, 'more ' || n, verified_at, created_at, expires_at
        from signed_claims, generate_series(1, 20) n`,
    );
    expect((await findClaimed(app.ctx.db, true, [transfer])).get(0)).toHaveLength(8);
  });

  test('a checkout points at ten different transactions; the eleventh is a 429, the first ten are not', async () => {
    const { id } = await merchant.createSession();
    const hashes = Array.from({ length: 10 }, newHash);
    for (const hash of [...hashes, ...hashes]) expect((await submit(app, id, { tx_hash: hash })).status).toBe(202);
    const refused = await submit(app, id, { tx_hash: newHash() });
    expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([
      429,
      'rate_limited',
      'tx_hash',
    ]);
    expect(refused.body.error.message).toContain('limit of 10 submitted transactions');

    const transfer = transferOf({ from: newKey().address });
    await take(app.ctx, transfer);
    expect((await submit(app, id, { tx_hash: transfer.txHash })).status).toBe(202);
  });

  test('of claims and hints nothing is left 31 days later, or 30 days after a longer session', async () => {
    const { id } = await merchant.createSession();
    await claim(app, id, newHash(), newKey());
    await app.ctx.db.query(
      'test_age',
      `update signed_claims set expires_at = expires_at - interval '30 days 23 hours'`,
    );
    await app.ctx.db.query(
      'test_age_hints',
      `update transaction_hints set expires_at = expires_at - interval '30 days 23 hours'`,
    );
    await prune(app.ctx, signal);
    expect([await count(app, 'signed_claims', id), await count(app, 'transaction_hints', id)]).toEqual([1, 1]);

    await app.ctx.db.query(
      'test_age',
      `update signed_claims set expires_at = expires_at - interval '30 days 23 hours'`,
    );
    await app.ctx.db.query(
      'test_age_hints',
      `update transaction_hints set expires_at = expires_at - interval '30 days 23 hours'`,
    );
    await prune(app.ctx, signal);
    expect([await count(app, 'signed_claims', id), await count(app, 'transaction_hints', id)]).toEqual([0, 0]);
  });
});

const signal = new AbortController().signal;
