import { randomBytes } from 'node:crypto';
import type { RouteProgress, Router } from '../../../src/outside/routers/router.ts';
import { sandboxAddress } from '../../../src/outside/routers/sandbox/addresses.ts';
import { TemporaryError } from '../../../src/platform/errors.ts';
import { later } from '../../../src/platform/time.ts';
import { routesJobs } from '../../../src/resources/routed-payments/follow.ts';
import type { Settlement } from '../settlement.ts';
import { runAll } from './lanes.ts';

/** The refund address that the customer names by default. */
export const BITCOIN = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';

export type ScriptedProvider = ReturnType<typeof scripted>;

/** A provider with scripted answers. */
export function scripted(name: string) {
  const said = new Map<string, RouteProgress>();
  const orders: { recipient: string; refundAddress: string }[] = [];
  let failure: Error | null = null;
  let isSilent = false;
  let held: Promise<void> | null = null;
  let asked = 0;
  const router: Router = {
    name,
    supports: async () => true,
    async preview(request) {
      return {
        provider: name,
        inputUnits: 81_000n,
        outputUnits: request.outputUnits,
        expiresAt: later(new Date(), 90_000),
      };
    },
    async order(request) {
      if (failure) throw failure;
      orders.push({ recipient: request.recipient, refundAddress: request.refundAddress });
      return {
        provider: name,
        reference: randomBytes(8).toString('hex'),
        depositAddress: sandboxAddress(request.pay.network, randomBytes(8).toString('hex')),
        inputUnits: 81_000n,
        minimumInputUnits: 80_000n,
        outputUnits: request.outputUnits,
        refundAddress: request.refundAddress,
        expiresAt: request.deadline,
        deadline: request.deadline,
        raw: {},
      };
    },
    async progress({ reference }) {
      asked += 1;
      await held;
      if (isSilent) throw new TemporaryError('silence');
      return said.get(reference) ?? { state: 'waiting' };
    },
    close: async () => {},
  };
  return {
    router,
    ordered: orders,
    say: (reference: string, progress: RouteProgress) => void said.set(reference, progress),
    fail: (error: Error | null) => {
      failure = error;
    },
    silence: (yes: boolean) => {
      isSilent = yes;
    },
    /** Lets every question wait until the returned function is called. */
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = null;
        resolve();
      };
    },
    askedSince: (before = 0) => asked - before,
  };
}

/** The customer pays in bitcoin. */
export function chooseBitcoin(shop: Settlement, sessionId: string, refundAddress = BITCOIN): Promise<any> {
  return shop.choose(sessionId, { pay_asset: 'BTC', pay_network: 'bitcoin', refund_address: refundAddress });
}

/** Asks the provider about every open order, also those that are not due yet. */
export async function pollOrders({ ctx }: Settlement): Promise<void> {
  await ctx.db.query('test_due', 'update route_orders set due_at = $1 where due_at is not null', [new Date(0)]);
  await runAll(routesJobs(ctx.routers), ctx);
}
