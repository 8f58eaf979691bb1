import type { Context } from '../../context.ts';
import type { Chain, Head, Watching } from '../../outside/chains/chain.ts';
import { endDoubt, findDoubted, type StoredTransfer } from '../records/transfer-store.ts';
import { BLOCKS_REMEMBERED } from '../reading/cursor-store.ts';

const TRANSFERS_AT_ONCE = 500;

/** Networks of this process without a doubt left over, from before it began either. */
const undoubted = new WeakSet<Chain>();

/**
 * What was final must not vanish. Where it does all the same, somebody must look: nothing that was said is unsaid. What
 * nobody can tell now is asked again until somebody can, in whichever process.
 */
export async function recheckFinal(ctx: Context, chain: Chain, { watching, head, forkedAt }: { watching: Watching; head: Head; forkedAt: bigint | null }): Promise<void> {
  if (forkedAt === null && undoubted.has(chain)) return;
  undoubted.delete(chain);
  const doubted = await findDoubted(ctx.db, chain.network, head.number - BLOCKS_REMEMBERED, TRANSFERS_AT_ONCE);
  let open = doubted.length === TRANSFERS_AT_ONCE;
  for (const transfer of doubted) {
    try {
      open = !(await look(ctx, chain, transfer, { addresses: new Set([...watching.addresses, transfer.to]) })) || open;
    } catch (error) {
      open = true;
      ctx.log.warn({ err: error, transferId: transfer.id, network: chain.network }, 'a transfer that was final could not be looked at again yet');
    }
  }
  if (!open) undoubted.add(chain);
}

/** Whether somebody could tell. */
async function look(ctx: Context, chain: Chain, transfer: StoredTransfer, watching: Watching): Promise<boolean> {
  const verdict = await chain.check(transfer, watching, { agreement: false });
  if (verdict.type === 'unknown' || verdict.type === 'disagree') return false;
  await endDoubt(ctx.db, transfer.id, verdict.type === 'gone' ? { goneAfterFinal: await ctx.db.now() } : {});
  if (verdict.type === 'gone') {
    ctx.log.error({ transferId: transfer.id, paymentId: transfer.paymentId, network: chain.network, txHash: transfer.txHash, alarm: 'gone_after_final' },
      'a transfer that was final has vanished from the chain');
  }
  return true;
}
