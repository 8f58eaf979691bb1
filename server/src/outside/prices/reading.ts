import type { Logger } from 'pino';
import { within } from '../../platform/time.ts';
import { type AgreedPrice, agreedPrice } from './median.ts';
import type { PriceSource, SourcePrice } from './source.ts';

/** How long the others are still waited for once more than half of the sources agree on a price. */
const GRACE_MS = 500;

interface ReadingOptions<Priced extends string> {
  sources: readonly PriceSource<Priced>[];
  symbols: readonly Priced[];
  at: Date;
  /** How old a price may be. */
  freshMs: number;
  log: Logger;
}

/** One reading of a group of symbols from every source. Each answer counts as soon as it is there. */
export class Reading<Priced extends string> {
  readonly at: Date;
  /** When every source has answered or failed. */
  readonly whole: Promise<void>;
  readonly #sources: number;
  readonly #freshMs: number;
  readonly #answers: Partial<Record<Priced, SourcePrice>>[] = [];
  #waiting: (() => void)[] = [];
  /** Begins once for all symbols: a price may need two of them. */
  #grace: Promise<void> | undefined;

  constructor({ sources, symbols, at, freshMs, log }: ReadingOptions<Priced>) {
    this.at = at;
    this.#freshMs = freshMs;
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
  price(symbol: Priced, now: Date): AgreedPrice | undefined {
    const prices = this.#answers.flatMap((answer) => answer[symbol] ?? []);
    return agreedPrice(prices, now, this.#freshMs);
  }

  /**
   * Resolves when more than half of all sources agree on a price, because the others cannot move the median out of
   * these, and at the latest when all have answered.
   */
  async decided(symbol: Priced, now: () => Date): Promise<void> {
    const isDecided = () => 2 * (this.price(symbol, now())?.sources.length ?? 0) > this.#sources;
    let look = () => {};
    const agreed = new Promise<void>((resolve) => {
      look = () => isDecided() && resolve();
    });
    this.#waiting.push(look);
    look();
    await Promise.race([agreed, this.whole]);
    this.#waiting = this.#waiting.filter((other) => other !== look);
    this.#grace ??= within(GRACE_MS, this.whole, undefined);
    await this.#grace;
  }
}
