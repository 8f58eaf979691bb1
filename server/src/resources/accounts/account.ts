import type { LoginNetwork } from '@quittance/contract';
import type { Defaults } from '../../platform/caller.ts';
import type { NoticeKind } from '../../settlement/records/notice-store.ts';

/** A merchant's whole account. Requests carry the smaller `Caller`. */
export interface MerchantAccount {
  id: string;
  email: string | null;
  loginNetwork: LoginNetwork | null;
  loginAddress: string | null;
  name: string | null;
  logoUrl: string | null;
  brand: Brand;
  supportEmail: string | null;
  supportUrl: string | null;
  /** Lines about the merchant that are printed on receipts. */
  receiptDetails: string | null;
  frameParents: string[];
  /** The sealed address, and its host. */
  paymaster: { host: string; sealed: Buffer } | null;
  toleranceBps: number | null;
  walletsByLoginOnly: boolean;
  /** Whether wallets that live keys add wait for the owner. */
  confirmKeyWallets: boolean;
  sessionDefaults: Defaults;
  /** What they want mails about. */
  notices: NoticeKind[];
  testClockOffsetMs: number;
  createdAt: Date;
}

export interface Brand {
  accentColor: string | null;
  backgroundColor: string | null;
  /** Null: as the customer's browser prefers. */
  theme: 'light' | 'dark' | null;
  /** Null: round. */
  corners: 'round' | 'soft' | 'square' | null;
}

/** Wallet accounts have one payout wallet, the one they log in with. Email accounts have any number. */
export function loginMethodOf(account: Pick<MerchantAccount, 'email'>): 'email' | 'wallet' {
  return account.email === null ? 'wallet' : 'email';
}
