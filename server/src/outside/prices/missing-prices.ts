import type { Logger } from 'pino';
import { pricesDecided } from '../../platform/metrics.ts';
import { Outage } from '../../platform/outage.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import type { Reading } from './reading.ts';
import type { PricedSymbol } from './source.ts';

const ALARM_AFTER_MS = 10 * MINUTE_MS;
/** Prices are read only when one is needed, so an older failure does not show that the price was missing since. */
const FORGOTTEN_AFTER_MS = DAY_MS;

/** The prices that were needed and not decided, until a reading decides them. It starts no reading itself. */
export class MissingPrices {
  readonly #log: Logger;
  readonly #missing = new Map<PricedSymbol, { since: Date; askedAt: Date; outage: Outage }>();

  constructor(log: Logger) {
    this.#log = log;
  }

  notFound(symbol: PricedSymbol, at: Date): void {
    const before = this.#remembered(symbol, at) ?? { since: at, outage: new Outage() };
    this.#missing.set(symbol, { ...before, askedAt: at });
  }

  /** Looks at a reading that is whole. */
  look(reading: Reading<PricedSymbol>, symbols: readonly PricedSymbol[], now: Date): void {
    for (const symbol of symbols) {
      const pair = `${symbol}/USD`;
      if (reading.price(symbol, now)) {
        this.#missing.delete(symbol);
        pricesDecided.set({ pair }, now.getTime() / SECOND_MS);
        continue;
      }
      const { since, outage } = this.#remembered(symbol, now) ?? {};
      if (since && now.getTime() - since.getTime() >= ALARM_AFTER_MS && outage?.isDue())
        this.#log.error(
          { alarm: 'prices_missing', pair, since, failed: reading.failed.join(', '), answers: reading.answers(symbol) },
          'price missing: whenever it was needed in ten minutes or more, too few sources agreed',
        );
    }
  }

  #remembered(symbol: PricedSymbol, now: Date) {
    const missing = this.#missing.get(symbol);
    return missing && now.getTime() - missing.askedAt.getTime() < FORGOTTEN_AFTER_MS ? missing : undefined;
  }
}
