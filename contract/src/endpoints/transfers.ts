import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { pageQuery } from '../shapes/common.ts';
import { exampleId, pathId } from '../shapes/schema.ts';
import { TransferShape } from '../shapes/transfer.ts';

const tag = 'Transfers';
const params = pathId('tr', 'The transfer.');

export const listTransfers = endpoint({
  operationId: 'listTransfers',
  method: 'GET',
  path: '/v1/transfers',
  tag,
  summary: 'List the transfers to your payout wallets',
  description: 'Newest first. With `unattributed=true` those that no payment took and that are not marked as handled.',
  auth: 'credential',
  scope: 'transfers:read',
  query: Type.Object({
    ...pageQuery(),
    unattributed: Type.Optional(
      Type.Boolean({ description: 'Only transfers that still wait for somebody to look at them.', examples: [true] }),
    ),
  }),
  success: { status: 200, data: TransferShape, envelope: 'list', description: 'A page of transfers.' },
  invalid: 'invalid_list_request',
});

export const assignTransfer = endpoint({
  operationId: 'assignTransfer',
  method: 'POST',
  path: '/v1/transfers/{id}/assign',
  tag,
  summary: 'Assign a transfer to a payment',
  description:
    'Says by hand which payment a transfer was meant for. Where several accounts have saved the address, only the one that has proved it may.',
  auth: 'login',
  params,
  body: Type.Object({
    payment: Type.String({ description: 'The payment.', minLength: 1, maxLength: 100, examples: [exampleId('pay')] }),
  }),
  success: { status: 200, data: TransferShape, envelope: 'object', description: 'The transfer, assigned.' },
  invalid: 'invalid_request',
  errors: ['not_found', 'invalid_payment_state'],
  idempotent: true,
});

export const handleTransfer = endpoint({
  operationId: 'handleTransfer',
  method: 'POST',
  path: '/v1/transfers/{id}/handle',
  tag,
  summary: 'Mark a transfer as handled',
  description:
    'It leaves the list of those to look at. Marking it twice changes nothing. Where several accounts have saved the address, only the one that has proved it may.',
  auth: 'login',
  params,
  success: { status: 200, data: TransferShape, envelope: 'object', description: 'The transfer, handled.' },
  invalid: 'invalid_request',
  errors: ['not_found', 'invalid_payment_state'],
  idempotent: true,
});
