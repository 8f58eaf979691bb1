import { Type, type Static } from '@sinclair/typebox';
import { FAILURE_REASONS, UNATTRIBUTED_REASONS } from '../statuses.ts';
import { LineItemShape, PaymentStatusShape, RouteTypeShape } from './checkout-session.ts';
import { component, id, nullable, oneOf, described } from './schema.ts';
import { assetAmount, assetLabel, currency, displayAmount, livemode, networkLabel, timestamp } from './common.ts';

export const MerchantShape = component(
  'Merchant',
  Type.Object(
    {
      name: nullable(Type.String(), described("The merchant's name.", 'Fern & Fog')),
      logo_url: nullable(Type.String(), described("The merchant's logo.", 'https://shop.example.com/logo.svg')),
      support_email: nullable(Type.String(), {
        description: "The merchant's support email address.",
        examples: ['help@shop.example.com'],
      }),
      support_url: nullable(Type.String(), described("The merchant's support page.", null)),
    },
    { description: 'The merchant, as shown to customers.' },
  ),
);

export const PublicOptionShape = component(
  'PublicOption',
  Type.Object(
    {
      asset: assetLabel('The asset to pay with.'),
      network: networkLabel('The network.'),
      kind: RouteTypeShape,
      available: Type.Boolean(described('Whether it can be chosen now.', true)),
      estimated_amount: nullable(assetAmount('About the amount to send, at the current price.', '49.000000'), {
        description:
          'About the amount to send, at the current market price and without the cost of a conversion. ' +
          'An estimate to choose by: `payment.amount` is the amount to pay. Null while no price is ' +
          'known, and once the payment can no longer be chosen.',
        examples: ['49.000000'],
      }),
      typical_seconds: nullable(Type.Integer({ minimum: 0 }), {
        description:
          'Usual seconds from sending the payment to `paid`, by block times and required confirmations. ' +
          'Null once the payment can no longer be chosen.',
        examples: [20],
      }),
    },
    { description: 'A payment option.' },
  ),
);

export const OtherTransferShape = component(
  'OtherTransfer',
  Type.Object(
    {
      asset: assetLabel('The asset that arrived.'),
      network: networkLabel('The network.'),
      amount: assetAmount('The amount.', '49.000317'),
      tx_hash: Type.String({
        description: 'The transaction hash.',
        examples: ['0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'],
      }),
      reason: oneOf(UNATTRIBUTED_REASONS, described('Why it does not count toward the payment.', 'other_asset')),
    },
    { description: 'A transfer near this payment, or named on its page, that does not count toward it.' },
  ),
);

export const PublicPaymentShape = component(
  'PublicPayment',
  Type.Object(
    {
      asset: assetLabel('The asset to send.'),
      network: networkLabel('The network to send it on.'),
      kind: RouteTypeShape,
      address: Type.String(described('The address to send to.', '0x52908400098527886E0F7030069857D2E4169EE7')),
      amount: assetAmount('The exact amount to send. It stays the same when transfers arrive.', '49.000317'),
      amount_due: assetAmount('The exact amount still to send.', '49.000317'),
      amount_seen: assetAmount('The amount detected so far, final or not.', '0.000000'),
      amount_received: assetAmount('The amount received and final.', '0.000000'),
      uri: nullable(Type.String(), {
        description:
          'Payment URI for wallets: Solana Pay, EIP-681 or BIP-21. Null on networks without such a ' +
          'format. In test mode it names a test network, which the service does not read, and is null ' +
          'for coins that have no test coin of their issuer.',
        examples: [
          'ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer' +
            '?address=0x52908400098527886E0F7030069857D2E4169EE7&uint256=49000317',
        ],
      }),
      reference: nullable(Type.String(), {
        description: 'The reference that a Solana transfer carries.',
        examples: ['7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs'],
      }),
      tag: nullable(Type.String(), {
        description: 'Calldata to append to the arguments of a transfer on EVM networks; null if not supported.',
        examples: ['0x51544e439f2c5b6e1d4a8c7730e1b2a4c6d8f011'],
      }),
      identified_by: nullable(oneOf(['amount', 'reference']), {
        description:
          'Identification of a transfer to this payment. `amount`: send exactly `amount_due`. ' +
          '`reference`: the amount is not unique, so only a wallet that sends `tag`, or on Solana the ' +
          '`reference` of `uri`, can pay; show no address and no code without it, because such a ' +
          'transfer is not recognized. Null where the payment is converted.',
        examples: ['amount'],
      }),
      confirmations: nullable(Type.Integer({ minimum: 0 }), {
        description: 'Confirmations of the newest detected transfer.',
        examples: [null],
      }),
      confirmations_needed: nullable(Type.Integer({ minimum: 0 }), {
        description: 'Confirmations required for finality.',
        examples: [12],
      }),
      tx_hashes: Type.Array(Type.String(), {
        description: 'The transactions of the detected transfers.',
        examples: [[]],
      }),
      failure_reason: nullable(oneOf(FAILURE_REASONS), described('Why it failed or needs a refund.', null)),
      quote_expires_at: nullable(Type.String({ format: 'date-time' }), {
        description: 'When the quoted amount expires; null if it is valid until the session expires.',
        examples: [null],
      }),
      refund_address: nullable(Type.String(), described('The address that a failed conversion is returned to.', null)),
      provider: nullable(Type.String(), {
        description: 'The route provider that converts the payment; null for direct payments.',
        examples: [null],
      }),
      provider_order: nullable(Type.String(), {
        description: "The route provider's ID of the conversion, to quote when asking them; null for direct payments.",
        examples: [null],
      }),
      price_warning_pct: nullable(Type.Number(), {
        description:
          'Surplus of the amount over what the merchant receives, in percent, if above the operator’s limit. Null otherwise.',
        examples: [null],
      }),
      other_transfers: Type.Array(OtherTransferShape, {
        description:
          'Transfers near this payment, or named on its page, that do not count toward it. Anyone can name a transfer.',
        examples: [[]],
      }),
    },
    { description: 'The instructions and progress of the payment.' },
  ),
);
export type PublicPaymentJson = Static<typeof PublicPaymentShape>;

export const PublicSessionShape = component(
  'PublicSession',
  Type.Object(
    {
      id: id('cs', 'The session.'),
      status: { ...PaymentStatusShape, examples: ['pending'] },
      amount: displayAmount('The amount to charge.'),
      currency,
      refunded_amount: displayAmount('The part of the amount that the merchant returned.', '0.00'),
      description: nullable(Type.String(), described('Description of the order.', 'Two ferns')),
      line_items: nullable(Type.Array(LineItemShape), {
        description: 'The line items of the order.',
        examples: [[{ name: 'Fern, potted', quantity: 2, amount: '49.00', unit_amount: '24.50' }]],
      }),
      merchant: MerchantShape,
      livemode,
      expires_at: nullable(Type.String({ format: 'date-time' }), {
        description: 'When the session expires.',
        examples: ['2026-03-14T10:26:53.589Z'],
      }),
      server_time: timestamp("The server's current time, for countdowns."),
      can_retry: Type.Boolean({
        description:
          'Whether the customer may try the order again in a new checkout, which the page at `/checkout/{id}/again` opens: ' +
          'for a day after it expired or failed, if no money of theirs is with the merchant or a provider.',
        examples: [false],
      }),
      earlier: Type.Optional(
        Type.Object(
          {
            id: id('cs', 'The earlier session.'),
            arrived: Type.Boolean({
              description: 'Whether money came to it. Otherwise its customer only named a transaction there.',
              examples: [true],
            }),
          },
          {
            description:
              'An earlier checkout of the same order that the customer should open before they pay in this one or start ' +
              'another: money arrived there, or they named a transaction.',
          },
        ),
      ),
      options: Type.Array(PublicOptionShape, { description: 'The payment options.' }),
      payment: nullable(PublicPaymentShape, {
        description: 'The chosen payment option, or null before one is chosen.',
      }),
    },
    { description: 'A checkout session, as shown to its customer.' },
  ),
);
export type PublicSessionJson = Static<typeof PublicSessionShape>;

export const TransactionNoticeShape = component(
  'TransactionNotice',
  Type.Object(
    {
      accepted: Type.Boolean(described('Always true. The session shows the result.', true)),
    },
    { description: 'Confirms that the transaction will be looked up.' },
  ),
);

export const UnsignedTransactionShape = component(
  'UnsignedTransaction',
  Type.Object(
    {
      transaction: Type.String(described('The unsigned transaction in wire format, base64-encoded.', 'AQAAAAAA')),
    },
    { description: 'A payment transaction for a wallet to sign and send.' },
  ),
);
export type UnsignedTransactionJson = Static<typeof UnsignedTransactionShape>;
