import type { Asset } from '@quittance/contract';
import type { Db } from '../../../platform/db/db.ts';
import { mulDivUp } from '../../../platform/money.ts';
import { later, MINUTE_MS } from '../../../platform/time.ts';
import type { Prices } from '../../prices/prices.ts';
import type { RouteProgress, RouteRequest, Router } from '../router.ts';
import { sandboxDepositAddress } from './addresses.ts';
import { type SandboxOrder, findSandboxOrder, insertSandboxOrder } from './order-store.ts';

const NAME = 'sandbox';
const OFFER_MS = 30 * MINUTE_MS;
/** The cost of a conversion on top of the service fee, in basis points: the network's and the provider's share. */
const SPREAD_BPS = 50n;
/** The service fee is deducted from the converted amount, in basis points. */
const FEE_BPS = 150n;
const SLIPPAGE_BPS = 100n;

/** A route provider that exists only in the database. It converts the test wallet's deposits by the fixed table. */
export function createSandboxRouter(db: Db, prices: Pick<Prices, 'fixedRate'>): Router {
  return {
    name: NAME,
    async supports(pay, receive) {
      return pay.key !== receive.key && receive.receivable;
    },
    async preview(request) {
      return {
        provider: NAME,
        inputUnits: inputFor(request, prices),
        outputUnits: request.outputUnits,
        expiresAt: later(new Date(), OFFER_MS),
      };
    },
    async order(request) {
      const inputUnits = inputFor(request, prices);
      const depositAddress = sandboxDepositAddress(request.pay.network, request.reference);
      const asked = {
        pay: request.pay.key,
        receive: request.receive.key,
        recipient: request.recipient,
        output: request.outputUnits.toString(),
        refundTo: request.refundAddress,
      };
      await insertSandboxOrder(db, request.reference, depositAddress, asked);
      return {
        provider: NAME,
        reference: request.reference,
        depositAddress,
        inputUnits,
        minimumInputUnits: inputUnits - (inputUnits * SLIPPAGE_BPS) / 10_000n,
        outputUnits: request.outputUnits,
        refundAddress: request.refundAddress,
        expiresAt: request.deadline,
        deadline: request.deadline,
        raw: asked,
      };
    },
    async progress({ reference }) {
      return progressOf(await findSandboxOrder(db, reference));
    },
    async close() {},
  };
}

function progressOf(order: SandboxOrder): RouteProgress {
  switch (order.state) {
    case 'waiting':
      return { state: 'waiting' };
    case 'seen':
      return { state: 'seen', depositedUnits: order.depositedUnits, depositedAt: order.depositedAt };
    case 'short':
      return { state: 'short', depositedUnits: order.depositedUnits ?? 0n };
    case 'converting':
      return { state: 'converting', depositedAt: order.depositedAt };
    case 'delivering':
      return { state: 'delivering', payoutTxHashes: order.payoutTxHashes };
    case 'done':
      return { state: 'done', payoutTxHashes: order.payoutTxHashes, outputUnits: order.outputUnits };
    case 'returned':
      return { state: 'returned', reason: order.reason, refundedUnits: order.depositedUnits };
    case 'stuck':
    case 'dead':
      return { state: order.state, reason: order.reason ?? 'route_failed' };
  }
}

/** The required input, so that the output and all costs are covered. */
function inputFor(
  { pay, receive, outputUnits }: Pick<RouteRequest, 'pay' | 'receive' | 'outputUnits'>,
  prices: Pick<Prices, 'fixedRate'>,
): bigint {
  const from = prices.fixedRate(receive.asset, 'USD');
  const to = prices.fixedRate(pay.asset, 'USD');
  const worth = mulDivUp(
    outputUnits * scaleOf(pay),
    from.numerator * to.denominator,
    from.denominator * to.numerator * scaleOf(receive),
  );
  return mulDivUp(worth, 10_000n + SPREAD_BPS, 10_000n - FEE_BPS);
}

function scaleOf(asset: Asset): bigint {
  return 10n ** BigInt(asset.decimals);
}
