import { type Asset, findAsset, NETWORKS, RECEIVE_ASSETS, type ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { queueMail } from '../../platform/mails/queue-mail.ts';
import { DAY_MS, later } from '../../platform/time.ts';
import type { MerchantAccount } from '../accounts/account.ts';
import { lockAccount } from '../accounts/store.ts';
import type { WalletLook } from './look-up-address.ts';
import { defaultLabel, type PayoutWallet } from './payout-wallet.ts';
import { countWallets, findWallet, insertWallet, markAnnounced } from './store.ts';
import { validateAddress } from './validate-address.ts';

// Test suites save wallets by the hundred, and a thief could hide the important mail among many.
const ANNOUNCEMENTS_PER_DAY = 20;

export interface WalletRequest {
  asset: string;
  network: string;
  address: string;
  label?: string | undefined;
  /** What its address is; omitted in test mode. */
  look?: WalletLook;
}

/** Saves a payout wallet. Its address never changes; another address is another wallet. */
export async function createPayoutWallet(
  ctx: Context,
  db: Transaction,
  caller: Caller,
  request: WalletRequest,
): Promise<PayoutWallet> {
  if (caller.loginMethod === 'wallet') {
    fail('forbidden', {
      message:
        'This account logs in with a wallet, and that wallet is its only payout wallet. Accounts with an email login can have several.',
    });
  }
  const { asset, network } = readReceiveAsset(request);
  const address = readAddress(ctx, network as ReceiveNetwork, request.address);

  // Locked until the wallet is saved, so that only one of two first wallets becomes the default.
  const account = await lockAccount(db, caller.id);
  invariant(account, 'the account of a credential exists');
  if (caller.via === 'key' && account.walletsByLoginOnly) {
    fail('forbidden', {
      message: 'This account only allows payout wallets to be added from the dashboard.',
    });
  }
  const counts = await countWallets(db, caller, announcementsSince(caller.realNow));

  const wallet: PayoutWallet = {
    id: newId('pp'),
    accountId: caller.id,
    livemode: caller.livemode,
    asset,
    network: network as ReceiveNetwork,
    address,
    label: request.label?.trim() ? request.label : defaultLabel(asset, network as ReceiveNetwork),
    // A key cannot fill an empty default: the next session would pay the holder of the key.
    isDefault: counts.all === 0 || (caller.via !== 'key' && counts.defaults === 0),
    archivedAt: null,
    proof: 'not_required',
    needsProof: request.look?.needsProof ?? false,
    lookUpAt: (request.look?.isLookedUp ?? true) ? null : caller.realNow,
    unfit: null,
    unconfirmed: caller.via === 'key' && caller.livemode && account.confirmKeyWallets,
    createdBy: caller.via === 'key' ? 'key' : 'login',
    createdAt: caller.now,
  };
  await insertWallet(db, wallet);
  if (caller.via === 'key')
    await announceWallet(ctx, db, { account, wallet, announced: counts.announced, now: caller.realNow });
  return (await findWallet(db, caller, wallet.id)) ?? wallet;
}

function readReceiveAsset(request: WalletRequest): Asset {
  const network = request.network.toLowerCase();
  if (!RECEIVE_ASSETS.some((entry) => entry.network === network)) {
    fail('invalid_payout_wallet', {
      param: 'network',
      message: `Unsupported network. Send ${listOf(RECEIVE_ASSETS.map((entry) => entry.network))}.`,
    });
  }
  const asset = findAsset(request.asset, network);
  if (!asset?.receivable) {
    const choice = RECEIVE_ASSETS.filter((entry) => entry.network === network).map((entry) => entry.asset);
    fail('invalid_payout_wallet', {
      param: 'asset',
      message: `Unsupported asset. On ${NETWORKS[network as ReceiveNetwork].name}, send ${listOf(choice)}.`,
    });
  }
  return asset;
}

function listOf(words: string[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(new Set(words));
}

function readAddress(ctx: Context, network: ReceiveNetwork, text: string): string {
  const verdict = validateAddress(network, text, Object.values(ctx.config.networks[network].tokens));
  return verdict.ok ? verdict.address : fail('invalid_payout_wallet', { param: 'address', message: verdict.why });
}

/** Wallets announced after this instant, by real time, count against the day's limit of mails. */
function announcementsSince(now: Date): Date {
  return later(now, -DAY_MS);
}

/** Mails the account's owner that a secret key added a payout wallet. */
async function announceWallet(
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
      wallet.unconfirmed
        ? 'No payment settles to it before you confirm it. If you or your software added it, confirm it here:'
        : 'If you or your software added it, no action is needed.',
      ...(wallet.unconfirmed ? ['', `  ${publicUrl}/dashboard/wallets`, ''] : []),
      'If not, your secret key was leaked: rotate it now, archive the wallet, and turn on “Only allow ' +
        'payout wallets to be added from the dashboard” in the settings.',
      '',
      `  ${publicUrl}`,
      '',
    ].join('\n'),
  };
}
