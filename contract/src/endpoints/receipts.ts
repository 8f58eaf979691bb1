import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { ReceiptShape, ReceiptVerdictShape } from '../shapes/receipt.ts';
import { pathId } from '../shapes/schema.ts';

const tag = 'Receipts';
export const MAX_RECEIPT_LENGTH = 65_536;

const getReceipt = endpoint({
  method: 'GET',
  path: '/v1/payments/{id}/receipt',
  tag,
  summary: 'Read the signed receipt of a payment',
  description:
    'Available once a final transfer counts for the payment. A refund or a change on the chain creates a ' +
    'new receipt that refers to the previous one.',
  auth: 'credential',
  scope: 'payments:read',
  params: pathId('pay', 'The payment.'),
  success: { status: 200, data: ReceiptShape, envelope: 'object', description: 'The newest receipt.' },
  errors: ['not_found', 'invalid_payment_state'],
});

export const getPublicReceipt = endpoint({
  operationId: 'getPublicReceipt',
  method: 'GET',
  path: '/v1/public/checkout/sessions/{id}/receipt',
  tag: 'Public checkout',
  summary: 'Read the signed receipt as the customer',
  description: 'The same receipt, without a credential. `/checkout/{id}/receipt` serves only the JWS.',
  auth: 'none',
  params: pathId('cs', 'The session.'),
  success: { status: 200, data: ReceiptShape, envelope: 'object', description: 'The newest receipt.' },
  errors: ['not_found', 'invalid_payment_state'],
});

const verifyReceipt = endpoint({
  method: 'POST',
  path: '/v1/receipts/verify',
  tag,
  summary: 'Verify a receipt of this service',
  description:
    'Also returns whether the receipt is still current, and the newer receipt that replaces it. To ' +
    'verify without calling this service, use the keys at its `jwks_url`.',
  auth: 'credential',
  scope: 'payments:read',
  body: Type.Object({
    receipt: Type.String({
      description: 'The compact JWS.',
      minLength: 1,
      maxLength: MAX_RECEIPT_LENGTH,
      examples: ['eyJhbGciOiJFZERTQSIsImtpZCI6IuKApiJ9.eyJpc3MiOiLigKYifQ.c2lnbmF0dXJl'],
    }),
  }),
  success: { status: 200, data: ReceiptVerdictShape, envelope: 'object', description: 'The verdict.' },
});

export const receiptEndpoints = { getReceipt, verifyReceipt };
