import type { AssetSymbol } from '@quittance/contract';
import type { Transfer } from '../chain.ts';
import { movementsOf } from './movements.ts';
import type { Block, Transaction } from './shapes.ts';
import type { Solana, WatchedWallets } from './solana.ts';
import { isSupportedToken, ownersOf, toBlockRef } from './transfers.ts';

// Above all indexes of transfers that bring money.
const SELF_INDEX = 2_000_000;

/**
 * Transfers of watched wallets to themselves, which only the instructions show. The wallet itself must have authorized
 * them, because a delegate can move its tokens too. They never count as money.
 */
export function selfTransfersOf(
  solana: Solana,
  { transaction, block }: { transaction: Transaction; block: Block },
  watched: WatchedWallets,
): Transfer[] {
  if (transaction.failed) return [];
  const owners = ownersOf(transaction);
  return movementsOf(transaction).flatMap((movement): Transfer[] => {
    if (movement.from === null || movement.amountUnits <= 0n) return [];
    const [from, to] = [owners.get(movement.from), owners.get(movement.to)];
    const isToken = movement.kind === 'tokens';
    const wallet = isToken ? to?.owner : transaction.keys[movement.to]?.address;
    const isSelf = isToken
      ? from !== undefined &&
        to !== undefined &&
        from.owner === to.owner &&
        from.mint === to.mint &&
        isSupportedToken(solana, to)
      : movement.from === movement.to;
    const authority = movement.authority === null ? undefined : transaction.keys[movement.authority]?.address;
    if (!isSelf || wallet === undefined || authority !== wallet || !watched.has(wallet)) return [];
    return [
      {
        network: 'solana',
        txHash: transaction.signature,
        index: SELF_INDEX + movement.ordinal,
        asset: isToken ? (solana.mints.get(to?.mint ?? '') as AssetSymbol) : 'SOL',
        from: wallet,
        to: wallet,
        amountUnits: movement.amountUnits,
        block: toBlockRef(block),
        carried: [],
      },
    ];
  });
}
