import { endpoint } from '../endpoint.ts';
import { coinAmount } from '../endpoints/refunds.ts';
import type { ReceiveNetwork } from '../networks.ts';
import type { PaymentJson } from '../shapes/payment.ts';
import { PayoutWalletShape } from '../shapes/payout-wallet.ts';
import { RefundShape } from '../shapes/refund.ts';
import { instantInput } from '../shapes/common.ts';
import { oneOf, pathId } from '../shapes/schema.ts';
import { MAX_SENT_TOGETHER, type UnattributedReason } from '../statuses.ts';
import { Type } from '@sinclair/typebox';
import { common, madeUpName, object } from './endpoint-shape.ts';

export interface MoneyJson {
  /** The exact amount that the customer was asked to send; null before they chose. */
  asked: { amount: string; asset: string; network: string } | null;
  /** The amount detected at the payout wallet, final or not. */
  detected: string;
  /** Who has the money now. */
  holder: 'none' | 'merchant' | 'provider' | 'customer';
  /** The conversion that it is in, or was returned from. */
  order: {
    provider: string;
    /** What the provider calls the order. */
    reference: string;
    deposit_address: string;
    /** Null if the provider has not reported an amount. */
    deposited: string | null;
    asset: string;
    network: string;
    refund_address: string;
  } | null;
  /** The most valuable of what else reached the wallet for it and waits for the merchant: it is in no refund of the payment. */
  not_counted: {
    transfer: string;
    amount: string;
    asset: string;
    network: string;
    reason: UnattributedReason | null;
  }[];
}

/** A transaction to a wallet of the account that could not be stored, so that no transfer of it is listed. */
export interface SetAsideTransactionJson {
  network: string;
  tx_hash: string;
  set_aside_at: string;
}

/** An open payment for which money was seen. */
export interface ArrivingJson {
  payment: string;
  /** As in the payment's `money`. */
  detected: string;
}

export const readMoney = endpoint({
  ...common,
  operationId: 'dashboardPaymentMoney',
  method: 'GET',
  path: '/dashboard/api/payments/{id}/money',
  params: pathId('pay', ''),
  success: object<MoneyJson>(),
  errors: ['not_found'],
});

export interface SuggestedPaymentJson {
  payment: PaymentJson;
  accepts: boolean;
  /**
   * For the same dollar coin on another network: whether the merchant can move it there, because the address is a
   * key's on both or they proved it, or why that is not known. Null for other payments.
   */
  reach: 'key' | 'proved' | 'contract' | 'unknown' | null;
  /** Whether the transfer itself points to it. */
  is_named: boolean;
  /** By how much the transfer is above what is due, negative where it is less; null where that is not known. */
  difference: string | null;
}

export const suggestPayments = endpoint({
  ...common,
  operationId: 'dashboardSuggestedPayments',
  method: 'GET',
  path: '/dashboard/api/transfers/{id}/suggested-payments',
  params: pathId('tr', ''),
  query: Type.Object({ q: Type.Optional(Type.String({ maxLength: 200 })) }),
  success: object<SuggestedPaymentJson[]>(),
  invalid: 'invalid_list_request',
  errors: ['not_found'],
});

/** Streams CSV, as the export of payments does: what moved into the payout wallets and out of them, for bookkeeping. */
export const exportMovements = endpoint({
  ...common,
  operationId: 'dashboardExportMovements',
  method: 'GET',
  path: '/dashboard/api/movements.csv',
  query: Type.Object({
    mode: oneOf(['live', 'test']),
    after: Type.Optional(instantInput('Only what moved at or after this time.')),
    before: Type.Optional(instantInput('Only what moved before this time.')),
    bom: Type.Optional(Type.Boolean()),
  }),
  success: object<string>(),
  invalid: 'invalid_list_request',
});

/** A person compares the address with what the customer says elsewhere, so keys cannot. Both are repeated. */
export const confirmRefund = endpoint({
  ...common,
  operationId: 'dashboardConfirmRefund',
  method: 'POST',
  path: '/dashboard/api/refunds/{id}/confirm',
  params: pathId('rf', ''),
  body: Type.Object({ to: Type.String({ minLength: 1, maxLength: 200 }), coin_amount: coinAmount('') }),
  success: { status: 200, data: RefundShape, envelope: 'object', description: '' },
  invalid: 'invalid_refund',
  errors: ['not_found', 'invalid_payment_state'],
});

/** `lookalike`: begins and ends like another address of the payment. `not_a_sender`: sent nothing to it. */
export type RefundWarning = 'more_than_sent' | 'small_sender' | 'lookalike' | 'not_a_sender';

/** What a wallet needs to send one of several transfers. */
export interface PreparedTransferJson {
  id: string;
  to: string;
  coin_amount: string;
  /** EIP-681, for an Ethereum wallet. Null elsewhere. */
  uri: string | null;
}

/** What one wallet needs to send planned refunds of one network together. */
export interface SendingJson {
  network: ReceiveNetwork;
  /** `warnings`: of an address that no person has confirmed: a key may have named it. */
  refunds: (PreparedTransferJson & { warnings: RefundWarning[] })[];
  /** All of them as one unsigned transaction in base64, on networks where a page cannot build one. */
  transaction: string | null;
}

const refundIds = Type.Array(Type.String({ pattern: '^rf_[0-9A-Za-z]{1,40}$', rule: 'the ID of a refund' }), {
  minItems: 1,
  maxItems: MAX_SENT_TOGETHER.evm,
});

export const planSending = endpoint({
  ...common,
  operationId: 'dashboardPlanSending',
  method: 'POST',
  path: '/dashboard/api/refunds/send',
  body: Type.Object({
    refunds: refundIds,
    from: Type.String({ minLength: 1, maxLength: 128 }),
  }),
  success: object<SendingJson>(),
  errors: ['not_found', 'invalid_payment_state', 'service_unavailable'],
});

/** The refunds that wallets of other browsers have now; none was taken unless it is empty. */
export interface HeldRefundsJson {
  others: { id: string; address: string; until: string }[];
}

/** Leaves planned refunds to a wallet of this browser for a while. */
export const holdRefunds = endpoint({
  ...common,
  operationId: 'dashboardHoldRefunds',
  method: 'POST',
  path: '/dashboard/api/refunds/hold',
  body: Type.Object({
    refunds: refundIds,
    holder: madeUpName,
    address: Type.String({ minLength: 1, maxLength: 128 }),
    take_over: Type.Optional(Type.Boolean()),
  }),
  success: object<HeldRefundsJson>(),
  errors: ['not_found', 'invalid_payment_state'],
});

/** The wallet of this browser has not sent them. */
export const releaseRefunds = endpoint({
  ...common,
  operationId: 'dashboardReleaseRefunds',
  method: 'POST',
  path: '/dashboard/api/refunds/release',
  body: Type.Object({ refunds: refundIds, holder: madeUpName }),
  success: object<{ released: boolean }>(),
  errors: ['not_found'],
});

/** A wallet that a live key added can be settled to from now on. Keys cannot confirm their own. */
export const confirmPayoutWallet = endpoint({
  ...common,
  operationId: 'dashboardConfirmPayoutWallet',
  method: 'POST',
  path: '/dashboard/api/payout-wallets/{id}/confirm',
  params: pathId('pp', ''),
  success: { status: 200, data: PayoutWalletShape, envelope: 'object', description: '' },
  errors: ['not_found', 'invalid_payout_wallet'],
});
