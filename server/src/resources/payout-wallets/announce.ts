import { NETWORKS } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { queueMail } from '../../platform/mails/queue-mail.ts';
import { DAY_MS, later } from '../../platform/time.ts';
import type { MerchantAccount } from '../accounts/account.ts';
import type { PayoutWallet } from './payout-wallet.ts';
import { markAnnounced } from './store.ts';

// Test suites save wallets by the hundred, and a thief could hide the important mail among many.
const ANNOUNCEMENTS_PER_DAY = 20;

/** Wallets announced after this instant, by real time, count against the day's limit of mails. */
export function announcementsSince(now: Date): Date {
  return later(now, -DAY_MS);
}

/** Mails the account's owner that a secret key added a payout wallet. */
export async function announceWallet(
  ctx: Context,
  db: Transaction,
  { account, wallet, announced, now }: { account: MerchantAccount; wallet: PayoutWallet; announced: number; now: Date },
): Promise<void> {
  if (account.email === null || !ctx.mail.available || announced >= ANNOUNCEMENTS_PER_DAY) return;

  const mail = announcement(account.email, wallet, ctx.config.publicUrl);
  await queueMail(db, ctx.secrets, mail, { now, usefulUntil: later(now, 3 * DAY_MS) });
  await markAnnounced(db, wallet, now);
  db.afterCommit(() => ctx.db.notify('mails'));
}

function announcement(
  email: string,
  wallet: PayoutWallet,
  publicUrl: string,
): { to: string; subject: string; text: string } {
  const mode = wallet.livemode ? 'live mode' : 'test mode';
  return {
    to: email,
    subject: `A payout wallet was added in ${mode}`,
    text: [
      `A secret key of your account added a payout wallet in ${mode}:`,
      '',
      `  ${wallet.asset} on ${NETWORKS[wallet.network].name}`,
      `  ${wallet.address}`,
      `  ${wallet.id}`,
      '',
      'If you or your software added it, no action is needed.',
      'If not, your secret key was leaked: rotate it now, archive the wallet, and turn on “Only allow payout wallets to be added from the dashboard” in the settings.',
      '',
      `  ${publicUrl}`,
      '',
    ].join('\n'),
  };
}
