import type { Currency, Route } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import { DAY_MS, HOUR_MS, later } from '../../platform/time.ts';
import type { DayActivity, OverviewJson } from '@quittance/contract/dashboard';
import { type Activity, findDays, keepDays, sumPaid, sumStarted } from './overview-store.ts';

// A late commit still belongs to its day.
const SETTLED_AFTER_MS = HOUR_MS;

/** A step that takes longer than this is followed by one of a single day, otherwise by one of twice as many. */
const LONG_STEP_MS = 250;

/** Sales day by day, today last. Past days are summed once and stored, so that a year of sales costs nothing. */
export async function readActivity({ db }: Context, caller: Caller, dayCount: number): Promise<OverviewJson> {
  const today = startOfDay(caller.now);
  const days = Array.from({ length: dayCount }, (_, index) => dayOf(later(today, (index + 1 - dayCount) * DAY_MS)));
  const known = await findDays(db, caller, days);
  const missing = days.filter((day) => !known.has(day));

  // An account may have millions of payments in these days. Each step is stored when it is summed, so that no statement
  // takes long and a request that is aborted has not worked in vain.
  for (let at = 0, size = 1; at < missing.length; ) {
    const startedMs = performance.now();
    const step = missing.slice(at, at + size);
    for (const [day, activity] of await sumDays(db, caller, step)) known.set(day, activity);
    at += size;
    size = performance.now() - startedMs > LONG_STEP_MS ? 1 : size * 2;
  }
  return { days: days.map((day) => present(day, known.get(day) ?? { paid: [], started: 0 })) };
}

/** The sales of these days, oldest first. Stores those that are over. */
async function sumDays(db: Db, caller: Caller, days: readonly string[]): Promise<Map<string, Activity>> {
  const sums = new Map<string, Activity>(days.map((day) => [day, { paid: [], started: 0 }]));
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const range = { from: new Date(first), to: later(new Date(last), DAY_MS) };
  for (const row of await sumPaid(db, caller, range)) {
    sums.get(row.day)?.paid.push({
      currency: row.currency,
      route: row.route,
      paid: Number(row.payments),
      volumeMinor: row.volumeMinor,
      feeMinor: row.feeMinor,
    });
  }
  for (const row of await sumStarted(db, caller, range)) {
    const day = sums.get(row.day);
    if (day) day.started = Number(row.payments);
  }
  // In a new database a test clock may go back to real time, but a past day stays past.
  const isOver = (day: string) =>
    later(new Date(day), DAY_MS + SETTLED_AFTER_MS) <= (caller.livemode ? caller.now : caller.realNow);
  await keepDays(
    db,
    caller,
    [...sums].filter(([day]) => isOver(day)),
  );
  return sums;
}

function present(day: string, { paid, started }: Activity): DayActivity {
  return {
    day,
    started,
    paid: paid.map((one) => ({
      currency: one.currency as Currency,
      route: one.route as Route,
      count: one.paid,
      volume: formatDisplayAmount(one.volumeMinor),
      fees: formatDisplayAmount(one.feeMinor),
    })),
  };
}

function startOfDay(at: Date): Date {
  return new Date(`${dayOf(at)}T00:00:00Z`);
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
