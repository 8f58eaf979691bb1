import { NETWORKS, type BodyOf, type endpoints } from '@quittance/contract';
import { base58 } from '@scure/base';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { insertClaim } from '../payments/claim-store.ts';
import { receive } from '../payments/receive.ts';
import { reclaim } from '../payments/reclaim.ts';
import { findPublicView, type PublicView } from './public-session.ts';

export type TransactionNotice = BodyOf<typeof endpoints.submitPublicTransaction>;

/**
 * The customer points at a transaction. Alone that is a hint where to look; signed by its sender it is a claim. Every
 * receipt is public, so a hash proves nothing.
 */
export async function submitTransaction(ctx: Context, sessionId: string, notice: TransactionNotice): Promise<{ accepted: true }> {
  const view = await findPublicView(ctx, sessionId);
  const txHash = readHash(view, notice.tx_hash);
  const { session, payment } = view;
  if (notice.signature !== undefined) {
    await insertClaim(ctx.db, { paymentId: payment.id, livemode: session.livemode, network: session.receiveNetwork, txHash, signature: notice.signature }, view.now);
  }

  const now = await ctx.db.now();
  await lookAt(ctx, view, txHash).catch((error) => ctx.log.info({ err: error, network: session.receiveNetwork }, 'a transaction that was pointed at could not be read yet'));
  if (notice.signature !== undefined) await ctx.db.transaction((db) => reclaim(ctx, db, session.livemode, session.receiveNetwork, txHash, { created: view.now, recorded: now }));
  return { accepted: true };
}

/** Reads the transaction at once instead of waiting for the watcher. */
async function lookAt(ctx: Context, { session, payment }: PublicView, txHash: string): Promise<void> {
  const chain = session.livemode ? ctx.chains.get(session.receiveNetwork) : undefined;
  const found = await chain?.transaction(txHash, { addresses: new Set([payment.receiveAddress]) });
  if (!found) return;
  const now = await ctx.db.now();
  await ctx.db.transaction((db) => receive(ctx, db, true, found.transfers, now));
}

/** Lower-case hex on the Ethereum family, the signature as it is on Solana. */
function readHash({ session }: PublicView, text: string): string {
  if (NETWORKS[session.receiveNetwork].family === 'solana') {
    if (isSolanaSignature(text)) return text;
    return fail('invalid_request', { param: 'tx_hash', message: 'A transaction on Solana is named by its signature: 64 bytes in base58.' });
  }
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return text.toLowerCase();
  return fail('invalid_request', { param: 'tx_hash', message: 'A transaction is named by its hash: 0x and 64 hex digits.' });
}

function isSolanaSignature(text: string): boolean {
  try {
    return base58.decode(text).length === 64;
  } catch {
    return false;
  }
}
