import type { AccountJson, ApiKeyJson, ApiKeyWithSecretJson, Currency } from '@quittance/contract';
import { type Caller, offeredByDefault } from '../../platform/caller.ts';
import { later, SECOND_MS } from '../../platform/time.ts';
import { loginMethodOf, type MerchantAccount } from './account.ts';
import type { ApiKey } from './key-store.ts';

export function presentAccount(account: MerchantAccount, caller: Caller): AccountJson {
  return {
    id: account.id,
    object: 'account',
    livemode: caller.livemode,
    login_method: loginMethodOf(account),
    email: account.email,
    login_wallet:
      account.loginNetwork && account.loginAddress
        ? { network: account.loginNetwork, address: account.loginAddress }
        : null,
    name: account.name,
    logo_url: account.logoUrl,
    brand: {
      accent_color: account.brand.accentColor,
      background_color: account.brand.backgroundColor,
      theme: account.brand.theme,
      corners: account.brand.corners,
    },
    support_email: account.supportEmail,
    support_url: account.supportUrl,
    receipt_details: account.receiptDetails,
    frame_parents: account.frameParents,
    ...(account.paymaster && { paymaster_host: account.paymaster.host }),
    tolerance_bps: account.toleranceBps,
    wallets_by_login_only: account.walletsByLoginOnly,
    confirm_key_wallets: account.confirmKeyWallets,
    session_defaults: {
      currency: (account.sessionDefaults.currency as Currency | undefined) ?? null,
      expires_in: account.sessionDefaults.expiresInSeconds ?? null,
      accepted_assets: offeredByDefault(account.sessionDefaults),
    },
    email_notifications: {
      paid: account.notices.includes('paid'),
      needs_decision: account.notices.includes('needs_decision'),
      unattributed: account.notices.includes('unattributed'),
    },
    email_receipts: account.notices.includes('receipt'),
    test_clock: {
      now: later(caller.realNow, account.testClockOffsetMs).toISOString(),
      offset_seconds: Math.floor(account.testClockOffsetMs / SECOND_MS),
    },
    created_at: account.createdAt.toISOString(),
  };
}

export function presentApiKey(key: ApiKey, now: Date): ApiKeyJson {
  return {
    id: key.id,
    object: 'api_key',
    livemode: key.livemode,
    label: key.label,
    last4: key.last4,
    ...(key.scopes && { scopes: key.scopes }),
    ...(key.previousExpiresAt &&
      key.previousExpiresAt > now && { previous_expires_at: key.previousExpiresAt.toISOString() }),
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  };
}

export function presentApiKeyWithSecret(
  { key, secret }: { key: ApiKey; secret: string },
  now: Date,
): ApiKeyWithSecretJson {
  return { ...presentApiKey(key, now), secret };
}
