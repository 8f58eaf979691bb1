import type { ReceiveNetwork } from '@quittance/contract';
import type { Transaction } from '../../platform/db/db.ts';

/** Holds the row of the network until the transaction ends, so that settlements by one provider are counted one by one. */
export async function lockSingleProvider(db: Transaction, network: ReceiveNetwork, now: Date): Promise<void> {
  await db.query(
    'lock_single_provider',
    `
    insert into single_provider_locks (network, locked_at) values ($1, $2)
        on conflict (network) do update set locked_at = excluded.locked_at`,
    [network, now],
  );
}

export async function pruneSingleProvider(db: Transaction, network: ReceiveNetwork, before: Date): Promise<void> {
  await db.query(
    'prune_single_provider',
    `
    delete from single_provider_settlements where network = $1 and settled_at <= $2`,
    [network, before],
  );
}

/** What other transfers of the network were settled for by one provider. */
export async function sumSingleProvider(db: Transaction, network: ReceiveNetwork, transferId: string): Promise<bigint> {
  const [row] = await db.query<{ total: bigint }>(
    'sum_single_provider',
    `
    select coalesce(sum(usd_minor), 0)::bigint as total from single_provider_settlements where network = $1 and transfer_id <> $2`,
    [network, transferId],
  );
  return row?.total ?? 0n;
}

export async function keepSingleProvider(
  db: Transaction,
  settled: { transferId: string; network: ReceiveNetwork; worthUsdMinor: bigint; now: Date },
): Promise<void> {
  await db.query(
    'keep_single_provider',
    `
    insert into single_provider_settlements (transfer_id, network, usd_minor, settled_at) values ($1, $2, $3, $4)
        on conflict (transfer_id) do update set usd_minor = excluded.usd_minor, settled_at = excluded.settled_at`,
    [settled.transferId, settled.network, settled.worthUsdMinor.toString(), settled.now],
  );
}
