import { NETWORKS } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/db.ts';
import type { Mail } from '../../platform/mails/mail.ts';
import { queueMail } from '../../platform/mails/queue-mail.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import { DAY_MS, later } from '../../platform/time.ts';
import type { Payment } from '../records/payment.ts';
import { countSettlementAlerts } from '../records/payment-store.ts';
import type { StoredTransfer } from '../records/transfer-store.ts';
import { findEmail } from './disappeared-store.ts';

// A deep reorg may affect every payment of an hour. Twenty mails are enough to act on; the dashboard lists all.
const MAX_MAILS_PER_DAY = 20;
const USEFUL_FOR_MS = 7 * DAY_MS;

/** Queues the mail to the merchant, in the transaction that sets the payment's alert. */
export async function mailDisappeared(
  ctx: Context,
  db: Transaction,
  { payment, transfer }: { payment: Payment; transfer: StoredTransfer },
  now: Date,
): Promise<void> {
  const email = await findEmail(db, payment.accountId);
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
  return {
    to,
    subject: 'A final payment disappeared from the blockchain',
    text: `A transfer that paid one of your payments is no longer on the blockchain. The network reversed it after it was final,
which should not happen.

Payment:     ${payment.id}
Amount:      ${formatDisplayAmount(payment.amountMinor)} ${payment.currency}${payment.orderId === null ? '' : `\nOrder:       ${payment.orderId}`}
Network:     ${NETWORKS[transfer.network].name}
Transaction: ${transfer.txHash}

If you have not shipped yet, wait. The transaction may be mined again within minutes, or it may be lost. The status of the payment
does not change. The payment page shows whether the transaction is still missing:

${publicUrl}/dashboard/payments/${payment.id}
`,
  };
}
