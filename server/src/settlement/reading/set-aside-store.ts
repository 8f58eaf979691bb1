import type { ReceiveNetwork } from '@quittance/contract';
import type { Transfer } from '../../outside/chains/chain.ts';
import type { Db } from '../../platform/db/db.ts';
import { DAY_MS, later } from '../../platform/time.ts';

const DAYS_KEPT = 90;
const MAX_ERROR_LENGTH = 500;

/** Records a transaction that could not be stored, with every watched address that it pays. */
export async function setTransactionAside(
  db: Db,
  network: ReceiveNetwork,
  txHash: string,
  transfers: readonly Transfer[],
  error: string,
  at: Date,
): Promise<void> {
  const addresses = [...new Set(transfers.map((transfer) => transfer.to))];
  const [first] = transfers;
  if (!first) return;
  await db.query(
    'set_transaction_aside',
    `
    insert into set_aside_transactions (network, tx_hash, to_address, to_addresses, block_number, error, at) values ($1, $2, $3, $4, $5, $6, $7)
        on conflict do nothing`,
    [network, txHash, first.to, addresses, first.block.number, error.slice(0, MAX_ERROR_LENGTH), at],
  );
}

export async function pruneSetAsideTransactions(db: Db, now: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'prune_set_aside_transactions',
    `
    delete from set_aside_transactions
     where (network, tx_hash) in (select network, tx_hash from set_aside_transactions where at < $1 order by at limit $2)
    returning network`,
    [later(now, -DAYS_KEPT * DAY_MS), limit],
  );
  return rows.length;
}
