import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import type { AssetSymbol, ReceiveNetwork } from '../networks.ts';
import { LIMITS, pageQuery } from '../shapes/common.ts';
import type { RefundJson } from '../shapes/refund.ts';
import { oneOf } from '../shapes/schema.ts';
import { MAX_PAYOUTS_TOGETHER, PAYOUT_STATUSES, type PayoutStatus, type RefundFailure } from '../statuses.ts';
import { common, madeUpName, object } from './endpoint-shape.ts';
import type { HeldRefundsJson, PreparedTransferJson } from './money-endpoints.ts';

/** What the merchant sends to someone from their own wallet. */
export interface PayoutJson {
  id: string;
  livemode: boolean;
  status: PayoutStatus;
  to: string;
  asset: AssetSymbol;
  network: ReceiveNetwork;
  amount: string;
  note: string | null;
  tx_hash: string | null;
  /** Other transactions that were named for it and that may have sent it as well. */
  other_tx_hashes: string[];
  verified: boolean;
  mismatch: RefundJson['mismatch'];
  failure_reason: RefundFailure | null;
  created_at: string;
}

/** `repeated`: another line is the same. `planned_already`: so is a payout that is not final. */
export type PayoutWarning = 'repeated' | 'planned_already';

export interface PayoutLineJson extends Pick<PayoutJson, 'to' | 'asset' | 'network' | 'amount' | 'note'> {
  line: number;
  warnings: PayoutWarning[];
}

/** What a CSV says. Nothing is imported while a line has a problem. */
export interface PayoutCheckJson {
  lines: PayoutLineJson[];
  problems: { line: number; problem: string }[];
}

// A line has an address, an amount and a note.
const csv = Type.String({ minLength: 1, maxLength: 200_000, text: 'lines' });

export const checkPayouts = endpoint({
  ...common,
  operationId: 'dashboardCheckPayouts',
  method: 'POST',
  path: '/dashboard/api/payouts/check',
  body: Type.Object({ csv }),
  success: object<PayoutCheckJson>(),
});

export const importPayouts = endpoint({
  ...common,
  operationId: 'dashboardImportPayouts',
  method: 'POST',
  path: '/dashboard/api/payouts',
  /** A repeated import of one name adds nothing. */
  body: Type.Object({ csv, import: madeUpName }),
  success: object<{ imported: number }>(),
});

export const listPayouts = endpoint({
  ...common,
  operationId: 'dashboardPayouts',
  method: 'GET',
  path: '/dashboard/api/payouts',
  query: Type.Object({ ...pageQuery(), status: Type.Optional(oneOf(PAYOUT_STATUSES)) }),
  success: { status: 200, data: Type.Unsafe<PayoutJson>({}), envelope: 'list', description: '' },
  invalid: 'invalid_list_request',
});

const payouts = Type.Array(Type.String({ pattern: '^po_[0-9A-Za-z]{1,40}$', rule: 'the ID of a payout' }), {
  minItems: 1,
  maxItems: MAX_PAYOUTS_TOGETHER,
});

/** What one wallet needs to send payouts of one network together; nothing if wallets of other browsers have some. */
export interface PayoutSendingJson extends HeldRefundsJson {
  network: ReceiveNetwork;
  payouts: PreparedTransferJson[];
  /** Unsigned, in base64, with as many of them as fit into each, in their order. */
  transactions: string[];
}

/** Leaves planned payouts to a wallet of this browser for a while. */
export const sendPayouts = endpoint({
  ...common,
  operationId: 'dashboardSendPayouts',
  method: 'POST',
  path: '/dashboard/api/payouts/send',
  body: Type.Object({
    payouts,
    from: Type.String({ minLength: 1, maxLength: 128 }),
    holder: madeUpName,
    take_over: Type.Optional(Type.Boolean()),
  }),
  success: object<PayoutSendingJson>(),
  errors: ['not_found', 'invalid_payment_state', 'service_unavailable'],
});

/** The transaction that sent them. */
export const reportPayouts = endpoint({
  ...common,
  operationId: 'dashboardReportPayouts',
  method: 'POST',
  path: '/dashboard/api/payouts/sent',
  body: Type.Object({ payouts, tx_hash: Type.String({ minLength: 1, maxLength: LIMITS.txHashLength }) }),
  success: object<{ reported: number }>(),
  errors: ['not_found', 'invalid_payment_state'],
});

/** `take_over`: also those that a wallet was asked for, because the merchant says that it has not sent them. */
export const cancelPayouts = endpoint({
  ...common,
  operationId: 'dashboardCancelPayouts',
  method: 'POST',
  path: '/dashboard/api/payouts/cancel',
  body: Type.Object({ payouts, take_over: Type.Optional(Type.Boolean()) }),
  success: object<{ cancelled: number }>(),
  errors: ['not_found', 'invalid_payment_state'],
});
