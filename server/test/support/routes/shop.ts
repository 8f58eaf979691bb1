import { randomBytes } from 'node:crypto';
import { findAsset, NETWORKS, type Asset } from '@quittance/contract';
import { base58 } from '@scure/base';
import { getAddress, toHex } from 'viem';
import type { Context } from '../../../src/context.ts';
import { createEvmChain } from '../../../src/outside/chains/evm/chain.ts';
import { createSolanaChain } from '../../../src/outside/chains/solana/chain.ts';
import { createOneClick } from '../../../src/outside/routers/one-click/one-click.ts';
import { createRelay } from '../../../src/outside/routers/relay/relay.ts';
import type { Router } from '../../../src/outside/routers/router.ts';
import { issueLoginToken } from '../../../src/resources/accounts/login-token.ts';
import { expiryJob } from '../../../src/settlement/outcome/expire.ts';
import { routesJobs } from '../../../src/resources/routed-payments/follow.ts';
import { paymentOfSession, walkOf } from '../payments.ts';
import { runAll } from './lanes.ts';
import { tick } from '../../../src/settlement/watching/turns.ts';
import { createWatcher } from '../../../src/settlement/watching/watcher.ts';
import { startApp, type TestApp } from '../app.ts';
import type { Merchant } from '../merchant.ts';
import type { Job, Provider } from './desk.ts';
import { type RouteWorld, startRouteWorld } from './world.ts';

type Data = any;

/** A live shop that is paid through providers between real local chains; each part moves only when a test says so. */
export interface RoutedShop extends AsyncDisposable {
  app: TestApp;
  ctx: Context;
  world: RouteWorld;
  merchant: Merchant;
  wallets: Record<'ethereum' | 'solana', string>;
  /** The providers, in the order in which they are asked. */
  ask(...providers: Provider[]): void;
  session(receive: 'ethereum' | 'solana', fields?: Record<string, unknown>): Promise<Data>;
  choose(sessionId: string, pay: Asset, refundAddress?: string): Promise<{ status: number; body: Data }>;
  /** A session whose customer has chosen to pay in another asset. */
  order(pay: Asset, receive: 'ethereum' | 'solana', fields?: Record<string, unknown>): Promise<RoutedOrder>;
  publicSession(sessionId: string): Promise<Data>;
  payment(sessionId: string): Promise<Data>;
  /** The merchant, who has just logged in, accepts a payment. */
  accept(sessionId: string): Promise<Data>;
  /** The events for the merchant's endpoint, in order. */
  deliveredEvents(sessionId: string): Promise<string[]>;
  /** A payment's statuses, according to its events. */
  walk(sessionId: string): Promise<string[]>;
  /** Polls providers about every open order, or about those of one session. */
  poll(sessionId?: string): Promise<void>;
  watch(): Promise<void>;
  /** Until all transfers are final and read. */
  settle(): Promise<void>;
  /** Moves every clock. */
  pass(seconds: number): Promise<void>;
  expire(): Promise<void>;
  unattributed(): Promise<Data[]>;
}

export interface RoutedOrder {
  id: string;
  pay: Asset;
  depositAddress: string;
  /** The amount that the customer must send. */
  inputUnits: bigint;
  refundTo: string;
  job: Job;
}

export async function startRoutedShop(): Promise<RoutedShop> {
  const stack = new AsyncDisposableStack();
  let app: TestApp | undefined;
  const aheadMs = () => app?.aheadMs() ?? 0;
  const now = () => new Date(Date.now() + aheadMs());
  const world = stack.use(await startRouteWorld(aheadMs));
  const feeRecipient = world.env.ROUTES_FEE_RECIPIENT as string;
  const known: Record<Provider, Router> = {
    'one-click': createOneClick({
      url: world.oneClick.url,
      key: null,
      signer: world.oneClick.signer,
      feeRecipient,
      now,
      timeoutMs: 20_000,
    }),
    relay: createRelay({ url: world.relay.url, key: null, feeRecipient, now, timeoutMs: 20_000 }),
  };
  const routers: Router[] = [known['one-click'], known.relay];
  app = stack.use(await startApp({ movableClock: true, env: world.env, overrides: { routers } }));
  const {
    ctx: parts,
    config,
    merchant: { live: merchant },
  } = app;

  // A node that failed is asked again at once, because tests repair what they broke.
  const pauseMs = { first: 1, longest: 2 };
  const ethereum = createEvmChain({ network: 'ethereum', ...config.networks.ethereum, tuning: { pauseMs } }, parts.log);
  const solana = createSolanaChain(
    { ...config.networks.solana, tuning: { pauseMs, historiesPerSecond: Number.POSITIVE_INFINITY } },
    parts.log,
  );
  for (const chain of [ethereum, solana]) stack.defer(() => chain.close());
  const ctx: Context = {
    ...parts,
    chains: new Map([
      ['ethereum', ethereum],
      ['solana', solana],
    ] as const),
  };
  const watcher = createWatcher('test');
  const lanes = routesJobs(routers);

  const wallets = {
    ethereum: getAddress(toHex(randomBytes(20))) as string,
    solana: (await world.solana.newWallet()).address as string,
  };
  const ids = {
    ethereum: (await merchant.createWallet({ asset: 'USDC', network: 'ethereum', address: wallets.ethereum })).id,
    solana: (await merchant.createWallet({ asset: 'USDC', network: 'solana', address: wallets.solana })).id,
  };
  await merchant.createEndpoint();
  const { inject } = app;
  const paymentOf = (sessionId: string) => paymentOfSession(parts.db, sessionId);

  const shop: RoutedShop = {
    app,
    ctx,
    world,
    merchant,
    wallets,
    ask(...providers) {
      routers.splice(0, routers.length, ...providers.map((provider) => known[provider]));
    },
    session: (receive, fields = {}) =>
      merchant.createSession({ payout_wallet_id: ids[receive], amount: '49.00', ...fields }),
    choose: (sessionId, pay, refundAddress = newAddress(pay)) =>
      inject('POST', `/v1/public/checkout/sessions/${sessionId}/pay`, {
        body: { pay_asset: pay.asset, pay_network: pay.network, refund_address: refundAddress },
      }),
    async order(pay, receive, fields) {
      const { id } = await shop.session(receive, fields);
      const { status, body } = await shop.choose(id, pay);
      if (status !== 200) throw new Error(JSON.stringify(body));
      const { address, amount } = body.data.payment;
      const job = world.desk.job(address);
      return {
        id,
        pay,
        depositAddress: address,
        inputUnits: BigInt(amount.replace('.', '')),
        refundTo: job.refundTo,
        job,
      };
    },
    publicSession: async (sessionId) => (await inject('GET', `/v1/public/checkout/sessions/${sessionId}`)).body.data,
    payment: async (sessionId) => merchant.get(`/payments/${await paymentOf(sessionId)}`),
    async accept(sessionId) {
      const token = await issueLoginToken(parts.db, {
        accountId: merchant.accountId,
        method: 'email',
        now: await parts.db.now(),
      });
      return (
        await inject('POST', `/v1/payments/${await paymentOf(sessionId)}/accept`, {
          token,
          headers: { 'service-mode': 'live' },
        })
      ).body;
    },
    async deliveredEvents(sessionId) {
      const rows = await parts.db.query<{ type: string }>(
        'test_reported',
        `
        select e.type from events e join deliveries d on d.event_id = e.id where e.object_id = $1 order by e.sequence`,
        [await paymentOf(sessionId)],
      );
      return rows.map((row) => row.type.replace('payment.', ''));
    },
    walk: (sessionId) => walkOf(parts.db, sessionId),
    async poll(sessionId) {
      await parts.db.query(
        'test_due',
        `
        update route_orders o set due_at = $1 from payments p where p.id = o.payment_id and o.due_at is not null
          and ($2::text is null or p.session_id = $2)`,
        [new Date(0), sessionId ?? null],
      );
      await runAll(lanes, ctx);
    },
    async watch() {
      for (const network of ['ethereum', 'solana'] as const) while ((await tick(ctx, network, watcher)) === 'more');
    },
    async settle() {
      await world.mine();
      await shop.watch();
    },
    async pass(seconds) {
      await shop.app.pass(seconds);
      await world.pass(seconds);
    },
    async expire() {
      while ((await expiryJob.run(ctx, new AbortController().signal, () => {})) === 'more');
    },
    unattributed: async () => (await merchant.get('/transfers', { unattributed: 'true', limit: 100 })).data,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  return shop;
}

export function assetNamed(symbol: string, network: string): Asset {
  const found = findAsset(symbol, network);
  if (!found) throw new Error(`${symbol} on ${network} is not on the list`);
  return found;
}

/** A new address of the asset's network, for refunds. */
export function newAddress({ network }: Asset): string {
  switch (NETWORKS[network].family) {
    case 'evm':
      return getAddress(toHex(randomBytes(20)));
    case 'solana':
      return base58.encode(randomBytes(32));
    case 'bitcoin':
      return BITCOIN[Math.floor(Math.random() * BITCOIN.length)] as string;
    case 'tron':
      return 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC';
  }
}

const BITCOIN = ['bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'];
