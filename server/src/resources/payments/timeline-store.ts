import type { TimelineEntryJson } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import {
  type StoredTransfer,
  toStored,
  TRANSFER_COLUMNS,
  type TransferRow,
} from '../../settlement/records/transfer-store.ts';
import { deliveryId } from '../../settlement/records/event-store.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { describeSingleProvider } from '../../settlement/verification/single-provider.ts';

export type Entry = TimelineEntryJson & { order: number };

export async function findStatusEntries(db: Db, payment: Payment): Promise<Entry[]> {
  const rows = await db.query<{ sequence: number; status: string; evidence: Record<string, unknown>; at: Date }>(
    'find_states',
    `
    select sequence, status, evidence, at from payment_states where payment_id = $1 order by sequence`,
    [payment.id],
  );
  return rows.map((row) =>
    entry({
      type: 'status',
      at: row.at,
      summary: `The payment became ${row.status.replace('_', ' ')}.${describeSingleProvider(row.evidence.singleProvider)}`,
      data: { status: row.status, sequence: row.sequence, ...row.evidence },
      order: 10 + row.sequence,
    }),
  );
}

/** Anyone may send to a wallet, so that there may be any number. The payment's own come first. */
const MAX_TRANSFERS = 500;

export async function findTransferEntries(db: Db, payment: Payment): Promise<Entry[]> {
  const rows = await db.query<TransferRow>(
    'find_timeline_transfers',
    `
    select ${TRANSFER_COLUMNS} from transfers t
     where t.payment_id = $1 or t.near_payment_id = $1
     order by t.payment_id is distinct from $1, t.block_time, t.id limit $2`,
    [payment.id, MAX_TRANSFERS],
  );
  return rows.map(toStored).map((transfer) => {
    const amount = presentUnits(transfer.amountUnits, transfer.asset, transfer.network);
    const waiting =
      transfer.status === 'seen' && typeof transfer.evidence.waitingSince === 'string'
        ? ` Since ${transfer.evidence.waitingSince} too few RPC providers have verified it.`
        : '';
    return entry({
      type: 'transfer',
      at: transfer.block.time,
      summary:
        `${amount} ${transfer.asset} ` +
        `${describeOutcome(transfer)}.${waiting}${describeSingleProvider(transfer.evidence.singleProvider)}`,
      data: {
        transfer: transfer.id,
        tx_hash: transfer.txHash,
        index: transfer.index,
        from: transfer.from,
        amount,
        asset: transfer.asset,
        status: transfer.status,
        block: { number: transfer.block.number.toString(), hash: transfer.block.hash },
        rule: transfer.attributedBy,
        reason: transfer.reason,
        first_seen_at: transfer.firstSeenAt.toISOString(),
        final_at: transfer.finalAt?.toISOString() ?? null,
        ...transfer.evidence,
      },
      order: 2,
    });
  });
}

function describeOutcome(transfer: StoredTransfer): string {
  if ('goneAfterFinal' in transfer.evidence) return 'disappeared from the chain after it was final';
  if (transfer.paymentId === null) return `not counted (${transfer.reason})`;
  return transfer.status === 'dropped' ? 'was removed by a chain reorganization' : 'received';
}

export async function findAttemptEntries(db: Db, payment: Payment): Promise<Entry[]> {
  const rows = await db.query<{
    id: string;
    endpointId: string;
    eventId: string;
    eventType: string;
    number: number;
    outcome: string;
    responseCode: number | null;
    attemptedAt: Date;
  }>(
    'find_timeline_attempts',
    `
    select a.id, d.endpoint_id, d.event_id, d.event_type, a.number, a.outcome, a.response_code, a.attempted_at
      from events e
      join webhook_endpoints endpoint on endpoint.account_id = $2 and endpoint.livemode = $3
     cross join lateral (select * from deliveries where id = ${deliveryId('e', 'endpoint')} limit 1) d
      join delivery_attempts a on a.delivery_id = d.id
     where e.object_id = $1
     order by a.attempted_at limit 200`,
    [payment.id, payment.accountId, payment.livemode],
  );
  return rows.map((row) =>
    entry({
      type: 'webhook',
      at: row.attemptedAt,
      summary: `${row.eventType} was ${row.outcome === 'delivered' ? 'delivered' : 'not delivered'} at attempt ${row.number}.`,
      data: {
        event: row.eventId,
        type: row.eventType,
        endpoint: row.endpointId,
        attempt: row.number,
        outcome: row.outcome,
        response_code: row.responseCode,
      },
      order: 100,
    }),
  );
}

export function entry({ at, ...rest }: Omit<Entry, 'at'> & { at: Date }): Entry {
  return { ...rest, at: at.toISOString() };
}
