import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { assetInput, networkInput } from '../shapes/common.ts';
import { PublicSessionShape, TransactionNoticeShape, UnsignedTransactionShape } from '../shapes/public.ts';
import { oneOf, pathId } from '../shapes/schema.ts';
import { TEST_ACTIONS } from '../shapes/test-helpers.ts';

const tag = 'Public checkout';
const params = pathId('cs', 'The session: whoever knows its id may pay it.');
// 0x and 2,048 bytes in hex: a contract wallet's signature may bundle several.
const MAX_SIGNATURE_LENGTH = 4_098;
const signature = (description: string) =>
  Type.String({ description, minLength: 1, maxLength: MAX_SIGNATURE_LENGTH, examples: [`0x${'5c'.repeat(64)}1b`] });

export const getPublicSession = endpoint({
  operationId: 'getPublicSession',
  method: 'GET',
  path: '/v1/public/checkout/sessions/{id}',
  tag,
  summary: 'Read a checkout as its customer',
  description: 'What the hosted page shows and a page of your own may use. It holds no more than a customer needs.',
  auth: 'none',
  params,
  success: { status: 200, data: PublicSessionShape, envelope: 'object', description: 'The checkout.' },
  invalid: 'invalid_request',
  errors: ['not_found'],
});

export const payPublicSession = endpoint({
  operationId: 'payPublicSession',
  method: 'POST',
  path: '/v1/public/checkout/sessions/{id}/pay',
  tag,
  summary: 'Choose what to pay with',
  description:
    "Starts the payment, or changes its asset while nothing was sent. The answer's `payment.amount_due` is exactly what to send.",
  auth: 'none',
  params,
  body: Type.Object({
    pay_asset: assetInput("One of the session's options."),
    pay_network: networkInput('Its network.'),
    refund_address: Type.Optional(
      Type.String({
        description: 'Where a failed conversion is returned to; routed payments need one.',
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
    sender_signature: Type.Optional(signature("The signature by which it shows that it is the customer's.")),
  }),
  success: { status: 200, data: PublicSessionShape, envelope: 'object', description: 'The checkout, with how to pay.' },
  invalid: 'invalid_route',
  errors: ['not_found', 'invalid_payment_state', 'invalid_signature', 'service_unavailable'],
});

export const submitPublicTransaction = endpoint({
  operationId: 'submitPublicTransaction',
  method: 'POST',
  path: '/v1/public/checkout/sessions/{id}/transactions',
  tag,
  summary: 'Point at a transaction',
  description:
    "A hash alone says where to look; a checkout may point at ten different transactions. With the sender's signature it is a claim, which assigns the transfer to this session. " +
    'Sign the four lines `Quittance payment claim`, `Session: <id>`, `Network: <network>` and `Transaction: <hash>`, joined by line feeds. A checkout takes eight claims.',
  auth: 'none',
  params,
  body: Type.Object({
    tx_hash: Type.String({
      description: 'The transaction.',
      minLength: 1,
      maxLength: 128,
      examples: ['0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'],
    }),
    signature: Type.Optional(
      signature(
        "The sender's signature of the claim: 64 or 65 bytes in hex, 64 bytes on Solana (base58, base64 or hex), up to 2,048 bytes from a contract wallet.",
      ),
    ),
    sender: Type.Optional(
      Type.String({
        description:
          'The address that signed. Contract wallets need it. On Solana the claim is verified at once with it, and when the transaction is read without it.',
        minLength: 1,
        maxLength: 128,
        examples: ['0x8617E340B3D01FA5F11F306F4090FD50E238070D'],
      }),
    ),
  }),
  success: { status: 202, data: TransactionNoticeShape, envelope: 'object', description: 'It will be looked for.' },
  invalid: 'invalid_request',
  errors: ['not_found', 'invalid_signature'],
});

export const buildPublicTransaction = endpoint({
  operationId: 'buildPublicTransaction',
  method: 'POST',
  path: '/v1/public/checkout/sessions/{id}/transaction',
  tag,
  summary: 'Have the payment built for a wallet',
  description:
    'On Solana a wallet signs whole transactions: this one pays what is still due and carries the reference. Only the sender can sign it.',
  auth: 'none',
  params,
  body: Type.Object({
    sender: Type.String({
      description: 'The connected wallet that signs, pays and sends it.',
      minLength: 1,
      maxLength: 128,
      examples: ['7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs'],
    }),
  }),
  success: { status: 200, data: UnsignedTransactionShape, envelope: 'object', description: 'The transaction.' },
  invalid: 'invalid_request',
  errors: ['not_found', 'invalid_payment_state', 'service_unavailable'],
});

export const streamPublicSession = endpoint({
  operationId: 'streamPublicSession',
  method: 'GET',
  path: '/v1/public/checkout/sessions/{id}/events',
  tag,
  summary: 'Follow a checkout',
  description:
    'Server-sent events: the public session, whenever it has changed. `Last-Event-ID` takes up where a connection broke.',
  auth: 'none',
  params,
  success: {
    status: 200,
    data: Type.String({ description: 'A stream of server-sent events.' }),
    envelope: 'bare',
    description: 'The stream.',
    contentType: 'text/event-stream',
  },
  invalid: 'invalid_request',
  errors: ['not_found'],
});

export const openPaymentLink = endpoint({
  operationId: 'openPaymentLink',
  method: 'POST',
  path: '/v1/public/payment-links/{id}/open',
  tag,
  summary: 'Open a payment link',
  description: 'Makes a checkout session of its own. The same `Idempotency-Key` opens the same one.',
  auth: 'none',
  params: pathId('pl', 'The payment link.'),
  success: { status: 201, data: PublicSessionShape, envelope: 'object', description: 'A new checkout.' },
  invalid: 'invalid_request',
  errors: ['not_found', 'link_disabled'],
  idempotent: true,
});

export const actOnTestSession = endpoint({
  operationId: 'actOnTestSession',
  method: 'POST',
  path: '/v1/public/checkout/sessions/{id}/test',
  tag,
  summary: 'Let a test checkout end in some way',
  description: 'What the bar on the page of a test session does. A live session is not found here.',
  auth: 'none',
  params,
  body: Type.Object({
    action: oneOf(TEST_ACTIONS, { description: 'The outcome, one more block, or the expiry.', examples: ['paid'] }),
  }),
  success: { status: 200, data: PublicSessionShape, envelope: 'object', description: 'The checkout as it is now.' },
  invalid: 'invalid_request',
  errors: ['not_found', 'invalid_payment_state'],
});
