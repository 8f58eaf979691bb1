import type { Context } from '../../context.ts';
import { TemporaryError } from '../../platform/errors.ts';
import { later, MINUTE_MS } from '../../platform/time.ts';
import type { Client } from '../../platform/http/admission/client.ts';
import { coverage } from '../../settlement/reading/coverage.ts';
import { findTransfersByHash } from '../../settlement/records/transfer-store.ts';
import type { Offer } from './offer.ts';
import type { Trace } from './proof.ts';

/** A network that is read this far behind may hold a payment that is not known yet. */
const MAX_UNREAD_MS = 2 * MINUTE_MS;

/**
 * Whether a credential that no record names may have moved money to the offer's wallet. After a restore the record of a
 * credential that was carried out may be lost, and its payer must not be asked to pay again. Throws `TemporaryError`
 * if too few providers can say. `client` is the client whose share of the look-ups is used.
 */
export async function wasUsedBefore(ctx: Context, trace: Trace, offer: Offer, client: Client | null): Promise<boolean> {
  const { network, machine } = offer;
  // In test mode no network carries anything out.
  if (!offer.livemode) return false;
  switch (trace.type) {
    case 'transaction':
      return hasUnattributedTransfer(ctx, trace.txHash, offer, client);
    case 'authorization': {
      const { signed } = ctx.chains.get(network) ?? {};
      if (machine.family !== 'evm' || !signed) return false;
      const isUsed = await signed.isUsed(machine.token, trace.payer, trace.nonce);
      if (isUsed === null) throw new TemporaryError('the providers do not agree on whether an authorization was used');
      return isUsed;
    }
    case 'memo': {
      const covered = (await coverage(ctx, ctx.db)).get(network);
      return covered === undefined || covered < later(offer.now, -MAX_UNREAD_MS);
    }
  }
}

/**
 * Whether a transaction may have paid the offer's wallet and no payment has its transfer. Transfers that a payment has
 * are already deducted from what is due, or pay another checkout. That it failed is true once a quorum says so.
 */
async function hasUnattributedTransfer(
  ctx: Context,
  txHash: string,
  { livemode, network, payTo }: Offer,
  client: Client | null,
): Promise<boolean> {
  const found = await ctx.chains
    .get(network)
    ?.transaction(txHash, { addresses: new Set([payTo]) }, { budget: 'hint', client });
  if (!found || found.movedNothing) return false;
  if (!found.reverted && !found.transfers.some(({ to }) => to === payTo)) return false;
  const stored = await findTransfersByHash(ctx.db, livemode, network, txHash);
  const here = stored.filter(({ to, status }) => to === payTo && status !== 'dropped');
  return here.length === 0 || here.some(({ paymentId, handledAt }) => paymentId === null && handledAt === null);
}
