import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendNotices } from '../../src/resources/notices/send-notices.ts';
import { tick } from '../../src/settlement/watching/turns.ts';
import { createWatcher } from '../../src/settlement/watching/watcher.ts';
import type { Context } from '../../src/context.ts';
import { deliverMails, type Mailbox, mailbox } from '../support/logins.ts';
import { type Settlement, startSettlement } from '../support/settlement.ts';
import { recording } from '../support/recording.ts';

const SUBJECT = 'A final payment disappeared from the blockchain';

let shop: Settlement;
let mails: Mailbox;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  mails = mailbox();
  const log = recording(lines);
  shop = await startSettlement({ overrides: { log, mail: mails } });
  // So that no reorg removes the token itself.
  await shop.chain.mine(30);
});
afterAll(() => shop[Symbol.asyncDispose]());

describe('a final transfer that disappears from the chain', () => {
  test('is shown on its payment, in the dashboard and in one mail, and changes no status', async () => {
    const { id, hash } = await paid({ order_id: 'order-7' });
    const payment = await shop.payment(id);
    expect(payment.settlement_alert).toBeNull();

    await undo(hash);
    const alerted = await shop.payment(id);
    expect(alerted).toMatchObject({
      status: 'paid',
      sequence: payment.sequence,
      settlement_alert: { type: 'transfer_disappeared', tx_hash: hash, detected_at: expect.any(String) },
    });
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
    expect((await attention()).disappeared).toMatchObject([{ id: payment.id, settlement_alert: { tx_hash: hash } }]);
    const { entries } = await shop.merchant.get(`/payments/${payment.id}/timeline`);
    expect(entries.find(({ type }: { type: string }) => type === 'transfer').summary).toMatch(
      /disappeared from the chain after it was final/,
    );
    expect(lines.filter((line) => line.alarm === 'gone_after_final')).toMatchObject([
      { txHash: hash, paymentId: payment.id },
    ]);

    const [mail, ...more] = await alertMails(hash);
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ to: shop.merchant.email, subject: SUBJECT });
    for (const part of ['49.00 USD', 'order-7', payment.id, hash, `/dashboard/payments/${payment.id}`])
      expect(mail?.text).toContain(part);

    // The merchant has handled it.
    await shop.merchant.post(`/payments/${payment.id}/refund`, {});
    expect((await attention()).disappeared).toEqual([]);
  });

  test('is not reported while one provider says so and another does not', async () => {
    const { id, hash } = await paid();
    const chain = shop.ctx.chains.get('ethereum');
    if (!chain) throw new Error('there is no chain');
    const contradicted: typeof chain = { ...chain, check: async () => ({ type: 'disagree', details: 'one of two' }) };
    await undo(hash, { ...shop.ctx, chains: new Map([['ethereum', contradicted]]) });
    expect((await shop.payment(id)).settlement_alert).toBeNull();
    expect(await alertMails(hash)).toEqual([]);

    // Once they agree. Another process marked it, which is noticed within a minute.
    await shop.pass(61);
    await shop.watch();
    expect((await shop.payment(id)).settlement_alert).toMatchObject({ tx_hash: hash });
  });

  test('is reported once, however often the chain reorganizes and whichever process looks', async () => {
    const { id, hash } = await paid();
    await undo(hash);
    const alert = (await shop.payment(id)).settlement_alert;
    for (let round = 0; round < 2; round += 1) {
      await shop.chain.reorg(12);
      await shop.chain.mine();
      while ((await tick(shop.ctx, 'ethereum', createWatcher(`another ${round}`))) === 'more');
      await shop.watch();
    }
    expect((await shop.payment(id)).settlement_alert).toEqual(alert);
    expect(await alertMails(hash)).toHaveLength(1);
  });

  test('is reported in one transaction: evidence, payment and mail, or none of them and again later', async () => {
    const { id, hash } = await paid();
    let failures = 0;
    const { db } = shop.ctx;
    const failing: Context = {
      ...shop.ctx,
      db: {
        ...db,
        transaction: (work) =>
          db.transaction((inner) =>
            work({
              ...inner,
              query: (name, ...rest) => {
                if (name !== 'insert_mail' || failures > 0) return inner.query(name, ...rest);
                failures += 1;
                return Promise.reject(new Error('the database went away'));
              },
            }),
          ),
      },
    };
    await undo(hash, failing);
    expect(failures).toBe(1);
    const evidence = await db.query<{ isMarked: boolean }>(
      'test_evidence',
      `select evidence ? 'goneAfterFinal' as is_marked from transfers where tx_hash = $1`,
      [hash],
    );
    expect([evidence, (await shop.payment(id)).settlement_alert, await alertMails(hash)]).toEqual([
      [{ isMarked: false }],
      null,
      [],
    ]);

    // Another process marked it, which is noticed within a minute.
    await shop.pass(61);
    await shop.chain.mine();
    await shop.watch();
    expect((await shop.payment(id)).settlement_alert).toMatchObject({ tx_hash: hash });
    expect(await alertMails(hash)).toHaveLength(1);
  });

  test('and comes back is no longer shown as disappeared', async () => {
    const { id, hash } = await paid();
    const signed = await shop.chain.signed(hash as `0x${string}`);
    await undo(hash);
    expect((await shop.payment(id)).settlement_alert).not.toBeNull();

    await shop.chain.reorg(1, [{ block: 0, transaction: signed }]);
    await shop.chain.mine(3);
    await shop.watch();
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', settlement_alert: null });
    expect(await alertMails(hash)).toHaveLength(1);
  });

  test('and comes back in a later block without another reorganization is noticed', async () => {
    const { id, hash } = await paid();
    const signed = await shop.chain.signed(hash as `0x${string}`);
    await undo(hash);
    await shop.chain.rpc('eth_sendRawTransaction', [signed]);
    await shop.chain.mine();
    await shop.pass(61);
    await shop.watch();
    // It is back, but not final yet.
    expect((await shop.payment(id)).settlement_alert).not.toBeNull();
    await shop.chain.mine();
    await shop.pass(61);
    await shop.watch();
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', settlement_alert: null });
  });

  test('is on the payment too where the account has no email address', async () => {
    await shop.ctx.db.query(
      'test_no_email',
      `update accounts set email = null, login_network = 'ethereum', login_address = $2 where id = $1`,
      [shop.merchant.accountId, shop.wallet],
    );
    const { id, hash } = await paid();
    await undo(hash);
    await shop.ctx.db.query('test_email_again', 'update accounts set email = $2 where id = $1', [
      shop.merchant.accountId,
      shop.merchant.email,
    ]);
    expect((await shop.payment(id)).settlement_alert).toMatchObject({ tx_hash: hash });
    expect(await alertMails(hash)).toEqual([]);
  });

  test('as a part of what an open payment waits for does not help to pay it, and counts again once it is back', async () => {
    const { id, amountUnits, tag } = await shop.checkout();
    const part = await shop.send(20_000_000n, { tag });
    await shop.settle();
    const signed = await shop.chain.signed(part as `0x${string}`);
    await undo(part);
    const rest = amountUnits - 20_000_000n;
    await shop.send(rest, { tag, from: shop.chain.accounts[2]?.address as Address });
    await shop.settle();
    const { payment } = await shop.publicSession(id);
    expect([await shop.walk(id), payment.amount_seen.replace('.', '')]).toEqual([['created', 'pending'], String(rest)]);

    await shop.chain.rpc('eth_sendRawTransaction', [signed]);
    await shop.chain.mine();
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', settlement_alert: null });
  });

  test('as such a part does not help to pay it where the rest is final before anything is verified', async () => {
    const { id, amountUnits, tag } = await shop.checkout();
    const part = await shop.send(20_000_000n, { tag });
    await shop.settle();
    const { number } = await shop.chain.head();
    const { blockNumber } = await shop.chain.included(part as `0x${string}`);
    await shop.chain.reorg(Number(number - blockNumber) + 1);
    const rest = amountUnits - 20_000_000n;
    await shop.send(rest, { tag, from: shop.chain.accounts[2]?.address as Address });
    await shop.chain.mine(12);
    await shop.settle();
    const { payment } = await shop.publicSession(id);
    expect([await shop.walk(id), payment.amount_seen.replace('.', '')]).toEqual([['created', 'pending'], String(rest)]);
  });

  test('of no payment is listed no more, and pays none that it is assigned to', async () => {
    const { hash, transfer } = await unattributed();
    await undo(hash);
    expect((await shop.unattributed()).map(({ id }) => id)).not.toContain(transfer);
    const meant = await shop.checkout();
    await expect(assign(transfer, meant.id)).rejects.toMatchObject({ status: 404 });
    expect((await shop.payment(meant.id)).status).toBe('pending');
  });

  test('of no payment, before the mail about it went out, is mailed once it is final again', async () => {
    const wants = (notices: string) =>
      shop.ctx.db.query('test_wants', 'update accounts set notices = $2 where id = $1', [
        shop.merchant.accountId,
        notices,
      ]);
    const mailed = async () => {
      while (await sendNotices(shop.ctx));
      await deliverMails(shop.ctx);
      return mails.mails.filter(({ text }) => text.includes(hash));
    };
    await wants('{unattributed}');
    const { hash } = await unattributed();
    const signed = await shop.chain.signed(hash as `0x${string}`);
    await undo(hash);
    expect(await mailed()).toEqual([]);
    await shop.chain.rpc('eth_sendRawTransaction', [signed]);
    await shop.chain.mine();
    await shop.settle();
    expect(await mailed()).toHaveLength(1);
    await wants('{}');
  });

  test('before its payment lost it is verified once more where it is assigned', async () => {
    const { transfer } = await unattributed();
    const gone = `update transfers set evidence = evidence || '{"goneAfterFinal": "2026-01-01T00:00:00Z"}' where id = $1`;
    await shop.ctx.db.query('test_gone', gone, [transfer]);
    const meant = await shop.checkout();
    await assign(transfer, meant.id);
    expect((await shop.payment(meant.id)).status).toBe('pending');
    await shop.watch();
    expect((await shop.payment(meant.id)).status).toBe('paid');
  });

  test('together with many others: twenty mails a day at most, and every payment shows it', async () => {
    const checkouts: Awaited<ReturnType<typeof shop.checkout>>[] = [];
    const hashes: string[] = [];
    for (let at = 0; at < 24; at += 1) {
      const checkout = await shop.checkout();
      checkouts.push(checkout);
      hashes.push(await shop.send(checkout.amountUnits, { mine: false }));
    }
    await shop.chain.mine();
    await shop.settle();
    const [{ alerts } = { alerts: 0 }] = await shop.ctx.db.query<{ alerts: number }>(
      'test_alerts',
      'select count(*)::integer as alerts from payments where settlement_alert is not null',
    );
    await undo(hashes[0] as string);
    for (const { id } of checkouts) expect((await shop.payment(id)).settlement_alert).not.toBeNull();
    await deliverMails(shop.ctx);
    const sent = mails.mails.filter(
      ({ subject, text }) => subject === SUBJECT && hashes.some((hash) => text.includes(hash)),
    );
    expect(sent).toHaveLength(20 - alerts);
    expect((await attention()).disappeared).toHaveLength(20);
  });
});

async function paid(fields: Record<string, unknown> = {}): Promise<{ id: string; hash: string }> {
  const { id, amountUnits } = await shop.checkout(fields);
  const hash = await shop.send(amountUnits);
  await shop.settle();
  expect((await shop.payment(id)).status).toBe('paid');
  return { id, hash };
}

/** A transfer that became final by itself after its payment was closed without it. */
async function unattributed(): Promise<{ hash: string; transfer: string }> {
  const { id, amountUnits } = await shop.checkout();
  const hash = await shop.send(amountUnits);
  await shop.watch();
  await shop.merchant.post(`/payments/${(await shop.payment(id)).id}/refund`, {});
  await shop.settle();
  const found = (await shop.unattributed()).find((one) => one.tx_hash === hash);
  expect(found).toMatchObject({ reason: 'already_refunded' });
  return { hash, transfer: found.id };
}

async function assign(transfer: string, sessionId: string) {
  const { id } = await shop.payment(sessionId);
  return shop.merchant.dashboard.post(`/transfers/${transfer}/assign`, { payment: id });
}

/** Reorganizes the chain from before a transaction's block, and runs the watcher. */
async function undo(hash: string, ctx: Context = shop.ctx): Promise<void> {
  const { number } = await shop.chain.head();
  const { blockNumber } = await shop.chain.included(hash as `0x${string}`);
  await shop.chain.reorg(Number(number - blockNumber) + 1);
  await shop.chain.mine();
  const watcher = createWatcher(`watcher of ${hash}`);
  if (ctx === shop.ctx) while ((await shop.watch()) === 'more');
  else {
    await shop.ctx.db.query('test_release_lease', `update chain_cursors set lease_until = null`);
    while ((await tick(ctx, 'ethereum', watcher)) === 'more');
    await shop.ctx.db.query('test_release_lease', `update chain_cursors set lease_until = null`);
  }
}

async function alertMails(hash: string) {
  await deliverMails(shop.ctx);
  return mails.mails.filter(({ subject, text }) => subject === SUBJECT && text.includes(hash));
}

async function attention() {
  const { merchant, app } = shop;
  return (
    await app.inject('GET', '/dashboard/api/attention', {
      headers: { cookie: `session=${merchant.loginToken}`, 'service-mode': 'live' },
    })
  ).body.data;
}
