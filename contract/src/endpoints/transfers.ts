import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { LIMITS, pageQuery } from '../shapes/common.ts';
import { pathId, idInput, described } from '../shapes/schema.ts';
import { TransferShape } from '../shapes/transfer.ts';

const tag = 'Transfers';
const params = pathId('tr', 'The transfer.');

const listTransfers = endpoint({
  method: 'GET',
  path: '/v1/transfers',
  tag,
  summary: 'List transfers to your payout wallets',
  description:
    'Newest first. With `unattributed=true`, only transfers that are neither attributed to a payment nor marked as handled.',
  auth: 'credential',
  scope: 'transfers:read',
  query: Type.Object({
    ...pageQuery(),
    unattributed: Type.Optional(
      Type.Boolean(described('Only unattributed transfers that are not marked as handled.', true)),
    ),
  }),
  success: { status: 200, data: TransferShape, envelope: 'list', description: 'A page of transfers.' },
  invalid: 'invalid_list_request',
});

const assignTransfer = endpoint({
  method: 'POST',
  path: '/v1/transfers/{id}/assign',
  tag,
  summary: 'Assign a transfer to a payment',
  description:
    'Attributes a transfer to a payment manually. If several accounts have saved the address, or a ' +
    'contract lives there, only the account that verified it can do this. A transfer that is not `confirmed` cannot be assigned yet. ' +
    'The same dollar coin at the same address of another EVM network can be assigned to a payment without money, if it ' +
    'is final and no contract lives at the address on either network, or you verified it on the network of the transfer. ' +
    '`receive_network` of the payment is that network then.',
  auth: 'login',
  params,
  body: Type.Object({
    payment: idInput('pay', 'The payment.'),
  }),
  success: { status: 200, data: TransferShape, envelope: 'object', description: 'The assigned transfer.' },
  errors: ['not_found', 'invalid_payment_state'],
  idempotent: true,
});

const releaseTransfer = endpoint({
  method: 'POST',
  path: '/v1/transfers/{id}/release',
  tag,
  summary: "Release a transfer from another account's payment",
  description:
    "Takes a transfer to an address that you proved away from another account's payment. That payment " +
    'loses the money: it becomes `failed`, or `refund_required` if part of its money is left, with the ' +
    'reason `transfer_released`. The transfer is unattributed afterwards, so that you can assign it.',
  auth: 'login',
  params,
  success: { status: 200, data: TransferShape, envelope: 'object', description: 'The transfer, unattributed.' },
  errors: ['not_found', 'invalid_payment_state'],
  idempotent: true,
});

const handleTransfer = endpoint({
  method: 'POST',
  path: '/v1/transfers/{id}/handle',
  tag,
  summary: 'Mark a transfer as handled',
  description:
    'Removes the transfer from the list of open transfers, with an optional note. If it is already handled, ' +
    'only the note changes. If several accounts have saved the address, or a contract lives there, only the ' +
    'account that verified it can do this.',
  auth: 'login',
  params,
  body: Type.Object({
    note: Type.Optional(
      Type.String({
        description: 'Your own record of how you handled it.',
        text: 'lines',
        maxLength: LIMITS.refundReasonLength,
        examples: ['Sent back by hand'],
      }),
    ),
  }),
  bodyOptional: true,
  success: { status: 200, data: TransferShape, envelope: 'object', description: 'The handled transfer.' },
  errors: ['not_found', 'invalid_payment_state'],
  idempotent: true,
});

const reopenTransfer = endpoint({
  method: 'POST',
  path: '/v1/transfers/{id}/reopen',
  tag,
  summary: 'Reopen a handled transfer',
  description:
    'Lists the transfer as open again and deletes its note. No-op if it is open. The same account may do this that may mark it as handled.',
  auth: 'login',
  params,
  success: { status: 200, data: TransferShape, envelope: 'object', description: 'The open transfer.' },
  errors: ['not_found'],
  idempotent: true,
});

export const transferEndpoints = { listTransfers, assignTransfer, releaseTransfer, handleTransfer, reopenTransfer };
