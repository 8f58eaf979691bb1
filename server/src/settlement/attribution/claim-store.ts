import { NETWORKS, type Network } from '@quittance/contract';
import type { Transfer } from '../../outside/chains/chain.ts';
import type { Db } from '../../platform/db/db.ts';
import { isSignedByEthereumKey, isSignedBySolanaKey } from '../../outside/chains/wallet-signature.ts';
import type { Payment } from '../records/payment.ts';

export interface Claim {
  paymentId: string;
  livemode: boolean;
  network: string;
  txHash: string;
  /** Null for a hint: it says where to look and proves nothing. */
  signature: string | null;
}

/** Keeps a claim until its transfer is read. A signature is never overwritten by a mere hint. */
export async function insertClaim(db: Db, claim: Claim, at: Date): Promise<void> {
  await db.query('insert_claim', `
    insert into claims as c (payment_id, livemode, network, tx_hash, signature, created_at) values ($1, $2, $3, $4, $5, $6)
        on conflict (livemode, network, tx_hash, payment_id) do update set signature = coalesce(excluded.signature, c.signature)`,
  [claim.paymentId, claim.livemode, claim.network, claim.txHash, claim.signature, at]);
}

/** A customer's own transaction that the chain refused: it only says why nothing came. */
export async function keepRevertedHint(db: Db, payment: Payment, txHash: string, at: Date): Promise<void> {
  await db.query('keep_reverted_hint', `
    insert into reverted_transactions (payment_id, network, tx_hash, seen_at) values ($1, $2, $3, $4) on conflict do nothing`,
  [payment.id, payment.receiveNetwork, txHash, at]);
}

/** The payments whose claims the senders of these transfers have signed, by the transfers' places. */
export async function findSignedClaims(db: Db, livemode: boolean, transfers: readonly Transfer[]): Promise<Map<number, string[]>> {
  const rows = await db.query<{ place: bigint; payment_id: string; session_id: string; signature: string }>('find_claims', `
    select seen.place, c.payment_id, p.session_id, c.signature
      from unnest($2::text[], $3::text[]) with ordinality as seen (network, tx_hash, place)
      join claims c on c.livemode = $1 and c.network = seen.network and c.tx_hash = seen.tx_hash and c.signature is not null
      join payments p on p.id = c.payment_id
     order by c.created_at, c.payment_id`, [livemode, transfers.map((one) => one.network), transfers.map((one) => one.txHash)]);

  const claimed = new Map<number, string[]>();
  for (const row of rows) {
    const place = Number(row.place) - 1;
    const transfer = transfers[place];
    if (!transfer?.from) continue;
    const message = claimText({ sessionId: row.session_id, network: transfer.network, txHash: transfer.txHash });
    // Only the account that was debited may say what its money was for.
    if (await isSignedBy(transfer.network, { message, address: transfer.from, signature: row.signature })) {
      claimed.set(place, [...(claimed.get(place) ?? []), row.payment_id]);
    }
  }
  return claimed;
}

/** What a customer signs to say that a transaction of theirs was meant for a session. */
export function claimText({ sessionId, network, txHash }: { sessionId: string; network: string; txHash: string }): string {
  return ['Quittance payment claim', `Session: ${sessionId}`, `Network: ${network}`, `Transaction: ${txHash}`].join('\n');
}

/** What a connected wallet signs before it pays, so that its transfer is known by its sender. */
export function senderText({ sessionId, network, address }: { sessionId: string; network: string; address: string }): string {
  return ['Quittance payment sender', `Session: ${sessionId}`, `Network: ${network}`, `Address: ${address}`].join('\n');
}

export async function isSignedBy(network: Network, signed: { message: string; address: string; signature: string }): Promise<boolean> {
  switch (NETWORKS[network].family) {
    case 'evm':
      return isSignedByEthereumKey(signed);
    case 'solana':
      return isSignedBySolanaKey(signed);
    default:
      return false;
  }
}
