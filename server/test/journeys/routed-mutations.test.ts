import { ed25519 } from '@noble/curves/ed25519.js';
import { randomBytes } from 'node:crypto';
import type { Asset } from '@quittance/contract';
import { base58 } from '@scure/base';
import { getAddress, toHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOneClick } from '../../src/outside/routers/one-click/one-click.ts';
import { createRelay } from '../../src/outside/routers/relay/relay.ts';
import type { Router } from '../../src/outside/routers/router.ts';
import { type Merchant, startApp, type TestApp } from '../support/index.ts';
import { startOneClick, type OneClickServer } from '../support/one-click-server.ts';
import { startRelay, type RelayServer } from '../support/relay-server.ts';
import type { Provider } from '../support/routes/desk.ts';
import { dearer, type Facts, FEE_RECIPIENT, type Mutation } from '../support/routes/mutation.ts';
import { allMutations, someMutations } from '../support/routes/mutations.ts';
import { assetNamed, newAddress } from '../support/routes/shop.ts';

type Data = any;

// The tests of the adapters try all. Here they go through the service: ROUTE_MUTATIONS=all tries all, and
// ROUTE_MUTATIONS=500:7 tries 500 chosen by the seed 7.
const [COUNT = '40', SEED = '1'] = (process.env.ROUTE_MUTATIONS ?? '').split(':').filter(Boolean);
const MUTATIONS = COUNT === 'all' ? allMutations() : someMutations(Number(COUNT), Number(SEED));
const PAYS = [assetNamed('USDC', 'base'), assetNamed('BNB', 'bnb'), assetNamed('ETH', 'arbitrum')];
const RECEIVES = ['ethereum', 'solana'] as const;

let app: TestApp;
let merchant: Merchant;
let oneClick: OneClickServer;
let relay: RelayServer;
const routers: Router[] = [];
let known: Record<Provider, Router>;
const wallets: Record<string, { id: string; address: string }> = {};
let used: Pick<Facts, 'usedAddresses' | 'usedReference'>;

beforeAll(async () => {
  [oneClick, relay] = [await startOneClick(), await startRelay()];
  known = {
    'one-click': createOneClick({
      url: oneClick.url,
      key: null,
      signer: oneClick.signer,
      feeRecipient: FEE_RECIPIENT,
      timeoutMs: 10_000,
    }),
    relay: createRelay({ url: relay.url, key: null, feeRecipient: FEE_RECIPIENT, timeoutMs: 10_000 }),
  };
  app = await startApp({
    env: { ROUTES: 'one-click,relay', ROUTES_FEE_RECIPIENT: FEE_RECIPIENT },
    overrides: { routers },
  });
  merchant = app.merchant.live;
  const addresses = {
    ethereum: getAddress(toHex(randomBytes(20))),
    solana: base58.encode(ed25519.getPublicKey(randomBytes(32))),
  };
  for (const network of RECEIVES)
    wallets[network] = {
      id: (await merchant.createWallet({ asset: 'USDC', network, address: addresses[network] })).id,
      address: addresses[network],
    };
  const first = await orderHonestly('one-click');
  const second = await orderHonestly('relay');
  used = { usedAddresses: [first, second], usedReference: [...relay.orders.keys()].at(-1) as string };
});
afterAll(async () => {
  await app.stop();
  await oneClick.stop();
  await relay.stop();
});

test.each([
  ['an address that another order has', 'has given out'],
  ['the request id of another order', 'the request id of'],
  ["the merchant's wallet, also one that is not paid to", "the merchant's wallet"],
  ['the refund address', 'the refund address'],
  ['a token contract', '0xA0b86991'],
  ['a price that is too high', 'a price of 130'],
  ['a field that cannot be stored', 'extra = "a'],
])('an order with %s is not kept and leaves nothing reserved', async (_, part) => {
  const lies = allMutations().filter(({ name }) => name.includes(part));
  expect(lies.length).toBeGreaterThan(0);
  const pay = PAYS[0] as Asset;
  for (const mutation of lies) {
    for (const receive of RECEIVES) {
      const refundAddress = newAddress(pay);
      misbehave(mutation, {
        refundAddress,
        payDecimals: pay.decimals,
        merchantWallet: wallets.ethereum?.address as string,
        sign: oneClick.sign,
        ...used,
      });
      ask(mutation.provider);
      const { id } = await newSession(receive, -1);
      const { status } = await choose(id, pay, refundAddress);
      expect([mutation.provider, mutation.name, status, await reservedFor(id)]).toEqual([
        mutation.provider,
        mutation.name,
        mutation.isPrice ? 400 : 503,
        0,
      ]);
    }
  }
});

test(`${MUTATIONS.length} mutated answers of both providers: none is shown, the next provider is asked, nothing stays reserved, and no answer is a 500`, async () => {
  const counts: Record<string, number> = {
    mutations: 0,
    'one-click': 0,
    relay: 0,
    'previews passed over': 0,
    'orders passed over': 0,
    'refused alone': 0,
  };
  const wrong: string[] = [];
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  for (const [at, mutation] of MUTATIONS.entries()) {
    count('mutations');
    count(mutation.provider);
    const problem = (what: string) => wrong.push(`${mutation.provider}: ${mutation.name}: ${what}`);
    const pay = PAYS[at % PAYS.length] as Asset;
    const receive = RECEIVES[at % RECEIVES.length] as string;
    const refundAddress = newAddress(pay);
    const honest = mutation.provider === 'relay' ? 'one-click' : 'relay';
    misbehave(mutation, {
      refundAddress,
      payDecimals: pay.decimals,
      merchantWallet: wallets.ethereum?.address as string,
      sign: oneClick.sign,
      ...used,
    });

    ask(mutation.provider, honest);
    const session = await newSession(receive, at);
    if (!mutation.ordersOnly) {
      const quote = await merchant.request('GET', '/v1/routes/quote', {
        query: { session: session.id, pay_asset: pay.asset, pay_network: pay.network },
      });
      if (quote.status !== 200) problem(`the preview answers ${quote.status}`);
      else if (quote.body.data.provider !== honest) problem('its preview is shown');
      else count('previews passed over');
    }
    const passed = await choose(session.id, pay, refundAddress);
    if (passed.status !== 200) problem(`the order answers ${passed.status} ${passed.body.error?.code}`);
    else if (!isOrderOf(honest, passed.body.data.payment.address)) problem('its order is shown');
    else count('orders passed over');
    const kept = await reservedFor(session.id);
    if (kept !== (passed.status === 200 ? 1 : 0)) problem(`${kept} amounts are reserved beside an order of ${honest}`);

    ask(mutation.provider);
    const alone = await newSession(receive, at);
    const refused = await choose(alone.id, pay, refundAddress);
    // A price that is too high is not an outage; a wrong answer is.
    const expected = mutation.isPrice ? [400, 'invalid_route'] : [503, 'service_unavailable'];
    if (refused.status !== expected[0] || refused.body.error?.code !== expected[1])
      problem(`alone, the order answers ${refused.status} ${refused.body.error?.code}`);
    else count('refused alone');
    const left = await reservedFor(alone.id);
    if (left !== 0) problem(`${left} amounts stay reserved`);
  }
  process.stdout.write(
    `${Object.entries(counts)
      .map(([what, times]) => `${times} ${what}`)
      .join(', ')}; wrong: ${wrong.length}\n${wrong.map((line) => `  ${line}\n`).join('')}`,
  );
  expect(wrong).toEqual([]);
}, 300_000);

test.each(['one-click', 'relay'] as const)(
  'a price of %s that is 5 to 15 percent above the market is offered with a warning in the quote, the session and the page',
  async (provider) => {
    ask(provider);
    const pay = PAYS[0] as Asset;
    const refundAddress = newAddress(pay);
    misbehave(dearer(provider, 107n), {
      refundAddress,
      payDecimals: pay.decimals,
      merchantWallet: wallets.ethereum?.address as string,
      sign: oneClick.sign,
      ...used,
    });
    const { id } = await newSession('ethereum', -1);
    const {
      body: { data: quote },
    } = await merchant.request('GET', '/v1/routes/quote', {
      query: { session: id, pay_asset: pay.asset, pay_network: pay.network },
    });
    const {
      body: { data: session },
    } = await choose(id, pay, refundAddress);
    expect(session.payment.price_warning_pct).toBeGreaterThan(8);
    expect(session.payment.price_warning_pct).toBeLessThan(10);
    expect(quote).toMatchObject({ provider, price_warning_pct: expect.closeTo(session.payment.price_warning_pct, 1) });
    const page = await app.inject('GET', `/checkout/${id}`, { headers: { 'accept-language': 'en' } });
    const warning = /data-price-warning[^>]*>([^<]*)</.exec(page.raw)?.[1];
    expect(warning).toBe(
      `This conversion costs about ${session.payment.price_warning_pct}% more than the coins are worth. A different coin may be cheaper.`,
    );
  },
);

function misbehave(mutation: Mutation, facts: Facts): void {
  const tell = (quotePath: string) => (path: string, answer: { status: number; body: unknown }) => {
    const isDry = (answer.body as Data)?.quoteRequest?.dry === true;
    if (path !== quotePath || answer.status >= 300 || (mutation.ordersOnly && isDry)) return answer;
    const { status, text } = mutation.change(answer.body, facts);
    return { status: status ?? answer.status, body: text };
  };
  oneClick.misbehave(mutation.provider === 'one-click' ? tell('/v0/quote') : undefined);
  relay.misbehave(mutation.provider === 'relay' ? tell('/quote/v2') : undefined);
}

function ask(...providers: Provider[]): void {
  routers.splice(0, routers.length, ...providers.map((provider) => known[provider]));
}

/** Each has its own amount, so that no preview comes from the cache. */
let cents = 4_900;
async function newSession(receive: string, at: number): Promise<Data> {
  cents += 1;
  return merchant.createSession({
    payout_wallet_id: wallets[receive]?.id,
    amount: (cents / 100).toFixed(2),
    order_id: `mutation-${at}`,
  });
}

const choose = (sessionId: string, pay: Asset, refundAddress: string) =>
  app.inject('POST', `/v1/public/checkout/sessions/${sessionId}/pay`, {
    body: { pay_asset: pay.asset, pay_network: pay.network, refund_address: refundAddress },
  });

function isOrderOf(provider: Provider, address: string): boolean {
  const addresses =
    provider === 'relay'
      ? [...relay.orders.values()].map((order) => order.depositAddress)
      : [...oneClick.orders.keys()];
  return addresses.some((one) => one.toLowerCase() === address.toLowerCase());
}

async function reservedFor(sessionId: string): Promise<number> {
  const rows = await app.ctx.db.query(
    'test_reserved',
    'select 1 from reserved_amounts r join payments p on p.id = r.payment_id where p.session_id = $1',
    [sessionId],
  );
  return rows.length;
}

async function orderHonestly(provider: Provider): Promise<string> {
  ask(provider);
  const pay = PAYS[0] as Asset;
  const { body } = await choose((await newSession('ethereum', -1)).id, pay, newAddress(pay));
  return body.data.payment.address;
}
