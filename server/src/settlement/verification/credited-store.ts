import type { Transfer, Watching } from '../../outside/chains/chain.ts';
import type { Db } from '../../platform/db/db.ts';

/** Lets a provider that shows only a balance count what else is credited from it. */
export function withCredited(db: Db, watching: Watching): Watching {
  return { ...watching, creditedBeside: (transfer, aboveIndex) => sumCreditedBeside(db, transfer, aboveIndex) };
}

/**
 * See `Watching.creditedBeside`. Counts only transfers that are verified, or that a payment is waiting for. Others are
 * worth nothing: a single provider may have invented them, or they are the same money under another name. They become
 * final with their block, which verifies no transfer, and are reopened when they are assigned: until then they are not
 * counted, and from then on they are checked beside those that are.
 *
 * A payment's transfer that is larger than a whole growth of the balance cannot be part of it.
 */
async function sumCreditedBeside(db: Db, transfer: Transfer, aboveIndex: number): Promise<bigint> {
  const [row] = await db.query<{ sum: bigint }>(
    'sum_credited_beside',
    `
    select coalesce(sum(amount_units), 0) as sum
      from transfers
     where livemode and network = $1 and block_number = $2 and block_hash = $3 and to_address = $4 and asset = $5
       and ((status = 'final' and not evidence ? 'byBlock')
            or (status = 'seen' and payment_id is not null and ($9::numeric is null or amount_units <= $9)))
       and (tx_hash, index) <> ($6, $7::integer) and (index > $8 or starts_with(tx_hash, 'block:'))`,
    [
      transfer.network,
      transfer.block.number,
      transfer.block.hash,
      transfer.to,
      transfer.asset,
      transfer.txHash,
      transfer.index,
      aboveIndex,
      transfer.untraced ? transfer.amountUnits : null,
    ],
  );
  return row?.sum ?? 0n;
}
