import type { Defense } from './list.ts';

const notices = 'server/src/resources/notices';
const RECEIPT_MAILS = 'server/test/api/notices/receipts-by-mail.test.ts';

/** Accounts cannot have this server send mails to strangers, or floods of mail. */
export const MAIL_DEFENSES: readonly Defense[] = [
  {
    rule: 'A receipt by mail is sent for live money only if it went to an address that the account has proved',
    file: `${notices}/send-receipts.ts`,
    defends: 'return livemode ? isProved : toAddress === email;',
    without: 'return livemode ? isProved !== undefined : toAddress === email;',
    test: RECEIPT_MAILS,
    named: 'a wallet that the account has not verified',
  },
  {
    rule: 'Receipts of test payments go only to the merchant',
    file: `${notices}/send-receipts.ts`,
    defends: 'return livemode ? isProved : toAddress === email;',
    without: 'return livemode ? isProved : toAddress !== email || toAddress !== null;',
    test: RECEIPT_MAILS,
    named: 'goes only to the merchant',
  },
  {
    rule: 'One address gets at most ten receipts by mail a day, whichever accounts send them',
    file: `${notices}/send-receipts.ts`,
    defends: 'mailed.toAddress >= MAX_RECEIPTS_PER_ADDRESS_AND_DAY',
    without: 'mailed.toAddress < 0',
    test: RECEIPT_MAILS,
    named: 'at most ten to one address a day',
  },
  {
    rule: 'An account sends at most as many receipts by mail a day as the operator allows',
    file: `${notices}/send-receipts.ts`,
    defends: 'mailed.byAccount >= ctx.config.receiptMailsPerDay',
    without: 'mailed.byAccount < 0',
    test: RECEIPT_MAILS,
    named: 'as many as the operator allows',
  },
  {
    rule: "A merchant's name in a mail to a customer is never a link or a line of its own",
    file: `${notices}/receipt-mail.ts`,
    defends: "receipt.name === null ? '' : plainName(receipt.name)",
    without: "receipt.name === null ? '' : plainName(receipt.name) && receipt.name",
    test: RECEIPT_MAILS,
    named: 'and never as a link',
  },
  {
    rule: 'A merchant gets at most twenty mails about single payments and transfers a day, then one summary an hour',
    file: `${notices}/plan.ts`,
    defends: 'if (mailed.singles + waiting <= MAX_SINGLE_MAILS_PER_DAY)',
    without: 'if (mailed.singles + waiting <= MAX_SINGLE_MAILS_PER_DAY || now !== undefined)',
    test: 'server/test/api/notices/mails-to-merchants.test.ts',
    named: 'are at most twenty a day',
  },
  {
    rule: 'At most five accounts get a notice about a transfer that belongs to no payment, and none whose wallet is archived',
    file: 'server/src/settlement/records/notice-store.ts',
    defends: ' and wallet.archived_at is null\n',
    without: '\n',
    test: 'server/test/api/notices/mails-to-merchants.test.ts',
    named: 'the first five accounts with its address',
  },
  {
    rule: 'A mail asks to accept or send back only money that is in the wallet of the merchant',
    file: `${notices}/send-notices.ts`,
    defends: 'places.set(payment.id, await locateMoney(ctx, db, payment));',
    without: "places.set(payment.id, { ...(await locateMoney(ctx, db, payment)), holder: 'merchant' });",
    test: 'server/test/api/notices/mails-to-merchants.test.ts',
    named: 'about a conversion that is stuck (route_failed)',
  },
  {
    rule: 'A mail about a payment that was accepted with less says how much arrived',
    file: `${notices}/arrived.ts`,
    defends: 'return (due - money.actualOutputUnits) * money.amountMinor >= due;',
    without: 'return (due - money.actualOutputUnits) * 0n >= due;',
    test: 'server/test/api/notices/mails-to-merchants.test.ts',
    named: 'accepted with less say how much',
  },
  {
    rule: 'A customer who sent the price without the part that identifies it has paid all of it',
    file: `${notices}/arrived.ts`,
    defends: 'return (due - money.actualOutputUnits) * money.amountMinor >= due;',
    without: 'return money.actualOutputUnits < due;',
    test: 'server/src/resources/notices/arrived.test.ts',
    named: 'without the part that only identifies it',
  },
];
