import { RECEIVE_NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { Chain, ProviderHealth } from '../../outside/chains/chain.ts';
import type { Database, Db } from '../../platform/db/db.ts';
import { DAY_MS, later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import { RECENT_MS } from './watched-address-store.ts';

/** A worker's last answer counts for this long. It writes at least once a `PROBE_EVERY_MS`. */
const ANSWER_VALID_MS = 2.5 * MINUTE_MS;

/**
 * A network that customers can pay on right now is stalled when its reader got no further for this long: twice what a
 * standby needs to take over. From then on it is not offered either. Workers store that they have nothing to read as well.
 */
const STALLED_AFTER_MS = 30 * SECOND_MS;

const FORGET_PROCESS_AFTER_MS = 1 * DAY_MS;
/** A provider that is no longer configured. */
const FORGET_PROVIDER_AFTER_MS = 90 * DAY_MS;

/** How a network is doing, by what all processes wrote down. */
export interface NetworkState {
  /** Whether some process reached a provider lately; null where no process has asked yet. */
  isReachable: boolean | null;
  providers: Omit<ProviderHealth, 'lastAnsweredAt'>[];
  /** The time of the newest block that was read; null where reading never began. */
  readUntil: Date | null;
  /**
   * The same of the second pass. Where it has not begun, how far it would be if it had: to the oldest block that is kept of
   * the first one.
   */
  secondReadUntil: Date | null;
  /** When the reader last got further, or found that there was nothing new. */
  progressedAt: Date | null;
  /** Whether a checkout is open on it, or ended so lately that late money is looked for. */
  hasOpenSessions: boolean;
  /** Whether a checkout is open on it, or ended less than a day ago. */
  hasCurrentSessions: boolean;
  /** No customer can pay and nothing waits, so its reader only looks at it now and then. */
  rests: boolean;
  /** Customers can pay, and no process reads the network. */
  isStalled: boolean;
  /** Whether customers may begin to pay on it: it would not be stalled. Null where no process has tried to read it. */
  isOffered: boolean | null;
}

/** Writes down how this process fares with a network. `answered` is whether a provider has just returned the newest block. */
export async function recordNetworkHealth(
  db: Database,
  chain: Pick<Chain, 'network' | 'health'>,
  process: string,
  answered: boolean,
): Promise<void> {
  const now = await db.now();
  const { providers } = chain.health();
  await db.query(
    'record_network_health',
    `
    insert into network_health (network, process, asked_at, answered_at, providers)
    values ($1, $2, $3, case when $4 then $3::timestamptz end, $5)
        on conflict (network, process) do update
       set asked_at = excluded.asked_at, answered_at = coalesce(excluded.answered_at, network_health.answered_at),
           providers = excluded.providers`,
    [
      chain.network,
      process,
      now,
      answered,
      JSON.stringify(providers.map(({ lastAnsweredAt: _, ...health }) => health)),
    ],
  );
  await recordAnswers(db, chain.network, providers, now);
  await db.query('delete_health_of_dead_processes', `delete from network_health where network = $1 and asked_at < $2`, [
    chain.network,
    later(now, -FORGET_PROCESS_AFTER_MS),
  ]);
}

/** The newest answer of each provider, whichever process asked it. A process whose clock is ahead records the present. */
async function recordAnswers(
  db: Database,
  network: ReceiveNetwork,
  providers: readonly ProviderHealth[],
  now: Date,
): Promise<void> {
  const answered = providers.filter(({ lastAnsweredAt }) => lastAnsweredAt !== null);
  if (answered.length > 0)
    await db.query(
      'record_provider_answers',
      `
      insert into provider_answers as p (network, provider, answered_at)
      select $1, provider, least(max(answered_at), $4) from unnest($2::text[], $3::timestamptz[]) as a (provider, answered_at)
       group by provider order by provider
          on conflict (network, provider) do update
         set answered_at = excluded.answered_at where p.answered_at < excluded.answered_at`,
      [network, answered.map(({ name }) => name), answered.map(({ lastAnsweredAt }) => lastAnsweredAt), now],
    );
  await db.query(
    'delete_answers_of_former_providers',
    `delete from provider_answers where network = $1 and answered_at < $2`,
    [network, later(now, -FORGET_PROVIDER_AFTER_MS)],
  );
}

/** When each provider last answered a process that reads its network, by network and provider. */
export async function findProviderAnswers(db: Db): Promise<Map<string, Map<string, Date>>> {
  const rows = await db.query<{ network: string; provider: string; answeredAt: Date }>(
    'find_provider_answers',
    `
    select network, provider, answered_at from provider_answers`,
    [],
  );
  return new Map(
    [...Map.groupBy(rows, ({ network }) => network)].map(([network, answers]) => [
      network,
      new Map(answers.map(({ provider, answeredAt }) => [provider, answeredAt])),
    ]),
  );
}

interface Row {
  network: ReceiveNetwork;
  askedAt: Date | null;
  answeredAt: Date | null;
  providers: NetworkState['providers'] | null;
  blockTime: Date | null;
  secondBlockTime: Date | null;
  progressedAt: Date | null;
  rests: boolean | null;
  hasOpen: boolean;
  hasCurrent: boolean;
}

/** The state of every network, from the database alone, so any process can report it after the worker has died. */
export async function findNetworkStates(db: Db, now: Date): Promise<Map<ReceiveNetwork, NetworkState>> {
  const rows = await db.query<Row>(
    'find_network_states',
    `
    select n.network, h.asked_at, a.answered_at, h.providers, c.block_time, c.progressed_at, c.rests,
           coalesce(s.block_time, (select b.time from chain_blocks b where b.network = n.network and b.pass = 'first'
                                    order by b.number limit 1)) as second_block_time,
           exists (select 1 from payout_wallets w where w.livemode and w.network = n.network and w.watched_until > $1) as has_open,
           exists (select 1 from payout_wallets w where w.livemode and w.network = n.network and w.watched_until > $3) as has_current
      from unnest($2::text[]) as n (network)
      left join chain_cursors c on c.network = n.network and c.pass = 'first'
      left join chain_cursors s on s.network = n.network and s.pass = 'second'
      left join lateral (
        select max(answered_at) as answered_at from network_health where network = n.network
      ) a on true
      left join lateral (
        select asked_at, providers from network_health where network = n.network
         order by answered_at desc nulls last, asked_at desc limit 1
      ) h on true
`,
    [now, RECEIVE_NETWORKS, later(now, RECENT_MS)],
  );
  return new Map(rows.map((row) => [row.network, stateOf(row, now)]));
}

/** Pure: what the rows of one network mean at an instant. */
export function stateOf(row: Omit<Row, 'network'>, now: Date): NetworkState {
  const ageMs = (at: Date | null) => (at === null ? Number.POSITIVE_INFINITY : now.getTime() - at.getTime());
  const isReachable = row.askedAt === null ? null : ageMs(row.answeredAt) <= ANSWER_VALID_MS;
  // Progress in the future is of a clock that was ahead, and says nothing of now.
  const isRead = Math.abs(ageMs(row.progressedAt)) <= STALLED_AFTER_MS;
  // Without probes, as in development, the last answer may be old and yet the last word.
  const wasAnswered = row.answeredAt !== null && row.askedAt !== null && row.answeredAt >= row.askedAt;
  return {
    isReachable,
    providers: row.providers ?? [],
    readUntil: row.blockTime,
    secondReadUntil: row.secondBlockTime,
    progressedAt: row.progressedAt,
    hasOpenSessions: row.hasOpen,
    hasCurrentSessions: row.hasCurrent,
    rests: row.rests ?? false,
    isStalled: row.hasOpen && !isRead,
    isOffered:
      row.askedAt === null && row.progressedAt === null ? null : isRead && (isReachable !== false || wasAnswered),
  };
}

/** How far the second pass is behind the first one; null with one provider, and where nothing was read. */
export function secondPassBehindMs(
  { readUntil, secondReadUntil }: Pick<NetworkState, 'readUntil' | 'secondReadUntil'>,
  providers: number,
): number | null {
  return readUntil && secondReadUntil && providers > 1 ? readUntil.getTime() - secondReadUntil.getTime() : null;
}
