import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRandom, type Random } from '../../programs/simulation/random.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

type Data = any;

const CUSTOMER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const OTHER = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
/** `.ci/long` sets REFUND_PAYMENTS=1000. */
const PAYMENTS = Number(process.env.REFUND_PAYMENTS ?? 20);
const WRITERS = Number(process.env.REFUND_WRITERS ?? 100);
const STEPS_PER_PAYMENT = 12;
const SEED = Number(process.env.REFUND_SEED ?? 11);

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
});
afterAll(() => app.stop());

test(
  'many writers at once never return more than arrived, and each payment is refunded at most once',
  async () => {
    const random = createRandom(SEED);
    const payments: string[] = [];
    for (let made = 0; made < PAYMENTS; made += 1) payments.push(await newPayment(random.between(100, 20_000)));

    let left = PAYMENTS * STEPS_PER_PAYMENT;
    const statuses = new Map<string, number>();
    await Promise.all(
      Array.from({ length: WRITERS }, async () => {
        for (; left > 0; left -= 1) {
          const { status } = await step(pick(random, payments), random);
          statuses.set(String(status), (statuses.get(String(status)) ?? 0) + 1);
        }
      }),
    );
    // No conflict is an error of the service, and many steps did something.
    expect([...statuses.keys()].filter((status) => !['200', '201', '400'].includes(status))).toEqual([]);
    expect(statuses.get('201')).toBeGreaterThan(PAYMENTS);
    for (const id of payments) await holds(id);
  },
  30_000 + PAYMENTS * 2_000,
);

test('thirty at once reserve the same money once', async () => {
  const id = await newPayment(9_802);
  expect((await merchant.get(`/payments/${id}`)).received_amount).toBe('98.02');
  const answers = await Promise.all(
    Array.from({ length: 30 }, () =>
      merchant.request('POST', `/payments/${id}/refunds`, { body: { to: CUSTOMER, amount: '40.00' } }),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(28);
  await holds(id);
});

test('thirty reports at once of the last refunds make one payment.refunded', async () => {
  const id = await newPayment(9_802);
  const made = await Promise.all(
    Array.from({ length: 10 }, () =>
      merchant.post(`/payments/${id}/refunds`, { to: CUSTOMER, coin_amount: '9.802000' }),
    ),
  );
  await Promise.all(
    [...made, ...made, ...made].map((refund) =>
      merchant.post(`/refunds/${refund.id}/sent`, { tx_hash: `0x${'ab'.repeat(32)}` }),
    ),
  );
  expect(await merchant.get(`/payments/${id}`)).toMatchObject({ status: 'refunded', refunded_amount: '98.00' });
  await holds(id);
});

/** A payment of `cents` that was paid, often with a surplus or a shortfall. */
async function newPayment(cents: number): Promise<string> {
  const amount = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
  const session = await merchant.createSession({ amount });
  const outcome = (['overpaid', 'paid', 'refund_required'] as const)[cents % 3];
  const { payment } = await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, {
    pay_asset: 'USDC',
    pay_network: 'base',
    outcome,
  });
  return payment;
}

/** The pages of links, which customers answer in any order and more than once. */
const pages: string[] = [];

async function step(id: string, random: Random): Promise<Data> {
  const txHash = random.hex(32);
  const body = {
    to: CUSTOMER,
    ...(random.chance(0.4) && { amount: `${random.between(0, 30)}.${random.between(10, 99)}` }),
    ...(random.chance(0.5) && { tx_hash: txHash }),
  };
  const kind = random.between(0, 20);
  if (kind === 0) return merchant.request('POST', `/payments/${id}/refund`, { body: { amount: '0.01' } });
  if (kind === 1) return merchant.request('POST', `/payments/${id}/refund`);
  if (kind === 2) return merchant.dashboard.request('POST', `/payments/${id}/accept`);
  if (kind === 3) {
    const made = await merchant.request('POST', `/payments/${id}/refunds`, { body: { amount: '1.00', link: {} } });
    if (made.status === 201) pages.push(new URL(made.body.data.link.url).pathname);
    return made;
  }
  if (kind === 4 && pages.length > 0) return answer(pick(random, pages), random);
  if (kind < 12) return merchant.request('POST', `/payments/${id}/refunds`, { body });
  const { data } = await merchant.get(`/payments/${id}/refunds`, { limit: '100' });
  const refund = data.length > 0 ? pick<Data>(random, data) : undefined;
  if (!refund) return merchant.request('POST', `/payments/${id}/refunds`, { body });
  if (refund.link?.address && kind < 14) return confirm(refund);
  return kind < 16
    ? merchant.request('POST', `/refunds/${refund.id}/cancel`)
    : merchant.request('POST', `/refunds/${refund.id}/sent`, { body: { tx_hash: txHash } });
}

/** Held back, too late or not an address: none is an error of the service. */
async function answer(path: string, random: Random): Promise<{ status: number }> {
  const { statusCode } = await app.server.inject({
    method: 'POST',
    url: path,
    payload: `address=${pick(random, [CUSTOMER, OTHER])}`,
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
  });
  return { status: [303, 400, 409, 429].includes(statusCode) ? 200 : statusCode };
}

const confirm = ({ id, coin_amount, link }: Data) =>
  app.inject('POST', `/dashboard/api/refunds/${id}/confirm`, {
    token: merchant.dashboard.token,
    body: { to: link.address, coin_amount },
    headers: { 'service-mode': 'test' },
  });

async function holds(id: string): Promise<void> {
  const payment = await merchant.get(`/payments/${id}`);
  const { data: refunds } = await merchant.get(`/payments/${id}/refunds`, { limit: '100' });
  const sum = (...statuses: string[]) =>
    refunds
      .filter(({ status }: Data) => statuses.includes(status))
      .reduce((total: bigint, { coin_amount }: Data) => total + units(coin_amount), 0n);
  const arrived = units(payment.actual_output);
  expect(sum('requested', 'planned', 'sent', 'final'), id).toBeLessThanOrEqual(arrived);
  const minor = refunds
    .filter(({ status }: Data) => status === 'final')
    .reduce((total: bigint, { amount }: Data) => total + units(amount), 0n);
  expect(units(payment.refunded_amount), id).toBe(minor);
  expect(minor, id).toBeLessThanOrEqual(units(payment.received_amount));
  expect(payment.refunds.toSorted()).toEqual(refunds.map((refund: Data) => refund.id).toSorted());

  const events = await app.ctx.db.query<{ type: string }>(
    'test_refunded_events',
    `select type from events where object_id = $1 and type = 'payment.refunded'`,
    [id],
  );
  expect(events.length, id).toBe(payment.status === 'refunded' ? 1 : 0);
  const due = units(payment.expected_output);
  // All of it where less arrived, or the price twice.
  const covers = arrived < due || arrived >= 2n * due ? arrived : due;
  if (sum('final') >= covers) expect(payment.status, id).toBe('refunded');
}

function pick<T>(random: Random, items: readonly T[]): T {
  return items[random.between(0, items.length - 1)] as T;
}

function units(decimal: string): bigint {
  return BigInt(decimal.replace('.', ''));
}
