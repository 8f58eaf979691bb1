import { getAddress } from 'viem';
import type { Context } from '../../src/context.ts';
import type { Chain } from '../../src/outside/chains/chain.ts';
import type { Database, Db } from '../../src/platform/db/db.ts';
import { later, SECOND_MS } from '../../src/platform/time.ts';
import { expiryJob } from '../../src/settlement/outcome/expire.ts';
import { tick } from '../../src/settlement/watching/turns.ts';
import { createWatcher, type Watcher } from '../../src/settlement/watching/watcher.ts';
import { createFakeChain, NO_PAUSES, type FakeChain } from '../programs/simulation/fake-chain.ts';
import { createFakeProvider } from '../programs/simulation/fake-provider.ts';
import { createLedger, type Ledger, type Tx } from '../programs/simulation/ledger.ts';
import { createRandom, type Random } from '../programs/simulation/random.ts';
import { startApp, type TestApp } from './app.ts';
import { createTestDatabase } from './database.ts';
import { recording } from './recording.ts';

const BLOCK_MS = 2_000;

export interface FakeCheckout {
  id: string;
  amountUnits: bigint;
  wallet: string;
}

/** A shop on a network in memory. Tests mine blocks, make providers lie and move time. */
export class FakeNetwork implements AsyncDisposable {
  readonly app: TestApp;
  /** Log lines of level warning or higher. */
  readonly lines: Record<string, unknown>[];
  readonly random: Random = createRandom(11);
  readonly ledger: Ledger;
  readonly fake: FakeChain;
  readonly watcher: Watcher = createWatcher('test');
  ctx: Context;
  private readonly clock: { now: Date };

  static async start({ providers = 2, confirmations = 3 } = {}): Promise<FakeNetwork> {
    const lines: Record<string, unknown>[] = [];
    const log = recording(lines, 'warn');
    const database = await createTestDatabase();
    // One clock for the API and for the chain: on a busy machine two would drift apart.
    const clock = { now: await database.db.now() };
    const db: Database = {
      ...database.db,
      now: async () => clock.now,
      // A request's time comes with its credential.
      query: async <Row>(...args: Parameters<Db['query']>) =>
        (await database.db.query<Row & object>(...args)).map((row) =>
          'realNow' in row ? { ...row, realNow: clock.now } : row,
        ),
    };
    const app = await startApp({
      database,
      env: { CONFIRMATIONS_BASE: String(confirmations) },
      overrides: { log, db },
    });
    return new FakeNetwork(app, lines, providers, clock);
  }

  private constructor(app: TestApp, lines: Record<string, unknown>[], providers: number, clock: { now: Date }) {
    this.app = app;
    this.lines = lines;
    this.clock = clock;
    const { now } = clock;
    this.ledger = createLedger('base', this.random, {
      begin: later(now, -20 * BLOCK_MS),
      blockSeconds: BLOCK_MS / 1000,
    });
    this.ledger.mineUntil(now);
    this.fake = createFakeChain({
      ledger: this.ledger,
      providers: Array.from({ length: providers }, (_, at) => createFakeProvider(`provider ${at}`)),
      tags: { safe: 30, finalized: 66 },
      widestWindow: 50,
      blockSeconds: BLOCK_MS / 1000,
      random: this.random,
      now: () => this.now,
      pauseMs: NO_PAUSES,
    });
    const rpcUrls = this.fake.providers.map((_, at) => `http://provider-${at}.invalid`);
    this.ctx = {
      ...app.ctx,
      chains: new Map([['base', this.fake.chain]]),
      config: { ...app.config, networks: { ...app.config.networks, base: { ...app.config.networks.base, rpcUrls } } },
    };
  }

  get now(): Date {
    return this.clock.now;
  }

  set now(now: Date) {
    this.clock.now = now;
  }

  /** Replaces parts of the chain. */
  use(chain: Partial<Chain>): void {
    this.ctx = { ...this.ctx, chains: new Map([['base', { ...this.fake.chain, ...chain }]]) };
  }

  async wallet(
    merchant = this.app.merchant.live,
    address: string = getAddress(this.random.hex(20)),
  ): Promise<{ id: string; address: string }> {
    return merchant.createWallet({ asset: 'USDC', network: 'base', address });
  }

  async checkout(
    wallet: { id: string; address: string },
    merchant = this.app.merchant.live,
    fields: object = {},
  ): Promise<FakeCheckout> {
    const session = await merchant.createSession({ expires_in: 7200, payout_wallet_id: wallet.id, ...fields });
    const { status, body, raw } = await this.app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
      body: { pay_asset: 'USDC', pay_network: 'base' },
    });
    if (status !== 200) throw new Error(`${status} ${raw}`);
    return { id: session.id, amountUnits: BigInt(body.data.payment.amount.replace('.', '')), wallet: wallet.address };
  }

  /** A transaction of USDC transfers, one per amount. */
  transaction(to: string, ...amounts: bigint[]): Tx {
    const from = this.random.hex(20);
    return {
      hash: this.random.hex(32),
      reverted: false,
      contract: true,
      movements: amounts.map((amountUnits, index) => ({
        index,
        asset: 'USDC' as const,
        from,
        to,
        amountUnits,
        carried: [],
        meantFor: null,
      })),
    };
  }

  send(...transactions: Tx[]): void {
    for (const one of transactions) this.ledger.send(one);
  }

  /** Mines blocks and runs the watcher's turns after each. */
  async blocks(count: number, turns?: number): Promise<void> {
    for (let mined = 0; mined < count; mined += 1) {
      this.now = later(this.now, BLOCK_MS);
      this.ledger.mineUntil(this.now);
      await this.watch(turns);
    }
  }

  /** Lets time pass, with one turn of the watcher each half minute. */
  async minutes(count: number): Promise<void> {
    for (let passed = 0; passed < count * 2; passed += 1) {
      this.now = later(this.now, 30 * SECOND_MS);
      this.ledger.mineUntil(this.now);
      await this.watch(1);
    }
  }

  async watch(turns = 3): Promise<void> {
    this.fake.sync();
    for (let turn = 0; turn < turns; turn += 1) await tick(this.ctx, 'base', this.watcher).catch(() => {});
  }

  /** Runs the expiry job at an instant up to which everything has been read. */
  async closeAt(now: Date): Promise<void> {
    const { db } = this.app.ctx;
    const cursors = await db.query<{ pass: string; blockTime: Date }>(
      'test_cursors',
      'select pass, block_time from chain_cursors',
    );
    await db.query('test_cover', 'update chain_cursors set block_time = $1', [now]);
    const ctx = { ...this.ctx, db: { ...this.ctx.db, now: async () => now } };
    await expiryJob.run(ctx, new AbortController().signal, () => {});
    for (const { pass, blockTime } of cursors)
      await db.query('test_uncover', 'update chain_cursors set block_time = $1 where pass = $2', [blockTime, pass]);
  }

  async status({ id }: FakeCheckout): Promise<string> {
    return (await this.app.inject('GET', `/v1/public/checkout/sessions/${id}`)).body.data.status;
  }

  alarms(name: string): Record<string, unknown>[] {
    return this.lines.filter((line) => line.alarm === name);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.app.stop();
  }
}
