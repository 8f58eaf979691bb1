import type { RouteProgress, RouteRequest, Router } from '../../../../src/outside/routers/router.ts';
import { sandboxAddress } from '../../../../src/outside/routers/sandbox/addresses.ts';
import { MINUTE_MS } from '../../../../src/platform/time.ts';
import type { Ledger } from '../../simulation/ledger.ts';
import type { Random } from '../../simulation/random.ts';

/** A route provider that delivers, and counts its requests. */
export interface Converter {
  router: Router;
  orders: number;
  previews: number;
  /** A customer's deposit at this address arrives, and the provider pays the merchant. */
  deposit(address: string): void;
}

export function createConverter(ledger: Ledger, random: Random): Converter {
  const orders = new Map<string, { request: RouteRequest; reference: string }>();
  const progress = new Map<string, RouteProgress>();
  const inputFor = ({ outputUnits }: RouteRequest) => outputUnits + outputUnits / 500n;

  const converter: Converter = {
    orders: 0,
    previews: 0,
    deposit(address) {
      const order = orders.get(address);
      if (!order) throw new Error(`no order has the deposit address ${address}`);
      const { request, reference } = order;
      const hash = random.hex(32);
      ledger.send({
        hash,
        reverted: false,
        contract: false,
        movements: [
          {
            index: 0,
            asset: request.receive.asset,
            from: random.hex(20),
            to: request.recipient,
            amountUnits: request.outputUnits,
            carried: [],
            meantFor: null,
          },
        ],
      });
      progress.set(reference, { state: 'done', payoutTxHashes: [hash], outputUnits: request.outputUnits });
    },
    router: {
      name: 'converter',
      supports: async () => true,
      async preview(request) {
        converter.previews += 1;
        const { outputUnits } = request;
        const expiresAt = new Date(Date.now() + MINUTE_MS);
        return { provider: 'converter', inputUnits: inputFor(request), outputUnits, expiresAt };
      },
      async order(request) {
        converter.orders += 1;
        const { outputUnits, reference, refundAddress, deadline } = request;
        const depositAddress = sandboxAddress(request.pay.network, random.hex(12));
        orders.set(depositAddress, { request, reference });
        const inputUnits = inputFor(request);
        return {
          provider: 'converter',
          reference,
          depositAddress,
          inputUnits,
          minimumInputUnits: inputUnits,
          outputUnits,
          refundAddress,
          expiresAt: deadline,
          deadline,
          raw: {},
        };
      },
      progress: async ({ reference }) => progress.get(reference) ?? { state: 'waiting' },
      close: async () => {},
    },
  };
  return converter;
}
