import { generateTestHeader } from '@quittance/sdk/webhooks';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

// What the provider takes from Medusa, which `npm ci` does not install.
vi.mock('@medusajs/framework/utils', () => ({
  AbstractPaymentProvider: class {},
  BigNumber: class {
    readonly numeric: number;
    constructor(value: unknown) {
      this.numeric = Number(value);
    }
  },
  MedusaError: class extends Error {
    static Types = {};
  },
  ModuleProvider: () => ({}),
  Modules: {},
  PaymentActions: { SUCCESSFUL: 'captured', NOT_SUPPORTED: 'not_supported' },
  PaymentSessionStatus: { CAPTURED: 'captured', PENDING: 'pending' },
}));

type Data = any;

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp({ listen: true });
  merchant = app.merchant;
  await merchant.createWallet();
});
afterAll(() => app.stop());
afterEach(() => void vi.restoreAllMocks());

let refunds = 0;

/** One cart of a Medusa, and its payment once it is paid. Medusa deletes a refund that failed. */
async function newShop(amount = 49) {
  const session = { payment_collection_id: `pay_col_${crypto.randomUUID()}`, amount, currency_code: 'usd' };
  const payment: Data = { data: {}, refunds: [] };
  const warn = vi.fn();
  // By its name at run time, because its types are those of Medusa.
  const name = '../../../../integrations/medusa/src/provider.ts';
  const { QuittancePaymentProvider } = await import(/* @vite-ignore */ new URL(name, import.meta.url).href);
  const provider = new QuittancePaymentProvider(
    {
      logger: { warn },
      paymentSessionService: {
        retrieve: async () => session,
        list: async () => [{ id: 'payses_1', data: { collection: session.payment_collection_id } }],
      },
      refundService: { retrieve: async () => ({ payment_id: 'pay_1' }) },
      paymentService: { retrieve: async () => structuredClone(payment) },
    },
    { key: merchant.testKey, baseUrl: app.url, webhookSecret: 'whsec_1', returnUrl: 'https://shop.example.com/thanks' },
  );
  const shop = {
    payment,
    warn,
    async choose(customer?: object): Promise<Data> {
      const data = { session_id: 'payses_1' };
      const input = { amount: session.amount, currency_code: 'usd', data, context: { customer } };
      return (await provider.initiatePayment(input)).data;
    },
    async complete(data: Data): Promise<string> {
      const answer = await provider.authorizePayment({ data, context: { idempotency_key: 'payses_1' } });
      payment.data = answer.data;
      return answer.status;
    },
    async pay(...coin: string[]): Promise<Data> {
      const data = await shop.choose();
      await payIn(data.id, ...coin);
      expect(await shop.complete(data)).toBe('captured');
      return data;
    },
    /** Medusa hands over a webhook that was signed some seconds ago. */
    async hear(event: object, secondsAgo = 0, secret = 'whsec_1'): Promise<Data> {
      const rawData = JSON.stringify(event);
      const timestamp = Math.floor(Date.now() / 1_000) - secondsAgo;
      const headers = { 'service-signature': await generateTestHeader(rawData, secret, { timestamp }) };
      return provider.getWebhookActionAndData({ data: {}, rawData, headers });
    },
    async refund(amount: number): Promise<void> {
      refunds += 1;
      const refund = { id: `ref_${String(refunds).padStart(4, '0')}`, amount };
      payment.refunds.push(refund);
      const before = structuredClone(payment.data);
      try {
        const input = { amount, data: before, context: { idempotency_key: refund.id } };
        payment.data = (await provider.refundPayment(input)).data;
      } catch (error) {
        payment.refunds.splice(payment.refunds.indexOf(refund), 1);
        throw error;
      }
    },
    /** The refunds of the service, in the order in which they were begun. */
    async begun(): Promise<Data[]> {
      return (await merchant.get(`/payments/${payment.data.payment}/refunds`)).data.toReversed();
    },
  };
  return shop;
}

function payIn(session: string, pay_asset = 'USDC', pay_network = 'base'): Promise<Data> {
  const pay = { pay_asset, pay_network, outcome: 'paid' };
  return merchant.post(`/test_helpers/checkout/sessions/${session}/pay`, pay);
}

/** Refunds are created from now on, and no answer arrives. */
function loseAnswers(): void {
  const send = globalThis.fetch;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const answer = await send(input, init);
    if (init?.method === 'POST' && String(input).endsWith('/refunds')) throw new TypeError('fetch failed');
    return answer;
  });
}

test('a refund whose answer was lost is the same when it is repeated, and two of one amount are two', async () => {
  const shop = await newShop();
  await shop.pay();
  loseAnswers();
  await expect(shop.refund(10)).rejects.toThrow();
  vi.restoreAllMocks();
  await shop.refund(10);
  expect(await shop.begun()).toHaveLength(1);

  await shop.refund(10);
  loseAnswers();
  await expect(shop.refund(5)).rejects.toThrow();
  vi.restoreAllMocks();
  await shop.refund(7);
  await shop.refund(5);
  const begun = await shop.begun();
  expect(begun.map(({ amount }) => amount)).toEqual(['10.00', '10.00', '5.00', '7.00']);
  const stored = shop.payment.data.refunds;
  expect(stored.map(({ id }: Data) => id).sort()).toEqual(begun.map(({ id }) => id).sort());
  expect(stored.map(({ link }: Data) => new URL(link).pathname.split('/')[1])).toEqual(Array(4).fill('refund'));
});

test('a customer with an address that the service refuses can pay, and chooses the same checkout again', async () => {
  const shop = await newShop();
  const { id } = await shop.choose({ id: 'cus_1', email: 'kim@localhost' });
  expect((await merchant.get(`/checkout/sessions/${id}`)).customer).toBeNull();
  expect((await shop.choose({ id: 'cus_1', email: 'kim@localhost' })).id).toBe(id);
});

test('a refund that was cancelled before it was repeated is begun again', async () => {
  const shop = await newShop();
  await shop.pay();
  loseAnswers();
  await expect(shop.refund(10)).rejects.toThrow();
  vi.restoreAllMocks();
  const [lost] = await shop.begun();
  await merchant.post(`/refunds/${lost.id}/cancel`);
  await shop.refund(10);
  const begun = await shop.begun();
  expect(begun.map(({ status }) => status)).toEqual(['cancelled', 'requested']);
  expect(shop.payment.data.refunds).toMatchObject([{ id: begun[1].id }]);
});

test('of refunds that begin at once each is stored', async () => {
  const shop = await newShop();
  await shop.pay();
  await Promise.all([shop.refund(10), shop.refund(10), shop.refund(5)]);
  const begun = await shop.begun();
  expect(begun.map(({ amount }) => amount).sort()).toEqual(['10.00', '10.00', '5.00']);
  expect(shop.payment.data.refunds.map(({ id }: Data) => id).sort()).toEqual(begun.map(({ id }) => id).sort());
});

test('a converted payment is refunded in full, less the fee of the service, in one part or several', async () => {
  for (const [parts, sent] of [
    [[49], ['48.26']],
    [
      [20, 29],
      ['20.00', '28.26'],
    ],
  ] as const) {
    const shop = await newShop();
    await shop.pay('BTC', 'bitcoin');
    for (const part of parts) await shop.refund(part);
    expect(await shop.begun()).toMatchObject(sent.map((amount) => ({ amount })));
    await expect(shop.refund(0.01)).rejects.toThrow('at most what is left of the payment: 0.00 USD');
  }
});

test('of the parts of a converted payment that are refunded at once only the last lacks the fee', async () => {
  const shop = await newShop();
  await shop.pay('BTC', 'bitcoin');
  await Promise.all([shop.refund(24.5), shop.refund(24.5)]);
  const begun = await shop.begun();
  expect(begun.map(({ amount }) => amount).sort()).toEqual(['23.76', '24.50']);
});

test('a customer whose money goes back pays by another checkout, and one who has paid by the same', async () => {
  const shop = await newShop();
  const first = await shop.pay();
  expect((await shop.choose()).id).toBe(first.id);
  await shop.refund(49);
  const next = await shop.choose();
  expect(next.id).not.toBe(first.id);
  expect((await shop.choose()).id).toBe(next.id);
  await payIn(next.id);
  expect(await shop.complete(next)).toBe('captured');
});

test('a cart with a tax of 10.75 % is paid to the nearest cent, and a line of it is refunded', async () => {
  const shop = await newShop(34.116425);
  const { id } = await shop.pay();
  expect((await merchant.get(`/checkout/sessions/${id}`)).amount).toBe('34.12');
  await shop.refund(27.676425);
  expect(await shop.begun()).toMatchObject([{ amount: '27.68' }]);
});

test('an event that waited an hour in the queue of Medusa completes its cart, and one of a stranger is logged', async () => {
  const shop = await newShop();
  const { id } = await shop.choose();
  await payIn(id);
  const { payment } = await merchant.get(`/checkout/sessions/${id}`);
  const event = { id: 'evt_1', type: 'payment.paid', created: new Date().toISOString(), data: { id: payment } };
  expect(await shop.hear(event, 3_600)).toMatchObject({ action: 'captured', data: { session_id: 'payses_1' } });
  expect(shop.warn).not.toHaveBeenCalled();
  expect(await shop.hear(event, 0, 'whsec_2')).toEqual({ action: 'not_supported' });
  expect(shop.warn.mock.calls).toEqual([[expect.stringContaining('Quittance: a webhook was refused.')]]);
});
