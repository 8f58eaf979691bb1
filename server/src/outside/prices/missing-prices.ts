import type { Logger } from 'pino';
import { pricesDecided } from '../../platform/metrics.ts';
import { Outage } from '../../platform/outage.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import type { Reading } from './reading.ts';
import type { PricedSymbol } from './source.ts';

const ALARM_AFTER_MS = 10 * MINUTE_MS;

/** The prices that were asked for in vain, until a reading decides them. It causes no reading of its own. */
export class MissingPrices {
  readonly #log: Logger;
  readonly #missing = new Map<PricedSymbol, { since: Date; outage: Outage }>();

  constructor(log: Logger) {
    this.#log = log;
  }

  begin(symbol: PricedSymbol, since: Date): void {
    if (!this.#missing.has(symbol)) this.#missing.set(symbol, { since, outage: new Outage() });
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
      const { since, outage } = this.#missing.get(symbol) ?? {};
      if (since && now.getTime() - since.getTime() >= ALARM_AFTER_MS && outage?.isDue())
        this.#log.error(
          { alarm: 'prices_missing', pair, since, failed: reading.failed.join(', '), answers: reading.answers(symbol) },
          'no reliable price for ten minutes: customers who need it cannot choose how to pay',
        );
    }
  }
}
