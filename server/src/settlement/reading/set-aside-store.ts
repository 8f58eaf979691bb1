import type { ReceiveNetwork } from '@quittance/contract';
import type { Transfer } from '../../outside/chains/chain.ts';
import type { Db } from '../../platform/db/db.ts';

const MAX_ERROR_LENGTH = 500;

/** The transfers of one transaction. */
interface TransactionTransfers {
  network: ReceiveNetwork;
  txHash: string;
  transfers: readonly Transfer[];
}

/** Records a transaction that could not be stored, with every watched address that it pays. */
export async function setTransactionAside(
  db: Db,
  { network, txHash, transfers }: TransactionTransfers,
  error: string,
  at: Date,
): Promise<void> {
  const addresses = [...new Set(transfers.map((transfer) => transfer.to))];
  const [first] = transfers;
  if (!first) return;
  await db.query(
    'set_transaction_aside',
    `
    insert into set_aside_transactions (network, tx_hash, to_addresses, block_number, error, at)
    values ($1, $2, $3, $4, $5, $6)
        on conflict do nothing`,
    [network, txHash, addresses, first.block.number, error.slice(0, MAX_ERROR_LENGTH), at],
  );
}
