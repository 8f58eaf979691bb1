import type { Logger } from 'pino';
import { priceFailures } from '../../platform/metrics.ts';
import type { Outage } from '../../platform/outage.ts';
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
  /** Of each source, by its name. */
  outages: ReadonlyMap<string, Outage>;
}

/** One reading of a group of symbols from every source. Each answer counts as soon as it is there. */
export class Reading<Priced extends string> {
  readonly at: Date;
  /** When every source has answered or failed. */
  readonly whole: Promise<void>;
  /** The sources that have failed. */
  readonly failed: string[] = [];
  readonly #sources: number;
  readonly #freshMs: number;
  readonly #answers: Partial<Record<Priced, SourcePrice>>[] = [];
  #waiting: (() => void)[] = [];
  /** Begins once for all symbols: a price may need two of them. */
  #grace: Promise<void> | undefined;

  constructor({ sources, symbols, at, freshMs, log, outages }: ReadingOptions<Priced>) {
    this.at = at;
    this.#freshMs = freshMs;
    this.#sources = sources.length;
    this.whole = Promise.all(
      sources.map(async (source) => {
        try {
          this.#answers.push(await source.read(at, symbols));
          outages.get(source.name)?.end();
        } catch (error) {
          this.failed.push(source.name);
          priceFailures.inc({ source: source.name });
          if (outages.get(source.name)?.isDue())
            log.warn({ source: source.name, symbols, error: (error as Error).message }, 'price source failed');
        }
        for (const look of this.#waiting) look();
      }),
    ).then(() => {});
  }

  /** What the sources that have answered agree on. */
  price(symbol: Priced, now: Date): AgreedPrice | undefined {
    return agreedPrice(this.answers(symbol), now, this.#freshMs);
  }

  /** What each source has answered. */
  answers(symbol: Priced): SourcePrice[] {
    return this.#answers.flatMap((answer) => answer[symbol] ?? []);
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
