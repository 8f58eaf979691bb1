import { Type, type Static } from '@sinclair/typebox';
import { RECEIVE_ASSETS, RECEIVE_NETWORKS } from '../assets.ts';
import { component, id, nullable, objectName, oneOf } from './schema.ts';
import { livemode, timestamp } from './common.ts';

const receiveSymbols = [...new Set(RECEIVE_ASSETS.map((entry) => entry.asset))];

export const PayoutWalletShape = component(
  'PayoutWallet',
  Type.Object(
    {
      id: id('pp', 'The payout wallet.'),
      object: objectName('payout_wallet'),
      livemode,
      asset: oneOf(receiveSymbols, { description: 'What it receives.', examples: ['USDC'] }),
      network: oneOf(RECEIVE_NETWORKS, { description: 'Where it receives it.', examples: ['base'] }),
      address: Type.String({
        description: 'The wallet of yours that settled funds go to.',
        examples: ['0x52908400098527886E0F7030069857D2E4169EE7'],
      }),
      label: nullable(Type.String(), {
        description: 'Its name in the dashboard, made from asset and network where you gave none.',
        examples: ['USDC on Base'],
      }),
      is_default: Type.Boolean({
        description: 'Whether sessions that name no wallet settle here. The first wallet is the default.',
        examples: [true],
      }),
      archived: Type.Boolean({
        description: 'An archived wallet takes no new sessions and links; open ones go on.',
        examples: [false],
      }),
      proved: Type.Boolean({
        description: 'Whether you have shown by a signature that the address is yours.',
        examples: [false],
      }),
      created_by: oneOf(['key', 'login'], {
        description: 'Whether a secret key added it or a login.',
        examples: ['login'],
      }),
      created_at: timestamp('When it was saved.'),
    },
    { description: 'A saved destination: the only place that money of your payments can go to.' },
  ),
);
export type PayoutWalletJson = Static<typeof PayoutWalletShape>;

export const WalletProofShape = component(
  'WalletProof',
  Type.Object(
    {
      payout_wallet_id: id('pp', 'The wallet in question.'),
      proved: Type.Boolean({ description: 'Whether the address has been proved.', examples: [false] }),
      message: nullable(Type.String(), {
        description: 'The message to sign with the wallet, unchanged; null once a signature was accepted.',
        examples: [
          'Quittance wallet ownership\nWallet: pp_9rKd4MzXv6TqWb2LnHs8GcYf\nNetwork: base\nAddress: 0x52908400098527886E0F7030069857D2E4169EE7\nNonce: 4Xq2LwZ8nT6vRb1K',
        ],
      }),
      expires_in: nullable(Type.Integer(), {
        description: 'Seconds the message can be signed within.',
        examples: [300],
      }),
    },
    { description: 'Where the proof of an address stands.' },
  ),
);
export type WalletProofJson = Static<typeof WalletProofShape>;
