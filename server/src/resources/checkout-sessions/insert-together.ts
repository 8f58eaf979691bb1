import type { Database } from '../../platform/db/db.ts';
import { joined } from '../../platform/db/joined.ts';
import { fail } from '../../platform/errors.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { insertSessions, type Creation, type Outcome } from './insert-store.ts';

// A batch must not wait long for one busy key. A single creation waits as long as a repeat of a running request may.
const LOCK_TIMEOUT_TOGETHER_MS = 250;
const LOCK_TIMEOUT_ALONE_MS = 5 * SECOND_MS;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Writes creations that arrive at the same time in one statement and one commit. If it fails, each is tried alone, so
 * that a bad row or a busy key never affects another request.
 */
export const insertTogether = joined(insertAll, { runs: 4, maxCalls: 32 });

async function insertAll(db: Database, creations: Creation[]): Promise<(Outcome | Promise<Outcome>)[]> {
  const leaders = new Map<string, Creation>();
  for (const creation of creations) if (!leaders.has(place(creation))) leaders.set(place(creation), creation);
  const winners = [...leaders.values()];

  const outcomes = await insertWinners(db, winners);
  return creations.map((creation) => {
    const leader = leaders.get(place(creation)) as Creation;
    const outcome = outcomes.get(leader) as Outcome | Promise<Outcome>;
    return leader === creation ? outcome : follow(db, creation, outcome);
  });
}

async function insertWinners(db: Database, winners: Creation[]): Promise<Map<Creation, Outcome | Promise<Outcome>>> {
  const [only] = winners;
  if (only && winners.length === 1) return new Map([[only, insertAlone(db, only)]]);
  try {
    const outcomes = await insertSessions(db, winners, LOCK_TIMEOUT_TOGETHER_MS);
    return new Map(winners.map((creation, at) => [creation, outcomes[at] as Outcome]));
  } catch (error) {
    // A lost connection does not show whether they were written, so only what the database rejected is tried again.
    if (!isRefusal(error)) throw error;
    return new Map(winners.map((creation) => [creation, insertAlone(db, creation)]));
  }
}

async function insertAlone(db: Database, creation: Creation): Promise<Outcome> {
  try {
    const [outcome] = await insertSessions(db, [creation], LOCK_TIMEOUT_ALONE_MS);
    return outcome as Outcome;
  } catch (error) {
    if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE)
      fail('idempotency_in_progress', { retryAfterSeconds: 1, cause: error });
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('08') && !code.startsWith('57');
}

/**
 * The result of a request whose key is already in the statement: its key is taken once the first request has its
 * answer.
 */
async function follow(db: Database, creation: Creation, leader: Outcome | Promise<Outcome>): Promise<Outcome> {
  const outcome = await Promise.resolve(leader).catch(() => undefined);
  return outcome === 'created' || outcome === 'key_taken' ? 'key_taken' : insertTogether(db, creation);
}

/** Identifies the creation's key; a request without a key is always unique. */
function place({ session, claim }: Creation): string {
  return claim ? `${session.accountId} ${session.livemode} ${claim.key}` : session.id;
}
