import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { getPublicReceipt } from './receipts.ts';
import { assetInput, LIMITS, networkInput } from '../shapes/common.ts';
import { LinkVisitorInput } from '../shapes/payment-link.ts';
import { PublicSessionShape, TransactionNoticeShape, UnsignedTransactionShape } from '../shapes/public.ts';
import { oneOf, pathId } from '../shapes/schema.ts';
import { TEST_ACTIONS } from '../shapes/test-helpers.ts';

const tag = 'Public checkout';
const params = pathId('cs', 'The session. Anyone who knows its ID may pay it.');
// 0x and 2,048 bytes in hex: a contract wallet's signature may bundle several.
const MAX_SIGNATURE_LENGTH = 4_098;
const signature = (description: string) =>
  Type.String({ description, minLength: 1, maxLength: MAX_SIGNATURE_LENGTH, examples: [`0x${'5c'.repeat(64)}1b`] });

const getPublicSession = endpoint({
  method: 'GET',
  path: '/v1/public/checkout/sessions/{id}',
  tag,
  summary: 'Retrieve a public checkout',
  description: 'The data behind the hosted page, for use on your own page too. Contains only what a customer needs.',
  auth: 'none',
  cost: 2,
  params,
  success: { status: 200, data: PublicSessionShape, envelope: 'object', description: 'The checkout.' },
  errors: ['not_found'],
});

const payPublicSession = endpoint({
  method: 'POST',
  path: '/v1/public/checkout/sessions/{id}/pay',
  tag,
  summary: 'Choose a payment option',
  description:
    'Starts the payment, or changes its asset if nothing was sent yet. `payment.amount_due` in the response is the exact amount to send.',
  auth: 'none',
  params,
  body: Type.Object({
    pay_asset: assetInput("The asset of one of the session's options."),
    pay_network: networkInput('The network of that option.'),
    refund_address: Type.Optional(
      Type.String({
        description: 'The address that a failed conversion is returned to. Required for routed payments.',
        minLength: 1,
        maxLength: 128,
        examples: ['0x8617E340B3D01FA5F11F306F4090FD50E238070D'],
      }),
    ),
    sender: Type.Optional(
      Type.String({
        description: 'The connected wallet that will pay.',
        minLength: 1,
        maxLength: 128,
        examples: ['0x8617E340B3D01FA5F11F306F4090FD50E238070D'],
      }),
    ),
    sender_signature: Type.Optional(signature('The signature that proves that the customer controls `sender`.')),
  }),
  success: {
    status: 200,
    data: PublicSessionShape,
    envelope: 'object',
    description: 'The checkout, with payment instructions.',
  },
  invalid: 'invalid_route',
  errors: ['not_found', 'invalid_payment_state', 'invalid_signature', 'service_unavailable'],
});

const submitPublicTransaction = endpoint({
  method: 'POST',
  path: '/v1/public/checkout/sessions/{id}/transactions',
  tag,
  summary: 'Submit a transaction hash',
  description:
    'A hash alone is a hint where to look. A checkout accepts hints to ten different transactions. With ' +
    "the sender's signature, the hash is a claim, which attributes the transfer to this session. " +
    'Sign the four lines `Quittance payment claim`, `Session: <id>`, `Network: <network>` and ' +
    '`Transaction: <hash>`, joined by line feeds. A checkout accepts eight claims.',
  auth: 'none',
  params,
  body: Type.Object({
    tx_hash: Type.String({
      description: 'The transaction hash, or a link that contains it.',
      minLength: 1,
      maxLength: LIMITS.txHashLength,
      examples: ['0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'],
    }),
    signature: Type.Optional(
      signature(
        "The sender's signature of the claim: 64 or 65 bytes in hex on EVM networks, or up to 2,048 " +
          'bytes from a contract wallet; 64 bytes in base58, base64 or hex on Solana.',
      ),
    ),
    sender: Type.Optional(
      Type.String({
        description:
          'The address that signed. Required for contract wallets. On Solana, the claim is verified ' +
          'immediately if you send it, and otherwise when the transaction is read.',
        minLength: 1,
        maxLength: 128,
        examples: ['0x8617E340B3D01FA5F11F306F4090FD50E238070D'],
      }),
    ),
  }),
  success: {
    status: 202,
    data: TransactionNoticeShape,
    envelope: 'object',
    description: 'The transaction will be looked up.',
  },
  errors: ['not_found', 'invalid_signature'],
});

const buildPublicTransaction = endpoint({
  method: 'POST',
  path: '/v1/public/checkout/sessions/{id}/transaction',
  tag,
  summary: 'Build a transaction',
  description:
    'Builds a Solana transaction that pays the amount still due and carries the reference. Only the sender can sign it.',
  auth: 'none',
  params,
  body: Type.Object({
    sender: Type.String({
      description: 'The connected wallet that signs and sends the payment.',
      minLength: 1,
      maxLength: 128,
      examples: ['7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs'],
    }),
  }),
  success: {
    status: 200,
    data: UnsignedTransactionShape,
    envelope: 'object',
    description: 'The unsigned transaction.',
  },
  errors: ['not_found', 'invalid_payment_state', 'service_unavailable'],
});

const streamPublicSession = endpoint({
  method: 'GET',
  path: '/v1/public/checkout/sessions/{id}/events',
  tag,
  summary: 'Stream a checkout',
  description:
    'Server-sent events with the public session after every change. Send `Last-Event-ID` to resume an interrupted stream.',
  auth: 'none',
  params,
  success: {
    status: 200,
    data: Type.String({ description: 'A stream of server-sent events.' }),
    envelope: 'bare',
    description: 'The stream.',
    contentType: 'text/event-stream',
  },
  errors: ['not_found'],
});

const openPaymentLink = endpoint({
  method: 'POST',
  path: '/v1/public/payment-links/{id}/open',
  tag,
  summary: 'Open a payment link',
  description:
    'Creates a checkout session. Requests of one client with the same `Idempotency-Key` return the same ' +
    'session; a key of another client is another key.',
  auth: 'none',
  params: pathId('pl', 'The payment link.'),
  body: LinkVisitorInput,
  success: { status: 201, data: PublicSessionShape, envelope: 'object', description: 'The new checkout.' },
  errors: ['not_found', 'link_disabled'],
  idempotent: true,
});

const actOnTestSession = endpoint({
  method: 'POST',
  path: '/v1/public/checkout/sessions/{id}/test',
  tag,
  summary: 'Simulate a test outcome',
  description: 'Used by the test bar on the page of a test session. Returns 404 for live sessions.',
  auth: 'none',
  params,
  body: Type.Object({
    action: oneOf(TEST_ACTIONS, {
      description: 'An outcome, a transfer that is not confirmed yet, one more block, or the expiry of the session.',
      examples: ['paid'],
    }),
  }),
  success: { status: 200, data: PublicSessionShape, envelope: 'object', description: 'The updated checkout.' },
  errors: ['not_found', 'invalid_payment_state'],
});

export const publicEndpoints = {
  getPublicSession,
  payPublicSession,
  submitPublicTransaction,
  buildPublicTransaction,
  streamPublicSession,
  getPublicReceipt,
  openPaymentLink,
  actOnTestSession,
};

const getOpenApi = endpoint({
  method: 'GET',
  path: '/v1/openapi.json',
  tag: 'Documentation',
  summary: 'Retrieve the OpenAPI document',
  description: 'The API described in OpenAPI 3.1.',
  auth: 'none',
  success: {
    status: 200,
    data: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: 'An OpenAPI 3.1 document.',
      additionalProperties: true,
    }),
    envelope: 'bare',
    description: 'The document.',
  },
});

export const documentationEndpoints = { getOpenApi };
