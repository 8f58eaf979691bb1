import { Type, type Static } from '@sinclair/typebox';
import { RECEIVE_SYMBOLS } from '../assets.ts';
import { RECEIVE_NETWORKS } from '../networks.ts';
import { PROOF_STATUSES } from '../statuses.ts';
import { component, id, nullable, objectName, oneOf, described } from './schema.ts';
import { assetAmount, assetLabel, livemode, networkLabel, timestamp } from './common.ts';

export const PayoutWalletShape = component(
  'PayoutWallet',
  Type.Object(
    {
      id: id('pp', 'The payout wallet.'),
      object: objectName('payout_wallet'),
      livemode,
      asset: oneOf(RECEIVE_SYMBOLS, described('The asset that the wallet receives.', 'USDC')),
      network: oneOf(RECEIVE_NETWORKS, described('The network that the wallet receives it on.', 'base')),
      address: Type.String({
        description: "Your wallet's address, which payments settle to.",
        examples: ['0x52908400098527886E0F7030069857D2E4169EE7'],
      }),
      label: nullable(Type.String(), {
        description: 'Its name in the dashboard. Defaults to the asset and network.',
        examples: ['USDC on Base'],
      }),
      is_default: Type.Boolean({
        description: 'Whether sessions without a `payout_wallet_id` settle here. The first wallet is the default.',
        examples: [true],
      }),
      archived: Type.Boolean({
        description: 'An archived wallet accepts no new sessions or links. Open ones still settle to it.',
        examples: [false],
      }),
      proved: Type.Boolean(described('Whether you proved that you own the address.', false)),
      proof: oneOf(PROOF_STATUSES, {
        description:
          '`required`: in live mode this wallet gets no exact amounts and no manual assignment until you ' +
          'prove the address, because another account has saved it or a contract lives there. ' +
          '`disputed`: another account proved it first, and the operator of the server has been notified.',
        examples: ['not_required'],
      }),
      looked_up: Type.Boolean({
        description:
          'False while no RPC provider could be asked what lives at the address. Until one answers, it counts as a ' +
          'contract if its network is watched.',
        examples: [true],
      }),
      unfit: nullable(Type.String(), {
        description:
          'Why no session can settle to this wallet, in a sentence: it is a token account, which was found after it was saved.',
        examples: [null],
      }),
      waits_for: nullable(oneOf(['confirmation']), {
        description:
          '`confirmation`: a live secret key added it, and no payment can settle to it until the owner of the account ' +
          'confirms it in the dashboard. Null if it waits for nothing.',
        examples: [null],
      }),
      created_by: oneOf(['key', 'login'], described('Whether it was added with a secret key or a login.', 'login')),
      created_at: timestamp('When it was saved.'),
    },
    { description: 'A saved payout address. Payments can only settle to saved addresses.' },
  ),
);
export type PayoutWalletJson = Static<typeof PayoutWalletShape>;

const ProofTransferShape = Type.Object(
  {
    asset: assetLabel('Asset to send.'),
    network: networkLabel('Network on which to send it.'),
    amount: assetAmount('Exact amount to send.', '0.483920'),
    from: Type.String(described('The address to send from.', '0x52908400098527886E0F7030069857D2E4169EE7')),
    to: Type.String(described('The address to send to: the same one.', '0x52908400098527886E0F7030069857D2E4169EE7')),
    expires_at: timestamp('The transfer counts until then.'),
  },
  { description: 'A transfer of the address to itself. Send its hash as `tx_hash` once it is final.' },
);

export const WalletProofShape = component(
  'WalletProof',
  Type.Object(
    {
      payout_wallet_id: id('pp', 'The payout wallet.'),
      proved: Type.Boolean(described('Whether ownership of the address is verified.', false)),
      message: nullable(Type.String(), {
        description: 'The message to sign with the wallet, unchanged. Null if you sent a proof.',
        examples: [
          'Quittance wallet ownership\nWallet: pp_9rKd4MzXv6TqWb2LnHs8GcYf\nNetwork: base\nAddress: ' +
            '0x52908400098527886E0F7030069857D2E4169EE7\nNonce: 4Xq2LwZ8nT6vRb1K',
        ],
      }),
      expires_in: nullable(Type.Integer(), described('Seconds until the message expires.', 300)),
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
    { description: 'The state of an ownership verification.' },
  ),
);
export type WalletProofJson = Static<typeof WalletProofShape>;
