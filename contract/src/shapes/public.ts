import { Type, type Static } from '@sinclair/typebox';
import { FAILURE_REASONS, UNATTRIBUTED_REASONS } from '../statuses.ts';
import { LineItemShape, PaymentStatusShape, RouteTypeShape } from './checkout-session.ts';
import { component, id, nullable, oneOf } from './schema.ts';
import { assetAmount, assetLabel, currency, displayAmount, livemode, networkLabel, timestamp } from './common.ts';

export const MerchantShape = component(
  'Merchant',
  Type.Object(
    {
      name: nullable(Type.String(), { description: 'Who is paid.', examples: ['Fern & Fog'] }),
      logo_url: nullable(Type.String(), {
        description: 'Their logo.',
        examples: ['https://shop.example.com/logo.svg'],
      }),
      support_email: nullable(Type.String(), {
        description: 'Where to write to.',
        examples: ['help@shop.example.com'],
      }),
      support_url: nullable(Type.String(), { description: 'Where to find help.', examples: [null] }),
    },
    { description: 'What customers may know of the merchant.' },
  ),
);
export type MerchantJson = Static<typeof MerchantShape>;

export const PublicOptionShape = component(
  'PublicOption',
  Type.Object(
    {
      asset: assetLabel('What could be paid.'),
      network: networkLabel('Where.'),
      kind: RouteTypeShape,
      available: Type.Boolean({ description: 'Whether it can be chosen right now.', examples: [true] }),
    },
    { description: 'A way to pay.' },
  ),
);
export type PublicOptionJson = Static<typeof PublicOptionShape>;

export const OtherTransferShape = component(
  'OtherTransfer',
  Type.Object(
    {
      asset: assetLabel('What arrived.'),
      network: networkLabel('Where.'),
      amount: assetAmount('How much.', '49.000317'),
      tx_hash: Type.String({
        description: 'Its transaction.',
        examples: ['0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'],
      }),
      reason: oneOf(UNATTRIBUTED_REASONS, { description: 'Why it does not count.', examples: ['other_asset'] }),
    },
    { description: 'A transfer that was meant for this payment and does not count towards it.' },
  ),
);

export const PublicPaymentShape = component(
  'PublicPayment',
  Type.Object(
    {
      asset: assetLabel('What to send.'),
      network: networkLabel('Where to send it.'),
      kind: RouteTypeShape,
      address: Type.String({
        description: 'Where to send it to.',
        examples: ['0x52908400098527886E0F7030069857D2E4169EE7'],
      }),
      amount: assetAmount('The exact amount to send. It does not change with what arrives.', '49.000317'),
      amount_due: assetAmount('What is still missing, exactly.', '49.000317'),
      amount_seen: assetAmount('What has been seen, final or not.', '0.000000'),
      amount_received: assetAmount('What has arrived for good.', '0.000000'),
      uri: nullable(Type.String(), {
        description: 'What a wallet opens: Solana Pay, EIP-681 or BIP-21.',
        examples: [
          'ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=0x52908400098527886E0F7030069857D2E4169EE7&uint256=49000317',
        ],
      }),
      reference: nullable(Type.String(), {
        description: 'The mark a Solana transfer carries.',
        examples: ['7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs'],
      }),
      tag: nullable(Type.String(), {
        description:
          'Calldata that a transfer on Ethereum and its kin carries behind its arguments; null where it cannot.',
        examples: ['0x51544e439f2c5b6e1d4a8c7730e1b2a4c6d8f011'],
      }),
      identified_by: nullable(oneOf(['amount', 'reference']), {
        description:
          'How a transfer finds this payment. `amount`: send exactly `amount_due`. `reference`: the amount is not unique, so only a wallet that sends `tag`, or on Solana the `reference` of `uri`, can pay; show no address and no code without it, because such a transfer is not recognized. Null where the payment is converted.',
        examples: ['amount'],
      }),
      confirmations: nullable(Type.Integer({ minimum: 0 }), {
        description: 'Of the newest transfer in sight.',
        examples: [null],
      }),
      confirmations_needed: nullable(Type.Integer({ minimum: 0 }), {
        description: 'How many make it final.',
        examples: [12],
      }),
      tx_hashes: Type.Array(Type.String(), { description: 'The transfers in sight.', examples: [[]] }),
      failure_reason: nullable(oneOf(FAILURE_REASONS), {
        description: 'Why it failed or needs a refund.',
        examples: [null],
      }),
      quote_expires_at: nullable(Type.String({ format: 'date-time' }), {
        description: 'Until when the amount holds; null where it holds to the end.',
        examples: [null],
      }),
      refund_address: nullable(Type.String(), {
        description: 'Where a failed conversion is returned to.',
        examples: [null],
      }),
      provider: nullable(Type.String(), {
        description: 'Who converts it; null where nothing is converted.',
        examples: [null],
      }),
      price_warning_pct: nullable(Type.Number(), {
        description:
          'By how many percent the amount is worth more than what the merchant receives, where that is above the operator’s limit; null where the price is usual.',
        examples: [null],
      }),
      other_transfers: Type.Array(OtherTransferShape, {
        description: 'What arrived for it and does not count.',
        examples: [[]],
      }),
    },
    { description: 'How to pay, and how far it has got.' },
  ),
);
export type PublicPaymentJson = Static<typeof PublicPaymentShape>;

export const PublicSessionShape = component(
  'PublicSession',
  Type.Object(
    {
      id: id('cs', 'The session.'),
      status: { ...PaymentStatusShape, examples: ['pending'] },
      amount: displayAmount('What is charged.'),
      currency,
      description: nullable(Type.String(), { description: 'What it is for.', examples: ['Two ferns'] }),
      line_items: nullable(Type.Array(LineItemShape), {
        description: 'The lines of the order.',
        examples: [[{ name: 'Fern, potted', quantity: 2, amount: '24.50' }]],
      }),
      merchant: MerchantShape,
      livemode,
      expires_at: nullable(Type.String({ format: 'date-time' }), {
        description: 'Until when it can be paid.',
        examples: ['2026-03-14T10:26:53.589Z'],
      }),
      server_time: timestamp('What our clock says, to count down by.'),
      options: Type.Array(PublicOptionShape, { description: 'The ways to pay.' }),
      payment: nullable(PublicPaymentShape, { description: 'How to pay, once a way was chosen.' }),
    },
    { description: 'A checkout as its customer sees it.' },
  ),
);
export type PublicSessionJson = Static<typeof PublicSessionShape>;

export const TransactionNoticeShape = component(
  'TransactionNotice',
  Type.Object(
    {
      accepted: Type.Boolean({
        description: 'Always true: it is looked for. The session says what comes of it.',
        examples: [true],
      }),
    },
    { description: 'That a transaction will be looked for.' },
  ),
);
export type TransactionNoticeJson = Static<typeof TransactionNoticeShape>;

export const UnsignedTransactionShape = component(
  'UnsignedTransaction',
  Type.Object(
    {
      transaction: Type.String({
        description: 'The unsigned transaction in its wire form, in base64.',
        examples: ['AQAAAAAA'],
      }),
    },
    { description: 'A payment for a wallet to sign and send.' },
  ),
);
export type UnsignedTransactionJson = Static<typeof UnsignedTransactionShape>;
