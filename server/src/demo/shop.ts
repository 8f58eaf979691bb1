import { setTimeout as pause } from 'node:timers/promises';
import { EVENT_TYPES } from '@quittance/contract';
import type { Context } from '../context.ts';
import { sandboxAddress } from '../outside/routers/sandbox/addresses.ts';
import { setSandboxOrder } from '../outside/routers/sandbox/order-store.ts';
import { HOUR_MS } from '../platform/time.ts';
import { lockPayments } from '../settlement/records/payment-store.ts';
import { findOrders } from '../settlement/records/route-order-store.ts';
import { inSandbox } from '../resources/test-helpers/sandbox.ts';
import { keepDemoAccount } from './account.ts';
import {
  type DemoAccount,
  moveBack,
  describeShop,
  findDemoPayment,
  isDeliveryWaiting,
  alignAttemptTimes,
} from './store.ts';
import { DEMO_ORDERS, type DemoOrder } from './orders.ts';

const WEEK_SECONDS = 7 * 86_400;
const DELIVERED_LOOKS = 50;
const DELIVERED_LOOK_MS = 100;

/** Registers the built-in webhook receiver and creates a checkout to pay. A demo without a receiver still works. */
export async function openDemoShop(
  ctx: Context,
  url: string,
  demo: DemoAccount,
): Promise<{ demo: DemoAccount; checkoutUrl: string }> {
  const api = caller(url, demo.testKey);
  const receiver = `${url}/dev/webhooks/receive`;
  let shop = demo;
  if (demo.webhook?.url !== receiver) {
    const webhook = await registerReceiver(api, receiver, demo).catch((error) => {
      ctx.log.warn({ err: error, url: receiver }, 'demo receiver not registered');
      return undefined;
    });
    shop = { ...demo, webhook };
    await keepDemoAccount(ctx, shop);
  }
  const session = await api<{ checkout_url: string }>('POST', '/v1/checkout/sessions', {
    amount: '24.00',
    description: 'Maidenhair fern, potted',
    order_id: `first-${Date.now().toString(36)}`,
    expires_in: WEEK_SECONDS,
    payout_wallet_id: demo.payoutWalletId,
    line_items: [{ name: 'Maidenhair fern, potted', quantity: 1, amount: '24.00' }],
  });
  return { demo: shop, checkoutUrl: session.checkout_url };
}

/**
 * Some thirty payments of a month, in every state, made through the API like any merchant's. Once per data directory.
 */
export async function seedDemoShop(ctx: Context, url: string, demo: DemoAccount): Promise<void> {
  if (demo.isSeeded) return;
  const api = caller(url, demo.testKey);
  await describeShop(ctx.db, demo.accountId);
  const wallet = await api<{ id: string }>(
    'POST',
    '/v1/payout-wallets',
    { asset: 'USDC', network: 'solana', address: SOLANA_ADDRESS, label: 'Solana takings' },
    'demo-wallet',
  );
  await api(
    'POST',
    '/v1/payment-links',
    {
      payout_wallet_id: demo.payoutWalletId,
      amount: '49.00',
      currency: 'USD',
      description: 'Fern care workshop, one seat',
    },
    'demo-link-1',
  );
  await api(
    'POST',
    '/v1/payment-links',
    { payout_wallet_id: wallet.id, amount: '12.00', currency: 'EUR', description: 'A postcard a month' },
    'demo-link-2',
  );
  for (const [at, order] of DEMO_ORDERS.entries()) {
    await placeOrder(ctx, api, demo, {
      ...order,
      walletId: order.network === 'solana' && order.asset === 'USDC' ? wallet.id : demo.payoutWalletId,
      number: 1001 + at,
    });
  }
  await alignAttempts(ctx, demo.accountId);
  await keepDemoAccount(ctx, { ...demo, isSeeded: true });
}

type Api = <T = unknown>(method: string, path: string, body?: unknown, idempotencyKey?: string) => Promise<T>;

const SOLANA_ADDRESS = sandboxAddress('solana', 'demo wallet');

async function placeOrder(
  ctx: Context,
  api: Api,
  demo: DemoAccount,
  order: DemoOrder & { walletId: string; number: number },
): Promise<void> {
  const session = await api<{ id: string }>(
    'POST',
    '/v1/checkout/sessions',
    {
      amount: order.amount,
      currency: order.currency ?? 'USD',
      description: order.description,
      order_id: `order-${order.number}`,
      payout_wallet_id: order.walletId,
      metadata: { customer: String(2000 + order.number) },
      ...(order.customer && { customer: order.customer }),
      expires_in: WEEK_SECONDS,
    },
    `demo-order-${order.number}`,
  );
  const act = (action: string) => api('POST', `/v1/public/checkout/sessions/${session.id}/test`, { action });
  const helper = (outcome: string) =>
    api('POST', `/v1/test_helpers/checkout/sessions/${session.id}/pay`, {
      pay_asset: order.asset,
      pay_network: order.network,
      outcome,
    });
  const choose = () =>
    api('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
      pay_asset: order.asset,
      pay_network: order.network,
      ...(order.isRouted && { refund_address: sandboxAddress(order.network, 'customer') }),
    });

  const find = () => api<{ payment: string | null }>('GET', `/v1/checkout/sessions/${session.id}`);
  // What is begun was placed by an earlier start, which was interrupted later.
  if (order.become === 'created' || (await find()).payment !== null) return;
  if (order.become === 'pending') await choose();
  else if (order.become === 'expired') await choose().then(() => act('expire'));
  else if (order.become === 'routing' || order.become === 'settling')
    await choose().then(() => convertHalfway(ctx, demo.accountId, session.id, order.become));
  else if (order.become === 'refunded') await helper('paid');
  else await helper(order.become);

  const { payment } = await find();
  if (order.become === 'refunded')
    await api(
      'POST',
      `/v1/payments/${payment}/refund`,
      { reason: 'Canceled within 14 days' },
      `demo-refund-${order.number}`,
    );
  if (order.isPaidTwice && payment) await payAgain(ctx, demo.accountId, payment);
  if (order.hoursAgo) await moveBack(ctx.db, demo.accountId, session.id, order.hoursAgo * HOUR_MS);
}

/** Stops a conversion halfway, which the helpers would complete. */
async function convertHalfway(
  ctx: Context,
  accountId: string,
  sessionId: string,
  until: DemoOrder['become'],
): Promise<void> {
  await inSandbox(ctx, accountId, async (sandbox) => {
    const paymentId = await findDemoPayment(sandbox.db, sessionId);
    const payment = (await lockPayments(sandbox.db, [paymentId])).get(paymentId);
    const order = payment && (await findOrders(sandbox.db, payment.id)).at(-1);
    if (!order) return;
    const steps = [
      { state: 'seen' as const, deposited_units: order.inputUnits, deposited_at: sandbox.at.created },
      { state: 'converting' as const },
      ...(until === 'settling' ? [{ state: 'delivering' as const }] : []),
    ];
    for (const step of steps) {
      await setSandboxOrder(sandbox.db, order.reference, step);
      await sandbox.followOrder(payment, order);
    }
  });
}

/** A customer who sends twice: the second transfer is unattributed until the merchant handles it. */
async function payAgain(ctx: Context, accountId: string, paymentId: string): Promise<void> {
  await inSandbox(ctx, accountId, async (sandbox) => {
    const payment = (await lockPayments(sandbox.db, [paymentId])).get(paymentId);
    if (!payment) return;
    await sandbox.send(payment, payment.actualOutputUnits ?? 1_000_000n);
    await sandbox.makeFinal(payment.receiveNetwork);
  });
}

/** Moves the webhooks of those orders into the past too. */
async function alignAttempts({ db }: Context, accountId: string): Promise<void> {
  for (let look = 0; look < DELIVERED_LOOKS; look += 1) {
    if (!(await isDeliveryWaiting(db, accountId))) break;
    await pause(DELIVERED_LOOK_MS);
  }
  await alignAttemptTimes(db, accountId);
}

async function registerReceiver(
  api: Api,
  url: string,
  demo: DemoAccount,
): Promise<NonNullable<DemoAccount['webhook']>> {
  // Another program may use the port of the last start now.
  if (demo.webhook) await api('DELETE', `/v1/webhook-endpoints/${demo.webhook.id}`).catch(() => {});
  const { id, secret } = await api<{ id: string; secret: string }>('POST', '/v1/webhook-endpoints', {
    url,
    events: EVENT_TYPES,
  });
  return { id, url, secret };
}

function caller(url: string, key: string): Api {
  return async <T>(method: string, path: string, body?: unknown, idempotencyKey?: string) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(path.startsWith('/v1/public/') ? {} : { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { data?: T; error?: { code: string; message: string } };
    if (answer.error) throw new Error(`${method} ${path}: ${answer.error.code}: ${answer.error.message}`);
    return answer.data as T;
  };
}
