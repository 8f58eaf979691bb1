import { type Asset, EVM_RECEIVE_NETWORKS, NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import { formatUnits } from '../../platform/money.ts';
import { buildTag } from './evm/tag.ts';
import { tokenAddress } from './evm/tokens.ts';
import { paymentUri as ethereumUri } from './evm/uri.ts';
import { machineAsset } from './machine-networks.ts';
import { mintOf } from './solana/solana.ts';

export interface PaymentRequest {
  livemode: boolean;
  asset: Asset;
  to: string;
  amountUnits: bigint;
  /** The reference for transfers that go directly to the merchant. */
  reference: string | null;
  label: string | null;
  /** Contracts or mints of test chains by asset, and a test chain's id. */
  tokens?: Record<string, string>;
  chainId?: number | null;
}

/** The payment URI for a QR code: EIP-681, Solana Pay or BIP-21; null if the network has no common format. */
export function paymentUri(request: PaymentRequest): string | null {
  return request.livemode ? liveUri(request) : testUri(request);
}

/**
 * A request that no main network can carry out: for the issuer's test coin, whose contract does not exist there, or to
 * an address of Bitcoin's test network. Null for other coins, because some wallets ignore the chain that a URI names,
 * and Solana's names none. Null too for the address of a conversion, which no wallet takes.
 */
function testUri(request: PaymentRequest): string | null {
  const { asset, to, amountUnits } = request;
  if (asset.asset === 'BTC') return to.startsWith('tb1') ? liveUri(request) : null;
  if (asset.asset !== 'USDC' || to.startsWith('test_')) return null;
  const machine = machineAsset(asset.network as ReceiveNetwork, 'USDC', false, NO_SETTINGS);
  if (machine?.family === 'solana' && machine.mint) return solanaUri({ ...request, tokens: { USDC: machine.mint } });
  return machine?.family === 'evm'
    ? ethereumUri({ chainId: machine.chainId, token: machine.token, to, amountUnits })
    : null;
}

const NO_SETTINGS = { chainId: null, genesisHash: null, tokens: {} };

function liveUri(request: PaymentRequest): string | null {
  const { asset, to, amountUnits } = request;
  const row = NETWORKS[asset.network];
  switch (row.family) {
    case 'evm': {
      const chainId = request.chainId ?? row.chainId;
      const token = tokenAddress(asset.network, asset.asset, request.tokens) ?? null;
      return ethereumUri({ chainId, token, to, amountUnits, ...(asset.takesMemo && { memo: request.reference }) });
    }
    case 'solana':
      return solanaUri(request);
    case 'bitcoin':
      return `bitcoin:${to}?amount=${plainDecimal(amountUnits, asset.decimals)}`;
    case 'tron':
      return null;
  }
}

/**
 * The tag of a transfer on EVM networks as hex: appended to a token transfer's arguments, or the data of a native
 * transfer.
 */
export function paymentTag(asset: Asset, reference: Uint8Array): string | null {
  const networks: readonly string[] = EVM_RECEIVE_NETWORKS;
  return networks.includes(asset.network) ? `0x${Buffer.from(buildTag(reference)).toString('hex')}` : null;
}

function solanaUri({ asset, to, amountUnits, reference, label, tokens }: PaymentRequest): string {
  const query = new URLSearchParams({ amount: plainDecimal(amountUnits, asset.decimals) });
  if (asset.address !== null) query.set('spl-token', mintOf(asset.asset, tokens));
  if (reference !== null) query.set('reference', reference);
  if (label !== null) query.set('label', label);
  // Wallets decode %20, but some show a plus sign as is.
  return `solana:${to}?${query.toString().replaceAll('+', '%20')}`;
}

/** Without trailing zeros, which some wallets cannot parse. */
function plainDecimal(units: bigint, decimals: number): string {
  return formatUnits(units, decimals).replace(/\.?0+$/, '');
}
