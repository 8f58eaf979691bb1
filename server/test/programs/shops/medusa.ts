import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromMinor } from '@quittance/integrations/core';
import { freePort } from '../../../src/platform/db/embedded/postmaster.ts';
import { readBlock } from '../../support/guides.ts';
import type { OrderState, Shop, ShopOrder } from './shop.ts';

type Data = any;

const PROVIDER = 'pp_quittance_quittance';
const OTHER_PROVIDER = 'pp_system_default';
const EMAIL = 'admin@shop.example';
const PASSWORD = 'a long password';
const START_TIMEOUT_MS = 180_000;
const REQUEST_TIMEOUT_MS = 60_000;

/** A Medusa in a process of its own, which a customer uses by its Store API and a merchant by its Admin API. */
export async function startMedusa(
  folder: string,
  version: string,
  settings: (port: number) => Promise<Record<string, string>>,
): Promise<Shop> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    PORT: String(port),
    STORE_CORS: url,
    ADMIN_CORS: url,
    AUTH_CORS: url,
    JWT_SECRET: 'a secret',
    COOKIE_SECRET: 'a secret',
    MEDUSA_DISABLE_TELEMETRY: 'true',
    DISABLE_MEDUSA_ADMIN: 'true',
    ...(await settings(port)),
  };
  writeFileSync(join(folder, 'medusa-config.js'), await readBlock('medusa.md', 'medusa-config.js'));
  const bin = join(folder, 'node_modules/@medusajs/cli/cli.js');
  const medusa = (...args: string[]) =>
    execFileSync(process.execPath, [bin, ...args], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
  medusa('db:migrate', '--skip-scripts');
  medusa('user', '-e', EMAIL, '-p', PASSWORD);
  let child = await start();
  const world = await stock(url);

  async function start(): Promise<ChildProcess> {
    const started = spawn(process.execPath, [bin, 'start'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const until = Date.now() + START_TIMEOUT_MS;
    while (Date.now() < until) {
      if (started.exitCode !== null) throw new Error(`The shop ended with ${started.exitCode}.`);
      if ((await fetch(`${url}/health`).catch(() => undefined))?.ok) return started;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    throw new Error('The shop did not start in time.');
  }

  return {
    name: `Medusa ${version}`,
    paid: 'captured',
    // What Medusa refunds counts at once.
    refundsWait: false,
    hasNotes: false,
    // It answers at once, and waits for five seconds so that customers who come back are first.
    handlesAfterMs: 8_000,
    webhooks: `${url}/hooks/payment/quittance_quittance`,
    newOrder: () => newOrder(world),
    async kill() {
      await stop(child);
      child = await start();
    },
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    [Symbol.asyncDispose]: () => stop(child),
  };
}

/** What a merchant sets up once, and who they are. */
interface World {
  url: string;
  admin: Call;
  store: Call;
  region: string;
  variant: string;
  salesChannel: string;
}

type Call = (method: string, path: string, body?: object) => Promise<Data>;

async function stock(url: string): Promise<World> {
  const { token } = await client(url, {})('POST', '/auth/user/emailpass', { email: EMAIL, password: PASSWORD });
  const admin = client(url, { authorization: `Bearer ${token}` });
  const { sales_channel: channel } = await admin('POST', '/admin/sales-channels', { name: 'Web' });
  const { api_key: key } = await admin('POST', '/admin/api-keys', { title: 'Web', type: 'publishable' });
  await admin('POST', `/admin/api-keys/${key.id}/sales-channels`, { add: [channel.id] });
  const { region } = await admin('POST', '/admin/regions', {
    name: 'US',
    currency_code: 'usd',
    countries: ['us'],
    payment_providers: [PROVIDER, OTHER_PROVIDER],
  });
  const { product } = await admin('POST', '/admin/products', {
    title: 'Fern',
    status: 'published',
    options: [{ title: 'Size', values: ['one'] }],
    variants: [
      {
        title: 'One',
        options: { Size: 'one' },
        manage_inventory: false,
        prices: [{ amount: 49, currency_code: 'usd' }],
      },
    ],
    sales_channels: [{ id: channel.id }],
  });
  return {
    url,
    admin,
    store: client(url, { 'x-publishable-api-key': key.token }),
    region: region.id,
    variant: product.variants[0].id,
    salesChannel: channel.id,
  };
}

async function newOrder({ admin, store, region, variant, salesChannel }: World): Promise<ShopOrder> {
  const { cart } = await store('POST', '/store/carts', {
    region_id: region,
    sales_channel_id: salesChannel,
    email: `${crypto.randomUUID()}@example.com`,
    items: [{ variant_id: variant, quantity: 1 }],
  });
  const { payment_collection: collection } = await store('POST', '/store/payment-collections', { cart_id: cart.id });
  const choose = async (provider_id: string, data?: object) => {
    const path = `/store/payment-collections/${collection.id}/payment-sessions`;
    const { payment_collection: chosen } = await store('POST', path, { provider_id, data });
    return chosen.payment_sessions.find((session: Data) => session.provider_id === provider_id);
  };
  const complete = () => store('POST', `/store/carts/${cart.id}/complete`, {});
  let id: string | undefined;
  const orderOf = async () => {
    const fields = 'id,status,payment_status,*payment_collections.payments,*payment_collections.payments.refunds';
    if (id === undefined) {
      const { orders } = await admin('GET', '/admin/orders?limit=100&order=-created_at&fields=id,email');
      id = orders.find((order: Data) => order.email === cart.email)?.id;
    }
    return id && (await admin('GET', `/admin/orders/${id}?fields=${fields}`)).order;
  };
  return {
    code: cart.id,
    metadata: { medusa_collection: collection.id },
    async checkout() {
      const { data } = await choose(PROVIDER);
      return { session: data.id, url: data.checkout_url };
    },
    async comeBack() {
      // Without the service, the page of the storefront says so.
      return complete().then(
        ({ type }) => type,
        ({ message }: Error) => message,
      );
    },
    async change() {
      await store('POST', `/store/carts/${cart.id}/line-items`, { variant_id: variant, quantity: 1 });
    },
    async payOtherwise() {
      await choose(OTHER_PROVIDER);
      const { type } = await complete();
      if (type !== 'order') throw new Error(type);
    },
    async forge(data) {
      let isChosen = false;
      const choosing = choose(PROVIDER, data).finally(() => (isChosen = true));
      while (!isChosen) await complete().catch(() => undefined);
      await choosing;
      return (await orderOf()) !== undefined;
    },
    async cancel() {
      await admin('POST', `/admin/orders/${(await orderOf()).id}/cancel`);
    },
    async refund(amount, reason) {
      const payment = ours(await orderOf())[0];
      await admin('POST', `/admin/payments/${payment.id}/refund`, { amount: Number(amount), note: reason });
      const { payment: refunded } = await admin('GET', `/admin/payments/${payment.id}?fields=id,data`);
      const begun = refunded.data.refunds.at(-1);
      return { id: begun.id, link: begun.link };
    },
    async read(): Promise<OrderState> {
      const order = await orderOf();
      const payments = ours(order);
      return {
        state: order?.payment_status ?? 'cart',
        captures: payments.filter((one: Data) => one.captured_at).map((one: Data) => inCents(one.amount)),
        refunds: payments
          .flatMap((one: Data) =>
            (one.refunds ?? []).map((refund: Data, at: number) => ({ ...refund, begun: one.data?.refunds?.[at] })),
          )
          .map(({ amount, begun }: Data) => ({ amount: inCents(amount), state: 'Settled', id: begun?.id })),
        notes: [],
      };
    },
  };
}

function ours(order: Data): Data[] {
  return (order?.payment_collections ?? [])
    .flatMap(({ payments }: Data) => payments ?? [])
    .filter(({ provider_id }: Data) => provider_id === PROVIDER);
}

function inCents(amount: number): string {
  return fromMinor(Math.round(amount * 100));
}

function client(url: string, headers: Record<string, string>): Call {
  return async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text);
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
