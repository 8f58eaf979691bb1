import { type AssetSymbol, type Currency, isStablecoin } from '@quittance/contract';
import type { Logger } from 'pino';
import { TemporaryError } from '../../platform/errors.ts';
import { createFixedPrices } from './fixed.ts';
import { type AgreedPrice, agreedPrice } from './median.ts';
import type { Prices, Rate, RateSource } from './prices.ts';
import { PRICE_GROUPS, type PricedSymbol, type PriceSource, type SourcePrice } from './source.ts';

export interface MarketOptions {
  sources: readonly PriceSource[];
  fixed: Record<string, string>;
  log: Logger;
  now?: () => Date;
}

const FRESH_MS = 60_000;
/** How long an answer is used before the sources are queried again. */
const CACHE_TTL_MS = 20_000;
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
  readonly #readings: ReadonlyMap<PricedSymbol, () => Promise<GroupPrices>>;

  constructor({ sources, fixed, log, now }: Required<MarketOptions>) {
    this.#now = now;
    this.#table = createFixedPrices({ fixed, sources: 'fixed' });
    this.#readings = new Map(
      PRICE_GROUPS.flatMap((group) => {
        const reading = createReading(group, { sources, log, now });
        return group.map((symbol): [PricedSymbol, () => Promise<GroupPrices>] => [symbol, reading]);
      }),
    );
  }

  fixedRate(asset: AssetSymbol, currency: Currency): Rate {
    return this.#table.fixedRate(asset, currency);
  }

  async rate(asset: AssetSymbol, currency: Currency): Promise<Rate> {
    const at = this.#now();
    const inUsd = await this.#assetInUsd(asset);
    const [up, down, currencySources] = await this.#currencyInUsd(currency);
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

  async close(): Promise<void> {}

  /** The value of one unit of the asset in dollars, as 18-decimal units. */
  async #assetInUsd(asset: AssetSymbol): Promise<AgreedPrice> {
    if (!isStablecoin(asset)) return this.#requirePrice(asset);
    const market = await this.#findPrice(asset);
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
    const price = await this.#findPrice(symbol);
    if (!price) throw new TemporaryError(`fewer than two fresh sources agree on the price of ${symbol}`);
    return price;
  }

  async #findPrice(symbol: PricedSymbol): Promise<AgreedPrice | undefined> {
    const prices = await this.#readings.get(symbol)?.();
    return agreedPrice(prices?.get(symbol) ?? [], this.#now(), FRESH_MS);
  }
}

function toSource({ source, price, at }: SourcePrice): RateSource {
  return { source, price, at: at.toISOString() };
}

type GroupPrices = Map<PricedSymbol, SourcePrice[]>;

/** Reads one group from every source, shared by all callers within the cache time. */
function createReading(
  group: readonly PricedSymbol[],
  { sources, log, now }: Required<Pick<MarketOptions, 'sources' | 'log' | 'now'>>,
): () => Promise<GroupPrices> {
  let read: { at: Date; prices: GroupPrices } | undefined;
  let reading: Promise<GroupPrices> | undefined;

  async function readAll(): Promise<GroupPrices> {
    const at = now();
    const answers = await Promise.all(
      sources.map((source) =>
        source.read(at, group).catch((error: unknown) => {
          log.warn({ source: source.name, symbols: group, error: (error as Error).message }, 'price source failed');
          return {} as Partial<Record<PricedSymbol, SourcePrice>>;
        }),
      ),
    );
    const prices = new Map(group.map((symbol) => [symbol, answers.flatMap((answer) => answer[symbol] ?? [])]));
    read = { at, prices };
    return prices;
  }

  return () => {
    if (read && now().getTime() - read.at.getTime() < CACHE_TTL_MS) return Promise.resolve(read.prices);
    reading ??= readAll().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}
