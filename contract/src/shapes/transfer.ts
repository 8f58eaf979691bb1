import { Type, type Static } from '@sinclair/typebox';
import { UNATTRIBUTED_REASONS } from '../statuses.ts';
import { component, id, nullable, objectName, oneOf } from './schema.ts';
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
      network: networkLabel('Where it happened.'),
      asset: assetLabel('What was sent.'),
      amount: assetAmount('How much.', '12.500000'),
      from: nullable(Type.String(), {
        description: 'Who sent it, where the chain says so.',
        examples: ['0x8617E340B3D01FA5F11F306F4090FD50E238070D'],
      }),
      to: Type.String({
        description: "The payout wallet's address.",
        examples: ['0x52908400098527886E0F7030069857D2E4169EE7'],
      }),
      tx_hash: Type.String({
        description: 'Its transaction.',
        examples: ['0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'],
      }),
      index: Type.Integer({ minimum: 0, description: 'Which transfer of its transaction it is.', examples: [0] }),
      block_time: timestamp('The time of its block.'),
      reason: nullable(oneOf(UNATTRIBUTED_REASONS), {
        description: 'Why no payment took it; null where one did.',
        examples: ['no_match'],
      }),
      payment: nullable(id('pay', 'A payment.'), {
        description:
          'The payment it settled or nearly met. With the reason `no_match` a reference that anybody may have written points to it: check who sent the money before you assign it.',
        examples: [null],
      }),
      held_by_other_account: Type.Boolean({
        description:
          'Whether a payment of another account took this transfer. Only the account that proved the address sees it, and may release it.',
        examples: [false],
      }),
      handled_at: nullable(Type.String({ format: 'date-time' }), {
        description: 'When you marked it as handled.',
        examples: [null],
      }),
      network_caip2: caip2Label('`network` in CAIP-2. In test mode no transaction exists on it.'),
      asset_caip19: caip19Label('`asset` in CAIP-19.'),
      from_caip10: nullable(caip10Label('`from` in CAIP-10.', '0x8617E340B3D01FA5F11F306F4090FD50E238070D'), {
        description: '`from` in CAIP-10; null where the chain names no sender.',
        examples: ['eip155:8453:0x8617E340B3D01FA5F11F306F4090FD50E238070D'],
      }),
      to_caip10: caip10Label('`to` in CAIP-10.'),
    },
    { description: 'Money that came to a payout wallet of yours.' },
  ),
);
export type TransferJson = Static<typeof TransferShape>;
