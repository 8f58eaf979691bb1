import {
  RouteRefusedError,
  type RoutePreview,
  type Router,
  type RouteRequest,
} from '../../../src/outside/routers/router.ts';
import { PermanentError, TemporaryError } from '../../../src/platform/errors.ts';

/** A provider with scripted answers that records its requests. */
export class ScriptedRouter implements Router {
  readonly name: string;
  readonly asked: RouteRequest[] = [];
  answer: 'one to one' | 'refused' | 'down' | 'missing' | 'lying' = 'one to one';
  offerMs = 120_000;
  /** The factor of its price over the fixed price. */
  premium = 1;
  constructor(name: string) {
    this.name = name;
  }

  async supports() {
    return this.answer !== 'missing';
  }

  async preview(request: RouteRequest): Promise<RoutePreview> {
    this.asked.push(request);
    if (this.answer === 'lying') throw new PermanentError(`${this.name} answers something else`);
    if (this.answer === 'down') throw new TemporaryError(`${this.name} does not answer`);
    if (this.answer === 'refused') throw new RouteRefusedError('too little');
    const inputUnits = (atFixedPrice(request) * BigInt(Math.round(this.premium * 10_000))) / 10_000n + 1n;
    return {
      provider: this.name,
      inputUnits,
      outputUnits: request.outputUnits,
      expiresAt: new Date(Date.now() + 20_000 + this.offerMs),
    };
  }

  order = () => Promise.reject(new Error('a quote orders nothing'));
  progress = () => Promise.reject(new Error('a quote follows nothing'));
  close = () => Promise.resolve();
}

// In cents, from the fixed table.
const CENTS: Record<string, bigint> = {
  USDC: 100n,
  USDT: 100n,
  ETH: 250_000n,
  SOL: 15_000n,
  BTC: 6_000_000n,
  BNB: 60_000n,
  POL: 50n,
  AVAX: 3_000n,
  TRX: 15n,
};

function atFixedPrice({ pay, receive, outputUnits }: RouteRequest): bigint {
  const [worth, price] = [
    outputUnits * (CENTS[receive.asset] as bigint) * 10n ** BigInt(pay.decimals),
    (CENTS[pay.asset] as bigint) * 10n ** BigInt(receive.decimals),
  ];
  return (worth + price - 1n) / price;
}
