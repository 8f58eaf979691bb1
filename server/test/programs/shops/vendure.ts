import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromMinor } from '@quittance/integrations/core';
import { freePort } from '../../../src/platform/db/embedded/postmaster.ts';
import { readBlock } from '../../support/guides.ts';
import type { OrderState, Shop, ShopOrder } from './shop.ts';

type Data = any;

const SCRIPT = 'vendure-shop.mjs';
const REQUEST_TIMEOUT_MS = 60_000;

/** A Vendure in a process of its own, which a customer uses by its Shop API and a merchant by its Admin API. */
export async function startVendure(
  folder: string,
  version: string,
  settings: (port: number) => Promise<Record<string, string>>,
): Promise<Shop> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...process.env, PORT: String(port), ...(await settings(port)) };
  copyFileSync(new URL(SCRIPT, import.meta.url), join(folder, SCRIPT));
  // As the guide prints them.
  writeFileSync(join(folder, 'quittance.mjs'), await readBlock('vendure.md', 'quittance.mjs'));
  const startPayment = await readBlock('vendure.md', 'mutation StartPayment');
  let child = await start(folder, { ...env, POPULATE: '1' });
  const admin = await signIn();

  async function signIn() {
    const call = client(`${url}/admin-api`);
    await call('mutation { login(username: "admin", password: "admin") { __typename } }');
    return call;
  }

  async function send(message: object): Promise<void> {
    const answered = new Promise((resolve) => child.once('message', resolve));
    child.send(message);
    await answered;
  }

  return {
    name: `Vendure ${version}`,
    paid: 'PaymentSettled',
    refundsWait: true,
    webhooks: `${url}/quittance/webhooks`,
    hasNotes: true,
    handlesAfterMs: 0,
    async newOrder() {
      const customer = client(`${url}/shop-api`);
      await fillCart(customer);
      const { activeOrder } = await customer('{ activeOrder { id code } }');
      return orderOf({ url, admin, customer, startPayment, ...activeOrder });
    },
    ask: () => send({}),
    delete: ({ id }) => send({ deleted: id }),
    async kill() {
      await stop(child);
      child = await start(folder, env);
    },
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    [Symbol.asyncDispose]: () => stop(child),
  };
}

type Call = (query: string, variables?: object) => Promise<Data>;

interface Reached {
  url: string;
  admin: Call;
  customer: Call;
  startPayment: string;
  id: string;
  code: string;
}

function orderOf({ url, admin, customer, startPayment, id, code }: Reached): ShopOrder {
  return {
    id,
    code,
    metadata: { vendure_method: 'quittance' },
    async checkout() {
      const { createQuittanceCheckout: made } = await customer(startPayment, { method: 'quittance' });
      if (!made.sessionId) throw new Error(JSON.stringify(made));
      return { session: made.sessionId, url: made.checkoutUrl };
    },
    async comeBack() {
      const answer = await fetch(`${url}/quittance/return/${code}`, { redirect: 'manual' });
      return `${answer.status} ${answer.headers.get('location')}`;
    },
    async change() {
      await move(customer, 'AddingItems');
      const { activeOrder } = await customer('{ activeOrder { lines { id } } }');
      await customer('mutation ($line: ID!) { adjustOrderLine(orderLineId: $line, quantity: 2) { __typename } }', {
        line: activeOrder.lines[0].id,
      });
      await move(customer, 'ArrangingPayment');
    },
    async payOtherwise() {
      const { addPaymentToOrder: paid } = await customer(
        'mutation { addPaymentToOrder(input: { method: "cash", metadata: {} }) { ... on Order { state } ... on ErrorResult { message } } }',
      );
      if (paid.state !== 'PaymentSettled') throw new Error(JSON.stringify(paid));
    },
    async cancel() {
      const { cancelOrder: done } = await admin(
        'mutation ($id: ID!) { cancelOrder(input: { orderId: $id }) { ... on Order { state } ... on ErrorResult { message } } }',
        { id },
      );
      if (done.state !== 'Cancelled') throw new Error(JSON.stringify(done));
    },
    async refund(amount, reason) {
      const { order } = await admin('query ($id: ID!) { order(id: $id) { payments { id method } } }', { id });
      const payment = order.payments.find(({ method }: Data) => method === 'quittance');
      const input = { paymentId: payment.id, amount: Number(amount.replace('.', '')), reason, lines: [] };
      const { refundOrder: made } = await admin(
        `mutation ($input: RefundOrderInput!) { refundOrder(input: $input) {
          ... on Refund { state transactionId metadata }
          ... on ErrorResult { message }
        } }`,
        { input: { ...input, shipping: 0, adjustment: 0 } },
      );
      if (made.state !== 'Pending') throw new Error(JSON.stringify(made));
      return { id: made.transactionId, link: made.metadata.link };
    },
    async read(): Promise<OrderState> {
      const { order } = await admin(
        `query ($id: ID!) { order(id: $id) { state
          payments { method state amount refunds { total state transactionId } }
          history(options: { filter: { type: { eq: "ORDER_NOTE" } }, sort: { id: ASC } }) { items { data } } } }`,
        { id },
      );
      const ours = order.payments.filter(({ method }: Data) => method === 'quittance');
      return {
        state: order.state,
        captures: ours.filter(({ state }: Data) => state === 'Settled').map(({ amount }: Data) => fromMinor(amount)),
        refunds: ours
          .flatMap(({ refunds }: Data) => refunds)
          .map(({ total, state, transactionId }: Data) => ({ amount: fromMinor(total), state, id: transactionId })),
        notes: order.history.items.map(({ data }: Data) => data.note),
      };
    },
  };
}

async function fillCart(customer: Call): Promise<void> {
  const { search: _, products } = await customer('{ products { items { variants { id } } } }');
  await customer('mutation ($id: ID!) { addItemToOrder(productVariantId: $id, quantity: 1) { __typename } }', {
    id: products.items[0].variants[0].id,
  });
  await customer('mutation ($input: CreateCustomerInput!) { setCustomerForOrder(input: $input) { __typename } }', {
    input: { firstName: 'Ada', lastName: 'Byron', emailAddress: `${crypto.randomUUID()}@example.com` },
  });
  await customer('mutation ($input: CreateAddressInput!) { setOrderShippingAddress(input: $input) { __typename } }', {
    input: { streetLine1: '1 Fern Road', countryCode: 'GB' },
  });
  const { eligibleShippingMethods: methods } = await customer('{ eligibleShippingMethods { id } }');
  await customer('mutation ($id: [ID!]!) { setOrderShippingMethod(shippingMethodId: $id) { __typename } }', {
    id: [methods[0].id],
  });
  await move(customer, 'ArrangingPayment');
}

async function move(customer: Call, state: string): Promise<void> {
  const answer = await customer(
    `mutation ($state: String!) { transitionOrderToState(state: $state) {
      ... on Order { state }
      ... on OrderStateTransitionError { transitionError }
    } }`,
    { state },
  );
  if (answer.transitionOrderToState.state !== state) throw new Error(JSON.stringify(answer));
}

/** GraphQL with the token that the first answer gives. */
function client(url: string): Call {
  let token: string | undefined;
  return async (query, variables = {}) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    token = response.headers.get('vendure-auth-token') ?? token;
    const { data, errors } = (await response.json()) as Data;
    if (errors) throw new Error(`${query} ${JSON.stringify(errors)}`);
    return data;
  };
}

function start(folder: string, env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = spawn(process.execPath, [SCRIPT], { cwd: folder, env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve(child));
    child.once('exit', (code) => reject(new Error(`The shop ended with ${code}.`)));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.removeAllListeners('exit');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
