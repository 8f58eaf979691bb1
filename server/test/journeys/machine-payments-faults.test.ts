import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { challengesIn, requestOf, requiredIn, signX402 } from '../support/machine-client.ts';
import { type MachineShop, startMachineShop } from '../support/machine-shop.ts';

const LOOK_ONCE = { prefer: 'wait=0' };
let shop: MachineShop;
let alice: PrivateKeyAccount;
let bob: PrivateKeyAccount;

beforeAll(async () => {
  shop = await startMachineShop();
  [alice, bob] = shop.payers as [PrivateKeyAccount, PrivateKeyAccount];
});
afterAll(() => shop[Symbol.asyncDispose]());

describe('what a facilitator says decides nothing', () => {
  test.each(['lost_answer', 'false_failure', 'twice'] as const)('%s: the chain says paid, once', async (fault) => {
    const session = await shop.session();
    shop.facilitator.faults.push(fault);
    const before = await shop.balance(shop.wallet);
    const answer = await shop.client.buy(session.id, alice);
    expect(answer.status).toBe(200);
    expect(await shop.rulesOf(session.id)).toEqual(['authorization']);
    expect((await shop.balance(shop.wallet)) - before).toBe(
      BigInt(answer.body.session.payment.amount.replace('.', '')),
    );
  });

  test.each(['false_success', 'down'] as const)(
    '%s: nothing is paid, nothing more is asked for, and no other credential is taken',
    async (fault) => {
      const session = await shop.session();
      const [accepted] = requiredIn(await shop.client.ask(session.id)).accepts;
      const payload = await signX402(accepted, alice);
      shop.facilitator.faults.push(fault);
      const first = await shop.client.payX402(session.id, payload, { prefer: 'wait=3' });
      expect([first.status, first.headers['retry-after'], first.body.session.status]).toEqual([202, '5', 'pending']);
      expect(first.headers['payment-response']).toBeUndefined();
      expect((await shop.client.payX402(session.id, payload, LOOK_ONCE)).status).toBe(202);
      expect((await shop.client.ask(session.id)).status).toBe(202);
      const second = await shop.client.payX402(session.id, await signX402(accepted, bob), LOOK_ONCE);
      expect([second.status, second.body.type]).toEqual([409, 'https://paymentauth.org/problems/payment-in-progress']);
      // The job sends it again, and the chain says the rest.
      await shop.app.ctx.db.query('test_due', `update machine_credentials set due_at = created_at`, []);
      await expect.poll(() => shop.walk(session.id), { timeout: 30_000 }).toEqual(['created', 'pending', 'paid']);
      expect((await shop.client.payX402(session.id, payload)).status).toBe(200);
    },
  );

  test('a signature whose end has passed in a final block frees the checkout for another', async () => {
    const session = await shop.session();
    const [accepted] = requiredIn(await shop.client.ask(session.id)).accepts;
    const soon = String(Math.floor(Date.now() / 1000) + 8);
    const payload = await signX402(accepted, alice, { validBefore: soon });
    shop.facilitator.faults.push(...Array.from({ length: 20 }, () => 'down' as const));
    expect((await shop.client.payX402(session.id, payload, LOOK_ONCE)).status).toBe(202);
    await expect
      .poll(
        async () => {
          await shop.app.ctx.db.query(
            'test_due',
            `update machine_credentials set due_at = created_at where state = 'open'`,
            [],
          );
          return (await shop.credentials(session.id)).map((one) => [one.state, one.has_credential]);
        },
        { timeout: 40_000, interval: 500 },
      )
      .toEqual([['void', false]]);
    shop.facilitator.faults.length = 0;
    const again = await shop.client.payX402(session.id, payload);
    expect([again.status, again.body.type]).toEqual([402, 'https://paymentauth.org/problems/verification-failed']);
    expect((await shop.client.buy(session.id, bob)).status).toBe(200);
    expect(await shop.rulesOf(session.id)).toEqual(['authorization']);
  });
});

test('a credential is stored before anything leaves the process', async () => {
  const session = await shop.session();
  const stored: unknown[] = [];
  shop.facilitator.onSettle = async () => void stored.push(await shop.credentials(session.id));
  try {
    expect((await shop.client.buy(session.id, alice)).status).toBe(200);
  } finally {
    delete shop.facilitator.onSettle;
  }
  expect(stored).toEqual([[{ kind: 'authorization', state: 'open', has_credential: true }]]);
});

test('100 requests with one credential send it once', async () => {
  const session = await shop.session();
  const payload = await signX402(requiredIn(await shop.client.ask(session.id)).accepts[0], alice);
  const sent = shop.facilitator.asked.length;
  const answers = await Promise.all(Array.from({ length: 100 }, () => shop.client.payX402(session.id, payload)));
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
  expect(shop.facilitator.asked.length - sent).toBe(1);
  expect(await shop.rulesOf(session.id)).toEqual(['authorization']);
});

test('without a facilitator only transactions and hashes are offered', async () => {
  const { facilitators } = shop.app.ctx;
  const before = facilitators.get('ethereum');
  (facilitators as Map<string, unknown>).delete('ethereum');
  try {
    const answer = await shop.client.ask((await shop.session()).id);
    expect(challengesIn(answer).map((one) => requestOf(one).methodDetails.credentialTypes)).toEqual([
      ['transaction', 'hash'],
    ]);
    expect(answer.headers['payment-required']).toBeUndefined();
  } finally {
    (facilitators as Map<string, unknown>).set('ethereum', before);
  }
});
