import { type AssetSymbol, type Currency, EURO_COIN, isStablecoin } from '@quittance/contract';
import type { Logger } from 'pino';
import { TemporaryError } from '../../platform/errors.ts';
import { priceFailures } from '../../platform/metrics.ts';
import { Outage } from '../../platform/outage.ts';
import { createFixedPrices } from './fixed.ts';
import { MINUTE_MS, SECOND_MS, within } from '../../platform/time.ts';
import type { AgreedPrice } from './median.ts';
import { DISPLAY_CURRENCIES, type DisplayCurrency, type Prices, type Rate, type RateSource } from './prices.ts';
import { MissingPrices } from './missing-prices.ts';
import { Reading } from './reading.ts';
import { type MarketSource, PRICE_GROUPS, type PricedSymbol, type PriceSource, type SourcePrice } from './source.ts';

export interface MarketOptions {
  sources: readonly MarketSource[];
  fixed: Record<string, string>;
  log: Logger;
  now?: () => Date;
}

/** How old a price may be, and how long an answer is used before the sources are queried again. */
export const PRICE_AGES = { freshMs: 60 * SECOND_MS, ttlMs: 20 * SECOND_MS };
/** How long it is used while they are queried. */
const MAX_AGE_MS = 40 * SECOND_MS;
/** The same of rates that are only shown. */
const SHOWN = { freshMs: 10 * MINUTE_MS, ttlMs: 5 * MINUTE_MS };
/** How old a rate may be that is shown, or that says whether a stablecoin is in its band. */
const MAX_GLANCE_AGE_MS = 10 * MINUTE_MS;
/** How long a first answer is waited for. */
const MAX_GLANCE_MS = 1 * SECOND_MS;
const UNIT = 10n ** 18n;
const BAND = { min: (UNIT * 99n) / 100n, max: (UNIT * 101n) / 100n };

/**
 * Market prices: the median of at least two fresh sources. Dollars against dollar stablecoins are one to one by rule,
 * unless the coin has left its band on the market. Fails if the sources disagree; there is no last known price.
 */
export function createMarketPrices({ sources, fixed, log, now = () => new Date() }: MarketOptions): Prices {
  return new MarketPrices({ sources, fixed, log, now });
}

class MarketPrices implements Prices {
  readonly #now: () => Date;
  readonly #table: Prices;
  readonly #readings: ReadonlyMap<PricedSymbol, GroupReadings<PricedSymbol>>;
  readonly #currencies: GroupReadings<DisplayCurrency>;
  readonly #missing: MissingPrices;

  constructor({ sources, fixed, log, now }: Required<MarketOptions>) {
    this.#now = now;
    this.#missing = new MissingPrices(log);
    this.#table = createFixedPrices({ fixed, sources: 'fixed' });
    this.#readings = new Map(
      PRICE_GROUPS.flatMap((group) => {
        const readings = new GroupReadings<PricedSymbol>(group, {
          sources,
          log,
          now,
          ...PRICE_AGES,
          onWhole: (reading) => this.#missing.look(reading, group, now()),
        });
        return group.map((symbol) => [symbol, readings] as const);
      }),
    );
    const known = sources.flatMap(({ name, perDollar: read }) => (read ? [{ name, read }] : []));
    this.#currencies = new GroupReadings(DISPLAY_CURRENCIES, { sources: known, log, now, ...SHOWN });
  }

  fixedRate(asset: AssetSymbol, currency: Currency): Rate {
    return this.#table.fixedRate(asset, currency);
  }

  async rate(asset: AssetSymbol, currency: Currency): Promise<Rate> {
    const at = this.#now();
    if (asset === EURO_COIN && currency === 'EUR')
      return { asset, currency, at, numerator: UNIT, denominator: UNIT, sources: [{ source: 'par' }] };
    const [inUsd, [up, down, currencySources]] = await Promise.all([
      this.#assetInUsd(asset),
      this.#currencyInUsd(currency),
    ]);
    const usedSources = [...inUsd.sources, ...currencySources];
    return {
      asset,
      currency,
      at,
      numerator: inUsd.units * down,
      denominator: UNIT * up,
      sources: usedSources.length > 0 ? usedSources.map(toSource) : [{ source: currency === 'AED' ? 'peg' : 'par' }],
    };
  }

  async marketRate(coin: 'USDC' | 'USDT'): Promise<Rate> {
    const { units, sources } = await this.#requirePrice(coin);
    return {
      asset: coin,
      currency: 'USD',
      at: this.#now(),
      numerator: units,
      denominator: UNIT,
      sources: sources.map(toSource),
    };
  }

  fixedPerDollar(currency: DisplayCurrency): bigint | null {
    return this.#table.fixedPerDollar(currency);
  }

  async perDollar(currency: DisplayCurrency): Promise<bigint | null> {
    if (currency === 'USD' || currency === 'AED') return this.fixedPerDollar(currency);
    return (await this.#currencies.glance(currency))?.units ?? null;
  }

  async close(): Promise<void> {}

  /** The value of one unit of the asset in dollars, as 18-decimal units. */
  async #assetInUsd(asset: AssetSymbol): Promise<AgreedPrice> {
    if (!isStablecoin(asset)) return this.#requirePrice(asset === EURO_COIN ? 'EUR' : asset);
    const market = await this.#readings.get(asset)?.glance(asset);
    if (market && (market.units < BAND.min || market.units > BAND.max)) {
      throw new TemporaryError(`${asset} trades outside its band around one dollar and is not quoted until it is back`);
    }
    return { units: UNIT, sources: [] };
  }

  async #currencyInUsd(currency: Currency): Promise<[numerator: bigint, denominator: bigint, sources: SourcePrice[]]> {
    if (currency === 'EUR') {
      const { units, sources } = await this.#requirePrice('EUR');
      return [units, UNIT, sources];
    }
    const { numerator, denominator } = this.#table.fixedRate('USDC', currency);
    // One dollar costs numerator/denominator of the currency, so one of the currency is worth the inverse.
    return [denominator, numerator, []];
  }

  async #requirePrice(symbol: PricedSymbol): Promise<AgreedPrice> {
    const price = await this.#readings.get(symbol)?.find(symbol);
    if (price) return price;
    this.#missing.notFound(symbol, this.#now());
    throw new TemporaryError(`fewer than two fresh sources agree on the price of ${symbol}`);
  }
}

function toSource({ source, price, at }: SourcePrice): RateSource {
  return { source, price, at: at.toISOString() };
}

interface GroupOptions<Priced extends string> extends Required<Pick<MarketOptions, 'log' | 'now'>> {
  sources: readonly PriceSource<Priced>[];
  freshMs: number;
  ttlMs: number;
  onWhole?: (reading: Reading<Priced>) => void;
}

/** The readings of one group, shared by all callers. */
class GroupReadings<Priced extends string> {
  readonly #options: GroupOptions<Priced>;
  readonly #symbols: readonly Priced[];
  readonly #outages: ReadonlyMap<string, Outage>;
  #latest: Reading<Priced> | undefined;
  #running: Reading<Priced> | undefined;

  constructor(symbols: readonly Priced[], options: GroupOptions<Priced>) {
    this.#symbols = symbols;
    this.#options = options;
    this.#outages = new Map(options.sources.map(({ name }) => [name, new Outage()]));
    for (const { name: source } of options.sources) priceFailures.inc({ source }, 0);
  }

  /** The agreed price. While the last one can still be used, a newer one is read in the background. */
  async find(symbol: Priced): Promise<AgreedPrice | undefined> {
    const { now } = this.#options;
    this.#refresh();
    const known = this.#ageMs() < MAX_AGE_MS ? this.#latest?.price(symbol, now()) : undefined;
    const running = this.#running;
    if (known || !running) return known;
    await running.decided(symbol, now);
    return running.price(symbol, now());
  }

  /** The last agreed price, without waiting for a source that answers slowly. */
  async glance(symbol: Priced): Promise<AgreedPrice | undefined> {
    const { now } = this.#options;
    this.#refresh();
    const last = this.#ageMs() < MAX_GLANCE_AGE_MS ? this.#latest : undefined;
    const known = last?.price(symbol, last.at);
    const running = this.#running;
    if (known || !running) return known;
    await within(MAX_GLANCE_MS, running.decided(symbol, now), undefined);
    return running.price(symbol, now());
  }

  #ageMs(): number {
    return this.#latest ? this.#options.now().getTime() - this.#latest.at.getTime() : Number.POSITIVE_INFINITY;
  }

  #refresh(): void {
    const { ttlMs, now, onWhole, ...options } = this.#options;
    if (this.#running || this.#ageMs() < ttlMs) return;
    const reading = new Reading({ ...options, symbols: this.#symbols, at: now(), outages: this.#outages });
    this.#running = reading;
    void reading.whole.then(() => {
      this.#latest = reading;
      this.#running = undefined;
      onWhole?.(reading);
    });
  }
}
