import type { Context } from '../../context.ts';
import type { Chain, Verdict } from '../../outside/chains/chain.ts';
import { dropTransfer } from '../outcome/settle.ts';
import { storeFacts } from '../reading/store-facts.ts';
import { recordUnseen } from '../reading/unseen-store.ts';
import { UNNAMED_REPORTER } from '../records/contested.ts';
import type { StoredTransfer } from '../records/transfer-store.ts';

/**
 * Drops a transfer that the quorum reported as gone. Its transaction may be back with other transfers, in blocks that
 * have already been read, so it is looked up once more. If one provider alone denied what another one had reported, its
 * block counts as looked at by that one only: it is read again once another can.
 */
export async function dropVanished(
  ctx: Context,
  chain: Chain,
  transfer: StoredTransfer,
  { instead, named = [], alone }: Extract<Verdict, { type: 'gone' }>,
): Promise<void> {
  // An untraced one cannot be looked up, and few providers trace: what they name is decided about in its turn.
  const replacements = instead ?? (transfer.untraced ? named : await chain.replacements(transfer));
  const now = await ctx.db.now();
  await ctx.db.transaction(async (db) => {
    await dropTransfer({ ctx, db, at: { created: now, recorded: now } }, transfer, { gone: now });
    // Stores no more rows than the reader would. The quorum has not decided about them yet.
    const facts = { network: chain.network, transfers: replacements, reporter: UNNAMED_REPORTER };
    await storeFacts(db, { ...facts, pass: 'second' }, now);
    const missing = transfer.reportedBy.filter((name) => alone?.unreachable.includes(name));
    if (!alone || missing.length === 0) return;
    const { asset, block, txHash } = transfer;
    const why = `${alone.provider} denies ${txHash}, which ${missing.join(', ')} reported`;
    await recordUnseen(db, chain.network, { asset, from: block, to: block, why }, { now, lookedBy: alone.provider });
  });
}
