import type { Currency, PaymentJson, Route, TransferJson } from '@quittance/contract';

export type {
  AccountJson,
  ApiKeyJson,
  ApiKeyWithSecretJson,
  Currency,
  InvitationJson,
  InvitationWithUrlJson,
  PaymentJson,
  PaymentLinkJson,
  PaymentStatus,
  PaymentTimelineJson,
  PayoutWalletJson,
  TimelineEntryJson,
  TransferJson,
  WalletProofJson,
  WebhookDeliveryDetailJson,
  WebhookDeliveryJson,
  WebhookEndpointJson,
  WebhookEndpointWithSecretJson,
} from '@quittance/contract';

// What `/dashboard/api` answers.

export interface OverviewJson {
  days: {
    day: string;
    started: number;
    paid: { currency: Currency; route: Route; count: number; volume: string; fees: string }[];
  }[];
}

export interface BusyAddressJson {
  wallet: string;
  label: string | null;
  network: string;
  address: string;
  proved: boolean;
  skipped: number;
  dust: number;
}

export interface AttentionJson {
  disappeared: PaymentJson[];
  set_aside: TransferJson[];
  set_aside_transactions: { network: string; tx_hash: string; set_aside_at: string }[];
  busy_addresses: BusyAddressJson[];
}

export interface OnboardingJson {
  wallet: boolean;
  wallet_proved: boolean;
  test_paid: boolean;
  webhook_answered: boolean;
  contact: boolean;
  live_key: boolean;
  live_paid: boolean;
  only_test_keys_used: boolean;
  local_endpoints: string[];
}

export interface SearchJson {
  payments: PaymentJson[];
  others: {
    kind: 'payment_link' | 'payout_wallet' | 'webhook_endpoint' | 'transfer' | 'request';
    id: string;
    label: string;
  }[];
}

export interface LoggedRequestJson {
  id: string;
  method: string;
  path: string;
  status: number;
  code: string | null;
  duration_ms: number;
  key: { id: string; label: string | null; last4: string } | null;
  idempotency_key: string | null;
  at: string;
}

export interface MoneyJson {
  asked: { amount: string; asset: string; network: string } | null;
  detected: string;
  holder: 'none' | 'merchant' | 'provider' | 'customer';
  order: {
    provider: string;
    reference: string;
    deposit_address: string;
    deposited: string;
    asset: string;
    network: string;
    refund_address: string;
  } | null;
}

export interface CandidateJson {
  payment: PaymentJson;
  accepts: boolean;
  is_named: boolean;
  difference: string | null;
}

export interface RefundPlanJson {
  asset: string;
  network: string;
  amount: string;
  suggestions: {
    address: string;
    kind: 'given' | 'sender';
    amount: string | null;
    is_small: boolean;
    resembles: string | null;
  }[];
  uri: string | null;
  objection: string | null;
  warnings: (AddressWarning | RefundWarning)[];
}

export interface RefundCheckJson {
  verdict: 'found' | 'unknown' | 'reverted' | 'unchecked';
  transfers: { asset: string; amount: string; from: string | null; to: string; from_payout_wallet: boolean }[];
}

export type RefundWarning = 'more_than_sent' | 'small_sender' | 'lookalike' | 'not_a_sender';

export interface SignUpJson {
  sign_up: 'open' | 'invite' | 'closed' | 'setup';
}

export type AddressWarning =
  | 'saved_already'
  | 'saved_elsewhere'
  | 'shared'
  | 'contract'
  | 'program'
  | 'token_account'
  | 'not_looked_up';

export interface AddressCheckJson {
  valid: boolean;
  address: string | null;
  why: string | null;
  warnings: AddressWarning[];
}

export interface SignedDeliveryJson {
  body: string;
  attempts: { id: string; headers: Record<string, string> }[];
}
