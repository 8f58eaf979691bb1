import type { Logger } from 'pino';
import { coinbase } from './coinbase.ts';
import { coingecko } from './coingecko.ts';
import { createFixedPrices } from './fixed.ts';
import { kraken } from './kraken.ts';
import { createMarketPrices } from './market.ts';
import type { Prices } from './prices.ts';
import type { MarketSource } from './source.ts';
import { pyth } from './pyth.ts';

export interface PriceSettings {
  sources: readonly ('coinbase' | 'kraken' | 'pyth' | 'coingecko')[] | 'fixed';
  fixed: Record<string, string>;
  urls: Record<string, string>;
}

const SOURCES = { coinbase, kraken, pyth, coingecko };
const TIMEOUT_MS = 4_000;

/** The configured prices: the fixed table, or market prices from the configured sources. */
export function createPrices(settings: PriceSettings, log: Logger): Prices {
  if (settings.sources === 'fixed') return createFixedPrices(settings);
  const sources = createSources(settings.sources, settings.urls);
  return createMarketPrices({ sources, fixed: settings.fixed, log });
}

export function createSources(names: readonly (keyof typeof SOURCES)[], urls: PriceSettings['urls']): MarketSource[] {
  return names.map((name) => SOURCES[name](urls[name] ?? '', TIMEOUT_MS));
}
