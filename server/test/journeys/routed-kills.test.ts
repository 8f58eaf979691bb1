import type { Asset } from '@quittance/contract';
import { afterAll, expect, test, vi } from 'vitest';
import { walkOf } from '../support/payments.ts';
import type { Provider } from '../support/routes/desk.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type KillableService, startService } from '../support/routes/service.ts';
import { assetNamed, newAddress } from '../support/routes/shop.ts';
import { type RouteWorld, startRouteWorld } from '../support/routes/world.ts';

type Data = any;
// Whole processes are started and killed here, on a machine that other programs use too.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 120_000 });

const QUOTE = { 'one-click': '/v0/quote', relay: '/quote/v2' };
const STATUS = { 'one-click': '/v0/status', relay: '/intents/status/v3' };
/** When the service is killed: before an answer of the provider arrives, and between the steps. */
const MOMENTS = ['ordering', 'ordered', 'known', 'processing', 'delivering', 'success', 'final', 'delivered'] as const;
type Moment = (typeof MOMENTS)[number];
const OF_THE_PROVIDER = ['ordering', 'known', 'processing', 'delivering', 'success'] as const;
// Each kill takes a new process. Together the ways die at every moment, with each provider's answers under way;
// ROUTE_KILLS=all kills each way, and one from Bitcoin, at every moment.
const WAYS: [string, Asset, 'ethereum' | 'solana', Provider, readonly Moment[]][] = [
  ['BNB into USDC on Solana by 1Click', assetNamed('BNB', 'bnb'), 'solana', 'one-click', MOMENTS],
  ['SOL into USDC on Ethereum by Relay', assetNamed('SOL', 'solana'), 'ethereum', 'relay', OF_THE_PROVIDER],
];
if (process.env.ROUTE_KILLS === 'all')
  WAYS.push(['BTC into USDC on Ethereum by 1Click', assetNamed('BTC', 'bitcoin'), 'ethereum', 'one-click', MOMENTS]);
const WALK = ['created', 'pending', 'routing', 'settling', 'paid'];

let kills = 0;
let duplicates = 0;
afterAll(() => {
  process.stdout.write(
    `service killed hard: ${kills} times; payments paid once each; webhooks that came twice: ${duplicates}\n`,
  );
});

test.each(WAYS)(
  '%s, with the service killed on the way: each event once, paid once, nothing lost',
  async (_, pay, receive, provider, some) => {
    const moments: ReadonlySet<Moment> = new Set(process.env.ROUTE_KILLS === 'all' ? MOMENTS : some);
    await using world = await startRouteWorld();
    const receiver = await startReceiver();
    await using service = await startService({
      ...world.env,
      ROUTES: provider === 'relay' ? 'relay,one-click' : 'one-click,relay',
    });
    const { merchant } = service;
    await merchant.createEndpoint({ url: receiver.url });
    const recipient =
      receive === 'solana'
        ? ((await world.solana.newWallet()).address as string)
        : newAddress(assetNamed('USDC', 'ethereum'));
    const wallet = await merchant.createWallet({ asset: 'USDC', network: receive, address: recipient });
    const session = await merchant.createSession({ payout_wallet_id: wallet.id, amount: '49.00' });
    const choose = () =>
      service.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
        body: { pay_asset: pay.asset, pay_network: pay.network, refund_address: newAddress(pay) },
      });

    // While the provider creates an order: it exists there, and the service does not know it.
    if (moments.has('ordering')) {
      const died = killedAt(world, service, provider, QUOTE[provider]);
      await expect(choose()).rejects.toThrow();
      await died;
      await service.start();
    }
    expect(await walkOf(service.db, session.id)).toEqual(['created']);

    const { status, body } = await choose();
    expect(status).toBe(200);
    const { address } = body.data.payment;
    if (moments.has('ordered')) {
      await service.kill();
      await service.start();
    }

    const { job, step } = { job: world.desk.job(address), step: () => world.desk.step(address) };
    await world.pay(pay, address, job.inputUnits);
    // The answer to each of these requests never arrives at the process that asked.
    for (const [stage, seen] of [
      ['known', 'pending'],
      ['processing', 'routing'],
      ['delivering', 'settling'],
      ['success', 'settling'],
    ] as const) {
      world.bitcoin.mine();
      const died = moments.has(stage) && killedAt(world, service, provider, STATUS[provider]);
      expect(await step()).toBe(stage);
      await service.passLook();
      if (died) {
        await died;
        await service.start();
      }
      await vi.waitFor(
        async () =>
          expect([await orderState(service, address), (await shown(service, session.id)).status]).toEqual([
            OURS[stage],
            seen,
          ]),
        WAITING,
      );
    }

    // While the payout becomes final, and again while the merchant's webhook is sent.
    const times = moments.has('delivered') ? 2 : 1;
    const isKilled = moments.has('final');
    await world.mine();
    if (isKilled) await service.kill();
    const delivered = times === 2 && killedAtDelivery(receiver, service);
    if (isKilled) await service.start();
    if (delivered) {
      await delivered;
      await service.start();
    }
    const [last] = await receiver.waitFor(
      1,
      ({ event }) =>
        event.type === 'payment.paid' && receiver.received.filter((one) => one.event.id === event.id).length >= times,
    );

    expect(await walkOf(service.db, session.id)).toEqual(WALK);
    const payment = last?.event.data;
    expect(payment).toMatchObject({
      status: 'paid',
      route: 'routed',
      service_fee: '0.74',
      net_settlement: '48.26',
      expected_output: '48.260000',
      receive_address: recipient,
      failure_reason: null,
    });
    expect(BigInt(payment.actual_output.replace('.', ''))).toBe(job.outputUnits);
    expect(await world.balance(assetNamed('USDC', receive), recipient)).toBe(job.outputUnits);
    const events = receiver.received.map(({ event }) => event);
    expect(new Set(events.map(({ id }) => id)).size).toBe(WALK.length);
    expect(new Set(events.map(({ type }) => type.replace('payment.', '')))).toEqual(new Set(WALK));
    const [owned] = await service.db.query<{ orders: bigint; transfers: bigint }>(
      'test_owned',
      `
    select (select count(*) from route_orders) as orders, (select count(*) from transfers where payment_id is not null) as transfers`,
    );
    expect(owned).toEqual({ orders: 1n, transfers: 1n });
    kills += service.kills;
    duplicates += events.length - WALK.length;
    await receiver.close();
  },
);

const WAITING = { timeout: 180_000, interval: 100 };
const OURS: Record<string, string> = {
  known: 'seen',
  processing: 'converting',
  delivering: 'delivering',
  success: 'done',
};

/** Kills the service at this request to a provider, before it can read the answer. */
function killedAt(world: RouteWorld, service: KillableService, provider: Provider, path: string): Promise<void> {
  const server = provider === 'relay' ? world.relay : world.oneClick;
  return new Promise((resolve) => {
    server.misbehave(async (asked, answer) => {
      if (asked !== path) return answer;
      server.misbehave(undefined);
      await service.kill();
      resolve();
      return answer;
    });
  });
}

/** Kills the service while the webhook of a paid payment is sent: the receiver has it, and the service does not know. */
function killedAtDelivery(receiver: Receiver, service: KillableService): Promise<void> {
  return new Promise((resolve) => {
    receiver.answer(async ({ event }) => {
      if (event.type !== 'payment.paid') return 200;
      receiver.answer(200);
      await service.kill();
      resolve();
      return 200;
    });
  });
}

async function shown(service: KillableService, sessionId: string): Promise<Data> {
  return (await service.inject('GET', `/v1/public/checkout/sessions/${sessionId}`)).body.data;
}

async function orderState(service: KillableService, depositAddress: string): Promise<string | undefined> {
  const [row] = await service.db.query<{ state: string }>(
    'test_order_state',
    'select state from route_orders where deposit_address = $1',
    [depositAddress],
  );
  return row?.state;
}
