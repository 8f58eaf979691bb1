import type { Logger } from 'pino';
import { pricesDecided } from '../../platform/metrics.ts';
import { Outage } from '../../platform/outage.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import type { Reading } from './reading.ts';
import type { PricedSymbol } from './source.ts';

const ALARM_AFTER_MS = 10 * MINUTE_MS;
/** Nothing is read unless a price is needed. What failed longer ago says nothing about the time between. */
const FORGOTTEN_AFTER_MS = DAY_MS;

/** The prices that were asked for in vain, until a reading decides them. It causes no reading of its own. */
export class MissingPrices {
  readonly #log: Logger;
  readonly #missing = new Map<PricedSymbol, { since: Date; askedAt: Date; outage: Outage }>();

  constructor(log: Logger) {
    this.#log = log;
  }

  begin(symbol: PricedSymbol, at: Date): void {
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
          'no reliable price whenever one was needed for ten minutes or longer: customers could not choose how to pay',
        );
    }
  }

  #remembered(symbol: PricedSymbol, now: Date) {
    const missing = this.#missing.get(symbol);
    return missing && now.getTime() - missing.askedAt.getTime() < FORGOTTEN_AFTER_MS ? missing : undefined;
  }
}
