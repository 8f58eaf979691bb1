import { Type, type Static } from '@sinclair/typebox';
import { RECEIVE_ASSETS, RECEIVE_NETWORKS } from '../assets.ts';
import { PROOF_STATUSES } from '../statuses.ts';
import { component, id, nullable, objectName, oneOf } from './schema.ts';
import { assetAmount, assetLabel, livemode, networkLabel, timestamp } from './common.ts';

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
        description: 'Whether you have proved that the address is yours.',
        examples: [false],
      }),
      proof: oneOf(PROOF_STATUSES, {
        description:
          '`required`: in live mode this wallet gets no exact amounts and no manual assignment until you prove the address, because another account has saved it or a contract lives there. `disputed`: another account proved it first, and the operator of the server has been told.',
        examples: ['not_required'],
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

const ProofTransferShape = Type.Object(
  {
    asset: assetLabel('What to send.'),
    network: networkLabel('Where to send it.'),
    amount: assetAmount('Exactly how much.', '0.483920'),
    from: Type.String({
      description: 'The address to send from.',
      examples: ['0x52908400098527886E0F7030069857D2E4169EE7'],
    }),
    to: Type.String({
      description: 'The address to send to: the same one.',
      examples: ['0x52908400098527886E0F7030069857D2E4169EE7'],
    }),
    expires_at: timestamp('The transfer counts until then.'),
  },
  { description: 'A transfer of the address to itself. Send its hash as `tx_hash` once it is final.' },
);

export const WalletProofShape = component(
  'WalletProof',
  Type.Object(
    {
      payout_wallet_id: id('pp', 'The wallet in question.'),
      proved: Type.Boolean({ description: 'Whether the address has been proved.', examples: [false] }),
      message: nullable(Type.String(), {
        description: 'The message to sign with the wallet, unchanged. Null if you sent a proof.',
        examples: [
          'Quittance wallet ownership\nWallet: pp_9rKd4MzXv6TqWb2LnHs8GcYf\nNetwork: base\nAddress: 0x52908400098527886E0F7030069857D2E4169EE7\nNonce: 4Xq2LwZ8nT6vRb1K',
        ],
      }),
      expires_in: nullable(Type.Integer(), {
        description: 'Seconds the message can be signed within.',
        examples: [300],
      }),
      proof: oneOf(PROOF_STATUSES, {
        description: '`disputed` if the proof is valid but another account proved the address first.',
        examples: ['required'],
      }),
      transfer: nullable(ProofTransferShape, {
        description:
          'Proves the address without a signature. Null in test mode, once you sent a proof, and for a sixth wallet with the same address.',
        examples: [null],
      }),
    },
    { description: 'Where the proof of an address stands.' },
  ),
);
export type WalletProofJson = Static<typeof WalletProofShape>;
