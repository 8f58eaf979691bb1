import { randomBytes } from 'node:crypto';
import { preferredShare } from '../../../src/settlement/records/exact-amounts.ts';
import { privateKeyToAccount, generatePrivateKey } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Transfer } from '../../../src/outside/chains/chain.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';
import { paymentOfSession, referenceOf } from '../../support/payments.ts';
import { take, transferTo } from '../../support/transfers.ts';

let app: TestApp;
let merchant: Merchant;
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant.live;
});
afterAll(() => app.stop());

describe('the missing amount after a part payment', () => {
  test('cannot be chosen by its payer, so that no other customer is made to pay it', async () => {
    for (const rest of [100_000_000n, 49_990_000n, 77_700_000n]) {
      const thief = await checkout('149.00');
      await pay(thief.amountUnits - rest, thief.reference);

      const stranger = await pay(rest);
      expect(await attributionOf(stranger)).toEqual([{ paymentId: null, reason: 'no_match' }]);
      expect(await merchant.get(`/payments/${thief.paymentId}`)).toMatchObject({ status: 'pending' });
    }
  });

  test('is the plain rest where that has digits of its own', async () => {
    const { sessionId, amountUnits, reference } = await checkout('149.00');
    await pay(amountUnits - 99_001_234n, reference);
    const { payment } = (await app.inject('GET', `/v1/public/checkout/sessions/${sessionId}`)).body.data;
    expect(payment.amount_due).toBe('99.001234');
  });

  test("is not taken for another customer's payment, whose wallet sends its reference", async () => {
    const lurker = await checkout('149.00');
    await pay(lurker.amountUnits - 99_001_234n, lurker.reference);
    const customer = await checkout('99.00');
    await pay(99_001_234n, customer.reference);
    expect(await merchant.get(`/payments/${customer.paymentId}`)).toMatchObject({ status: 'paid' });
    expect(await merchant.get(`/payments/${lurker.paymentId}`)).toMatchObject({ status: 'pending' });
  });

  test('is less than a cent above the rest, and pays when it is sent without a tag', async () => {
    const { sessionId, paymentId, reference } = await checkout('149.00');
    await pay(50_000_000n, reference);
    const { payment } = (await app.inject('GET', `/v1/public/checkout/sessions/${sessionId}`)).body.data;
    expect(payment.amount_due).toMatch(/^99\.00\d{4}$/);
    expect(payment.amount_due).not.toBe('99.000000');

    await pay(units(payment.amount_due));
    expect(await merchant.get(`/payments/${paymentId}`)).toMatchObject({ status: 'paid' });
  });

  test('stays the same amount while nothing more comes, and is another one after the next part', async () => {
    const { sessionId, reference } = await checkout('149.00');
    const due = async () =>
      (await app.inject('GET', `/v1/public/checkout/sessions/${sessionId}`)).body.data.payment.amount_due;
    await pay(50_000_000n, reference);
    const first = await due();
    expect(await due()).toBe(first);

    await pay(49_000_000n, reference);
    expect(await due()).toMatch(/^50\.00\d{4}$/);
  });
});

describe('an amount of its own', () => {
  test("is never a round one, which another merchant's customer may send without a suffix", async () => {
    const session = await merchant.createSession({ amount: '179.95', currency: 'AED' });
    // 179.95 dirhams are 48.999320 dollars and have 2,722 suffixes; this is the place of 49.000000 among them.
    await app.ctx.db.query('test_reference', 'update checkout_sessions set reference = $2 where id = $1', [
      session.id,
      referencePreferring(679, 2722),
    ]);
    const { payment } = await choose(session.id);
    expect(payment.amount).toBe('49.000001');

    const stranger = await pay(49_000_000n);
    expect(await attributionOf(stranger)).toEqual([{ paymentId: null, reason: 'no_match' }]);
  });
});

describe('one checkout', () => {
  test('holds a few exact amounts at most, however often its customer connects another wallet', async () => {
    const session = await merchant.createSession();
    const wallet = privateKeyToAccount(generatePrivateKey());
    const message = [
      'Quittance payment sender',
      `Session: ${session.id}`,
      'Network: base',
      `Address: ${wallet.address}`,
    ].join('\n');
    const proof = { sender: wallet.address, sender_signature: await wallet.signMessage({ message }) };
    for (let time = 0; time < 16; time += 1) await choose(session.id, time % 2 === 0 ? {} : proof);

    const taken = await app.ctx.db.query(
      'test_taken',
      `
      select r.amount_units from reserved_amounts r join checkout_sessions s on s.payment_id = r.payment_id where s.id = $1`,
      [session.id],
    );
    expect(taken.length).toBeLessThanOrEqual(5);
    const { payment } = await choose(session.id, proof);
    expect(payment.amount).toMatch(/^49\.00\d{4}$/);
    expect(payment.amount).not.toBe('49.000000');
  });

  test('is not chosen for again and again without an end: 429', async () => {
    const session = await merchant.createSession();
    const senders = Array.from({ length: 21 }, () => privateKeyToAccount(generatePrivateKey()));
    const statuses = [];
    for (const wallet of senders) {
      const message = [
        'Quittance payment sender',
        `Session: ${session.id}`,
        'Network: base',
        `Address: ${wallet.address}`,
      ].join('\n');
      const { status } = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
        body: {
          pay_asset: 'USDC',
          pay_network: 'base',
          sender: wallet.address,
          sender_signature: await wallet.signMessage({ message }),
        },
      });
      statuses.push(status);
    }
    expect([statuses.slice(0, 20).every((status) => status === 200), statuses[20]]).toEqual([true, 429]);
  });
});

async function checkout(amount: string) {
  const session = await merchant.createSession({ amount });
  const { payment } = await choose(session.id);
  return {
    sessionId: session.id as string,
    paymentId: await paymentOfSession(app.ctx.db, session.id),
    amountUnits: units(payment.amount),
    reference: await referenceOf(app.ctx.db, session.id),
  };
}

async function choose(sessionId: string, more: Record<string, unknown> = {}) {
  const { status, body, raw } = await app.inject('POST', `/v1/public/checkout/sessions/${sessionId}/pay`, {
    body: { pay_asset: 'USDC', pay_network: 'base', ...more },
  });
  if (status !== 200) throw new Error(`${status} ${raw}`);
  return body.data;
}

/** A final transfer to the merchant's wallet. */
async function pay(amountUnits: bigint, ...carried: Buffer[]): Promise<Transfer> {
  const transfer = transferTo(WALLET, { amountUnits, carried });
  await take(app.ctx, transfer);
  return transfer;
}

function attributionOf({ txHash }: Transfer) {
  return app.ctx.db.query('test_attribution', 'select payment_id, reason from transfers where tx_hash = $1', [txHash]);
}

function units(text: string): bigint {
  return BigInt(text.replace('.', ''));
}

/** A reference whose payment starts its search for a free amount at this place. */
function referencePreferring(place: number, places: number): Buffer {
  for (;;) {
    const reference = randomBytes(32);
    if (Math.floor(preferredShare(reference) * places) === place) return reference;
  }
}
