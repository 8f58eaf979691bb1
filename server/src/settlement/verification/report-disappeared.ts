import { NETWORKS } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Verdict } from '../../outside/chains/chain.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { type Mail, queueMail } from '../../platform/mails/queue-mail.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import { DAY_MS, later } from '../../platform/time.ts';
import { isCounted } from '../outcome/settle.ts';
import { findAccountEmail } from '../records/notice-store.ts';
import { countSettlementAlerts, lockPayments, setSettlementAlert } from '../records/payment-store.ts';
import type { Payment, SettlementAlert } from '../records/payment.ts';
import { saveRecheck } from '../records/rechecked-store.ts';
import { findTransfersOf, lockTransfer, reopenTransfer, type StoredTransfer } from '../records/transfer-store.ts';
import { confirmations, finalityRule, isFinal, transferWorthUsdMinor, worthUsdMinor } from './finality.ts';

// A deep reorg may affect every payment of an hour. Twenty mails are enough to act on; the dashboard lists all.
const MAX_MAILS_PER_DAY = 20;
const USEFUL_FOR_MS = 7 * DAY_MS;

/**
 * Reports that a final transfer is no longer on the chain: evidence, alert and mail in one transaction, once per
 * transfer. Returns false if the transfer's payment changed meanwhile and it has to be checked again.
 */
export function reportDisappeared(ctx: Context, seen: StoredTransfer): Promise<boolean> {
  return withLocked(ctx, seen, async (db, transfer, payment, now) => {
    const knownSince = transfer.evidence.goneAfterFinal;
    await saveRecheck(db, transfer, { goneAfterFinal: knownSince ?? now });
    if (knownSince !== undefined) return;

    // Before the commit: if the process ends between the two, it is raised again and not lost.
    ctx.log.error({ ...idsOf(transfer), alarm: 'gone_after_final' }, 'final transfer disappeared from the chain');
    const disappeared = await disappearedOf(db, payment);
    await setSettlementAlert(ctx, db, payment.id, alertFor(disappeared));
    // A transaction with several transfers to one payment is reported once.
    if (!disappeared.some((other) => other.id !== transfer.id && other.txHash === transfer.txHash))
      await mailDisappeared(ctx, db, { payment, transfer }, now);
  });
}

/** A final transfer is on the chain. If it had disappeared, the alert ends once it is final in its new block. */
export function reportBack(
  ctx: Context,
  seen: StoredTransfer,
  verdict: Extract<Verdict, { type: 'stands' }>,
): Promise<boolean> {
  return withLocked(ctx, seen, async (db, transfer, payment, now) => {
    const current = { ...transfer, block: verdict.transfer.block };
    const isBack = transfer.evidence.goneAfterFinal !== undefined;
    if (isBack && !isFinalAgain(ctx, current, payment, verdict)) return;
    await saveRecheck(
      db,
      current,
      isBack
        ? {
            backAfterFinal: now,
            confirmations: confirmations(current.block.number, verdict.head.number),
            providers: verdict.providers,
          }
        : {},
    );
    if (!isBack) return;
    db.afterCommit(() => ctx.log.warn(idsOf(transfer), 'disappeared transfer is back on the chain'));
    await setSettlementAlert(ctx, db, payment.id, alertFor(await disappearedOf(db, payment)));
  });
}

/**
 * Payments are always locked before their transfers, so that two transactions cannot deadlock. What no status has counted is
 * open again instead, and verified like a new transfer.
 */
async function withLocked(
  ctx: Context,
  seen: StoredTransfer,
  work: (db: Transaction, transfer: StoredTransfer, payment: Payment, now: Date) => Promise<void>,
): Promise<boolean> {
  const now = await ctx.db.now();
  return ctx.db.transaction(async (db) => {
    const payment = seen.paymentId ? (await lockPayments(db, [seen.paymentId])).get(seen.paymentId) : undefined;
    const transfer = await lockTransfer(db, seen.id);
    if (transfer?.status !== 'final') return true;
    if (transfer.paymentId !== seen.paymentId) return false;
    if (payment && (await isCounted(db, payment, transfer))) await work(db, transfer, payment, now);
    else await reopenTransfer(db, transfer.id);
    return true;
  });
}

function isFinalAgain(
  ctx: Context,
  transfer: StoredTransfer,
  payment: Payment,
  { head }: Extract<Verdict, { type: 'stands' }>,
): boolean {
  const asked = worthUsdMinor(payment.amountMinor, payment.currency);
  const sent = transferWorthUsdMinor(transfer);
  const rule = finalityRule(
    transfer.network,
    asked > sent ? asked : sent,
    ctx.config.networks[transfer.network].confirmations,
  );
  return isFinal(rule, transfer.block.number, head);
}

async function disappearedOf(db: Transaction, payment: Payment): Promise<StoredTransfer[]> {
  return (await findTransfersOf(db, [payment.id])).filter((transfer) => transfer.evidence.goneAfterFinal !== undefined);
}

function idsOf({ id, paymentId, network, txHash }: StoredTransfer) {
  return { transferId: id, paymentId, network, txHash };
}

/** The alert that a payment shows for these transfers: the one that was detected first. */
function alertFor(disappeared: readonly StoredTransfer[]): SettlementAlert | null {
  const alerts = disappeared.map(
    (transfer): SettlementAlert => ({
      type: 'transfer_disappeared',
      txHash: transfer.txHash,
      detectedAt: new Date(String(transfer.evidence.goneAfterFinal)),
    }),
  );
  return alerts.sort((one, other) => one.detectedAt.getTime() - other.detectedAt.getTime())[0] ?? null;
}

/** Queues the mail to the merchant, in the transaction that sets the payment's alert. */
async function mailDisappeared(
  ctx: Context,
  db: Transaction,
  { payment, transfer }: { payment: Payment; transfer: StoredTransfer },
  now: Date,
): Promise<void> {
  const email = await findAccountEmail(db, payment.accountId);
  if (email === null || !ctx.mail.available) return;
  const account = { id: payment.accountId, livemode: payment.livemode };
  if ((await countSettlementAlerts(db, account, later(now, -DAY_MS))) > MAX_MAILS_PER_DAY) return;
  await queueMail(db, ctx.secrets, disappearedMail(email, payment, transfer, ctx.config.publicUrl), {
    now,
    usefulUntil: later(now, USEFUL_FOR_MS),
  });
  db.afterCommit(() => ctx.db.notify('mails'));
}

function disappearedMail(to: string, payment: Payment, transfer: StoredTransfer, publicUrl: string): Mail {
  const order = payment.orderId === null ? '' : `\nOrder:       ${payment.orderId}`;
  return {
    to,
    subject: 'A final payment disappeared from the blockchain',
    text: `A transfer that paid one of your payments is no longer on the blockchain. The network reversed it after it was final,
which should not happen.

Payment:     ${payment.id}
Amount:      ${formatDisplayAmount(payment.amountMinor)} ${payment.currency}${order}
Network:     ${NETWORKS[transfer.network].name}
Transaction: ${transfer.txHash}

If you have not shipped yet, wait. The transaction may be mined again within minutes, or it may be lost. The status of the payment
does not change. The payment page shows whether the transaction is still missing:

${publicUrl}/dashboard/payments/${payment.id}
`,
  };
}
