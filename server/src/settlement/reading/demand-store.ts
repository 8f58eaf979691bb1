import type { AssetSymbol, Currency, ReceiveNetwork } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import { later, MINUTE_MS } from '../../platform/time.ts';
import { contestHoldsSince } from '../records/transfer-queue-store.ts';

/** For how long a hint, or a transaction that was sent for a program, shows that money may arrive. */
const ON_ITS_WAY_MS = 10 * MINUTE_MS;

/** An open payment whose address and amount were given to a customer or a program. */
const IS_PAYABLE = `p.livemode and p.status in ('created', 'pending', 'routing', 'settling')
                        and (p.started_at is not null or p.offered_at is not null)`;

/** Why a network is read: money was sent, or may still come. */
export type Demand = 'sent' | 'open';

/**
 * Whether a network has to be read: money was sent if a transfer waits for attribution or for the providers' verdict, or a
 * hint or a sent transaction says so; it may still come if an open payment can be paid or waits for a payout, or if a
 * transfer is contested. What the providers leave undecided for a day holds no payment open, so it does not count; nor do
 * unattributed transfers that wait for their block, because no payment depends on them. A program sees address and amount
 * before its payment starts.
 */
export async function findDemand(db: Db, network: ReceiveNetwork, now: Date): Promise<Demand | null> {
  const [row] = await db.query<{ demand: Demand | null }>(
    'find_demand',
    `
    select case
      when exists (select 1 from transfers t where t.queued and t.livemode and t.network = $1)
        or exists (select 1 from transfers t where t.livemode and t.network = $1 and t.status = 'seen' and t.payment_id is not null
                                               and coalesce((t.evidence ->> 'undecidedSince')::timestamptz, 'infinity') > $2)
        or exists (select 1 from transaction_hints h join payments p on p.id = h.payment_id join checkout_sessions s on s.id = p.session_id
                    where h.created_at > $3 and p.livemode and s.receive_network = $1)
        or exists (select 1 from machine_credentials c where c.due_at is not null and c.livemode and c.network = $1
                                                         and c.kind in ('transaction', 'authorization') and c.created_at > $3)
      then 'sent'
      when exists (select 1 from payments p where ${IS_PAYABLE} and p.route = 'direct' and p.pay_network = $1)
        or exists (select 1 from payments p join checkout_sessions s on s.id = p.session_id
                    where ${IS_PAYABLE} and p.route = 'routed' and s.receive_network = $1)
        or exists (select 1 from transfers t where t.contested is not null and t.livemode and t.network = $1 and t.status = 'seen'
                                               and (t.contested ->> 'since')::timestamptz > $2)
      then 'open' end as demand`,
    [network, contestHoldsSince(now), later(now, -ON_ITS_WAY_MS)],
  );
  return row?.demand ?? null;
}

/** Whether an open payment that was begun ends between two instants: it can be closed once both passes are past its end. */
export async function endsBetween(
  db: Db,
  network: ReceiveNetwork,
  { from, to }: { from: Date; to: Date },
): Promise<boolean> {
  const rows = await db.query(
    'ends_between',
    `
    select 1 from payments p join checkout_sessions s on s.id = p.session_id
     where p.livemode and p.status in ('created', 'pending') and p.expires_at >= $2 and p.expires_at <= $3
       and p.started_at is not null and s.receive_network = $1
     limit 1`,
    [network, from, to],
  );
  return rows.length > 0;
}

/** The largest transfers of one asset that are not final, and the largest payments that wait for them. */
export interface AwaitedTransfers {
  asset: AssetSymbol;
  amountUnits: bigint;
  /** Null if no payment depends on them. */
  currency: Currency | null;
  amountMinor: bigint | null;
}

/** What is not final yet on a network, a row for each asset and currency. */
export async function findAwaited(db: Db, network: ReceiveNetwork): Promise<AwaitedTransfers[]> {
  return db.query<AwaitedTransfers>(
    'find_awaited',
    `
    select t.asset, s.currency, max(t.amount_units) as amount_units, max(s.amount_minor) as amount_minor
      from transfers t join payments p on p.id = t.payment_id join checkout_sessions s on s.id = p.session_id
     where t.livemode and t.network = $1 and t.status = 'seen'
     group by t.asset, s.currency
    union all
    (select asset, null, amount_units, null from transfers
      where livemode and network = $1 and status = 'seen' and payment_id is null limit 1)`,
    [network],
  );
}
