import type { Currency, Route } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import { DAY_MS, HOUR_MS, later } from '../../platform/time.ts';
import type { DayActivity, OverviewJson } from '@quittance/contract/dashboard';
import { type Activity, findDays, keepDays, sumPaid, sumStarted } from './overview-store.ts';

// A late commit still belongs to its day.
const SETTLED_AFTER_MS = HOUR_MS;

/** Sales day by day, today last. Past days are summed once and stored, so that a year of sales costs nothing. */
export async function readActivity({ db }: Context, caller: Caller, dayCount: number): Promise<OverviewJson> {
  const today = startOfDay(caller.now);
  const days = Array.from({ length: dayCount }, (_, index) => dayOf(later(today, (index + 1 - dayCount) * DAY_MS)));
  const kept = await findDays(db, caller, days);
  const missing = days.filter((day) => !kept.has(day));
  const first = missing[0];
  const fresh = new Map<string, Activity>(missing.map((day) => [day, { paid: [], started: 0 }]));
  if (first !== undefined) {
    const from = new Date(first);
    for (const row of await sumPaid(db, caller, from)) {
      fresh.get(row.day)?.paid.push({
        currency: row.currency,
        route: row.route,
        paid: Number(row.payments),
        volumeMinor: row.volumeMinor,
        feeMinor: row.feeMinor,
      });
    }
    for (const row of await sumStarted(db, caller, from)) {
      const day = fresh.get(row.day);
      if (day) day.started = Number(row.payments);
    }
    // In a new database a test clock may go back to real time, but a past day stays past.
    const isOver = (day: string) =>
      later(new Date(day), DAY_MS + SETTLED_AFTER_MS) <= (caller.livemode ? caller.now : caller.realNow);
    await keepDays(
      db,
      caller,
      [...fresh].filter(([day]) => isOver(day)),
    );
  }
  return { days: days.map((day) => present(day, kept.get(day) ?? fresh.get(day) ?? { paid: [], started: 0 })) };
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
