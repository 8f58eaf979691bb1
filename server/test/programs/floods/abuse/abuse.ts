import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/platform/time.ts';
import type { TestDatabase } from '../../../support/database.ts';
import type { FloodOptions, FloodResult } from '../flood.ts';
import { HONEST, type Honest, newHonest } from './customers.ts';
import { abuse, type AnswerCounts, newStranger, type Stranger } from './strangers.ts';
import { measureTables, type TableSize } from './tables.ts';
import { type AbuseWorld, startAbuseWorld } from './world.ts';

const DEFAULT_CLIENTS = 50;
const DEFAULT_MINUTES = 60;
const STEPS_PER_MINUTE = 4;
/** In the first minute, and in every twentieth after it, strangers send more requests than the service answers. */
const BURST_EVERY_MINUTES = 20;
/** An honest customer thinks for up to five minutes; the network and the webhook take one or two. */
const MAX_HONEST_MS = 15 * MINUTE_MS;
/** Longer than every retention: the longest keeps started checkouts without money for a year. */
const RETENTION_STEPS_MS = [2 * HOUR_MS, 3 * DAY_MS, 40 * DAY_MS, 150 * DAY_MS, 365 * DAY_MS];
/**
 * A table with more rows than this for each honest action contains strangers' rows: a paid checkout has up to six
 * states.
 */
const ROWS_PER_HONEST = 6;

export interface AbuseOptions extends FloodOptions {
  /** The duration of the abuse, by the service's clock. */
  minutes?: number;
}

/**
 * Strangers from 50 client addresses use the links, choices, hints, claims, logins, nonces and quotes of one merchant,
 * while customers of that merchant and of another one pay. `size` is the number of client addresses.
 */
export async function simulateAbuse(
  database: TestDatabase,
  { size = DEFAULT_CLIENTS, minutes = DEFAULT_MINUTES, say = () => {} }: AbuseOptions = {},
): Promise<FloodResult> {
  await using world = await startAbuseWorld(database);
  const before = await measureTables(database.url);
  const strangers = Array.from({ length: size }, (_, at) => newStranger(`203.0.113.${at + 1}`));
  const counts: AnswerCounts = {};
  const people: People = { active: [], made: 0, done: {}, failures: [] };

  const startedAt = performance.now();
  for (let minute = 0; minute < minutes; minute += 1) {
    const isBurst = minute % BURST_EVERY_MINUTES === 0;
    await passMinute(world, { strangers, people, counts, isBurst, brings: Object.keys(HONEST) });
    say(`minute ${minute + 1}: ${people.made} honest actions, ${people.failures.length} failed`);
  }
  // Honest customers finish while the strangers continue.
  for (let minute = 0; people.active.length > 0 && minute <= MAX_HONEST_MS / MINUTE_MS; minute += 1)
    await passMinute(world, { strangers, people, counts, isBurst: false, brings: [] });
  const tookMs = Math.round(performance.now() - startedAt);
  const after = await measureTables(database.url);

  for (const ms of RETENTION_STEPS_MS) {
    say(`${Math.round(ms / HOUR_MS)} hours pass`);
    await world.passUntil(world.nowMs() + ms);
    // A checkout ends once the network was read past its end.
    await world.work(Number.POSITIVE_INFINITY);
    await world.runJobs();
  }
  const kept = await measureTables(database.url);
  reportTables(say, { before, after, kept });
  say(JSON.stringify(counts, null, 2));

  const isLeft = ([name, { rows }]: [string, TableSize]) =>
    rows - (before.get(name)?.rows ?? 0) > ROWS_PER_HONEST * people.made;
  const notPruned = [...kept].filter(isLeft).map(([name, { rows }]) => `${name} (${rows})`);
  say(`holds what strangers left after retention: ${notPruned.join(', ') || 'no table'}`);
  const checkoutsLeft = await countStrangersCheckouts(world);
  return {
    figures: { ...figuresOf(world, people, counts, tookMs), tablesNotPruned: notPruned.length, checkoutsLeft },
    failures: [
      ...people.failures,
      ...(checkoutsLeft === 0 ? [] : [`${checkoutsLeft} checkouts of strangers are left after retention`]),
    ],
  };
}

async function countStrangersCheckouts({ ctx, honestCheckouts }: AbuseWorld): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    'abuse_checkouts_left',
    'select count(*)::integer as count from checkout_sessions where id <> all ($1::text[])',
    [honestCheckouts],
  );
  return row?.count ?? -1;
}

interface People {
  active: Honest[];
  made: number;
  /** How many of each kind succeeded. */
  done: Record<string, number>;
  failures: string[];
}

interface Minute {
  strangers: readonly Stranger[];
  people: People;
  counts: AnswerCounts;
  isBurst: boolean;
  /** The kinds of customers who arrive. */
  brings: readonly string[];
}

async function passMinute(world: AbuseWorld, { strangers, people, counts, isBurst, brings }: Minute): Promise<void> {
  const start = world.nowMs();
  for (let step = 0; step < STEPS_PER_MINUTE; step += 1) {
    for (const [place, kind] of brings.entries()) {
      if (place % STEPS_PER_MINUTE !== step) continue;
      people.made += 1;
      const from = `198.51.${100 + (people.made >> 8)}.${people.made & 255}`;
      people.active.push(newHonest(world, kind, from));
    }
    await Promise.all([
      ...strangers.map((one) => abuse(world, one, { isBurst, shareOfMinute: 1 / STEPS_PER_MINUTE }, counts)),
      stepAll(world, people),
    ]);
    await world.passUntil(start + ((step + 1) * MINUTE_MS) / STEPS_PER_MINUTE);
    await world.work(MINUTE_MS / STEPS_PER_MINUTE);
  }
}

async function stepAll(world: AbuseWorld, people: People): Promise<void> {
  for (const one of people.active) {
    const outcome = await takeStep(world, one).catch((error: Error) => error);
    if (outcome === 'waiting') continue;
    people.active = people.active.filter((other) => other !== one);
    if (outcome === 'done') people.done[one.kind] = (people.done[one.kind] ?? 0) + 1;
    else people.failures.push(`${one.kind}: ${outcome.message}`);
  }
}

async function takeStep(world: AbuseWorld, one: Honest): Promise<'done' | 'waiting'> {
  const outcome = await one.step();
  if (outcome === 'waiting' && world.nowMs() - one.startedAtMs > MAX_HONEST_MS)
    throw new Error(`waits for ${one.waitsFor} after ${MAX_HONEST_MS / MINUTE_MS} minutes`);
  return outcome;
}

function figuresOf(world: AbuseWorld, people: People, counts: AnswerCounts, tookMs: number): Record<string, number> {
  const answers = Object.values(counts).flatMap((byStatus) => Object.entries(byStatus));
  const total = (matches: (status: string) => boolean) =>
    answers.reduce((sum, [status, count]) => sum + (matches(status) ? count : 0), 0);
  const waits = world.paidAfterMs.toSorted((a, b) => a - b);
  return {
    abusiveRequests: total(() => true),
    answered429: total((status) => status === '429'),
    answered5xx: total((status) => status >= '500'),
    honestActions: people.made,
    honestFailures: people.failures.length,
    honestDone: Object.values(people.done).reduce((sum, count) => sum + count, 0),
    paidAfterMedianSeconds: Math.round((waits[waits.length >> 1] ?? 0) / 1000),
    paidAfterMaxSeconds: Math.round((waits.at(-1) ?? 0) / 1000),
    loginsByLinkOfMail: world.loginsByLink,
    providerOrders: world.converter.orders,
    tookMs,
  };
}

function reportTables(
  say: (line: string) => void,
  { before, after, kept }: Record<'before' | 'after' | 'kept', Map<string, TableSize>>,
): void {
  const row = (cells: readonly (string | number)[]) =>
    say(cells.map((cell, at) => (at === 0 ? String(cell).padEnd(28) : String(cell).padStart(14))).join(''));
  row(['table', 'rows before', 'at the end', 'kept', 'bytes before', 'at the end', 'kept']);
  for (const [name, end] of [...after].sort(([, a], [, b]) => b.rows - a.rows)) {
    const [first, last] = [before.get(name), kept.get(name)];
    if (end.rows === 0 && !last?.rows) continue;
    row([name, first?.rows ?? 0, end.rows, last?.rows ?? 0, first?.bytes ?? 0, end.bytes, last?.bytes ?? 0]);
  }
}
