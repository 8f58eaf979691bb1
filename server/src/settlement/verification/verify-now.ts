import type { Context } from '../../context.ts';
import { isSameBlock } from '../../outside/chains/pure/version.ts';
import type { Payment } from '../records/payment.ts';
import type { StoredTransfer } from '../records/transfer-store.ts';
import { withCredited } from './credited-store.ts';
import { evidenceOf, isFinal, requirement } from './finality.ts';

/**
 * Asks every provider about a transfer at once, for a person who waits: the evidence if the quorum says that it stands
 * where it is stored and is final for this payment, otherwise null. One of two providers never decides alone here.
 */
export async function verifyNow(
  ctx: Context,
  transfer: StoredTransfer,
  { amountMinor, currency }: Payment,
): Promise<Record<string, unknown> | null> {
  const { confirmations } = ctx.config.networks[transfer.network];
  const { rule } = requirement(transfer.network, { ...transfer, amountMinor, currency }, confirmations);
  const watching = withCredited(ctx.db, { addresses: new Set([transfer.to]) });
  const verdict = await ctx.chains.get(transfer.network)?.check(transfer, watching, undefined, {
    tags: true,
    isEnough: (head) => isFinal(rule, transfer.block.number, head),
  });
  if (verdict?.type !== 'stands' || verdict.alone !== null) return null;
  const { block } = verdict.transfer;
  return isSameBlock(block, transfer.block) && isFinal(rule, block.number, verdict.head)
    ? evidenceOf(transfer, rule, verdict)
    : null;
}
