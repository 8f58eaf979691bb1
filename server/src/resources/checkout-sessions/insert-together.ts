import type { Database } from '../../platform/db/db.ts';
import { joined } from '../../platform/db/joined.ts';
import { fail } from '../../platform/errors.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { insertSessions, type Creation, type Outcome } from './insert-store.ts';

// In company nobody waits long for another's key; alone, as long as a repeat of a running request may wait.
const LOCK_TIMEOUT_TOGETHER_MS = 250;
const LOCK_TIMEOUT_ALONE_MS = 5 * SECOND_MS;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Writes a creation together with those that arrive while others are being written: one statement and one commit for
 * all of them. Whatever goes wrong, each is then tried alone, so that a bad row or a busy key never hurts a stranger.
 */
export const insertTogether = joined(insertAll, { runs: 4, most: 32 });

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
    // A lost connection leaves open whether they were written, so only what the database refused is tried again.
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

/** What becomes of a request whose key another one in the same statement had: theirs is taken once that one has its answer. */
async function follow(db: Database, creation: Creation, leader: Outcome | Promise<Outcome>): Promise<Outcome> {
  const outcome = await Promise.resolve(leader).catch(() => undefined);
  return outcome === 'created' || outcome === 'key_taken' ? 'key_taken' : insertTogether(db, creation);
}

/** Where the creation's key lives; a request without one has a place of its own. */
function place({ session, claim }: Creation): string {
  return claim ? `${session.accountId} ${session.livemode} ${claim.key}` : session.id;
}
