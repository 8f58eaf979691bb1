import type { Database } from '../../platform/db/db.ts';
import { joined } from '../../platform/db/joined.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { insertSessions, type Creation, type Outcome } from './insert.ts';

// In company nobody waits long for another's key; alone, as long as a repeat of a running request may wait.
const LOCK_TIMEOUT_TOGETHER_MS = 50;
const LOCK_TIMEOUT_ALONE_MS = 5 * SECOND_MS;

/**
 * Writes a creation together with those that arrive while others are being written: one statement and one commit for
 * all of them. Whatever goes wrong, each is then tried alone, so that a bad row or a busy key never hurts a stranger.
 */
export const insertTogether = joined(insertAll, { runs: 2, most: 32 });

async function insertAll(db: Database, creations: Creation[]): Promise<(Outcome | Promise<Outcome>)[]> {
  const leaders = new Map<string, Creation>();
  for (const creation of creations) if (!leaders.has(place(creation))) leaders.set(place(creation), creation);
  const winners = [...leaders.values()];

  const outcomes = new Map<Creation, Outcome | Promise<Outcome>>();
  try {
    const together = await insertSessions(db, winners, winners.length > 1 ? LOCK_TIMEOUT_TOGETHER_MS : LOCK_TIMEOUT_ALONE_MS);
    winners.forEach((creation, at) => outcomes.set(creation, together[at] as Outcome));
  } catch (error) {
    if (winners.length === 1) throw error;
    for (const creation of winners) outcomes.set(creation, insertAlone(db, creation));
  }
  return creations.map((creation) => {
    const leader = leaders.get(place(creation)) as Creation;
    const outcome = outcomes.get(leader) as Outcome | Promise<Outcome>;
    return leader === creation ? outcome : follow(db, creation, outcome);
  });
}

async function insertAlone(db: Database, creation: Creation): Promise<Outcome> {
  const [outcome] = await insertSessions(db, [creation], LOCK_TIMEOUT_ALONE_MS);
  return outcome as Outcome;
}

/** What becomes of a request whose key another one in the same statement had: theirs is taken once that one has its answer. */
async function follow(db: Database, creation: Creation, leader: Outcome | Promise<Outcome>): Promise<Outcome> {
  const outcome = await Promise.resolve(leader).catch(() => undefined);
  return outcome === 'created' || outcome === 'key_taken' ? 'key_taken' : insertTogether(db, creation);
}

/** Where the creation's key lives; a request without one has a place of its own. */
function place({ session, answer }: Creation): string {
  return answer ? `${session.accountId} ${session.livemode} ${answer.key}` : session.id;
}
