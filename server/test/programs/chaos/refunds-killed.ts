import type { Address } from 'viem';
import pg from 'pg';
import { pino } from 'pino';
import { createApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { startAnvil, type TestChain } from '../../support/anvil.ts';
import { injector, injectOver, type TestAnswer } from '../../support/inject.ts';
import { newMerchant } from '../../support/merchant.ts';
import { pick, randomFrom } from '../../support/random.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';

type Data = any;

/** When the service is killed: while a refund is created, right after the signature, while it is recorded, or verified. */
const MOMENTS = ['creating', 'signed', 'recording', 'verifying'] as const;
const MAX_REQUEST_MS = 12;
const MAX_VERIFYING_MS = 1_500;
const REFUNDS_PER_PAYMENT = 40;
const REFUND_UNITS = 1_000_000n;
const CONFIRMATIONS = 2;
const HEALS_WITHIN_MS = 120_000;

export interface RefundKillOptions {
  databaseUrl: string;
  /** A directory of its own. */
  dataDir: string;
  /** The bundled service. */
  service: string;
  kills: number;
  seed: number;
  say?: (line: string) => void;
}

export interface RefundKillFigures {
  kills: number;
  refunds: number;
  /** How often the merchant's wallet signed: once for each refund. */
  signed: number;
  /** Refunds that are not final by their own transaction, with one event of each kind. */
  wrong: string[];
  /** Payments whose sums are not those of their refunds. */
  wrongSums: number;
  seconds: number;
}

/**
 * Kills the service again and again while a merchant's program creates refunds, signs and records them. Its wallet must
 * be asked once for each, and each must end verified, once.
 */
export async function killDuringRefunds(options: RefundKillOptions): Promise<RefundKillFigures> {
  const started = performance.now();
  const random = randomFrom(options.seed);
  await using stack = new AsyncDisposableStack();
  const chain = stack.use(await startAnvil({ chainId: 4001 }));
  const usdc = await chain.deployToken();
  const [, , customer, wallet] = chain.accounts.map(({ address }) => address) as [Address, Address, Address, Address];
  const env = settings(options, chain, usdc);
  const desk = new Desk(await openAccount(env, wallet), () => startServiceProcess(options.service, env));
  stack.defer(() => desk.end());
  const database = new pg.Client({ connectionString: options.databaseUrl });
  await database.connect();
  stack.defer(() => database.end());

  const hashes = new Map<string, string>();
  let payment = '';
  for (let kill = 0; kill < options.kills; kill += 1) {
    if (kill % REFUNDS_PER_PAYMENT === 0) payment = await desk.newPayment(chain, usdc);
    const moment = pick(random, MOMENTS);
    const within = (ms: number) => desk.killWithin(random() * ms);

    const creating = moment === 'creating' ? within(MAX_REQUEST_MS) : undefined;
    const body = { coin_amount: '1.000000', to: customer };
    const refund = await desk.answered('POST', `/payments/${payment}/refunds`, body, `refund ${kill}`);
    await creating;
    // The wallet's answer is written down at once, as the dashboard does.
    const hash = await chain.transferErc20({ token: usdc, to: customer, amount: REFUND_UNITS, from: wallet });
    hashes.set(refund.id, hash);
    if (moment === 'signed') await within(0);
    const recording = moment === 'recording' ? within(MAX_REQUEST_MS) : undefined;
    await desk.answered('POST', `/refunds/${refund.id}/sent`, { tx_hash: hash });
    await recording;
    await chain.mine(CONFIRMATIONS);
    if (moment === 'verifying') await within(MAX_VERIFYING_MS);
    if ((kill + 1) % 20 === 0)
      options.say?.(`${kill + 1} kills, ${Math.round((performance.now() - started) / 1000)} s`);
  }

  await healed(database, options.kills);
  return {
    kills: desk.kills,
    refunds: hashes.size,
    signed: Number(await chain.rpc('eth_getTransactionCount', [wallet, 'latest'])),
    ...(await judge(database, hashes)),
    seconds: Math.round((performance.now() - started) / 1000),
  };
}

/** The merchant's program. It repeats a request until it is answered, by whichever process. */
class Desk {
  kills = 0;
  readonly #token: string;
  readonly #start: () => Promise<ServiceProcess>;
  #service: Promise<ServiceProcess>;

  constructor(token: string, start: () => Promise<ServiceProcess>) {
    this.#token = token;
    this.#start = start;
    this.#service = start();
  }

  async answered(method: 'GET' | 'POST', path: string, body?: object, key?: string): Promise<Data> {
    for (;;) {
      const { url } = await this.#service;
      const headers = key === undefined ? {} : { 'idempotency-key': key };
      const asked = { token: this.#token, headers, ...(body && { body }) };
      const answer = await injectOver(url)(method, `/v1${path}`, asked).catch((): TestAnswer | undefined => undefined);
      if (answer && answer.status < 300) return answer.body.data;
      // A request with this key may still hold its lock, in the database connection of a process that is dead.
      if (answer && answer.status !== 409 && answer.status < 500) throw new Error(`${path} answered ${answer.raw}`);
      await pause(10);
    }
  }

  /** A new live payment of what its refunds take, paid on the chain. */
  async newPayment(chain: TestChain, token: Address): Promise<string> {
    const amount = (Number(REFUND_UNITS / 1_000_000n) * REFUNDS_PER_PAYMENT).toFixed(2);
    const session = await this.answered('POST', '/checkout/sessions', { amount, currency: 'USD' });
    const coin = { pay_asset: 'USDC', pay_network: 'ethereum' };
    const { payment } = await this.answered('POST', `/public/checkout/sessions/${session.id}/pay`, coin);
    const units = BigInt(payment.amount.replace('.', ''));
    await chain.transferErc20({ token, to: payment.address as Address, amount: units });
    await chain.mine(CONFIRMATIONS);
    for (;;) {
      const { status, payment: id } = await this.answered('GET', `/checkout/sessions/${session.id}`);
      if (status === 'paid') return id;
      await pause(50);
    }
  }

  /** Ends the process hard, and starts the next one. */
  async killWithin(ms: number): Promise<void> {
    await pause(ms);
    const dying = await this.#service;
    if (dying.hasEnded()) throw new Error('the service had ended by itself');
    this.#service = dying.end('SIGKILL').then(this.#start);
    this.kills += 1;
    await this.#service;
  }

  async end(): Promise<void> {
    await (await this.#service).end('SIGTERM');
  }
}

/** An account with a payout wallet. Its key. */
async function openAccount(env: Record<string, string>, address: Address): Promise<string> {
  const app = await createApp(readConfig({ ...env, ROLE: 'api', PORT: '0' }), { log: pino({ level: 'silent' }) });
  try {
    const merchant = (await newMerchant(app.ctx, injector(app.server))).live;
    await merchant.createWallet({ asset: 'USDC', network: 'ethereum', address });
    return merchant.token;
  } finally {
    await app.close();
  }
}

/** Waits until every refund is final, at most for a limit; then the judge reports what is wrong. */
async function healed(database: pg.Client, refunds: number): Promise<void> {
  const until = performance.now() + HEALS_WITHIN_MS;
  while (performance.now() < until) {
    const { rows } = await database.query(`select 1 from refunds where status = 'final'`);
    if (rows.length >= refunds) return;
    await pause(100);
  }
}

async function judge(
  database: pg.Client,
  hashes: ReadonlyMap<string, string>,
): Promise<Pick<RefundKillFigures, 'wrong' | 'wrongSums'>> {
  const { rows } = await database.query<{ id: string; status: string; tx_hash: string; events: string[] }>(`
    select r.id, r.status || case when r.verified then ' and verified' else '' end as status, r.tx_hash,
           (select array_agg(e.type order by e.sequence) from events e where e.object_id = r.id) as events
      from refunds r`);
  const isRight = ({ id, status, tx_hash: hash, events }: (typeof rows)[number]) =>
    status === 'final and verified' && hash === hashes.get(id) && events.join() === 'refund.created,refund.final';
  const known = new Set(rows.map(({ id }) => id));
  const { rows: sums } = await database.query(`
    select p.id from payments p
     where (p.refunds ->> 'returned_units')::numeric is distinct from
             (select sum(r.amount_units) from refunds r where r.payment_id = p.id and r.status = 'final')
        or (p.refunds ->> 'claimed_units')::numeric > p.actual_output_units
        or (select count(*) from events e where e.object_id = p.id and e.type = 'payment.refunded') <>
             (p.status = 'refunded')::integer`);
  return {
    wrong: [
      ...rows.filter((row) => !isRight(row)).map((row) => JSON.stringify(row)),
      ...[...hashes.keys()].filter((id) => !known.has(id)).map((id) => `${id} was lost`),
    ],
    wrongSums: sums.length,
  };
}

function settings({ databaseUrl, dataDir }: RefundKillOptions, chain: TestChain, usdc: Address) {
  return {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
    PRICES: 'fixed',
    ROUTES: 'none',
    RATE_LIMIT_PER_SECOND: '100000',
    RPC_ETHEREUM_URLS: chain.url,
    CHAIN_ID_ETHEREUM: String(chain.chainId),
    CONFIRMATIONS_ETHEREUM: String(CONFIRMATIONS),
    TOKEN_USDC_ETHEREUM: usdc,
    RPC_BASE_URLS: ',',
    RPC_POLYGON_URLS: ',',
    RPC_ARBITRUM_URLS: ',',
    RPC_SOLANA_URLS: ',',
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
