import type { Account } from '../../platform/caller.ts';
import type { Database, Db, Transaction } from '../../platform/db/db.ts';
import { joined } from '../../platform/db/joined.ts';
import { isId } from '../../platform/ids.ts';
import { type CheckoutSession, type RoutedTarget, SESSION_COLUMNS_OF_S, type SessionProgress } from './session.ts';

export interface FoundSession {
  session: CheckoutSession;
  progress: SessionProgress;
}

/** The session, if it is this account's. Concurrent look-ups share one query. */
export async function findSession(db: Database, account: Account, id: string): Promise<FoundSession | undefined> {
  return isId('cs', id) ? found(await findTogether(db, { account, id })) : undefined;
}

/** The session with this id, of any account: the id is the capability of its public side. */
export async function findSessionById(db: Db, id: string): Promise<FoundSession | undefined> {
  if (!isId('cs', id)) return undefined;
  const [row] = await db.query<SessionRow>(
    'find_session_by_id',
    `
    select ${SESSION_AND_PROGRESS}
      from checkout_sessions s join payments p on p.session_id = s.id
     where s.id = $1`,
    [id],
  );
  return found(row);
}

const findTogether = joined(findSessions, { runs: 2, maxCalls: 64 });

async function findSessions(
  db: Database,
  asked: { account: Account; id: string }[],
): Promise<(SessionRow | undefined)[]> {
  const rows = await db.query<SessionRow & { place: number }>(
    'find_sessions',
    `
    select asked.place::integer, ${SESSION_AND_PROGRESS}
      from unnest($1::text[], $2::text[], $3::boolean[]) with ordinality as asked (id, account_id, livemode, place)
      join checkout_sessions s on s.id = asked.id and s.account_id = asked.account_id and s.livemode = asked.livemode
      join payments p on p.session_id = s.id`,
    [asked.map((one) => one.id), asked.map((one) => one.account.id), asked.map((one) => one.account.livemode)],
  );

  const answers = new Array<SessionRow | undefined>(asked.length);
  for (const row of rows) answers[row.place - 1] = row;
  return answers;
}

/** Concurrent retries of a session run one after the other. */
export async function holdForRetry(db: Transaction, sessionId: string): Promise<void> {
  await db.query('hold_session_for_retry', `select 1 from checkout_sessions where id = $1 for no key update`, [
    sessionId,
  ]);
}

/** The session in which this one was tried again. */
export async function findRetry(db: Db, sessionId: string): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    'find_retry_of_session',
    `select id from checkout_sessions where retry_of = $1`,
    [sessionId],
  );
  return row?.id;
}

// The routes are looked up only for started payments, which are a small part of the sessions that are read.
const SESSION_AND_PROGRESS = `
  ${SESSION_COLUMNS_OF_S}, p.status, p.started_at,
  case when p.started_at is not null then (
    select jsonb_agg(jsonb_build_object('asset', t.asset, 'network', t.network, 'address', t.address) order by t.created_at)
      from (select distinct on (asset, network) asset, network, address, created_at
              from payment_targets where payment_id = s.payment_id and kind = 'routed'
             order by asset, network, created_at desc) t
  ) end as routed_targets`;

type SessionRow = CheckoutSession & Omit<SessionProgress, 'routedTargets'> & { routedTargets: RoutedTarget[] | null };

function found(row: SessionRow | undefined): FoundSession | undefined {
  return (
    row && {
      session: row,
      progress: { status: row.status, startedAt: row.startedAt, routedTargets: row.routedTargets ?? [] },
    }
  );
}
