import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import {
  amountInput,
  assetInput,
  emailInput,
  instantInput,
  LIMITS,
  networkInput,
  pageQuery,
} from '../shapes/common.ts';
import { RefundShape, RefundStatusShape } from '../shapes/refund.ts';
import { nullable, oneOf, pathId, idInput, described } from '../shapes/schema.ts';
import { LOCALES } from '../statuses.ts';

const tag = 'Refunds';
const params = pathId('rf', 'The refund.');
const paymentParams = pathId('pay', 'The payment.');

const txHash = Type.String({
  description: 'The transaction with which you sent it: its hash, or a link that contains it.',
  minLength: 1,
  maxLength: LIMITS.txHashLength,
  examples: ['0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'],
});

/** An exact amount in the asset. */
export const coinAmount = (description: string) =>
  Type.String({
    description,
    pattern: '^(0|[1-9][0-9]{0,30})(\\.[0-9]{1,18})?$',
    rule: 'a decimal string such as "9.800000"',
    examples: ['9.809515'],
  });

const link = Type.Object(
  {
    email: Type.Optional(
      nullable(emailInput('Where to mail it.', 'kim@example.com'), {
        description:
          'Where to mail it. Without it, the email address of the customer, if you sent one with the session; null ' +
          'for no mail.',
        examples: ['kim@example.com'],
      }),
    ),
    locale: Type.Optional(oneOf(LOCALES, described('The language of the mails.', 'de'))),
    expires_in: Type.Optional(
      Type.Integer({
        description: 'Seconds until it expires. By default a week.',
        minimum: 3_600,
        maximum: LIMITS.expiresInMostSeconds,
        examples: [604_800],
      }),
    ),
  },
  {
    description:
      'Instead of `to`: a link by which the customer names the address, once. A wallet that paid at least this ' +
      'amount becomes `to` by its signature, any other address once you confirm it.',
  },
);

const createRefund = endpoint({
  method: 'POST',
  path: '/v1/payments/{id}/refunds',
  tag,
  summary: 'Create a refund',
  description:
    'Reserves a part of what the payment brought, to be returned. No funds are moved: you send `coin_amount` to ' +
    '`to` from your own wallet, and name the transaction here or later. The status of the payment stays, until ' +
    'what was returned covers its amount, or all that arrived if that is less, or at least twice its amount: then ' +
    'it becomes `refunded`.',
  auth: 'credential',
  scope: 'refunds:write',
  params: paymentParams,
  body: Type.Object({
    amount: Type.Optional(
      amountInput('The amount in the display currency. Without it and `coin_amount`, everything that is left.'),
    ),
    coin_amount: Type.Optional(coinAmount('The exact amount in the asset, instead of `amount`.')),
    to: Type.Optional(
      Type.String({
        description: 'The address of the customer on the network that the payment arrived on.',
        minLength: 1,
        maxLength: 200,
        examples: ['0x8617E340B3D01FA5F11F306F4090FD50E238070D'],
      }),
    ),
    link: Type.Optional(link),
    asset: Type.Optional(assetInput('Only as a check: the asset that the payment brought.')),
    network: Type.Optional(networkInput('Only as a check: the network that it arrived on.')),
    reason: Type.Optional(
      Type.String({
        description: 'The reason, stored with the refund.',
        text: 'lines',
        maxLength: LIMITS.refundReasonLength,
        examples: ['Paid too much'],
      }),
    ),
    tx_hash: Type.Optional(txHash),
  }),
  success: { status: 201, data: RefundShape, envelope: 'object', description: 'The refund.' },
  invalid: 'invalid_refund',
  errors: ['not_found', 'invalid_payment_state'],
  idempotent: true,
});

const listPaymentRefunds = endpoint({
  method: 'GET',
  path: '/v1/payments/{id}/refunds',
  tag,
  summary: 'List the refunds of a payment',
  description: 'Newest first.',
  auth: 'credential',
  scope: 'refunds:read',
  params: paymentParams,
  query: Type.Object(pageQuery()),
  success: { status: 200, data: RefundShape, envelope: 'list', description: 'A page of refunds.' },
  invalid: 'invalid_list_request',
  errors: ['not_found'],
});

const listRefunds = endpoint({
  method: 'GET',
  path: '/v1/refunds',
  tag,
  summary: 'List refunds',
  description: 'Newest first.',
  auth: 'credential',
  scope: 'refunds:read',
  query: Type.Object({
    status: Type.Optional(RefundStatusShape),
    payment: Type.Optional(idInput('pay', 'Only refunds of this payment.')),
    created_after: Type.Optional(instantInput('Only refunds created at or after this time.')),
    created_before: Type.Optional(instantInput('Only refunds created before this time.')),
    ...pageQuery(),
  }),
  success: { status: 200, data: RefundShape, envelope: 'list', description: 'A page of refunds.' },
  invalid: 'invalid_list_request',
});

const getRefund = endpoint({
  method: 'GET',
  path: '/v1/refunds/{id}',
  tag,
  summary: 'Retrieve a refund',
  auth: 'credential',
  scope: 'refunds:read',
  params,
  success: { status: 200, data: RefundShape, envelope: 'object', description: 'The refund.' },
  errors: ['not_found'],
});

const reportRefund = endpoint({
  method: 'POST',
  path: '/v1/refunds/{id}/sent',
  tag,
  summary: 'Report that a refund was sent',
  description:
    'Names the transaction, also another one while it is not `final`: a wallet that raises the fee sends a new ' +
    'one. The service looks it up on the chain; the refund is `final` once the RPC providers agree that exactly ' +
    'this transfer is. In test mode it is `final` at once.',
  auth: 'credential',
  scope: 'refunds:write',
  params,
  body: Type.Object({ tx_hash: txHash }),
  success: { status: 200, data: RefundShape, envelope: 'object', description: 'The refund.' },
  invalid: 'invalid_refund',
  errors: ['not_found', 'invalid_payment_state'],
  idempotent: true,
});

const cancelRefund = endpoint({
  method: 'POST',
  path: '/v1/refunds/{id}/cancel',
  tag,
  summary: 'Cancel a refund',
  description:
    'Frees the amount of a refund that was not sent, or whose transaction has a `mismatch`. No-op if it is ' +
    'already cancelled.',
  auth: 'credential',
  scope: 'refunds:write',
  params,
  success: { status: 200, data: RefundShape, envelope: 'object', description: 'The cancelled refund.' },
  errors: ['not_found', 'invalid_payment_state'],
  idempotent: true,
});

export const refundEndpoints = {
  createRefund,
  listPaymentRefunds,
  listRefunds,
  getRefund,
  reportRefund,
  cancelRefund,
};
