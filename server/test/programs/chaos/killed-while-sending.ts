import type { Address } from 'viem';
import pg from 'pg';
import { pino } from 'pino';
import { createApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { startAnvil, type TestChain } from '../../support/anvil.ts';
import { type InjectInput, injector, injectOver, type TestAnswer } from '../../support/inject.ts';
import { type Merchant, newMerchant } from '../../support/merchant.ts';
import { pick, randomFrom } from '../../support/random.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';

export const CONFIRMATIONS = 2;
const MAX_VERIFYING_MS = 1_500;
const HEALS_WITHIN_MS = 120_000;

export interface SendingKillOptions {
  databaseUrl: string;
  /** A directory of its own. */
  dataDir: string;
  /** The bundled service. */
  service: string;
  kills: number;
  seed: number;
  say?: (line: string) => void;
}

export interface SendingKillFigures {
  kills: number;
  /** How many refunds or payouts were to be sent. */
  planned: number;
  /** How often the merchant's wallet had to sign, and how often it did. */
  toSign: number;
  signed: number;
  /** What is not final by its own transaction, once. */
  wrong: string[];
  /** Sums that are not those of what was sent. */
  wrongSums: number;
  seconds: number;
}

/** A service on a local chain, which is killed while a merchant sends money. */
export interface KilledService {
  chain: TestChain;
  usdc: Address;
  customer: Address;
  /** What the merchant signs with. */
  wallet: Address;
  merchant: Merchant;
  desk: Desk;
  database: pg.Client;
}

/** What is sent between two kills. Its parts are named, and the kill falls into one of them. */
export interface Sending<Moment extends string> {
  moments: readonly Moment[];
  send(round: number, during: During<Moment>): Promise<void>;
  /** SQL of a row for each that is final. */
  final: string;
  judge(): Promise<Pick<SendingKillFigures, 'planned' | 'toSign' | 'wrong' | 'wrongSums'>>;
}

/** Does this work, and kills the service within this time of its beginning if it is the moment. */
export type During<Moment extends string> = <T>(moment: Moment, maxMs: number, work: () => Promise<T>) => Promise<T>;

/**
 * Kills the service once in each round, at a random moment. What was to be sent is judged when all of it is final, or
 * after a limit.
 */
export async function killWhileSending<Moment extends string>(
  options: SendingKillOptions,
  prepare: (service: KilledService) => Promise<Sending<Moment | 'verifying'>>,
): Promise<SendingKillFigures> {
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  const random = randomFrom(options.seed);
  await using stack = new AsyncDisposableStack();
  const chain = stack.use(await startAnvil({ chainId: 4001 }));
  const usdc = await chain.deployToken();
  const [, , customer, wallet] = chain.accounts.map(({ address }) => address) as [Address, Address, Address, Address];
  const env = settings(options, chain, usdc);
  const merchant = await openAccount(env, wallet);
  const desk = new Desk(merchant, () => startServiceProcess(options.service, env));
  stack.defer(() => desk.end());
  const database = new pg.Client({ connectionString: options.databaseUrl });
  await database.connect();
  stack.defer(() => database.end());

  const sending = await prepare({ chain, usdc, customer, wallet, merchant, desk, database });
  for (let round = 0; round < options.kills; round += 1) {
    const chosen = pick(random, sending.moments);
    const during: During<Moment | 'verifying'> = async (moment, maxMs, work) => {
      const killed = moment === chosen ? desk.killWithin(random() * maxMs) : undefined;
      const [result] = await Promise.all([work(), killed]);
      return result;
    };
    await sending.send(round, during);
    await chain.mine(CONFIRMATIONS);
    await during('verifying', MAX_VERIFYING_MS, async () => {});
    if ((round + 1) % 20 === 0) options.say?.(`${round + 1} kills, ${seconds()} s`);
  }

  await healed(database, sending.final, (await sending.judge()).planned);
  return {
    kills: desk.kills,
    ...(await sending.judge()),
    signed: Number(await chain.rpc('eth_getTransactionCount', [wallet, 'latest'])),
    seconds: seconds(),
  };
}

type Data = any;

/** The merchant's program or browser. It repeats a request until it is answered, by whichever process. */
export class Desk {
  kills = 0;
  readonly #merchant: Merchant;
  readonly #start: () => Promise<ServiceProcess>;
  #service: Promise<ServiceProcess>;

  constructor(merchant: Merchant, start: () => Promise<ServiceProcess>) {
    this.#merchant = merchant;
    this.#start = start;
    this.#service = start();
  }

  /** With the live key. */
  async answered(method: 'GET' | 'POST', path: string, body?: object, key?: string): Promise<Data> {
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    return this.#repeated(method, `/v1${path}`, { token: this.#merchant.liveKey, headers, ...(body && { body }) });
  }

  /** As the dashboard asks in live mode. */
  async browsed(method: 'GET' | 'POST', path: string, body?: object): Promise<Data> {
    const headers = {
      cookie: `session=${this.#merchant.loginToken}`,
      'service-mode': 'live',
      'sec-fetch-site': 'same-origin',
    };
    return this.#repeated(method, `/dashboard/api${path}`, { headers, ...(body && { body }) });
  }

  async #repeated(method: 'GET' | 'POST', path: string, input: InjectInput): Promise<Data> {
    for (;;) {
      const { url } = await this.#service;
      const answer = await injectOver(url)(method, path, input).catch((): TestAnswer | undefined => undefined);
      if (answer && answer.status < 300) return answer.body.data;
      // A request with this key may still hold its lock, in the database connection of a process that is dead.
      if (answer && answer.status !== 409 && answer.status < 500) throw new Error(`${path} answered ${answer.raw}`);
      await pause(10);
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

/** An account with a payout wallet. */
async function openAccount(env: Record<string, string>, address: Address): Promise<Merchant> {
  const app = await createApp(readConfig({ ...env, ROLE: 'api', PORT: '0' }), { log: pino({ level: 'silent' }) });
  try {
    const merchant = await newMerchant(app.ctx, injector(app.server));
    await merchant.live.createWallet({ asset: 'USDC', network: 'ethereum', address });
    return merchant;
  } finally {
    await app.close();
  }
}

/** Waits until everything is final, at most for a limit; then the judge reports what is wrong. */
async function healed(database: pg.Client, final: string, planned: number): Promise<void> {
  const until = performance.now() + HEALS_WITHIN_MS;
  while (performance.now() < until) {
    if ((await database.query(final)).rows.length >= planned) return;
    await pause(100);
  }
}

function settings({ databaseUrl, dataDir }: SendingKillOptions, chain: TestChain, usdc: Address) {
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

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
