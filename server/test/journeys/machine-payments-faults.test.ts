import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { getAddress, toHex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildTag } from '../../src/outside/chains/evm/tag.ts';
import { later, SECOND_MS } from '../../src/platform/time.ts';
import { machinePaymentsJob } from '../../src/resources/machine-payments/resolve.ts';
import { coverage } from '../../src/settlement/reading/coverage.ts';
import { challengeFor, challengesIn, requestOf, requiredIn, signX402 } from '../support/machine-client.ts';
import { type MachineShop, signTransaction, startMachineShop } from '../support/machine-shop.ts';

const LOOK_ONCE = { prefer: 'wait=0' };
let shop: MachineShop;
let alice: PrivateKeyAccount;
let bob: PrivateKeyAccount;

beforeAll(async () => {
  shop = await startMachineShop();
  [alice, bob] = shop.payers as [PrivateKeyAccount, PrivateKeyAccount];
});
afterAll(() => shop[Symbol.asyncDispose]());

describe("a facilitator's report decides nothing", () => {
  test.each(['killed', 'lost_answer', 'false_failure', 'twice'] as const)(
    '%s: the chain says paid, once',
    async (fault) => {
      const session = await shop.session();
      shop.facilitator.faults.push(fault);
      const before = await shop.balance(shop.wallet);
      const answer = await shop.client.buy(session.id, alice);
      expect(answer.status).toBe(200);
      expect(await shop.rulesOf(session.id)).toEqual(['authorization']);
      expect((await shop.balance(shop.wallet)) - before).toBe(
        BigInt(answer.body.session.payment.amount.replace('.', '')),
      );
    },
  );

  test('killed after it broadcast, and not started again: the chain says paid, once', async () => {
    const session = await shop.session();
    shop.facilitator.faults.push('killed');
    shop.facilitator.usually = 'down';
    try {
      const before = await shop.balance(shop.wallet);
      const answer = await shop.client.buy(session.id, alice);
      expect(answer.status).toBe(200);
      expect(await shop.walk(session.id)).toEqual(['created', 'pending', 'paid']);
      expect((await shop.balance(shop.wallet)) - before).toBe(
        BigInt(answer.body.session.payment.amount.replace('.', '')),
      );
    } finally {
      shop.facilitator.usually = 'none';
    }
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
      // The job sends it again, and the chain decides the rest.
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
          await makeDue();
          return (await shop.credentials(session.id)).map((one) => [one.state, one.hasCredential]);
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

test('another transfer of the payment does not keep an expired signature open', async () => {
  const session = await shop.session();
  const [accepted] = requiredIn(await shop.client.ask(session.id)).accepts;
  const payload = await signX402(accepted, alice, { validBefore: String(Math.floor(Date.now() / 1000) + 8) });
  shop.facilitator.usually = 'down';
  try {
    expect((await shop.client.payX402(session.id, payload, LOOK_ONCE)).status).toBe(202);
    const tag = buildTag(base58.decode(session.reference).subarray(0, 16));
    await shop.chain.transferErc20({ token: shop.usdc, from: bob.address, to: shop.wallet, amount: 9_000_000n, tag });
    await expect.poll(() => shop.rulesOf(session.id), { timeout: 20_000 }).toEqual(['reference']);
    await expect.poll(() => endHasPassed(session.id), { timeout: 40_000, interval: 500 }).toBe(true);
    await expect.poll(() => shop.credentials(session.id)).toMatchObject([{ state: 'void' }]);
  } finally {
    shop.facilitator.usually = 'none';
  }
  // The rest can be paid by another signature.
  expect((await shop.client.buy(session.id, bob)).status).toBe(200);
});

describe('a checkout whose amount is not reserved', () => {
  /** Another account saved the payout wallet first, and the page asked the customer's wallet for the plain amount. */
  async function unreserved() {
    const wallet = { asset: 'USDC', network: 'ethereum', address: getAddress(toHex(randomBytes(20))) };
    await (await shop.app.newMerchant({ mode: 'live' })).createWallet(wallet);
    const { id } = await shop.merchant.createWallet(wallet);
    const session = await shop.session({ payout_wallet_id: id });
    const body = { pay_asset: 'USDC', pay_network: 'ethereum', sender: bob.address };
    const path = `/v1/public/checkout/sessions/${session.id}/pay`;
    expect((await shop.inject('POST', path, { body })).body.data.payment.amount).toBe('49.000000');
    return session;
  }

  test('is offered to authorizations only, whose nonce names the payment', async () => {
    const session = await unreserved();
    const asked = await shop.client.ask(session.id);
    expect(challengesIn(asked).map((one) => requestOf(one).methodDetails.credentialTypes)).toEqual([['authorization']]);
    expect((await shop.client.buy(session.id, alice)).status).toBe(200);
    expect(await shop.rulesOf(session.id)).toEqual(['authorization']);
  });

  test('is offered to authorizations only once the reservation is gone', async () => {
    const session = await shop.session();
    expect(challengesIn(await shop.client.ask(session.id)).length).toBe(2);
    await freeAmount(session.id);
    const challenges = challengesIn(await shop.client.ask(session.id));
    expect(challenges.map((one) => requestOf(one).methodDetails.credentialTypes)).toEqual([['authorization']]);
  });

  test('is not offered to programs while no facilitator settles authorizations', async () => {
    const session = await unreserved();
    await withoutFacilitator(async () => {
      const answer = await shop.client.ask(session.id);
      expect([answer.status, answer.body.type]).toEqual([400, 'https://paymentauth.org/problems/method-unsupported']);
    });
  });
});

test('a transaction whose transfer no payment has is never void: its payer is not asked again', async () => {
  const session = await shop.session();
  const challenge = challengeFor(await shop.client.ask(session.id), 'transaction');
  // The payment's amount is freed after its transaction was stored.
  await shop.chain.rpc('evm_setIntervalMining', [0]);
  const payload = await signTransaction(shop.chain, challenge, alice);
  expect((await shop.client.payMpp(session.id, challenge, payload, LOOK_ONCE)).status).toBe(202);
  await freeAmount(session.id);
  await shop.chain.rpc('evm_setIntervalMining', [1]);
  await expect.poll(() => endHasPassed(session.id), { timeout: 40_000, interval: 500 }).toBe(true);
  await makeDue();
  await machinePaymentsJob().run(shop.app.ctx, new AbortController().signal, () => {});
  expect((await shop.credentials(session.id)).map((one) => one.state)).toEqual(['open']);
  expect(await shop.rulesOf(session.id)).toEqual([]);
  expect((await shop.client.payMpp(session.id, challenge, payload, LOOK_ONCE)).status).toBe(202);
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
  expect(stored).toEqual([[{ kind: 'authorization', state: 'open', hasCredential: true }]]);
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
  await withoutFacilitator(async () => {
    const answer = await shop.client.ask((await shop.session()).id);
    expect(challengesIn(answer).map((one) => requestOf(one).methodDetails.credentialTypes)).toEqual([
      ['transaction', 'hash'],
    ]);
    expect(answer.headers['payment-required']).toBeUndefined();
  });
});

async function withoutFacilitator(run: () => Promise<void>): Promise<void> {
  const facilitators = shop.app.ctx.facilitators as Map<string, unknown>;
  const before = facilitators.get('ethereum');
  facilitators.delete('ethereum');
  try {
    await run();
  } finally {
    facilitators.set('ethereum', before);
  }
}

/** As if another account had proved the payout wallet. */
async function freeAmount(sessionId: string): Promise<void> {
  await shop.app.ctx.db.query(
    'test_free_amount',
    `delete from reserved_amounts r using payments p where p.id = r.payment_id and p.session_id = $1`,
    [sessionId],
  );
}

async function makeDue(): Promise<void> {
  await shop.app.ctx.db.query(
    'test_payment_due',
    `update machine_credentials set due_at = created_at where state = 'open'`,
    [],
  );
}

/** Whether a session's credential has ended in a final block that both passes have read. */
async function endHasPassed(sessionId: string): Promise<boolean> {
  const { ctx } = shop.app;
  await makeDue();
  const [row] = await ctx.db.query<{ validBefore: Date | null }>(
    'test_valid_before',
    `select c.valid_before from machine_credentials c join payments p on p.id = c.payment_id where p.session_id = $1`,
    [sessionId],
  );
  const covered = (await coverage(ctx, ctx.db)).get('ethereum');
  // One block per second, and two confirmations.
  return row?.validBefore != null && covered !== undefined && covered > later(row.validBefore, 5 * SECOND_MS);
}
