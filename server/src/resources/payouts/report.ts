import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import { lockName, type Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { asSent, namingLate, readTxHash } from '../outgoing-transfers/sent.ts';
import { lockPayouts, findOpenPayouts, writePayout } from './store.ts';
import { MAX_OPEN_PAYOUTS } from './payout.ts';

/**
 * The merchant names the transaction with which they sent these payouts, or another one while they are not final. A wallet
 * may send one also after it was cancelled, or after its transaction was given up.
 */
export async function reportPayouts(
  ctx: Context,
  db: Transaction,
  caller: Caller,
  { payouts: ids, tx_hash: text }: { payouts: readonly string[]; tx_hash: string },
): Promise<{ reported: number }> {
  await lockName(db, `payouts ${caller.id} ${caller.livemode}`);
  const payouts = await lockPayouts(db, caller, ids);
  const reopened = payouts.filter(({ status }) => status === 'cancelled' || status === 'failed').length;
  if (reopened > 0 && (await findOpenPayouts(db, caller)).length + reopened > MAX_OPEN_PAYOUTS)
    fail('invalid_payment_state', {
      message: `At most ${MAX_OPEN_PAYOUTS} payouts can be planned or on their way. Cancel some, or wait until they arrive.`,
    });
  for (const payout of payouts) {
    const txHash = readTxHash(payout.network, text, 'invalid_request');
    if (payout.txHash === txHash && (payout.status === 'sent' || payout.status === 'final')) continue;
    // After a take-over two wallets may send it.
    const isLate = payout.status === 'final';
    if (isLate && payout.wallet === null)
      fail('invalid_payment_state', { message: `The payout ${payout.id} is final: its money has arrived.` });
    await writePayout(db, isLate ? namingLate(payout, txHash) : asSent(payout, txHash, caller));
  }
  db.afterCommit(() => ctx.db.notify('payouts'));
  return { reported: payouts.length };
}
