import type { ReceiveNetwork } from '@quittance/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../../../src/context.ts';
import type { Chain } from '../../../src/outside/chains/chain.ts';
import { reconcile, rescan } from '../../../src/settlement/rescan.ts';
import type { Tick } from '../../../src/settlement/watching/watcher.ts';
import type { TestApp } from '../app.ts';
import { paymentOfSession } from '../payments.ts';

/** A shop on a real chain. */
export interface LiedToShop {
  app: TestApp;
  ctx: Context;
  walk(sessionId: string): Promise<string[]>;
  watch(): Promise<Tick>;
  settle(): Promise<void>;
  pass(seconds: number): Promise<void>;
  expire(): Promise<void>;
}

export interface Paid {
  sessionId: string;
  txHash: string;
}

/** Money that the merchant did not get, and the liar shows as the merchant's. */
export interface Added {
  txHash: string;
  amountUnits: bigint;
}

/** A shop whose providers are one liar and some honest ones. */
export interface LiedTo extends AsyncDisposable {
  shop: LiedToShop;
  network: ReceiveNetwork;
  /** A block before all payments. */
  since: bigint;
  /** Log lines. */
  lines: Record<string, unknown>[];
  /** The hosts of the providers. */
  liar: string;
  honest: readonly string[];
  /** Payments of which the liar changes one thing each, from the first moment, by what it changes. */
  payAll(expiresIn: number): Promise<Map<string, Paid>>;
  add(): Promise<Added[]>;
  /** The liar dates every block this much early. */
  dateEarly(seconds: number): void;
  payFirst(): Promise<Paid>;
  /** A chain whose providers are the honest ones only. */
  honestChain(): Chain;
}

/** A kind of money, and what a provider can change of a payment in it. */
export interface LiedAbout {
  changes: readonly string[];
  /** Changes that leave the merchant no transfer, or only without a reference: no transfer is contradicted. */
  hides: readonly string[];
  start(honestCount: number, liarIs: LiarIs): Promise<LiedTo>;
}

/**
 * The place of the liar among the providers. Each pass reads through one of the first two, so that one of them reads
 * what the liar shows. Beside one that is alone, the honest ones are not configured yet.
 */
export type LiarIs = 'first' | 'second' | 'alone';

/** The addresses of the configured providers. */
export function inOrder(liar: { url: string }, honest: readonly { url: string }[], liarIs: LiarIs): string[] {
  const order = { first: [liar, ...honest], second: honest.toSpliced(1, 0, liar), alone: [liar] };
  return order[liarIs].map(({ url }) => url);
}

const PROVIDERS: readonly (readonly [count: number, liarIs: LiarIs])[] = [
  [2, 'first'],
  [2, 'second'],
  [3, 'first'],
  [3, 'second'],
];

/** In seconds. */
const AN_HOUR = 3_600;
/** How much later, in seconds, a liar dates the block of a payment: before its session began, and after its end. */
export const EARLIER = -600;
export const LATER = AN_HOUR;

/** A payment of each change, and what happens to them. */
export class Lies implements AsyncDisposable {
  readonly here: LiedTo;
  readonly #paid: Map<string, Paid>;
  readonly #added: readonly Added[];

  static async about(
    { start }: LiedAbout,
    { count, liarIs, expiresIn = 1_800 }: { count: number; liarIs: LiarIs; expiresIn?: number },
  ): Promise<Lies> {
    const here = await start(count - 1, liarIs);
    await here.shop.settle();
    const lies = new Lies(here, await here.payAll(expiresIn), await here.add());
    await here.shop.settle();
    return lies;
  }

  private constructor(here: LiedTo, paid: Map<string, Paid>, added: readonly Added[]) {
    this.here = here;
    this.#paid = paid;
    this.#added = added;
  }

  paid(change: string): Paid {
    return this.#paid.get(change) as Paid;
  }

  async requireAllDropped(): Promise<void> {
    expect((await this.added()).map(({ status }) => status)).toEqual(this.#added.map(() => 'dropped'));
  }

  /** The rows of what the liar added. */
  added(): Promise<{ txHash: string; status: string }[]> {
    return this.here.shop.ctx.db.query(
      'test_added_transfers',
      `select tx_hash, status from transfers
         join unnest($1::text[], $2::numeric[]) as added (tx_hash, amount_units) using (tx_hash, amount_units)`,
      [this.#added.map(({ txHash }) => txHash), this.#added.map(({ amountUnits }) => amountUnits)],
    );
  }

  async requireHeard(): Promise<void> {
    const reports = await this.here.shop.ctx.db.query(
      'test_reports_of',
      'select id from transfers where $1 = any(reported_by) or strpos(contested::text, $1) > 0',
      [this.here.liar],
    );
    expect(reports).not.toEqual([]);
  }

  /** The quorum decides against the liar by name. */
  requireNamed(changes: readonly string[]): void {
    const unnamed = changes.filter(
      (change) => alarmsAbout(this.here, this.paid(change).txHash, [this.here.liar]).length === 0,
    );
    expect(unnamed).toEqual([]);
  }

  /** What the liar shows as the merchant's was stored, so that the quorum has decided about it. */
  async requireNothingInvented(): Promise<void> {
    const rows = await this.added();
    expect(rows.map(({ txHash }) => txHash).toSorted()).toEqual(this.#added.map(({ txHash }) => txHash).toSorted());
    expect(rows.filter(({ status }) => status === 'final')).toEqual([]);
    for (const { txHash } of rows) expect(alarmsAbout(this.here, txHash, [this.here.liar])).not.toEqual([]);
  }

  /** The statuses of these payments, by what the liar changed. */
  async ends(changes: readonly string[]): Promise<Record<string, string | undefined>> {
    const walks = changes.map(async (change) => [
      change,
      (await this.here.shop.walk(this.paid(change).sessionId)).at(-1),
    ]);
    return Object.fromEntries(await Promise.all(walks));
  }

  async requirePaid(changes: readonly string[]): Promise<void> {
    expect(await this.ends(changes)).toEqual(Object.fromEntries(changes.map((change) => [change, 'paid'])));
  }

  /** Every payment is paid, except those whose money the quorum has decided to have come too late. */
  async requireAllPaid(late: readonly string[] = []): Promise<void> {
    const changes = [...this.#paid.keys()];
    const ends = changes.map((change) => [change, late.includes(change) ? 'refund_required' : 'paid']);
    expect(await this.ends(changes)).toEqual(Object.fromEntries(ends));
    expect((await this.added()).filter(({ status }) => status !== 'dropped')).toEqual([]);
  }

  /** Time passes until the sessions have expired. */
  async expire(seconds: number): Promise<void> {
    const { shop } = this.here;
    await shop.pass(seconds);
    await shop.settle();
    await shop.expire();
  }

  /** The providers from now on are the honest ones. */
  removeLiar(): void {
    const { shop, network, honest, honestChain } = this.here;
    const only = honestChain();
    Object.assign(shop.ctx.config.networks[network], { rpcUrls: honest.map((host) => `http://${host}`) });
    for (const { chains } of [shop.ctx, shop.app.ctx]) (chains as Map<ReceiveNetwork, Chain>).set(network, only);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.here[Symbol.asyncDispose]();
  }
}

/** Defines what holds whatever one of several providers says about payments in this kind of money. */
export function describeLies(kind: LiedAbout, providers = PROVIDERS): void {
  describe.each(providers)('%d providers, of which the %s lies about one field of each payment', (count, liarIs) => {
    let lies: Lies;
    beforeAll(async () => {
      lies = await Lies.about(kind, { count, liarIs });
      await watchOn(lies.here);
    });
    afterAll(() => lies[Symbol.asyncDispose]());

    test.each(kind.changes)('a changed %s: the payment is paid, or an alarm names the providers', (change) =>
      requirePaidOrAlarmed(lies.here, lies.paid(change)),
    );

    test('what the liar read was stored, and not only refused', () => lies.requireHeard());

    if (count === 3)
      test('an alarm names the liar for each change that shows another payment', () =>
        lies.requireNamed(kind.changes.filter((change) => !kind.hides.includes(change))));
    else
      test('every lie is heard, so that no payment is paid by the honest provider alone', async () => {
        const { here } = lies;
        const ends = await Promise.all(kind.changes.map((change) => here.shop.walk(lies.paid(change).sessionId)));
        expect(ends.filter((walk) => walk.at(-1) === 'paid')).toEqual([]);
      });

    test("money of others, or worth nothing, that the liar shows as the merchant's is never final, and an alarm names the provider", () =>
      lies.requireNothingInvented());

    test('without the liar every payment is paid, though its session may have expired, and nothing is left that never came', async () => {
      await lies.expire(AN_HOUR);
      lies.removeLiar();
      await watchOn(lies.here, 2);
      for await (const _ of rescan(lies.here.shop.ctx, lies.here.network, lies.here.since));
      await watchOn(lies.here, 2);
      await lies.requireAllPaid();
    });
  });
}

/** Defines that no provider's dates keep the first payment in this kind of money from being read. */
export function describeEarlyDates(kind: LiedAbout): void {
  describe.each(PROVIDERS)('%d providers, of which the %s dates every block an hour early', (count, liarIs) => {
    test('the first payment is read although no block was read before', async () => {
      await using here = await kind.start(count - 1, liarIs);
      here.dateEarly(AN_HOUR);
      const paid = await here.payFirst();
      await watchOn(here);
      await requirePaidOrAlarmed(here, paid);
      // So the second pass never reads up to here by the provider that may have placed the first one behind a payment.
      const [start] = await here.shop.ctx.db.query<{ provider: string | null }>(
        'test_first_block',
        `select provider from chain_blocks where pass = 'first' order by number limit 1`,
      );
      expect(start?.provider).toEqual(expect.any(String));
    });
  });
}

/** Defines what heals what a single provider stored before honest ones replaced it. A lie about a sender, or an order, did no harm. */
export function describeHealing(
  kind: LiedAbout,
  by: { honest: number; hinted: readonly string[]; reconciled: readonly string[]; late: readonly string[] },
): void {
  describe(`a single provider that lied until ${by.honest === 1 ? 'an honest one' : 'two honest ones'} replaced it`, () => {
    let lies: Lies;
    let before: Record<string, string | undefined>;
    beforeAll(async () => {
      lies = await Lies.about(kind, { count: by.honest + 1, liarIs: 'alone', expiresIn: 600 });
      await lies.expire(700);
      before = await lies.ends(kind.changes);
      lies.removeLiar();
    });
    afterAll(() => lies[Symbol.asyncDispose]());

    test(`a customer's hint heals what it stored with another ${by.hinted.join(', ')}, though the session has expired`, async () => {
      const { app } = lies.here.shop;
      for (const change of by.hinted) {
        const { sessionId, txHash } = lies.paid(change);
        const path = `/v1/public/checkout/sessions/${sessionId}/transactions`;
        const { status } = await app.inject('POST', path, { body: { tx_hash: txHash } });
        expect([change, before[change], status]).toEqual([change, 'expired', 202]);
      }
      await watchOn(lies.here, 2);
      await lies.requirePaid(by.hinted);
    });

    test(`reconciling its transaction heals at once another ${by.reconciled.join(', ')}`, async () => {
      const { shop } = lies.here;
      for (const change of by.reconciled) {
        const { sessionId, txHash } = lies.paid(change);
        const { status } = await reconcile(shop.ctx, await paymentOfSession(shop.ctx.db, sessionId), txHash);
        expect([change, before[change], status]).toEqual([change, 'expired', 'paid']);
      }
    });

    test('reconciling a transaction drops what it never paid', async () => {
      const { shop } = lies.here;
      const [never] = await lies.added();
      expect(never?.status).not.toBe('dropped');
      const payment = await paymentOfSession(shop.ctx.db, lies.paid(kind.changes[0] as string).sessionId);
      await reconcile(shop.ctx, payment, never?.txHash ?? '');
      expect((await lies.added()).find(({ txHash }) => txHash === never?.txHash)?.status).toBe('dropped');
    });

    // About a block with a later date, a quorum of one has decided that its money came too late: the merchant is asked.
    test('a rescan heals the rest', async () => {
      for await (const _ of rescan(lies.here.shop.ctx, lies.here.network, lies.here.since));
      await lies.requireAllPaid(by.late);
      await lies.requireAllDropped();
    });
  });
}

/** Both passes read everything, every turn of verification is served, and time passes for what may stay in doubt. */
export async function watchOn({ shop }: LiedTo, rounds = 4): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await shop.pass(61);
    await shop.settle();
    await shop.watch();
  }
}

/** With a majority the payment is paid. Two providers may leave it open, and the alarm names both: one of them lies. */
async function requirePaidOrAlarmed(here: LiedTo, { sessionId, txHash }: Paid): Promise<void> {
  const isPaid = (await here.shop.walk(sessionId)).at(-1) === 'paid';
  if (here.honest.length > 1) return expect(isPaid).toBe(true);
  if (!isPaid) expect(alarmsAbout(here, txHash, [here.liar, ...here.honest])).not.toEqual([]);
}

/** The alarms about a transaction that name all of these providers. */
function alarmsAbout({ lines }: LiedTo, txHash: string, providers: readonly string[]): Record<string, unknown>[] {
  return lines.filter((line) => {
    const text = JSON.stringify(line);
    return line.alarm !== undefined && line.txHash === txHash && providers.every((name) => text.includes(name));
  });
}
