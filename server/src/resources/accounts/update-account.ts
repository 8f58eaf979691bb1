import { findAssetByKey } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Caller, Defaults } from '../../platform/caller.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { requireEmailAddress } from '../../platform/email-address.ts';
import { fail, invariant } from '../../platform/errors.ts';
import { readWebAddress } from '../../platform/web-address.ts';
import { NOTICE_KINDS, type NoticeKind } from '../../settlement/records/notice-store.ts';
import { placeOf } from '../paymasters/store.ts';
import type { Brand, MerchantAccount } from './account.ts';
import { hashIn, logoUrl, ownLogoPath } from './logos/address.ts';
import { deleteOtherLogos, hasLogo } from './logos/store.ts';
import { lockAccount, saveAccountSettings } from './store.ts';

/** Changes of the account. A missing field stays as it is, null clears it. */
export interface AccountChanges {
  name?: string | null | undefined;
  logoUrl?: string | null | undefined;
  brand?: { [Of in keyof Brand]?: Brand[Of] | undefined } | undefined;
  supportEmail?: string | null | undefined;
  supportUrl?: string | null | undefined;
  receiptDetails?: string | null | undefined;
  frameParents?: string[] | undefined;
  /** Validated and sealed. */
  paymaster?: MerchantAccount['paymaster'] | undefined;
  toleranceBps?: number | null | undefined;
  walletsByLoginOnly?: boolean | undefined;
  confirmKeyWallets?: boolean | undefined;
  /** By kind: whether they want mails about it. */
  notices?: { [Kind in NoticeKind]?: boolean | undefined } | undefined;
  sessionDefaults?: { [Name in keyof Defaults]: Defaults[Name] | null | undefined } | undefined;
}

export async function updateAccount(
  ctx: Pick<Context, 'config'>,
  db: Transaction,
  caller: Caller,
  changes: AccountChanges,
): Promise<MerchantAccount> {
  const account = await lockAccount(db, caller.id);
  invariant(account, 'the account of a credential exists');

  const changed: MerchantAccount = {
    ...account,
    name: pick(changes.name, account.name, (name) => name.trim() || null),
    logoUrl: await changedLogo(ctx, db, account, changes.logoUrl),
    brand: changedBrand(account.brand, changes.brand ?? {}),
    supportEmail: pick(changes.supportEmail, account.supportEmail, (email) =>
      requireEmailAddress(email, 'support_email', 'invalid_request'),
    ),
    supportUrl: pick(changes.supportUrl, account.supportUrl, (url) => readCustomerAddress(url, 'support_url')),
    receiptDetails: pick(changes.receiptDetails, account.receiptDetails, (lines) => lines.trim() || null),
    frameParents: changes.frameParents ? [...new Set(changes.frameParents.map(readFrameParent))] : account.frameParents,
    paymaster: pick(changes.paymaster, account.paymaster, (paymaster) => paymaster),
    toleranceBps: pick(changes.toleranceBps, account.toleranceBps, (bps) => bps),
    walletsByLoginOnly: changes.walletsByLoginOnly ?? account.walletsByLoginOnly,
    confirmKeyWallets: changes.confirmKeyWallets ?? account.confirmKeyWallets,
    notices: changedNotices(account, changes.notices ?? {}),
    sessionDefaults: changedDefaults(account.sessionDefaults, changes.sessionDefaults ?? {}),
  };
  await saveAccountSettings(db, changed);
  return changed;
}

function pick<T>(sent: T | null | undefined, kept: T | null, read: (sent: T) => T | null): T | null {
  if (sent === undefined) return kept;
  return sent === null ? null : read(sent);
}

/** Of the pictures that the account has stored, the one that it uses is kept. */
async function changedLogo(
  { config: { publicUrl } }: Pick<Context, 'config'>,
  db: Transaction,
  account: MerchantAccount,
  sent: string | null | undefined,
): Promise<string | null> {
  const url = pick(sent, account.logoUrl, (text) => readCustomerAddress(text, 'logo_url'));
  if (sent === undefined) return url;
  const hash = hashIn(url);
  const isStored = hash !== null && (await hasLogo(db, account.id, hash));
  if (!isStored && ownLogoPath(publicUrl, url) !== null)
    fail('invalid_request', {
      param: 'logo_url',
      message: '`logo_url` names a picture that this account has not stored, or no longer. Upload it again.',
    });
  await deleteOtherLogos(db, account.id, isStored ? [hash] : []);
  return isStored ? logoUrl(publicUrl, hash) : url;
}

function changedBrand(brand: Brand, changes: NonNullable<AccountChanges['brand']>): Brand {
  return {
    accentColor: pick(changes.accentColor, brand.accentColor, (color) => color.toUpperCase()),
    backgroundColor: pick(changes.backgroundColor, brand.backgroundColor, (color) => color.toUpperCase()),
    theme: pick(changes.theme, brand.theme, (theme) => theme),
    corners: pick(changes.corners, brand.corners, (corners) => corners),
  };
}

function changedDefaults(kept: Defaults, changes: NonNullable<AccountChanges['sessionDefaults']>): Defaults {
  const currency = pick(changes.currency, kept.currency ?? null, (sent) => sent);
  const expiresInSeconds = pick(changes.expiresInSeconds, kept.expiresInSeconds ?? null, (sent) => sent);
  const acceptedAssets = pick(changes.acceptedAssets, kept.acceptedAssets ?? null, readAssets);
  return {
    ...(currency !== null && { currency }),
    ...(expiresInSeconds !== null && { expiresInSeconds }),
    ...(acceptedAssets !== null && { acceptedAssets }),
  };
}

function changedNotices(account: MerchantAccount, changes: NonNullable<AccountChanges['notices']>): NoticeKind[] {
  const kinds = NOTICE_KINDS.filter((kind) => changes[kind] ?? account.notices.includes(kind));
  // Only an address that its owner has proved by a login is written to.
  const unmailable = kinds.find((kind) => kind !== 'receipt');
  if (account.email === null && unmailable !== undefined)
    fail('invalid_request', {
      param: `email_notifications.${unmailable}`,
      message:
        'Notifications go to the email address that the account logs in with, and this account logs in ' +
        'with a wallet. Use a webhook instead.',
    });
  return kinds;
}

function readAssets(keys: string[]): string[] {
  return [
    ...new Set(
      keys.map(
        (key, index) =>
          findAssetByKey(key)?.key ??
          fail('invalid_request', {
            param: `session_defaults.accepted_assets[${index}]`,
            message: `\`accepted_assets[${index}]\` is not a supported asset. Name assets like USDC_BASE.`,
          }),
      ),
    ),
  ];
}

/** An address that customers' browsers go to: https, or http on the merchant's own machine. */
export function readCustomerAddress(text: string, param: string): string {
  if (typeof readWebAddress(text, { insecure: 'this machine', isPlain: true }) === 'string') {
    fail('invalid_request', {
      param,
      message: `\`${param}\` must be an https URL such as https://example.com/help.`,
    });
  }
  return text;
}

/** An origin as a browser writes it, without a path, which is all that `frame-ancestors` looks at. */
function readFrameParent(text: string, index: number): string {
  const url = readWebAddress(text, { insecure: 'this machine', isPlain: true });
  if (typeof url === 'string' || !/^[a-z]+:\/\/[^/?#]+\/?$/i.test(text))
    fail('invalid_request', {
      param: `frame_parents[${index}]`,
      message: 'Each entry must be an origin such as https://shop.example.com, without a path or wildcards.',
    });
  return url.origin;
}

/**
 * Seals the address of a paymaster, because it contains a key. Only its host can be read again. Refuses an address that no
 * request may leave for, such as this service's own. Every connection is judged again.
 */
export function sealPaymaster(
  { secrets, outbound }: Pick<Context, 'secrets' | 'outbound'>,
  accountId: string,
  url: string | null | undefined,
): MerchantAccount['paymaster'] | undefined {
  if (url === undefined || url === null) return url;
  const objection = outbound.objectionTo(readCustomerAddress(url, 'paymaster_url'));
  if (objection !== null) fail('invalid_request', { param: 'paymaster_url', message: objection });
  const { host } = new URL(url);
  return { host, sealed: secrets.seal(url, placeOf(accountId)) };
}
