import type { Config } from '../config.ts';
import { createSources } from '../outside/prices/create-prices.ts';
import { agreedPrice } from '../outside/prices/median.ts';
import { PRICE_AGES } from '../outside/prices/market.ts';
import { type MarketSource, PRICE_GROUPS, type SourcePrice } from '../outside/prices/source.ts';
import type { Finding } from './finding.ts';

const [NEEDED] = PRICE_GROUPS;

/** Each price source, asked once as the service asks it, and the prices that too few of them agree on. */
export async function checkPrices({ prices }: Pick<Config, 'prices'>): Promise<Finding[]> {
  if (prices.sources === 'fixed')
    return [{ state: 'ok', subject: 'prices', details: 'the fixed ones of PRICES_FIXED' }];
  const now = new Date();
  const asked = await Promise.all(createSources(prices.sources, prices.urls).map((source) => ask(source, now)));
  const missing = NEEDED.filter((symbol) => {
    const answers = asked.flatMap(({ answer }) => answer[symbol] ?? []);
    return !agreedPrice(answers, new Date(), PRICE_AGES.freshMs);
  });
  return [
    ...asked.map(({ finding }) => finding),
    missing.length === 0
      ? { state: 'ok', subject: 'prices', details: `at least two sources agree on ${NEEDED.join(', ')}` }
      : {
          state: 'failed',
          subject: 'prices',
          details: `fewer than two sources agree on ${missing.join(', ')}: what needs these prices cannot be paid`,
        },
  ];
}

async function ask(
  source: MarketSource,
  now: Date,
): Promise<{ answer: Partial<Record<string, SourcePrice>>; finding: Finding }> {
  const subject = `prices: ${source.name}`;
  try {
    const answer = await source.read(now, NEEDED);
    const names = NEEDED.filter((symbol) => answer[symbol]);
    // None has to know them all.
    const details = names.length > 0 ? `names ${names.join(', ')}` : 'names no price';
    return { answer, finding: { state: names.length > 0 ? 'ok' : 'warning', subject, details } };
  } catch (error) {
    const { message, cause } = error as Error;
    const details = (cause as Error | undefined)?.message || message;
    const settings = `PRICES_${source.name.toUpperCase()}_URL`;
    return { answer: {}, finding: { state: 'warning', subject, details, settings } };
  }
}
