import type { PayoutWalletJson, WalletProofJson } from '@quittance/contract';
import type { PayoutWallet } from './payout-wallet.ts';
import type { WalletProof } from './prove-ownership.ts';

export function presentPayoutWallet(wallet: PayoutWallet): PayoutWalletJson {
  return {
    id: wallet.id,
    object: 'payout_wallet',
    livemode: wallet.livemode,
    asset: wallet.asset,
    network: wallet.network,
    address: wallet.address,
    label: wallet.label,
    is_default: wallet.isDefault,
    archived: wallet.archivedAt !== null,
    proved: wallet.provedAt !== null,
    created_by: wallet.createdBy,
    created_at: wallet.createdAt.toISOString(),
  };
}

export function presentWalletProof(proof: WalletProof): WalletProofJson {
  return {
    payout_wallet_id: proof.walletId,
    proved: proof.proved,
    message: proof.message,
    expires_in: proof.expiresInSeconds,
  };
}
