import { setTimeout as pause } from 'node:timers/promises';
import { findAssetByKey } from '@quittance/contract';
import { requiredUnits } from '../../../src/settlement/records/amounts.ts';
import { isRound, tiersOf } from '../../../src/settlement/records/exact-amounts.ts';
import { QUARANTINE_MS, QUARANTINE_WITH_EVIDENCE_MS } from '../../../src/settlement/records/reserved-amount-store.ts';
import { registerOwner } from '../../../src/settlement/records/address-owner-store.ts';
import type { Flood } from './flood.ts';
import type { Settlement } from '../../support/settlement.ts';

/** Checkouts of each of the three runs. */
const DEFAULT_SIZE = 600;
const PRICE = '49.00';
const PRICE_MINOR = 4900n;
/** The minimum rate for one wallet, and how much faster the paced run is. */
const MIN_PER_MINUTE = 100;
const PACED_PER_MINUTE = 300;
const AT_ONCE = 8;
const SESSION_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** How much slower a checkout page may render while checkouts of one price arrive. */
const MAX_PAGE_RATIO = 2;
/** The share of the price's amounts in use before the last run. */
const NEARLY_FULL = 0.95;

/**
 * Checkouts of one price at one proved wallet: how many a minute get an exact amount, and how long the first page takes
 * meanwhile. First with the amounts of an hour and a half of unpaid checkouts in use, then with 95 % of the price's
 * amounts in use. `size` is the number of checkouts of each run.
 */
export const capacity: Flood = async (shop, { size = DEFAULT_SIZE, say = () => {} } = {}) => {
  const at = await shop.ctx.db.now();
  const { accountId } = shop.merchant;
  const place = { livemode: true, network: 'ethereum' as const, address: shop.wallet };
  await registerOwner(shop.ctx.db, { ...place, accountId, method: 'signature', at });
  const failures: string[] = [];
  const amounts = countAmounts();
  const perMinute = (heldMs: number) => Math.floor(amounts / (heldMs / MINUTE_MS));

  say('pages alone');
  const alone = await run(shop, Math.min(size, 200), { perMinute: PACED_PER_MINUTE, isPaying: false });
  const unpaidHeld = MIN_PER_MINUTE * ((SESSION_MS + QUARANTINE_MS) / MINUTE_MS);
  await useUp(shop, unpaidHeld);
  say(`${size} checkouts, ${PACED_PER_MINUTE} a minute, ${unpaidHeld} amounts in use`);
  const paced = await run(shop, size, { perMinute: PACED_PER_MINUTE, isPaying: true });
  say(`${size} checkouts, ${AT_ONCE} at once`);
  const fast = await run(shop, size, { perMinute: null, isPaying: true });
  say(`${size} checkouts, ${AT_ONCE} at once, ${NEARLY_FULL * 100} % of ${amounts} amounts in use`);
  await useUp(shop, Math.floor(amounts * NEARLY_FULL));
  const full = await run(shop, size, { perMinute: null, isPaying: true });

  const shown = [...paced.shown, ...fast.shown, ...full.shown];
  const pageRatio = Math.round((paced.pageMs / alone.pageMs) * 100) / 100;
  if (new Set(shown).size !== 3 * size)
    failures.push(`${3 * size} checkouts were shown ${new Set(shown).size} exact amounts`);
  for (const [name, { perMinute: reached }] of Object.entries({ fast, full }))
    if (reached < MIN_PER_MINUTE) failures.push(`the ${name} run served ${reached} checkouts a minute`);
  if (pageRatio > MAX_PAGE_RATIO) failures.push(`the first page took ${pageRatio} times as long`);
  return {
    figures: {
      amountsOfPrice: amounts,
      computedPerMinuteUnpaid: perMinute(SESSION_MS + QUARANTINE_MS),
      computedPerMinuteAllPaid: perMinute(QUARANTINE_WITH_EVIDENCE_MS),
      checkouts: shown.length,
      distinctAmounts: new Set(shown).size,
      pacedPerMinute: paced.perMinute,
      fastPerMinute: fast.perMinute,
      nearlyFullPerMinute: full.perMinute,
      chooseMs: paced.chooseMs,
      chooseNearlyFullMs: full.chooseMs,
      firstPageAloneMs: alone.pageMs,
      firstPagePacedMs: paced.pageMs,
      firstPageRatio: pageRatio,
      firstPageAloneP99Ms: alone.pageP99Ms,
      firstPagePacedP99Ms: paced.pageP99Ms,
    },
    failures,
  };
};

interface Run {
  shown: string[];
  perMinute: number;
  /** Median of the choice, and median and 99th percentile of the first page. */
  chooseMs: number;
  pageMs: number;
  pageP99Ms: number;
}

/** Customers with their own client addresses, who open the checkout page and choose to pay. */
async function run(
  shop: Settlement,
  size: number,
  { perMinute, isPaying }: { perMinute: number | null; isPaying: boolean },
): Promise<Run> {
  const ids: string[] = [];
  for (let one = 0; one < size; one += 1) ids.push((await shop.session({ amount: PRICE })).id);
  const [shown, pages, choices]: [string[], number[], number[]] = [[], [], []];
  const customer = async (id: string, at: number) => {
    const from = `198.${18 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}`;
    const [page, pageMs] = await timed(() => shop.app.inject('GET', `/checkout/${id}`, { from }));
    if (page.status !== 200) throw new Error(`the page answered ${page.status}`);
    pages.push(pageMs);
    if (!isPaying) return;
    const body = { pay_asset: 'USDC', pay_network: 'ethereum' };
    const [answer, chooseMs] = await timed(() =>
      shop.app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, { body, from }),
    );
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.raw}`);
    choices.push(chooseMs);
    shown.push(answer.body.data.payment.amount);
  };

  const startedAt = performance.now();
  if (perMinute === null) {
    const queue = ids.entries();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const [at, id] of queue) await customer(id, at);
      }),
    );
  } else {
    const running: Promise<void>[] = [];
    for (const [at, id] of ids.entries()) {
      await pause(Math.max(0, startedAt + (at * MINUTE_MS) / perMinute - performance.now()));
      running.push(customer(id, at));
    }
    await Promise.all(running);
  }
  const tookMs = performance.now() - startedAt;
  return {
    shown,
    perMinute: Math.round((size * MINUTE_MS) / tookMs),
    chooseMs: quantile(choices, 0.5),
    pageMs: quantile(pages, 0.5),
    pageP99Ms: quantile(pages, 0.99),
  };
}

/** The quantile, to a tenth of a millisecond. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round((sorted[Math.floor(share * (sorted.length - 1))] ?? 0) * 10) / 10;
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const startedAt = performance.now();
  return [await work(), performance.now() - startedAt];
}

function countAmounts(): number {
  const usdc = findAssetByKey('USDC_ETHEREUM');
  if (!usdc) throw new Error('there is no USDC on Ethereum');
  const required = requiredUnits(PRICE_MINOR, usdc, { numerator: 1n, denominator: 1n });
  const amounts = new Set<bigint>();
  for (const { size, amountAt } of tiersOf(required, PRICE_MINOR, usdc))
    for (let index = 0n; index < size; index += 1n) amounts.add(amountAt(index));
  return [...amounts].filter((amount) => !isRound(amount, usdc)).length;
}

/** Reserves the first `count` amounts of the price, as older checkouts would have. */
async function useUp(shop: Settlement, count: number): Promise<void> {
  const { id } = await shop.checkout({ amount: PRICE });
  await shop.ctx.db.query(
    'capacity_use_up',
    `
    insert into reserved_amounts (livemode, network, address, asset, amount_units, payment_id, purpose, taken_at)
    select r.livemode, r.network, r.address, r.asset, used.units, r.payment_id, 'target', r.taken_at
      from reserved_amounts r join checkout_sessions s on s.payment_id = r.payment_id,
           lateral (select units from generate_series(49000001, 49300000) units where units % 100 <> 0 limit $2) used
     where s.id = $1 on conflict do nothing`,
    [id, count],
  );
  await shop.ctx.db.query('capacity_analyze', 'analyze reserved_amounts', []);
}
