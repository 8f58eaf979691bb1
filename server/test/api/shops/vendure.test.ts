import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

// What the plugin takes from Vendure, which `npm ci` does not install.
vi.mock('@nestjs/common', () => ({ Inject: () => () => {}, Injectable: () => () => {} }));
vi.mock('@nestjs/core', () => ({ ModuleRef: class {} }));
vi.mock('@nestjs/graphql', () => ({ Args: () => () => {}, Mutation: () => () => {}, Resolver: () => () => {} }));
vi.mock('graphql', () => ({ parse: () => ({}) }));
vi.mock('typeorm', () => ({
  Column: () => () => {},
  Entity: () => () => {},
  Index: () => () => {},
  LockNotSupportedOnGivenDriverError: class extends Error {},
  MoreThan: (than: unknown) => ({ than }),
}));
vi.mock('@vendure/core', () => {
  class Entity {
    constructor(input: object) {
      Object.assign(this, input);
    }
  }
  return {
    ActiveOrderService: class {},
    ChannelService: class {},
    ConfigService: class {},
    Ctx: () => () => {},
    EntityId: () => () => {},
    Injector: class extends Entity {},
    isGraphQlErrorResult: (answer: object) => 'errorCode' in answer,
    LanguageCode: {},
    Logger: { error: () => {} },
    Order: class extends Entity {},
    OrderService: class {},
    PaymentMethodService: class {},
    PaymentMethodHandler: class extends Entity {},
    PluginCommonModule: class {},
    Refund: class extends Entity {},
    RequestContextService: class {},
    ScheduledTask: class {},
    TransactionalConnection: class {},
    UserInputError: class extends Error {},
    VendureEntity: Entity,
    VendurePlugin: () => () => {},
  };
});

type Data = any;

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp({ listen: true });
  merchant = app.merchant;
  await merchant.createWallet();
});
afterAll(() => app.stop());
afterEach(() => void vi.restoreAllMocks());

/** By its name at run time, because its types are those of Vendure. */
function load(name: string): Promise<Data> {
  return import(/* @vite-ignore */ new URL(`../../../../integrations/vendure/src/${name}.ts`, import.meta.url).href);
}

/** A Vendure with one order, and its rows in memory. The first payment of each has the same id. */
async function newShop() {
  const [{ configure }, { quittanceHandler: handler }, { QuittanceSession }, settling, asking, opening] =
    await Promise.all(['options', 'handler', 'session', 'settle', 'ask', 'checkout'].map(load));
  const serverUrl = 'https://shop.example.com';
  configure({ key: merchant.testKey, baseUrl: app.url, webhookSecret: 'whsec_1', serverUrl, returnUrl: serverUrl });
  const order: Data = { id: 1, code: 'ORDER1', state: 'ArrangingPayment', totalWithTax: 4_900, currencyCode: 'USD' };
  const sessions: Data[] = [];
  const payments: Data[] = [];
  const notes: string[] = [];
  const fits = (where: Data) => (row: Data) =>
    Object.entries<Data>(where).every(([name, value]) => (value?.than ? row[name] > value.than : row[name] === value));
  const query = { where: () => query, setLock: () => query, getOne: async () => order };
  const rows = {
    find: async ({ where }: Data) => sessions.filter(fits(where)),
    findOneBy: async (where: Data) => sessions.find(fits(where)) ?? null,
    update: async (where: Data, changes: Data) => {
      for (const row of sessions.filter(fits(typeof where === 'object' ? where : { id: where })))
        Object.assign(row, changes);
    },
    save: async (row: Data) => (sessions.includes(row) ? row : sessions[sessions.push(row) - 1]),
  };
  const orders = { findOne: async () => ({ ...order, channels: [] }), createQueryBuilder: () => query };
  const repository = (entity: unknown) => (entity === QuittanceSession ? rows : orders);
  const connection = {
    rawConnection: { getRepository: repository },
    getRepository: (_: unknown, entity: unknown) => repository(entity),
    withTransaction: (_: unknown, run: (ctx: object) => unknown) => run({}),
  };
  const orderService = {
    findOne: async () => order,
    getOrderPayments: async () => payments,
    async addPaymentToOrder(ctx: object, _: number, { method, metadata }: Data) {
      const made = handler.createPayment(ctx, order, 4_900, {}, metadata);
      payments.push({ id: payments.length + 1, method, refunds: [], ...made });
      return order;
    },
    async addNoteToOrder(_: object, { note }: Data) {
      notes.push(note);
    },
    async transitionRefundToState(_: object, id: string, state: string) {
      payments.flatMap(({ refunds }) => refunds).find((one) => one.id === id).state = state;
    },
  };
  const services = [orderService, { create: async () => ({}) }, { getDefaultChannel: async () => ({ id: 1 }) }];
  const ask = new asking.QuittanceAskService(connection, new settling.QuittanceSettleService(connection, ...services));
  const methods = {
    getEligiblePaymentMethods: async () => [{ code: 'quittance', isEligible: true }],
    getMethodAndOperations: async () => ({ handler }),
  };
  const active = { getActiveOrder: async () => order };
  const checkouts = new opening.QuittanceCheckoutService(connection, active, orderService, methods);
  handler.init({ get: () => connection });
  return {
    /** The customer chooses the payment method. */
    async open(customer?: object): Promise<Data> {
      order.customer = customer;
      const { sessionId } = await checkouts.open({}, 'quittance');
      return sessionId && merchant.get(`/checkout/sessions/${sessionId}`);
    },
    payments,
    notes,
    sessions,
    ask: () => ask.aboutAll(),
    hear: (payment: string) => ask.afterEvent({ data: { id: payment } }),
    /** A checkout that was opened some days ago. */
    async checkout(daysAgo = 0): Promise<Data> {
      const body = { amount: '49.00', order_id: order.code, metadata: { vendure_method: 'quittance' } };
      const { id: sessionId } = await merchant.createSession(body);
      const at = new Date(Date.now() - daysAgo * DAY_MS);
      const known = { orderId: order.id, method: 'quittance', amount: 4_900, currency: 'USD', createdAt: at };
      const row = {
        id: sessions.length + 1,
        sessionId,
        expiresAt: at,
        applied: null,
        isOpen: true,
        updatedAt: at,
        ...known,
      };
      sessions.push(new QuittanceSession(row));
      return sessions.at(-1);
    },
    /** The merchant refunds in Vendure's admin, which stores what the handler returns. */
    async refund(total: number): Promise<Data> {
      handler.init({ get: () => connection });
      const made = await handler.createRefund({}, {}, total, order, payments[0]);
      const refund = { id: crypto.randomUUID(), total, ...made };
      payments[0].refunds.push(refund);
      return refund;
    },
  };
}

function payIn(session: string, pay_asset = 'USDC', pay_network = 'base'): Promise<Data> {
  const pay = { pay_asset, pay_network, outcome: 'paid' };
  return merchant.post(`/test_helpers/checkout/sessions/${session}/pay`, pay);
}

/** What the service says of payments and sessions, changed, until `vi.restoreAllMocks()`. */
function say(ofPayments: object, ofSessions: object = {}): void {
  const send = globalThis.fetch;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const answer = await send(input, init);
    const [, kind] = /\/v1\/(payments|checkout\/sessions)\/\w+$/.exec(String(input)) ?? [];
    if (kind === undefined || !answer.ok) return answer;
    const { data, ...rest } = (await answer.json()) as Data;
    return Response.json({ ...rest, data: { ...data, ...(kind === 'payments' ? ofPayments : ofSessions) } });
  });
}

async function newPaidShop(daysAgo = 0, ...coin: string[]) {
  const shop = await newShop();
  const { sessionId } = await shop.checkout(daysAgo);
  await payIn(sessionId, ...coin);
  await shop.ask();
  expect(shop.payments).toMatchObject([{ state: 'Settled', amount: 4_900 }]);
  return shop;
}

test('a refund of an old order ends with the refund of the service', async () => {
  const shop = await newPaidShop(30);
  expect(shop.sessions).toMatchObject([{ isOpen: false }]);
  shop.sessions[0].createdAt = new Date(Date.now() - 60 * DAY_MS);
  const refund = await shop.refund(1_000);
  await shop.ask();
  expect(refund.state).toBe('Pending');
  await merchant.post(`/refunds/${refund.transactionId}/cancel`);
  await shop.ask();
  expect(refund.state).toBe('Failed');
  expect(shop.sessions).toMatchObject([{ isOpen: false }]);
});

test('a shop whose prices are not in cents does not start', async () => {
  const { QuittancePlugin } = await load('plugin');
  const start = (moneyStrategy: object) =>
    new QuittancePlugin({ get: () => ({ entityOptions: { moneyStrategy } }) }).onApplicationBootstrap();
  for (const strategy of [{}, { precision: 2 }]) expect(() => start(strategy)).not.toThrow();
  for (const precision of [0, 3]) expect(() => start({ precision })).toThrow(`precision 2, not ${precision}`);
});

test.each([
  ['without a name', { firstName: '', lastName: '' }, { name: null }],
  ['with a name of 201 characters', { lastName: 'y'.repeat(201) }, { name: `Kim ${'y'.repeat(196)}` }],
  ['with an address that the service refuses', { emailAddress: 'kim@localhost' }, null],
])('a customer %s can pay', async (_, fields, expected) => {
  const shop = await newShop();
  const kim = { id: 7, emailAddress: 'kim@example.com', firstName: 'Kim', lastName: 'Reyes', ...fields };
  const session = await shop.open(kim);
  const known = { email: 'kim@example.com', reference: '7', ...expected };
  expect(session.customer).toEqual(expected && known);
  expect((await shop.open(kim)).id).toBe(session.id);
});

test('a checkout that is paid after it has expired is captured without a webhook', async () => {
  const shop = await newShop();
  const { sessionId } = await shop.checkout();
  await payIn(sessionId);
  say({ status: 'expired', sequence: 2 });
  await shop.ask();
  expect(shop.payments).toEqual([]);
  vi.restoreAllMocks();
  shop.sessions[0].updatedAt = new Date(Date.now() - 7 * HOUR_MS);
  await shop.ask();
  expect(shop.payments).toMatchObject([{ state: 'Settled', transactionId: sessionId }]);
  expect(shop.sessions).toMatchObject([{ isOpen: false }]);
});

test('an open checkout is asked about in each run, and before those that have expired', async () => {
  const shop = await newShop();
  const over = await shop.checkout();
  await payIn(over.sessionId);
  say({ status: 'expired', sequence: 2 });
  await shop.ask();
  vi.restoreAllMocks();
  const open = await shop.checkout();
  const asked = vi.spyOn(globalThis, 'fetch');
  const sessionsAsked = () => asked.mock.calls.flatMap(([url]) => /cs_\w+/.exec(String(url)) ?? []);
  await shop.ask();
  expect(sessionsAsked()).toEqual([open.sessionId]);
  asked.mockClear();
  over.updatedAt = new Date(Date.now() - 7 * HOUR_MS);
  await shop.ask();
  expect(sessionsAsked()).toEqual([open.sessionId, over.sessionId]);
});

test('of a checkout that came to nothing, or that its service does not know, the shop asks for a month', async () => {
  const shop = await newShop();
  const { sessionId } = await shop.checkout(30);
  await payIn(sessionId);
  const unknown = await shop.checkout(30);
  unknown.sessionId = 'cs_unknown';
  say({ status: 'expired', sequence: 2 });
  await shop.ask();
  expect(shop.sessions).toMatchObject([{ isOpen: true }, { isOpen: true }]);
  for (const row of shop.sessions) row.createdAt = row.updatedAt = new Date(Date.now() - 32 * DAY_MS);
  await shop.ask();
  expect(shop.sessions).toMatchObject([{ isOpen: false }, { isOpen: false }]);
});

test('a checkout that its customer tried again is captured, and asked about like any other', async () => {
  const shop = await newShop();
  const { sessionId: first } = await shop.checkout(30);
  const { id } = await merchant.createSession({ amount: '49.00', metadata: { vendure_method: 'quittance' } });
  const { payment } = await payIn(id);
  say({ status: 'pending', sequence: 2 }, { retry_of: first });
  await shop.hear(payment);
  vi.restoreAllMocks();
  expect(shop.sessions).toMatchObject([{ sessionId: first }, { sessionId: id, isOpen: true }]);
  await shop.ask();
  expect(shop.payments).toMatchObject([{ state: 'Settled', transactionId: id }]);
});

test('payments of two shops that have the same id in each are both refunded', async () => {
  for (const shop of [await newPaidShop(), await newPaidShop()]) {
    const refund = await shop.refund(1_000);
    expect(refund).toMatchObject({ state: 'Pending', transactionId: expect.stringMatching(/^rf_/) });
  }
});

test('a converted payment is refunded in full, less the fee of the service, in one part or several', async () => {
  for (const [parts, sent] of [
    [[4_900], ['48.26']],
    [
      [2_000, 2_900],
      ['20.00', '28.26'],
    ],
  ] as const) {
    const shop = await newPaidShop(0, 'BTC', 'bitcoin');
    for (const part of parts) expect(await shop.refund(part)).toMatchObject({ state: 'Pending', total: part });
    const begun = await merchant.get(`/payments/${shop.payments[0].metadata.payment}/refunds`);
    expect(begun.data.toReversed()).toMatchObject(sent.map((amount) => ({ amount })));
    expect(await shop.refund(1)).toMatchObject({ state: 'Failed' });
  }
});

test('a refund that failed does not count as refunded', async () => {
  const shop = await newPaidShop(0, 'BTC', 'bitcoin');
  const { transactionId } = await shop.refund(1_000);
  await merchant.post(`/refunds/${transactionId}/cancel`);
  await shop.ask();
  await shop.refund(3_900);
  expect(await shop.refund(1_000)).toMatchObject({ state: 'Pending' });
  const begun = await merchant.get(`/payments/${shop.payments[0].metadata.payment}/refunds`);
  expect(begun.data).toMatchObject([{ amount: '9.26' }, { amount: '39.00' }, { amount: '10.00' }]);
});

test('a refund whose answer was lost is found again, and one of another amount is not begun beside it', async () => {
  const shop = await newPaidShop();
  const send = globalThis.fetch;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const answer = await send(input, init);
    if (init?.method === 'POST') throw new TypeError('fetch failed');
    return answer;
  });
  await expect(shop.refund(1_000)).rejects.toThrow();
  vi.restoreAllMocks();
  await expect(shop.refund(2_000)).rejects.toThrow(/begun/);
  const { transactionId } = await shop.refund(1_000);
  const begun = await merchant.get(`/payments/${shop.payments[0].metadata.payment}/refunds`);
  expect(begun.data).toMatchObject([{ id: transactionId, amount: '10.00' }]);
  expect((await shop.refund(2_000)).state).toBe('Pending');
});

test('an order whose transfer was in doubt is captured once the doubt is over', async () => {
  const shop = await newShop();
  const { sessionId } = await shop.checkout();
  await payIn(sessionId);
  say({ settlement_alert: { type: 'transfer_disappeared' } });
  await shop.ask();
  await shop.ask();
  expect(shop.payments).toEqual([]);
  expect(shop.notes).toEqual([expect.stringContaining('settlement_alert')]);
  vi.restoreAllMocks();
  await shop.ask();
  expect(shop.payments).toMatchObject([{ state: 'Settled', transactionId: sessionId }]);
});
