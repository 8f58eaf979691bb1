import { Type } from '@sinclair/typebox';
import { isStablecoin, RECEIVE_SYMBOLS, STABLECOINS } from '../assets.ts';
import { endpoint } from '../endpoint.ts';
import { RECEIVE_NETWORKS } from '../networks.ts';
import { alternatives, assetInput, LIMITS, networkInput, pageQuery } from '../shapes/common.ts';
import { PayoutWalletShape, WalletProofShape } from '../shapes/payout-wallet.ts';
import { pathId } from '../shapes/schema.ts';

const tag = 'Payout wallets';
const symbols = [...STABLECOINS, ...RECEIVE_SYMBOLS.filter((symbol) => !isStablecoin(symbol))];
const params = pathId('pp', 'The payout wallet.');

const createPayoutWallet = endpoint({
  method: 'POST',
  path: '/v1/payout-wallets',
  tag,
  summary: 'Save a payout wallet',
  description:
    'The first wallet becomes the default. Wallet-login accounts cannot add wallets. Accounts can also ' +
    'block secret keys from adding wallets.',
  auth: 'credential',
  scope: 'wallets:write',
  body: Type.Object({
    asset: assetInput(`The asset to receive: ${alternatives(symbols)}.`),
    network: networkInput(`The network to receive it on: ${alternatives(RECEIVE_NETWORKS)}.`),
    address: Type.String({
      description: "Your wallet's address. On EVM networks, mixed-case addresses must have a valid EIP-55 checksum.",
      minLength: 1,
      maxLength: 128,
      examples: ['0x52908400098527886E0F7030069857D2E4169EE7'],
    }),
    label: Type.Optional(
      Type.String({
        description: 'Its name in the dashboard.',
        text: 'line',
        maxLength: LIMITS.labelLength,
        examples: ['Treasury'],
      }),
    ),
  }),
  success: { status: 201, data: PayoutWalletShape, envelope: 'object', description: 'The saved wallet.' },
  invalid: 'invalid_payout_wallet',
  errors: ['forbidden'],
  idempotent: true,
});

const listPayoutWallets = endpoint({
  method: 'GET',
  path: '/v1/payout-wallets',
  tag,
  summary: 'List payout wallets',
  description: 'Newest first, including archived wallets.',
  auth: 'credential',
  scope: 'wallets:read',
  query: Type.Object(pageQuery()),
  success: { status: 200, data: PayoutWalletShape, envelope: 'list', description: 'A page of wallets.' },
  invalid: 'invalid_list_request',
});

const getPayoutWallet = endpoint({
  method: 'GET',
  path: '/v1/payout-wallets/{id}',
  tag,
  summary: 'Retrieve a payout wallet',
  auth: 'credential',
  scope: 'wallets:read',
  params,
  success: { status: 200, data: PayoutWalletShape, envelope: 'object', description: 'The wallet.' },
  errors: ['not_found'],
});

const setDefaultPayoutWallet = endpoint({
  method: 'POST',
  path: '/v1/payout-wallets/{id}/default',
  tag,
  summary: 'Make a payout wallet the default',
  description: 'New sessions without a `payout_wallet_id` settle to it. An archived wallet cannot be the default.',
  auth: 'login',
  params,
  success: {
    status: 200,
    data: PayoutWalletShape,
    envelope: 'object',
    description: 'The wallet, which is now the default.',
  },
  invalid: 'invalid_payout_wallet',
  errors: ['not_found'],
  idempotent: true,
});

const archivePayoutWallet = endpoint({
  method: 'POST',
  path: '/v1/payout-wallets/{id}/archive',
  tag,
  summary: 'Archive a payout wallet',
  description: 'An archived wallet accepts no new sessions or links. Open ones still settle to it. It stays in lists.',
  auth: 'login',
  params,
  success: { status: 200, data: PayoutWalletShape, envelope: 'object', description: 'The archived wallet.' },
  invalid: 'invalid_payout_wallet',
  errors: ['not_found'],
  idempotent: true,
});

const proveWalletOwnership = endpoint({
  method: 'POST',
  path: '/v1/payout-wallets/{id}/prove',
  tag,
  summary: 'Verify ownership of a payout wallet',
  description:
    'Without a body, returns the message to sign and, in live mode, a small transfer from the address to ' +
    'itself. Send the signature, or the hash of the transfer. The first account that proves an address ' +
    'owns it: on every Ethereum-compatible network if a key signed, otherwise on this network. A ' +
    'later proof by another account is a dispute for the operator.',
  auth: 'login',
  params,
  body: Type.Object({
    signature: Type.Optional(
      Type.String({
        description: "The wallet's signature of the message.",
        minLength: 1,
        maxLength: 65_536,
        examples: [`0x${'5c'.repeat(64)}1b`],
      }),
    ),
    tx_hash: Type.Optional(
      Type.String({
        description: 'The transaction of the transfer that was given. It must be final.',
        minLength: 1,
        maxLength: 128,
        examples: ['0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'],
      }),
    ),
  }),
  bodyOptional: true,
  success: {
    status: 200,
    data: WalletProofShape,
    envelope: 'object',
    description: 'The message to sign and the transfer, or the verified state.',
  },
  invalid: 'invalid_signature',
  errors: ['not_found', 'invalid_payout_wallet'],
  idempotent: true,
});

export const payoutWalletEndpoints = {
  createPayoutWallet,
  listPayoutWallets,
  getPayoutWallet,
  setDefaultPayoutWallet,
  archivePayoutWallet,
  proveWalletOwnership,
};
