import type { PayoutWalletJson, WalletProofJson } from '@quittance/contract';
import { presentUnits } from '../../settlement/records/present-payment.ts';
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
    proved: wallet.proof === 'proved',
    proof: wallet.proof,
    looked_up: wallet.lookUpAt === null,
    unfit: wallet.unfit,
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
    proof: proof.status,
    transfer: proof.transfer && {
      asset: proof.transfer.asset,
      network: proof.transfer.network,
      amount: presentUnits(proof.transfer.amountUnits, proof.transfer.asset, proof.transfer.network),
      from: proof.transfer.address,
      to: proof.transfer.address,
      expires_at: proof.transfer.expiresAt.toISOString(),
    },
  };
}
