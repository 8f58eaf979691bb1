import { figure, type Figure } from './figures.ts';
import { floorOf } from './floor.ts';
import { call } from './merchant.ts';
import { putUnderLoad } from './processes.ts';
import type { Bench } from './bench.ts';

const CONNECTIONS = 32;

/** Creating a durable session, compared with a database function that only writes the same rows. */
export async function createSession({ database, service, seconds, say }: Bench): Promise<{ create_session: Figure }> {
  const order = {
    amount: '49.00',
    currency: 'USD',
    order_id: 'order-{n}',
    description: 'Two ferns in a pot',
    metadata: { customer: '1042', cart: 'c-{n}' },
    success_url: 'https://shop.example.com/thanks?session={CHECKOUT_SESSION_ID}',
  };
  const { data: wallet } = await call<{ id: string }>(service, 'POST', '/v1/payout-wallets', {
    asset: 'USDC',
    network: 'base',
    address: '0x52908400098527886E0F7030069857D2E4169EE7',
  });
  await call(service, 'POST', '/v1/webhook-endpoints', {
    url: 'https://merchant.example/webhooks',
    events: ['payment.created', 'payment.paid'],
  });
  const sample = await call<{ id: string }>(service, 'POST', '/v1/checkout/sessions', order);
  const [event] = await database.query<{ body: Buffer }>(
    'select e.body from events e join payments p on p.id = e.object_id where p.session_id = $1',
    [sample.data.id],
  );

  await database.query(
    floorFunction({ account: service.accountId, wallet: wallet.id, answer: sample.text, body: String(event?.body) }),
  );
  const floor = () => floorOf({ url: database.url, clients: CONNECTIONS, seconds, sql: 'select bench_create();' });
  const ours = () =>
    putUnderLoad({
      host: '127.0.0.1',
      port: service.port,
      connections: CONNECTIONS,
      seconds,
      warmUpSeconds: 2,
      expectStatus: 201,
      request: {
        method: 'POST',
        paths: ['/v1/checkout/sessions'],
        body: JSON.stringify({ ...order, payout_wallet_id: wallet.id }),
        headers: {
          authorization: `Bearer ${service.key}`,
          'content-type': 'application/json',
          'idempotency-key': 'bench-{n}',
        },
      },
    });

  // The floor before and after, because a machine drifts.
  const before = await floor();
  const load = await ours();
  const after = await floor();
  // These are never sent, and the bench of deliveries must not find them.
  await database.query('truncate deliveries');
  const result = figure(load.perSecond, (before.perSecond + after.perSecond) / 2);
  say(
    `create_session   ${result.ours}/s, p50 ${load.p50Ms.toFixed(1)} ms, p99 ${load.p99Ms.toFixed(1)} ms, ${CONNECTIONS} connections`,
  );
  say(`                 floor ${result.floor}/s (${before.by}: the same rows by one function), ratio ${result.ratio}`);
  return { create_session: result };
}

/** Ids, times and references differ with every call; texts are constant. */
function floorFunction({
  account,
  wallet,
  answer,
  body,
}: {
  account: string;
  wallet: string;
  answer: string;
  body: string;
}): string {
  return `
  create function bench_id(prefix text) returns text language sql as $$
    select prefix || left(md5(random()::text || clock_timestamp()::text), 24) $$;

  create function bench_create() returns void language plpgsql as $$
  declare
    account text := '${account}';
    wallet text := '${wallet}';
    answer text := $json$${answer}$json$;
    event_body text := $json$${body}$json$;
    session text := bench_id('cs_');
    payment text := bench_id('pay_');
    event text := bench_id('evt_');
    at timestamptz := clock_timestamp();
  begin
    insert into idempotency_keys (account_id, livemode, key, fingerprint, request_id, status, body, expires_at)
    values (account, false, bench_id('key-'), decode(md5(session) || md5(payment), 'hex'), bench_id('req_'), 201,
      convert_to(answer, 'UTF8'), at + interval '1 day');
    insert into checkout_sessions (
      id, account_id, livemode, payment_id, payout_wallet_id, amount_minor, currency, order_id, description, metadata,
        accepted_assets, reference,
      receive_asset, receive_network, receive_address, success_url, created_at, expires_at)
    values (
      session, account, false, payment, wallet, 4900, 'USD', 'order-1', 'Two ferns in a pot', '{"customer": "1042", "cart": "c-1"}',
      '{ETH_ETHEREUM,SOL_SOLANA,USDC_SOLANA,ETH_BASE,USDC_BASE,USDC_ETHEREUM,USDT_ETHEREUM,USDT_SOLANA,BTC_BITCOIN,BNB_BNB,POL_POLYGON,ETH_ARBITRUM,AVAX_AVALANCHE,TRX_TRON,USDT_TRON,USDC_POLYGON,USDC_ARBITRUM}',
      decode(md5(session) || md5(payment), 'hex'), 'USDC', 'base', '0x52908400098527886E0F7030069857D2E4169EE7',
      'https://shop.example.com/thanks?session={CHECKOUT_SESSION_ID}', at, at + interval '1 hour');
    insert into payments (id, account_id, livemode, session_id, status, sequence, route, pay_asset, pay_network,
      created_at, expires_at, is_announced)
    values (payment, account, false, session, 'created', 1, 'direct', 'USDC', 'base', at, at + interval '1 hour', true);
    insert into payment_states (payment_id, sequence, status, at) values (payment, 1, 'created', at);
    insert into events (id, account_id, livemode, object_id, sequence, type, body, created_at, recorded_at)
    values (event, account, false, payment, 1, 'payment.created', convert_to(event_body, 'UTF8'), at, at);
    insert into deliveries (id, account_id, livemode, endpoint_id, event_id, event_type, state, due_at, recorded_at, event_recorded_at)
    select bench_id('dlv_'), account, false, e.id, event, 'payment.created', 'pending', at, at, at
      from webhook_endpoints e
     where e.account_id = account and not e.livemode and e.deleted_at is null and e.status = 'active'
       and 'payment.created' = any (e.events);
  end $$`;
}
