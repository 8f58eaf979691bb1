import { NETWORKS, type BodyOf, type ChainFamily, type endpoints, type Network } from '@quittance/contract';
import { base58 } from '@scure/base';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { later, SECOND_MS } from '../../platform/time.ts';
import { findOrders, noteHint } from '../../settlement/records/route-order-store.ts';
import { insertClaim, keepRevertedHint } from '../../settlement/attribution/claim-store.ts';
import { receive } from '../../settlement/attribution/attribute-transfer.ts';
import { reclaim } from '../../settlement/attribution/assign-transfer.ts';
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

  await hintProvider(ctx, view, txHash);
  const now = await ctx.db.now();
  await lookAt(ctx, view, txHash).catch((error) => ctx.log.info({ err: error, network: session.receiveNetwork }, 'a transaction that was pointed at could not be read yet'));
  if (notice.signature !== undefined) await ctx.db.transaction((db) => reclaim(ctx, db, session.livemode, session.receiveNetwork, txHash, { created: view.now, recorded: now }));
  return { accepted: true };
}

/** A provider is not asked to look more often than this, however often somebody points. */
const HINT_AGAIN_MS = 10 * SECOND_MS;

/** A provider is quicker where it knows what to look for. */
async function hintProvider(ctx: Context, { payment }: PublicView, txHash: string): Promise<void> {
  if (payment.route !== 'routed' || !payment.livemode) return;
  const order = (await findOrders(ctx.db, payment.id)).findLast((one) => one.payAsset === payment.payAsset && one.payNetwork === payment.payNetwork);
  const router = ctx.routers.find((one) => one.name === order?.provider);
  const now = await ctx.db.now();
  if (!order || !await noteHint(ctx.db, order.id, now, later(now, -HINT_AGAIN_MS))) return;
  await router?.hint?.(order, txHash).catch((error) => ctx.log.info({ err: error, provider: order.provider }, 'a provider took no hint'));
  ctx.db.notify('routes');
}

/** Reads the transaction at once instead of waiting for the watcher. */
async function lookAt(ctx: Context, { session, payment }: PublicView, txHash: string): Promise<void> {
  const chain = session.livemode ? ctx.chains.get(session.receiveNetwork) : undefined;
  const found = await chain?.transaction(txHash, { addresses: new Set([payment.receiveAddress]) }, { isHint: true });
  if (!found) return;
  const now = await ctx.db.now();
  if (found.reverted) return keepRevertedHint(ctx.db, payment, txHash, now);
  await ctx.db.transaction((db) => receive(ctx, db, true, found.transfers, now));
}

/** In the form its network writes it: that of what was chosen, or that of the payout wallet. */
function readHash({ session, payment }: PublicView, text: string): string {
  for (const network of [payment.payNetwork, session.receiveNetwork]) {
    const hash = hashOn(network, text);
    if (hash !== undefined) return hash;
  }
  const family = NETWORKS[payment.payNetwork].family;
  return fail('invalid_request', { param: 'tx_hash', message: `A transaction on ${NETWORKS[payment.payNetwork].name} is named by ${FORMS[family]}.` });
}

const FORMS: Record<ChainFamily, string> = {
  evm: 'its hash: 0x and 64 hex digits',
  solana: 'its signature: 64 bytes in base58',
  bitcoin: 'its id: 64 hex digits',
  tron: 'its id: 64 hex digits',
};

/** Lower-case hex, or on Solana the signature as it is; undefined where the text is no hash of the network. */
function hashOn(network: Network, text: string): string | undefined {
  switch (NETWORKS[network].family) {
    case 'evm':
      return /^0x[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : undefined;
    case 'solana':
      return isSolanaSignature(text) ? text : undefined;
    default:
      return /^[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : undefined;
  }
}

function isSolanaSignature(text: string): boolean {
  try {
    return base58.decode(text).length === 64;
  } catch {
    return false;
  }
}
