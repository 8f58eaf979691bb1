import type { Logger } from 'pino';
import { SECOND_MS, within } from '../../platform/time.ts';
import { type AgreedPrice, agreedPrice } from './median.ts';
import type { PricedSymbol, PriceSource, SourcePrice } from './source.ts';

export const FRESH_MS = 60 * SECOND_MS;
/** How long the others are still waited for once more than half of the sources agree. */
const GRACE_MS = 500;

interface ReadingOptions {
  sources: readonly PriceSource[];
  symbols: readonly PricedSymbol[];
  at: Date;
  log: Logger;
}

/** One reading of a group of symbols from every source. Each answer counts as soon as it is there. */
export class Reading {
  readonly at: Date;
  /** When every source has answered or failed. */
  readonly whole: Promise<void>;
  readonly #sources: number;
  readonly #answers: Partial<Record<PricedSymbol, SourcePrice>>[] = [];
  #waiting: (() => void)[] = [];

  constructor({ sources, symbols, at, log }: ReadingOptions) {
    this.at = at;
    this.#sources = sources.length;
    this.whole = Promise.all(
      sources.map(async (source) => {
        try {
          this.#answers.push(await source.read(at, symbols));
        } catch (error) {
          log.warn({ source: source.name, symbols, error: (error as Error).message }, 'price source failed');
        }
        for (const look of this.#waiting) look();
      }),
    ).then(() => {});
  }

  /** What the sources that have answered agree on. */
  price(symbol: PricedSymbol, now: Date): AgreedPrice | undefined {
    const prices = this.#answers.flatMap((answer) => answer[symbol] ?? []);
    return agreedPrice(prices, now, FRESH_MS);
  }

  /**
   * Resolves when more than half of all sources agree on a price, because the others cannot move the median out of
   * these, and at the latest when all have answered.
   */
  async decided(symbol: PricedSymbol, now: () => Date): Promise<void> {
    const isDecided = () => 2 * (this.price(symbol, now())?.sources.length ?? 0) > this.#sources;
    let look = () => {};
    const agreed = new Promise<void>((resolve) => {
      look = () => isDecided() && resolve();
    });
    this.#waiting.push(look);
    look();
    await Promise.race([agreed, this.whole]);
    this.#waiting = this.#waiting.filter((other) => other !== look);
    await within(GRACE_MS, this.whole, undefined);
  }
}
