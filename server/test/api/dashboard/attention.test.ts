import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ReceiveNetwork } from '@quittance/contract';
import { HOUR_MS, later } from '../../../src/platform/time.ts';
import { receive } from '../../../src/settlement/attribution/attribute-transfer.ts';
import { paymentOfSession } from '../../support/payments.ts';
import { proveWallet } from '../../support/prove.ts';
import { startApp, type Merchant, type TestApp } from '../../support/index.ts';

let app: TestApp;
let merchant: Merchant;
let stranger: Merchant;
/** The merchant's payout wallet on Base. */
let address: string;
let made = 0;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  address = newAddress();
  merchant = await app.newMerchant({ mode: 'live' });
  stranger = await app.newMerchant({ mode: 'live' });
  await merchant.createWallet({ address });
  await stranger.createWallet({ address: newAddress() });
});

describe('a transfer that was set aside', () => {
  test('is listed with its transaction until the merchant has marked it as handled', async () => {
    const [older, newer] = [await setAside(address, 5), await setAside(address, 1)];
    await arrive(address);
    expect((await attention(merchant)).set_aside).toMatchObject([
      {
        id: newer.id,
        tx_hash: newer.txHash,
        amount: '12.345678',
        asset: 'USDC',
        network: 'base',
        payment: null,
        reason: null,
        handled_at: null,
      },
      { id: older.id, tx_hash: older.txHash },
    ]);
    await merchant.dashboard.post(`/transfers/${newer.id}/handle`);
    expect((await attention(merchant)).set_aside).toMatchObject([{ id: older.id }]);
  });

  test('is listed until the merchant has assigned it to a payment', async () => {
    const { id } = await setAside(address);
    const session = await merchant.createSession();
    const payment = await paymentOfSession(app.ctx.db, session.id);
    expect((await merchant.dashboard.post(`/transfers/${id}/assign`, { payment })).payment).toBe(payment);
    expect((await attention(merchant)).set_aside).toEqual([]);
  });

  test('is shown to no other account and not in test mode', async () => {
    await setAside(address);
    expect((await attention(stranger)).set_aside).toEqual([]);
    expect((await attention(merchant.test)).set_aside).toEqual([]);
    expect((await attention(merchant)).set_aside).toHaveLength(1);
  });

  test('among very many is one of the newest twenty', async () => {
    for (let at = 0; at < 25; at += 1) await setAside(address, at + 1);
    const { set_aside: shown } = await attention(merchant);
    expect(shown).toHaveLength(20);
  });
});

describe('a busy address', () => {
  test('is listed with what was left out in the last 24 hours', async () => {
    await count({ network: 'base', hoursAgo: 1, stored: 50, skipped: 7, dust: 2 });
    await count({ network: 'base', hoursAgo: 20, skipped: 5, dust: 1 });
    await count({ network: 'base', hoursAgo: 25, skipped: 1_000, dust: 1_000 });
    const [wallet] = (await merchant.get('/payout-wallets')).data;
    expect((await attention(merchant)).busy_addresses).toEqual([
      { wallet: wallet.id, label: 'USDC on Base', network: 'base', address, proved: false, skipped: 12, dust: 3 },
    ]);
  });

  test('with dust alone is listed with its dust, and one where everything was stored is not listed', async () => {
    await merchant.createWallet({ address, network: 'polygon' });
    await count({ network: 'base', hoursAgo: 1, stored: 500 });
    await count({ network: 'polygon', hoursAgo: 1, dust: 40 });
    expect((await attention(merchant)).busy_addresses).toMatchObject([{ network: 'polygon', skipped: 0, dust: 40 }]);
  });

  test('is listed once for several wallets of one address, and says if any of them is proved', async () => {
    const wallet = await merchant.createWallet({ address, asset: 'USDT', network: 'ethereum' });
    await merchant.createWallet({ address, asset: 'USDC', network: 'ethereum' });
    await proveWallet(app.ctx.db, wallet.id);
    await count({ network: 'ethereum', hoursAgo: 2, skipped: 9 });
    expect((await attention(merchant)).busy_addresses).toMatchObject([
      { wallet: wallet.id, network: 'ethereum', proved: true, skipped: 9 },
    ]);
  });

  test('is not listed for an archived wallet, for another account or in test mode', async () => {
    await count({ network: 'base', hoursAgo: 1, skipped: 9 });
    expect((await attention(stranger)).busy_addresses).toEqual([]);
    expect((await attention(merchant.test)).busy_addresses).toEqual([]);
    expect((await attention(merchant)).busy_addresses).toHaveLength(1);
    const [wallet] = (await merchant.get('/payout-wallets')).data;
    await merchant.dashboard.post(`/payout-wallets/${wallet.id}/archive`);
    expect((await attention(merchant)).busy_addresses).toEqual([]);
  });
});

describe('payouts', () => {
  test('are listed while they wait to be sent, and while their transaction moved something else', async () => {
    const ids = await importPayouts(['1', '2', '3']);
    expect(await shownPayouts()).toEqual({ payouts: ids, doubtful: [] });
    await app.ctx.db.query(
      'test_differ',
      `update payouts set status = 'sent', sent_at = now(), tx_hash = '0x1', mismatch = '{"asset":null}' where id = $1`,
      [ids[1]],
    );
    await app.ctx.db.query('test_on_its_way', `update payouts set status = 'sent', tx_hash = '0x2' where id = $1`, [
      ids[2],
    ]);
    expect(await shownPayouts()).toEqual({ payouts: [ids[0]], doubtful: [ids[1]] });
    await payouts('POST', '/cancel', { payouts: ids.slice(0, 2) });
    expect(await shownPayouts()).toEqual({ payouts: [], doubtful: [] });
  });

  test('that may have been sent twice are listed with both transactions, those of others are not', async () => {
    const [id] = await importPayouts(['1']);
    await app.ctx.db.query(
      'test_twice',
      `update payouts set status = 'final', sent_at = now(), due_at = null, verified = true, transfer_index = 0, tx_hash = '0x1',
              other_hashes = '{0x2}' where id = $1`,
      [id],
    );
    expect((await attention(merchant)).doubtful_payouts).toMatchObject([
      { id, tx_hash: '0x1', other_tx_hashes: ['0x2'] },
    ]);
    for (const of of [stranger, merchant.test]) expect(await shownPayouts(of)).toEqual({ payouts: [], doubtful: [] });
  });

  async function importPayouts(amounts: readonly string[]): Promise<string[]> {
    const csv = amounts.map((amount) => `${newAddress()},USDC,base,${amount}`).join('\n');
    await payouts('POST', '', { csv, import: 'all' });
    return (await payouts('GET', '')).map(({ id }: { id: string }) => id);
  }

  async function payouts(method: 'GET' | 'POST', path: string, body?: object) {
    const headers = {
      cookie: `session=${merchant.loginToken}`,
      'service-mode': 'live',
      'sec-fetch-site': 'same-origin',
    };
    const answer = await app.inject(method, `/dashboard/api/payouts${path}`, { headers, ...(body && { body }) });
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.raw}`);
    return answer.body.data;
  }

  async function shownPayouts(of = merchant) {
    const { payouts: planned, doubtful_payouts: doubtful } = await attention(of);
    const idsOf = (all: { id: string }[]) => all.map(({ id }) => id);
    return { payouts: idsOf(planned), doubtful: idsOf(doubtful) };
  }
});

test('refunds that wait to be sent are listed and counted, each once', async () => {
  const of = merchant.test;
  const session = await of.createSession();
  const { payment } = await of.pay(session.id, 'paid');
  const to = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
  const plan = (body: object = { to }) => of.post(`/payments/${payment}/refunds`, { amount: '1.00', ...body });
  const [first, second, asked] = [await plan(), await plan(), await plan({ link: {} })];
  const shown = async (whose: Merchant) => {
    const { planned_refunds: planned, refunds, counts } = await attention(whose);
    const idsOf = (all: { id: string }[]) => all.map(({ id }) => id);
    return { planned: idsOf(planned), answered: idsOf(refunds), counted: counts.refunds };
  };
  expect(await shown(of)).toEqual({ planned: [second.id, first.id], answered: [], counted: 2 });
  // As if the customer had named an address, which the merchant has confirmed.
  await app.ctx.db.query(
    'test_answered',
    `update refunds set status = 'planned', to_address = $2, due_at = null,
            link = link || jsonb_build_object('address', $2::text, 'answered_at', now()) where id = $1`,
    [asked.id, to],
  );
  expect(await shown(of)).toEqual({ planned: [second.id, first.id], answered: [asked.id], counted: 3 });
  await of.post(`/refunds/${first.id}/sent`, { tx_hash: `0x${'12'.repeat(32)}` });
  await of.post(`/refunds/${second.id}/cancel`);
  expect(await shown(of)).toEqual({ planned: [], answered: [asked.id], counted: 1 });
  for (const other of [merchant, stranger.test])
    expect(await shown(other)).toEqual({ planned: [], answered: [], counted: 0 });
});

test('what waits in each place of the navigation is counted, up to ten', async () => {
  const counts = async (of = merchant) => (await attention(of)).counts;
  expect(await counts()).toEqual({ payments: 0, transfers: 0, refunds: 0, webhooks: 0 });
  for (let at = 0; at < 11; at += 1) await arrive(address, at + 1);
  const session = await merchant.createSession();
  await app.ctx.db.query(
    'test_undecided',
    "update payments set status = 'refund_required', failure_reason = 'underpaid' where session_id = $1",
    [session.id],
  );
  const endpoint = await merchant.createEndpoint({ url: 'https://shop.example.com/webhooks' });
  await app.ctx.db.query('test_disable', "update webhook_endpoints set status = 'disabled' where id = $1", [
    endpoint.id,
  ]);
  expect(await counts()).toEqual({ payments: 1, transfers: 10, refunds: 0, webhooks: 1 });
  expect(await counts(stranger)).toEqual({ payments: 0, transfers: 0, refunds: 0, webhooks: 0 });
  expect(await counts(merchant.test)).toEqual({ payments: 0, transfers: 0, refunds: 0, webhooks: 0 });
});

test('an open payment for which money was seen is listed, with the amount', async () => {
  const of = merchant.test;
  const arriving = async (whose: Merchant) => (await attention(whose)).arriving;
  const pay = async (outcome: string) => {
    const session = await of.createSession({ amount: '25.00' });
    await of.pay(session.id, outcome);
    return paymentOfSession(app.ctx.db, session.id);
  };
  await pay('paid');
  await of.createSession();
  const id = await pay('underpaid');
  expect(await arriving(of)).toEqual([{ payment: id, detected: '12.500000' }]);
  for (const other of [merchant, stranger.test]) expect(await arriving(other)).toEqual([]);

  // As if the customer had sent all of it, and it was not final yet.
  await app.ctx.db.query('test_whole', 'update transfers set amount_units = 25000000 where payment_id = $1', [id]);
  expect(await arriving(of)).toEqual([{ payment: id, detected: '25.000000' }]);
});

/** Digits alone are the same with and without a checksum. */
function newAddress(): string {
  return `0x1${String(++made).padStart(39, '0')}`;
}

async function attention(of: Merchant) {
  const answer = await app.inject('GET', '/dashboard/api/attention', {
    headers: { cookie: `session=${of.loginToken}`, 'service-mode': of.livemode ? 'live' : 'test' },
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.raw}`);
  return answer.body.data;
}

async function arrive(to: string, minutesAgo = 1): Promise<{ id: string; txHash: string }> {
  const now = await app.ctx.db.now();
  const [stored] = await app.ctx.db.transaction((db) =>
    receive(
      app.ctx,
      db,
      {
        livemode: true,
        transfers: [
          {
            network: 'base',
            txHash: `0x${(++made).toString(16).padStart(64, '0')}`,
            index: 0,
            asset: 'USDC',
            from: '0x3333333333333333333333333333333333333333',
            to,
            amountUnits: 12_345_678n,
            block: { number: 1n, hash: '0x1', time: later(now, -minutesAgo * 60_000) },
            carried: [],
          },
        ],
      },
      now,
    ),
  );
  if (!stored) throw new Error('the transfer was not stored');
  return stored;
}

/** A transfer in the state after its last failed attempt. */
async function setAside(to: string, minutesAgo = 1): Promise<{ id: string; txHash: string }> {
  const transfer = await arrive(to, minutesAgo);
  await app.ctx.db.query(
    'test_set_aside',
    'update transfers set reason = null, near_payment_id = null, attempts = 3, set_aside_at = first_seen_at where id = $1',
    [transfer.id],
  );
  return transfer;
}

async function count({
  network,
  hoursAgo,
  stored = 0,
  skipped = 0,
  dust = 0,
}: {
  network: ReceiveNetwork;
  hoursAgo: number;
  stored?: number;
  skipped?: number;
  dust?: number;
}): Promise<void> {
  const now = await app.ctx.db.now();
  await app.ctx.db.query(
    'test_count',
    `
    insert into address_activity (network, address, hour, stored, skipped, dust, dust_units) values ($1, $2, $3, $4, $5, $6, 0)`,
    [network, address, later(now, -hoursAgo * HOUR_MS), stored, skipped, dust],
  );
}
