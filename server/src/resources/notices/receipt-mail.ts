import type { Mail } from '../../platform/mails/mail.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import { arrivedText, isShort } from './arrived.ts';
import { plainAddress, plainName } from './mail-text.ts';
import type { WaitingReceipt } from './receipt-store.ts';

/**
 * The receipt for the customer. Nothing in it is a text of the merchant's but their name, so that the merchant cannot send a message of
 * their own with it.
 */
export function receiptMail(receipt: WaitingReceipt, publicUrl: string): Mail {
  const amount = `${formatDisplayAmount(receipt.amountMinor)} ${receipt.currency}`;
  // The merchant accepted less than the price, and only that was paid.
  const less = isShort(receipt) ? arrivedText(receipt) : null;
  const merchant = receipt.name === null ? '' : plainName(receipt.name);
  const facts: [string, string | null][] = [
    [less ? 'Price' : 'Amount', amount],
    ['Arrived', less],
    ['Paid to', merchant || null],
    ['Paid at', `${receipt.paidAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
    ['Questions', receipt.supportEmail === null ? null : plainAddress(receipt.supportEmail)],
  ];
  return {
    to: receipt.toAddress,
    subject: `Receipt for your payment of ${less ?? amount}${receipt.livemode ? '' : ' (test mode)'}`,
    text: `${less ? 'The merchant accepted your payment, although less arrived than the price.' : 'Your payment has arrived.'}${receipt.livemode ? '' : ' It was made in test mode, with no real money.'}

${facts
  .filter(([, value]) => value !== null)
  .map(([name, value]) => `${`${name}:`.padEnd(11)}${value}`)
  .join('\n')}

Receipt: ${publicUrl}/receipt/${receipt.sessionId}

You get this mail because the merchant was given your address for this payment. There is nothing you need to do.
`,
  };
}
