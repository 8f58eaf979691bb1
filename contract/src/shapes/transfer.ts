import { Type, type Static } from '@sinclair/typebox';
import { PaymentStatusShape } from './checkout-session.ts';
import { UNATTRIBUTED_REASONS } from '../statuses.ts';
import { component, id, nullable, objectName, oneOf, described } from './schema.ts';
import {
  assetAmount,
  assetLabel,
  caip2Label,
  caip10Label,
  caip19Label,
  livemode,
  networkLabel,
  timestamp,
} from './common.ts';

export const TransferShape = component(
  'Transfer',
  Type.Object(
    {
      id: id('tr', 'The transfer.'),
      object: objectName('transfer'),
      livemode,
      network: networkLabel('The network of the transfer.'),
      asset: assetLabel('The asset that was sent.'),
      amount: assetAmount('The amount.', '12.500000'),
      from: nullable(Type.String(), {
        description: "The sender's address, if known.",
        examples: ['0x8617E340B3D01FA5F11F306F4090FD50E238070D'],
      }),
      to: Type.String(described("The payout wallet's address.", '0x52908400098527886E0F7030069857D2E4169EE7')),
      tx_hash: Type.String({
        description: 'The transaction hash.',
        examples: ['0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'],
      }),
      index: Type.Integer({
        minimum: 0,
        description: 'The position of the transfer in its transaction.',
        examples: [0],
      }),
      block_time: timestamp("The block's timestamp."),
      reason: nullable(oneOf(UNATTRIBUTED_REASONS), {
        description: 'Why it is not attributed to a payment; null if it is.',
        examples: ['no_match'],
      }),
      payment: nullable(id('pay', 'A payment.'), {
        description:
          'The payment it settled or is a candidate for. With the reason `no_match`, only an unproven ' +
          'reference points to that payment: check who sent the funds before you assign it.',
        examples: [null],
      }),
      held_by_other_account: Type.Boolean({
        description:
          'Whether a payment of another account took this transfer. Only the account that proved the address sees it, and may release it.',
        examples: [false],
      }),
      confirmed: Type.Boolean({
        description:
          'Whether a second RPC provider reported it, or the only configured one did. Before that it is ' +
          'never final, no mail is sent about it, and it may turn out never to have happened.',
        examples: [true],
      }),
      handled_at: nullable(Type.String({ format: 'date-time' }), {
        description: 'When you marked it as handled; null while it is open.',
        examples: [null],
      }),
      handled_note: nullable(Type.String(), described('Your note on how you handled it.', null)),
      payment_status: nullable(PaymentStatusShape, described('The status of `payment`.', null)),
      order_id: nullable(Type.String(), described('The `order_id` of `payment`.', null)),
      named_by: Type.Array(
        Type.Object({
          payment: id('pay', 'The payment.'),
          order_id: nullable(Type.String(), described('The `order_id` of `payment`.', null)),
        }),
        {
          description:
            'The payments on whose pages the transaction was submitted, while no payment has the transfer: the ' +
            'first three. Anyone who knows a transaction can submit it, so it proves nothing: compare the amount ' +
            'and the time, and ask the customer, before you assign it.',
          examples: [[]],
        },
      ),
      network_caip2: caip2Label('`network` in CAIP-2. In test mode no transaction exists on it.'),
      asset_caip19: caip19Label('`asset` in CAIP-19.'),
      from_caip10: nullable(caip10Label('`from` in CAIP-10.', '0x8617E340B3D01FA5F11F306F4090FD50E238070D'), {
        description: '`from` in CAIP-10; null where the chain names no sender.',
        examples: ['eip155:8453:0x8617E340B3D01FA5F11F306F4090FD50E238070D'],
      }),
      to_caip10: caip10Label('`to` in CAIP-10.'),
    },
    { description: 'A transfer to one of your payout wallets.' },
  ),
);
export type TransferJson = Static<typeof TransferShape>;
