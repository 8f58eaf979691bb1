import type { Currency, Route } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import { DAY_MS, HOUR_MS, later, MINUTE_MS } from '../../platform/time.ts';
import type { DayActivity, OverviewJson } from '@quittance/contract/dashboard';
import {
  type Activity,
  findDays,
  findDaySoFar,
  keepDays,
  keepDaySoFar,
  sumPaid,
  sumStarted,
} from './overview-store.ts';

// A late commit still belongs to its day.
const SETTLED_AFTER_MS = HOUR_MS;

/** A step that takes longer than this is followed by one of a single day, otherwise by one of twice as many. */
const LONG_STEP_MS = 250;

/** The sum of a day that is not over is stored at most this often. */
const KEEP_EVERY_MS = 10 * MINUTE_MS;

/**
 * Sales day by day, today last. Past days are summed once and stored, so that a year of sales costs nothing. Of a day
 * that is not over, only the last hour or so is summed at each view.
 */
export async function readActivity({ db }: Context, caller: Caller, dayCount: number): Promise<OverviewJson> {
  const today = startOfDay(caller.now);
  const days = Array.from({ length: dayCount }, (_, index) => dayOf(later(today, (index + 1 - dayCount) * DAY_MS)));
  const known = await findDays(db, caller, days);
  const unknown = days.filter((day) => !known.has(day));
  const open = new Set(unknown.filter((day) => isOpen(caller, day)));
  const missing = unknown.filter((day) => !open.has(day));

  // An account may have millions of payments in these days. Each step is stored when it is summed, so that no statement
  // takes long and a request that is aborted has not worked in vain.
  for (let at = 0, size = 1; at < missing.length; ) {
    const startedMs = performance.now();
    const step = missing.slice(at, at + size);
    for (const [day, activity] of await sumDays(db, caller, step)) known.set(day, activity);
    at += size;
    size = performance.now() - startedMs > LONG_STEP_MS ? 1 : size * 2;
  }
  for (const day of open) known.set(day, await sumOpenDay(db, caller, day));
  return { days: days.map((day) => present(day, known.get(day) ?? { paid: [], started: 0 })) };
}

/** The sales of a day that is not over. What was committed long enough ago is added to the stored sum. */
async function sumOpenDay(db: Db, caller: Caller, day: string): Promise<Activity> {
  const settled = later(settledClock(caller), -SETTLED_AFTER_MS);
  let sum = (await findDaySoFar(db, caller, day)) ?? { paid: [], started: 0, until: new Date(day) };
  if (settled.getTime() - sum.until.getTime() >= KEEP_EVERY_MS) {
    sum = { ...add(sum, await sumPart(db, caller, day, { from: sum.until, to: settled })), until: settled };
    await keepDaySoFar(db, caller, day, sum);
  }
  return add(sum, await sumPart(db, caller, day, { from: sum.until, to: later(new Date(day), DAY_MS) }));
}

function add(one: Activity, other: Activity): Activity {
  const paid = one.paid.map((entry) => ({ ...entry }));
  for (const more of other.paid) {
    const entry = paid.find(({ currency, route }) => currency === more.currency && route === more.route);
    if (!entry) {
      paid.push(more);
      continue;
    }
    entry.paid += more.paid;
    entry.volumeMinor += more.volumeMinor;
    entry.feeMinor += more.feeMinor;
  }
  return { started: one.started + other.started, paid };
}

/** The sales of days, oldest first. Stores those of days that are over. */
async function sumDays(db: Db, caller: Caller, days: readonly string[]): Promise<Map<string, Activity>> {
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const sums = await sumRange(db, caller, days, { from: new Date(first), to: later(new Date(last), DAY_MS) });
  const over = [...sums].filter(([day]) => isOver(caller, day));
  await keepDays(db, caller, over);
  return sums;
}

async function sumPart(db: Db, caller: Caller, day: string, part: { from: Date; to: Date }): Promise<Activity> {
  return (await sumRange(db, caller, [day], part)).get(day) ?? { paid: [], started: 0 };
}

async function sumRange(
  db: Db,
  caller: Caller,
  days: readonly string[],
  range: { from: Date; to: Date },
): Promise<Map<string, Activity>> {
  const sums = new Map<string, Activity>(days.map((day) => [day, { paid: [], started: 0 }]));
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
  return sums;
}

function isOver(caller: Caller, day: string): boolean {
  return later(new Date(day), DAY_MS + SETTLED_AFTER_MS) <= settledClock(caller);
}

/** Not over by real time, which a test clock may be ahead of by months. */
function isOpen(caller: Caller, day: string): boolean {
  return !isOver(caller, day) && new Date(day) <= settledClock(caller);
}

/** In a new database a test clock may go back to real time, but what is past by that stays past. */
function settledClock(caller: Caller): Date {
  return caller.livemode ? caller.now : caller.realNow;
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
