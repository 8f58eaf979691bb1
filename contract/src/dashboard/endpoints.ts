import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { emailInput, LIMITS, pageQuery } from '../shapes/common.ts';
import type { PaymentJson } from '../shapes/payment.ts';
import type { RefundJson } from '../shapes/refund.ts';
import { oneOf, pathId } from '../shapes/schema.ts';
import type { TransferJson } from '../shapes/transfer.ts';
import type { Currency, Route } from '../statuses.ts';
import { common, object, paymentFilter } from './endpoint-shape.ts';
import type { ArrivingJson, RefundWarning, SetAsideTransactionJson } from './money-endpoints.ts';
import type { PayoutJson } from './payout-endpoints.ts';

export * from './customer-endpoints.ts';
export * from './logo-endpoints.ts';
export * from './money-endpoints.ts';
export * from './payout-endpoints.ts';

// Only the dashboard uses these endpoints. They are not part of the published API and change with its pages.

const email = emailInput('The email address to log in with.', 'shop@example.com');

export interface SignedIn {
  signed_in: boolean;
}

export const signInByEmail = endpoint({
  ...common,
  operationId: 'dashboardSignInByEmail',
  method: 'POST',
  path: '/dashboard/session/email',
  auth: 'none',
  body: Type.Object({ email, code: Type.String({ minLength: 6, maxLength: 6 }) }),
  success: object<SignedIn>(),
  invalid: 'invalid_email_request',
});

export const signInByLink = endpoint({
  ...common,
  operationId: 'dashboardSignInByLink',
  method: 'POST',
  path: '/dashboard/session/link',
  auth: 'none',
  body: Type.Object({ email: Type.String({ maxLength: 254 }), token: Type.String({ maxLength: 128 }) }),
  success: object<SignedIn>(),
  invalid: 'invalid_email_request',
  errors: ['invalid_code', 'invalid_invitation', 'signup_closed'],
});

export const signInByWallet = endpoint({
  ...common,
  operationId: 'dashboardSignInByWallet',
  method: 'POST',
  path: '/dashboard/session/wallet',
  auth: 'none',
  body: Type.Object({
    address: Type.String({ minLength: 1, maxLength: 128 }),
    network: oneOf(['ethereum', 'solana']),
    signature: Type.String({ minLength: 1, maxLength: 65_536 }),
    invitation: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  }),
  success: object<SignedIn>(),
  invalid: 'invalid_signature',
  errors: ['invalid_invitation', 'signup_closed'],
});

export interface SignUpJson {
  /** `setup`: no account yet, the operator opens the first one with the link from the log. */
  sign_up: 'open' | 'invite' | 'closed' | 'setup';
}

export const readSignUp = endpoint({
  ...common,
  operationId: 'dashboardSignUp',
  method: 'GET',
  path: '/dashboard/session/sign-up',
  auth: 'none',
  success: object<SignUpJson>(),
});

export const signOut = endpoint({
  ...common,
  operationId: 'dashboardSignOut',
  method: 'POST',
  path: '/dashboard/session/logout',
  body: Type.Object({ everywhere: Type.Optional(Type.Boolean()) }),
  success: object<SignedIn>(),
});

export interface DayActivity {
  day: string;
  started: number;
  /** `volume` is the sum of their prices, before fees and refunds. */
  paid: { currency: Currency; route: Route; count: number; volume: string; fees: string }[];
}
export interface OverviewJson {
  days: DayActivity[];
}

export const readOverview = endpoint({
  ...common,
  operationId: 'dashboardOverview',
  method: 'GET',
  path: '/dashboard/api/overview',
  query: Type.Object({ days: Type.Optional(Type.Integer({ minimum: 1, maximum: 184, default: 30 })) }),
  success: object<OverviewJson>(),
  invalid: 'invalid_list_request',
});

/** An address that received more than is listed, and how much of it in the last 24 hours. */
export interface BusyAddressJson {
  wallet: string;
  label: string | null;
  network: string;
  address: string;
  proved: boolean;
  /** Transfers that were left out because the wallet is not verified. */
  skipped: number;
  /** Transfers below 0.01 USD. */
  dust: number;
}

export interface AttentionJson {
  /** Payments whose final transfer is no longer on the chain. */
  disappeared: PaymentJson[];
  /** Transfers that could not be processed automatically. */
  set_aside: TransferJson[];
  set_aside_transactions: SetAsideTransactionJson[];
  busy_addresses: BusyAddressJson[];
  /** Payments of the last days whose customer sent too much. */
  overpaid: PaymentJson[];
  arriving: ArrivingJson[];
  /** Refunds whose customer has named an address: to be confirmed, or to be sent. */
  refunds: RefundJson[];
  /** Refunds that may have been sent twice: after they had ended, or by other transactions as well. */
  uncounted_refunds: (RefundJson & { other_tx_hashes: string[] })[];
  /** Other refunds that wait to be sent. */
  planned_refunds: RefundJson[];
  /** Payouts that wait to be sent. */
  payouts: PayoutJson[];
  /** Payouts whose transaction moved something else, or that may have been sent twice. */
  doubtful_payouts: PayoutJson[];
  /** How much waits in each place of the navigation, counted up to 10. */
  counts: { payments: number; transfers: number; refunds: number; webhooks: number };
}

export const readAttention = endpoint({
  ...common,
  operationId: 'dashboardAttention',
  method: 'GET',
  path: '/dashboard/api/attention',
  success: object<AttentionJson>(),
});

/** Of the mode that is shown; a test payment and a live key are steps of their own. */
export interface OnboardingJson {
  wallet: boolean;
  wallet_proved: boolean;
  /** Keys cannot add wallets, or theirs wait for the owner; also if an account logs in by its only wallet. */
  wallets_guarded: boolean;
  test_paid: boolean;
  webhook_answered: boolean;
  /** There is a link, of whatever status. */
  link: boolean;
  /** A link was paid, and there is no endpoint: such a shop needs neither webhooks nor keys. */
  sells_by_links: boolean;
  contact: boolean;
  live_key: boolean;
  live_paid: boolean;
  /** Secret keys of test mode are used, those of live mode are not. */
  only_test_keys_used: boolean;
  /** Live endpoints that point to a machine of the developer's. */
  local_endpoints: string[];
}

export const readOnboarding = endpoint({
  ...common,
  operationId: 'dashboardOnboarding',
  method: 'GET',
  path: '/dashboard/api/onboarding',
  success: object<OnboardingJson>(),
});

export interface SearchJson {
  payments: PaymentJson[];
  others: {
    kind: 'customer' | 'payment_link' | 'payout_wallet' | 'webhook_endpoint' | 'api_key' | 'transfer' | 'request';
    id: string;
    label: string;
    /** What identifies a customer. */
    identity?: { reference: string } | { email: string };
  }[];
}

export const search = endpoint({
  ...common,
  operationId: 'dashboardSearch',
  method: 'GET',
  path: '/dashboard/api/search',
  query: Type.Object({ q: Type.String({ minLength: 1, maxLength: 200 }), ...paymentFilter }),
  success: object<SearchJson>(),
  invalid: 'invalid_list_request',
});

/** The export streams CSV, not JSON. The mode is in the URL, because a download cannot send our headers. */
export const exportPayments = endpoint({
  ...common,
  operationId: 'dashboardExportPayments',
  method: 'GET',
  path: '/dashboard/api/payments.csv',
  query: Type.Object({
    mode: oneOf(['live', 'test']),
    ...paymentFilter,
    bom: Type.Optional(Type.Boolean()),
  }),
  success: object<string>(),
  invalid: 'invalid_list_request',
});

/** A page and no JSON: the checkout with settings that are not saved yet. */
export const previewCheckout = endpoint({
  ...common,
  operationId: 'dashboardPreviewCheckout',
  method: 'GET',
  path: '/dashboard/preview',
  query: Type.Object({}),
  success: object<string>(),
});

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

export const listRequests = endpoint({
  ...common,
  operationId: 'dashboardRequests',
  method: 'GET',
  path: '/dashboard/api/requests',
  query: Type.Object({ ...pageQuery(), failed: Type.Optional(Type.Boolean()) }),
  success: { status: 200, data: Type.Unsafe<LoggedRequestJson>({}), envelope: 'list', description: '' },
  invalid: 'invalid_list_request',
});

/** The last: the network did not answer in time, so what lives there is not known. */
export type AddressWarning = 'saved_already' | 'saved_elsewhere' | 'shared' | 'contract' | 'program' | 'not_looked_up';

export interface RefundPlanJson {
  asset: string;
  network: string;
  /** All that arrived, in whole units. */
  amount: string;
  /** What of it is neither returned nor planned to be. */
  left: string;
  /** What of that is above the price; null without any. */
  surplus: string | null;
  /** What other refunds are to return, in the display currency: planned, asked for or on their way. Null without any. */
  begun: string | null;
  /** Where the customer may want it: the address given for refunds, or those that paid, with what each sent at most. */
  suggestions: {
    address: string;
    kind: 'given' | 'sender';
    amount: string | null;
    is_small: boolean;
    resembles: string | null;
  }[];
  /** EIP-681 or Solana Pay, to `to`; null without a valid one. */
  uri: string | null;
  objection: string | null;
  /** What lives at `to`, and what is unusual about sending this amount there. */
  warnings: (AddressWarning | RefundWarning)[];
}

export const planRefund = endpoint({
  ...common,
  operationId: 'dashboardPlanRefund',
  method: 'GET',
  path: '/dashboard/api/payments/{id}/refund-plan',
  params: pathId('pay', ''),
  query: Type.Object({
    to: Type.Optional(Type.String({ maxLength: 128 })),
    amount: Type.Optional(Type.String({ maxLength: 90, pattern: '^[0-9]{1,40}(\\.[0-9]{1,40})?$' })),
    /** A planned refund, instead of both. */
    refund: Type.Optional(Type.String({ maxLength: 64 })),
  }),
  success: object<RefundPlanJson>(),
  errors: ['not_found'],
});

export interface RefundCheckJson {
  /** `unconfirmed` if only some providers show it; `unchecked` in test mode, whose chains carry no refunds. */
  verdict: 'found' | 'unconfirmed' | 'unknown' | 'reverted' | 'unchecked';
  transfers: { asset: string; amount: string; from: string | null; to: string; from_payout_wallet: boolean }[];
}

export interface RefundTransactionJson {
  /** Unsigned, in base64. */
  transaction: string;
}

export const buildRefund = endpoint({
  ...common,
  operationId: 'dashboardBuildRefund',
  method: 'POST',
  path: '/dashboard/api/payments/{id}/refund-transaction',
  params: pathId('pay', ''),
  body: Type.Object({
    from: Type.String({ minLength: 1, maxLength: 128 }),
    to: Type.String({ minLength: 1, maxLength: 128 }),
    amount: Type.String({ maxLength: 90, pattern: '^[0-9]{1,40}(\\.[0-9]{1,40})?$' }),
  }),
  success: object<RefundTransactionJson>(),
  errors: ['not_found', 'invalid_payment_state', 'service_unavailable'],
});

export const checkRefund = endpoint({
  ...common,
  operationId: 'dashboardCheckRefund',
  method: 'POST',
  path: '/dashboard/api/payments/{id}/check-refund',
  params: pathId('pay', ''),
  body: Type.Object({
    tx_hash: Type.String({ minLength: 1, maxLength: LIMITS.txHashLength }),
    address: Type.String({ minLength: 1, maxLength: 128 }),
  }),
  success: object<RefundCheckJson>(),
  errors: ['not_found', 'service_unavailable'],
});

export interface AddressCheckJson {
  valid: boolean;
  address: string | null;
  why: string | null;
  /** Reasons to check the address again, although it is valid. */
  warnings: AddressWarning[];
}

export const checkAddress = endpoint({
  ...common,
  operationId: 'dashboardCheckAddress',
  method: 'GET',
  path: '/dashboard/api/address-check',
  query: Type.Object({
    network: Type.String({ maxLength: 20 }),
    asset: Type.String({ maxLength: 20 }),
    address: Type.String({ minLength: 1, maxLength: 128 }),
  }),
  success: object<AddressCheckJson>(),
  invalid: 'invalid_payout_wallet',
});

export interface AssetJson {
  key: string;
  asset: string;
  network: string;
}

/** What this server offers: `EXTRA_ASSETS` may have added some. */
export interface AssetsJson {
  pay: AssetJson[];
  receive: AssetJson[];
}

export const readAssets = endpoint({
  ...common,
  operationId: 'dashboardAssets',
  method: 'GET',
  path: '/dashboard/api/assets',
  success: object<AssetsJson>(),
});

export interface SignedDeliveryJson {
  body: string;
  attempts: { id: string; headers: Record<string, string> }[];
}

export const signDelivery = endpoint({
  ...common,
  operationId: 'dashboardSignDelivery',
  method: 'GET',
  path: '/dashboard/api/deliveries/{id}/signed',
  params: pathId('dlv', ''),
  success: object<SignedDeliveryJson>(),
  errors: ['not_found'],
});
