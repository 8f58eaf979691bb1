import { Type, type Static } from '@sinclair/typebox';
import { SettlementAlertShape } from './payment.ts';
import { PaymentStatusShape, RouteTypeShape } from './checkout-session.ts';
import {
  assetAmount,
  caip2Label,
  caip10Label,
  caip19Label,
  currency,
  displayAmount,
  livemode,
  timestamp,
} from './common.ts';
import { orderFields } from './order.ts';
import { component, exampleId, id, nullable, objectName, described } from './schema.ts';

/** The `typ` of a receipt's header, so that nothing else signed by the same key passes for one. */
export const RECEIPT_TYPE = 'receipt+jwt';

const CUSTOMER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const PAYER = `eip155:8453:${CUSTOMER}`;

export const ReceiptTransferShape = component(
  'ReceiptTransfer',
  Type.Object(
    {
      tx_hash: nullable(Type.String(), {
        description: 'The transaction; null for a balance that grew without one that any provider could show.',
        examples: ['0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'],
      }),
      index: Type.Integer({ minimum: 0, description: 'Index of the transfer in its transaction.', examples: [0] }),
      asset: caip19Label('Asset sent, in CAIP-19.'),
      amount: assetAmount('Amount sent.', '49.000317'),
      from: nullable(caip10Label('Sender.', CUSTOMER), {
        description: 'Sender, in CAIP-10. Null if the chain names none.',
        examples: [PAYER],
      }),
      block_number: Type.String(described('Number of its block, or slot on Solana.', '38104211')),
      block_hash: Type.String({
        description: 'The hash of the block.',
        examples: ['0x9f2c4ab07e1d5a3c88b1e9d06f47c25a1b3e8d7f604c92a5e1b7d3f8a06c4e29'],
      }),
      block_time: timestamp('The time of the block.'),
      confirmations: nullable(Type.Integer({ minimum: 0 }), {
        description: 'Confirmations when it became final. Null if it became final with its block.',
        examples: [12],
      }),
      providers: Type.Integer({
        minimum: 0,
        description: 'Number of RPC providers that agreed when it became final.',
        examples: [2],
      }),
      on_chain: Type.Boolean(described('False if it disappeared from the chain after it was final.', true)),
    },
    { description: 'A final transfer that counts for the payment, with the evidence for it.' },
  ),
);

const jwks_url = Type.Optional(
  Type.String({
    description: 'The URL of the public keys of the account and mode. Take keys only from a service that you trust.',
    examples: [`https://pay.example.com/.well-known/jwks/${exampleId('acc')}/live.json`],
  }),
);

export const ReceiptClaimsShape = component(
  'ReceiptClaims',
  Type.Object(
    {
      iss: Type.String(described('The service that signed it.', 'https://pay.example.com')),
      jti: id('rct', 'The receipt.'),
      iat: Type.Integer({ minimum: 0, description: 'When it was signed, in Unix seconds.', examples: [1772323200] }),
      jwks_url,
      supersedes: nullable(id('rct', 'The receipt before.'), {
        description: 'The receipt that this one replaces, after a refund or a change on the chain.',
        examples: [null],
      }),
      livemode,
      payment: id('pay', 'The payment.'),
      session: id('cs', 'Its checkout session.'),
      status: PaymentStatusShape,
      order_id: orderFields.order_id,
      amount: displayAmount('Amount charged.'),
      currency,
      route: RouteTypeShape,
      network: caip2Label('Receiving network, in CAIP-2.'),
      asset: caip19Label('Asset received, in CAIP-19.'),
      received: nullable(assetAmount('Amount received.'), described('Amount received, in the asset.', '49.000000')),
      payee: caip10Label('The address that received it, in CAIP-10.'),
      payer: nullable(caip10Label('The address that paid.', CUSTOMER), {
        description: 'The one address that paid directly, in CAIP-10; null for conversions and several senders.',
        examples: [PAYER],
      }),
      paid_at: nullable(Type.String({ format: 'date-time' }), {
        description: 'When it became paid; null if it never did.',
        examples: ['2026-03-01T12:00:00.000Z'],
      }),
      transfers: Type.Array(ReceiptTransferShape, { description: 'Oldest first.' }),
      rate: nullable(
        Type.Object({
          numerator: Type.String(described('Price of one unit: numerator.', '351240')),
          denominator: Type.String(described('Price of one unit: denominator.', '100')),
          at: timestamp('When the price was taken.'),
          sources: Type.Array(
            Type.Object({
              source: Type.String(described('Source of the price.', 'coinbase')),
              price: Type.Optional(Type.String(described('Its price.', '3512.40'))),
            }),
          ),
        }),
        {
          description: 'The price that the amount was computed with; null where one unit is one unit of the currency.',
        },
      ),
      refunds: Type.Array(
        Type.Object({
          amount: displayAmount('Amount refunded.'),
          address: nullable(Type.String(), described('Address the refund was sent to.', CUSTOMER)),
          recorded_at: timestamp('When the merchant recorded it.'),
        }),
        { description: 'Refunds that the merchant recorded.' },
      ),
      settlement_alert: nullable(SettlementAlertShape, {
        description: 'Set if the money is in doubt after it was final.',
        examples: [null],
      }),
      // The names that the x402 extension `offer-receipt` asks for. Receipts of earlier releases lack them.
      version: Type.Optional(Type.Literal(1, described('Version of the x402 receipt.', 1))),
      resourceUrl: Type.Optional(
        Type.String({
          description: 'URL at which programs pay the checkout, for x402.',
          examples: ['https://pay.example.com/checkout/cs_4fzqzXm2V9pQ7rT1kB3nW8yA/pay'],
        }),
      ),
      issuedAt: Type.Optional(Type.Integer({ minimum: 0, description: '`iat`, for x402.', examples: [1772323200] })),
      transaction: Type.Optional(
        nullable(Type.String(), {
          description: 'The newest transaction, for x402.',
          examples: ['0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'],
        }),
      ),
    },
    { description: 'The claims of a receipt. The signature covers all of them.' },
  ),
);
export type ReceiptClaimsJson = Static<typeof ReceiptClaimsShape>;

export const ReceiptShape = component(
  'Receipt',
  Type.Object(
    {
      id: id('rct', 'The receipt.'),
      object: objectName('receipt'),
      livemode,
      payment: id('pay', 'The payment.'),
      jwks_url,
      supersedes: nullable(id('rct', 'The receipt before.'), described('The receipt that this one replaces.', null)),
      jws: Type.String({
        description: 'The signed receipt: a compact JWS (EdDSA) with the claims as its payload.',
        examples: ['eyJhbGciOiJFZERTQSIsImtpZCI6IuKApiJ9.eyJpc3MiOiLigKYifQ.c2lnbmF0dXJl'],
      }),
      claims: ReceiptClaimsShape,
      issued_at: timestamp('When it was signed.'),
    },
    { description: 'A signed statement of what a payment received, which anyone can verify offline.' },
  ),
);
export type ReceiptJson = Static<typeof ReceiptShape>;

export const ReceiptVerdictShape = component(
  'ReceiptVerdict',
  Type.Object(
    {
      valid: Type.Boolean(described('Whether this service signed it, unchanged.', true)),
      reason: nullable(Type.String(), described('Why it is not valid.', null)),
      claims: nullable(ReceiptClaimsShape, { description: 'The claims of the receipt, if it is valid.' }),
      current: Type.Boolean({
        description:
          'Whether the payment still matches the receipt. False after a refund, a change on the chain, ' +
          'or if the money no longer counts for the payment.',
        examples: [false],
      }),
      superseded_by: nullable(id('rct', 'The newest receipt.'), {
        description:
          'The newest receipt of the payment, if this one was replaced. Null if no receipt can replace ' +
          'it, because the payment has no final money any more.',
        examples: [exampleId('rct')],
      }),
    },
    { description: 'Whether a receipt is valid, and whether it is still current.' },
  ),
);
export type ReceiptVerdictJson = Static<typeof ReceiptVerdictShape>;
