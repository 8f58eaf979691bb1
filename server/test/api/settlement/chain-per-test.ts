import type { Context } from '../../../src/context.ts';
import { later } from '../../../src/platform/time.ts';
import { tick } from '../../../src/settlement/watching/turns.ts';
import { createWatcher, type Watcher } from '../../../src/settlement/watching/watcher.ts';
import { createFakeChain, NO_PAUSES, type FakeChain } from '../../programs/simulation/fake-chain.ts';
import { createFakeProvider } from '../../programs/simulation/fake-provider.ts';
import { createLedger, type Ledger, type Tx } from '../../programs/simulation/ledger.ts';
import { createRandom, type Random } from '../../programs/simulation/random.ts';
import { startApp, type TestApp } from '../../support/index.ts';
import { walkOf } from '../../support/payments.ts';
import { recording } from '../../support/recording.ts';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const BLOCK_MS = 20_000;

interface Checkout {
  id: string;
  amountUnits: bigint;
}

/** A shop on a network in memory, with a new chain for each test. Tests fork it, make providers lie and move time. */
export class ChainPerTest implements AsyncDisposable {
  readonly app: TestApp;
  /** Log lines of level error or higher. */
  readonly lines: Record<string, unknown>[];
  readonly random: Random = createRandom(7);
  // Set by `begin`.
  ledger!: Ledger;
  fake!: FakeChain;
  ctx!: Context;
  now!: Date;
  private watcher!: Watcher;

  static async start(): Promise<ChainPerTest> {
    const lines: Record<string, unknown>[] = [];
    const log = recording(lines);
    return new ChainPerTest(await startApp({ env: { CONFIRMATIONS_BASE: '5' }, overrides: { log } }), lines);
  }

  private constructor(app: TestApp, lines: Record<string, unknown>[]) {
    this.app = app;
    this.lines = lines;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.app.stop();
  }

  /** A new chain for each test, read from the beginning. */
  async begin(providers: number): Promise<void> {
    await this.app.ctx.db.query('test_forget_blocks', 'delete from chain_blocks');
    await this.app.ctx.db.query('test_forget_cursors', 'delete from chain_cursors');
    await this.app.ctx.db.query('test_forget_gaps', 'delete from unseen_blocks');
    await this.app.ctx.db.query(
      'test_forget_transfers',
      `update transfers set status = 'dropped' where status = 'seen'`,
    );
    this.lines.length = 0;
    this.now = await this.app.ctx.db.now();
    this.ledger = createLedger('base', this.random, {
      begin: later(this.now, -20 * BLOCK_MS),
      blockSeconds: BLOCK_MS / 1000,
    });
    this.ledger.mineUntil(this.now);
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
    this.watcher = createWatcher(`watcher ${this.random.next()}`);
    const urls = Array.from({ length: providers }, (_, at) => `http://provider-${at}.invalid`);
    this.ctx = {
      ...this.app.ctx,
      db: { ...this.app.ctx.db, now: async () => this.now },
      chains: new Map([['base', this.fake.chain]]),
      config: {
        ...this.app.config,
        networks: { ...this.app.config.networks, base: { ...this.app.config.networks.base, rpcUrls: urls } },
      },
    };
  }

  async checkout(fields: Record<string, unknown> = {}): Promise<Checkout> {
    const session = await this.app.merchant.live.createSession({ expires_in: 7200, ...fields });
    const { body } = await this.app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
      body: { pay_asset: 'USDC', pay_network: 'base' },
    });
    return { id: session.id, amountUnits: BigInt(body.data.payment.amount.replace('.', '')) };
  }

  transfer(amountUnits: bigint): Tx {
    const movement = {
      index: 0,
      asset: 'USDC' as const,
      from: this.random.hex(20),
      to: WALLET,
      amountUnits,
      carried: [],
      meantFor: null,
    };
    return { hash: this.random.hex(32), reverted: false, contract: true, movements: [movement] };
  }

  /**
   * Mines this number of blocks, pending transactions in the first of them, and runs the watcher after each. Before that
   * mines unseen blocks and a transaction.
   */
  async blocks(count: number, before?: { unseen: number; sent: Tx }): Promise<void> {
    for (let mined = 0; mined < (before?.unseen ?? 0); mined += 1) {
      this.now = later(this.now, BLOCK_MS);
      this.ledger.mineUntil(this.now);
    }
    if (before) this.ledger.send(before.sent);
    for (let mined = 0; mined < count; mined += 1) {
      this.now = later(this.now, BLOCK_MS);
      this.ledger.mineUntil(this.now);
      await this.watch();
    }
  }

  async fork(depth: number, instead: Tx[], shorter = 0): Promise<void> {
    this.ledger.replace(depth, instead, shorter);
    await this.watch();
  }

  async watch(): Promise<void> {
    this.fake.sync();
    for (let turn = 0; turn < 5; turn += 1) await tick(this.ctx, 'base', this.watcher).catch(() => {});
  }

  async seen({ id }: Checkout): Promise<bigint> {
    const { body } = await this.app.inject('GET', `/v1/public/checkout/sessions/${id}`);
    return BigInt(body.data.payment.amount_seen.replace('.', ''));
  }

  async status({ id }: Checkout): Promise<string> {
    return (await this.app.inject('GET', `/v1/public/checkout/sessions/${id}`)).body.data.status;
  }

  /** A payment's statuses, according to its events. */
  walk({ id }: Checkout): Promise<string[]> {
    return walkOf(this.app.ctx.db, id);
  }

  async whose({ hash }: Tx) {
    const [row] = await this.app.ctx.db.query<{ by: string | null; reason: string | null; status: string }>(
      'test_whose',
      'select attributed_by as by, reason, status from transfers where tx_hash = $1',
      [hash],
    );
    if (!row) throw new Error('it was not seen');
    return row;
  }

  cursors() {
    return this.app.ctx.db.query<{ pass: string; blockNumber: bigint; blockHash: string }>(
      'test_cursors',
      'select pass, block_number, block_hash from chain_cursors order by pass',
    );
  }

  alarms() {
    return this.lines.filter((line) => line.alarm === 'providers_disagree');
  }
}

/** The same transaction as another fork, or a lying provider, shows it. */
export function withAmount(tx: Tx, amountUnits: bigint): Tx {
  return { ...tx, movements: tx.movements.map((movement) => ({ ...movement, amountUnits })) };
}
