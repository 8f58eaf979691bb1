import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '../../src/context.ts';
import type { Database } from '../../src/platform/db/db.ts';
import { paySession } from '../../src/resources/checkout-sessions/pay.ts';
import { routesJobs } from '../../src/resources/routed-payments/follow.ts';
import { runAll } from '../support/routes/lanes.ts';
import { tick } from '../../src/settlement/watching/turns.ts';
import { createWatcher } from '../../src/settlement/watching/watcher.ts';
import { assetNamed, newAddress, type RoutedShop, startRoutedShop } from '../support/routes/shop.ts';

const BNB = assetNamed('BNB', 'bnb');
const STAGES = ['known', 'processing', 'delivering', 'success'] as const;

let shop: RoutedShop;
beforeAll(async () => {
  shop = await startRoutedShop();
  shop.ask('one-click');
});
afterAll(() => shop[Symbol.asyncDispose]());

test('a worker that dies at any statement of any step leaves a payment that the next one brings to its end, each event once', async () => {
  let deaths = 0;
  for (let statement = 1; statement <= 60; statement += 1) {
    const before = deaths;
    const { id } = await shop.session('ethereum');
    const order = { pay_asset: 'BNB', pay_network: 'bnb', refund_address: newAddress(BNB) };
    await dying(statement, (ctx) => paySession(ctx, id, order, null));
    const { body } = await shop.app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, { body: order });
    const { address } = body.data.payment;
    const { inputUnits } = shop.world.desk.job(address);
    await shop.world.pay(BNB, address, inputUnits);
    for (const stage of STAGES) {
      expect(await shop.world.desk.step(address)).toBe(stage);
      await dueNow(id);
      await dying(statement, (ctx) => runAll(routesJobs(ctx.routers).slice(0, 1), ctx));
      await shop.poll(id);
    }
    await shop.world.mine();
    // A dead worker's lease would delay the next one for a minute, so this one uses the same name.
    await dying(statement, (ctx) => tick(ctx, 'ethereum', createWatcher('test')));
    await shop.settle();

    expect(await shop.walk(id)).toEqual(['created', 'pending', 'routing', 'settling', 'paid']);
    expect(await shop.deliveredEvents(id)).toEqual(['created', 'pending', 'routing', 'settling', 'paid']);
    if (deaths === before) {
      process.stdout.write(`a worker died at ${deaths} statements; each payment was paid once\n`);
      return;
    }
  }
  throw new Error('a step takes more statements than were tried');

  /** Acts with a database connection that fails after this number of statements. */
  async function dying(statements: number, act: (ctx: Context) => Promise<unknown>): Promise<void> {
    let left = statements;
    let isDead = false;
    const gone = () => {
      isDead = true;
      return Promise.reject(new Error('the worker is dead'));
    };
    const counted = <T extends Pick<Database, 'query'>>(db: T): T => ({
      ...db,
      query: ((...args: Parameters<T['query']>) =>
        left-- > 1 ? db.query(...(args as Parameters<Database['query']>)) : gone()) as T['query'],
    });
    const db: Database = {
      ...counted(shop.ctx.db),
      now: () => (left > 0 ? shop.ctx.db.now() : gone()),
      transaction: (work) => shop.ctx.db.transaction((inner) => work(counted(inner))),
    };
    await act({ ...shop.ctx, db }).catch((error) => {
      if (!isDead) throw error;
    });
    deaths += Number(isDead);
  }
}, 120_000);

async function dueNow(sessionId: string): Promise<void> {
  await shop.ctx.db.query(
    'test_due_now',
    'update route_orders o set due_at = $1 from payments p where p.id = o.payment_id and p.session_id = $2 and o.due_at is not null',
    [new Date(0), sessionId],
  );
}
