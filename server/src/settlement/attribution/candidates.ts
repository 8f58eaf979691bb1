import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/db.ts';
import { findAddressOwner } from '../records/address-owner-store.ts';
import { findStandings, type Standing } from '../outcome/standing.ts';
import type { StoredTransfer } from '../records/transfer-store.ts';
import type { Claimant, Clues } from './attribute.ts';
import { findAuthorized } from './authorization-store.ts';
import { findClaimed } from './claim-store.ts';
import { findReserved, findReferenced, findSenders, findAddresses, findPaymentsById } from './candidate-store.ts';

/** A transaction may name any number of sessions; it pays at most one, so more than these say nothing. */
const MAX_REFERENCES = 16;

/** Everything that could say which payment takes a transfer, in a fixed number of queries, each with a limit. */
export async function findClues(ctx: Pick<Context, 'prices'>, db: Db, transfer: StoredTransfer): Promise<Clues> {
  const { livemode } = transfer;
  const judged = { ...transfer, carried: transfer.carried.slice(0, MAX_REFERENCES) };
  const amount = (await findReserved(db, livemode, [judged])).get(0);
  const authorized = await findAuthorized(db, judged);
  const referenced = (await findReferenced(db, livemode, [judged])).get(0) ?? [];
  const unproven = (await findReferenced(db, livemode, [{ ...judged, carried: transfer.unproven ?? [] }])).get(0) ?? [];
  const senders = (await findSenders(db, livemode, [judged])).get(0) ?? [];
  const claimed = (await findClaimed(db, livemode, [judged])).get(0) ?? [];
  const wallets = (await findAddresses(db, livemode, [judged])).get(transfer.to) ?? [];

  const ids = [
    amount?.paymentId,
    transfer.paymentId,
    ...authorized,
    ...referenced,
    ...unproven,
    ...senders,
    ...claimed,
  ].filter((id) => id != null);
  const payments = await findPaymentsById(db, [...new Set(ids)]);
  // Judged by what else there is: its own amount must not count towards what is still missing.
  const standings = await findStandings(ctx, db, payments, transfer.id);
  // In test mode every account tries out addresses that are not its own.
  const owner = livemode
    ? await findAddressOwner(db, { livemode, network: transfer.network, address: transfer.to })
    : undefined;
  const isOthers = ({ payment }: Standing) => owner !== undefined && payment.accountId !== owner;
  const standingsOf = (paymentIds: readonly (string | null | undefined)[]) =>
    paymentIds
      .flatMap((id) => (id ? (standings.get(id) ?? []) : []))
      // The owner took this transfer back, so no payment of another account gets it again.
      .filter((standing) => !(transfer.releasedAt && isOthers(standing)));
  /** What says by itself which payment is meant, the owner's payments first. */
  const claimants = (paymentIds: readonly (string | null | undefined)[]) =>
    standingsOf(paymentIds)
      .sort((a, b) => Number(isOthers(a)) - Number(isOthers(b)))
      .map(claimantOf);
  /** What only fits as long as no other payment is near: nothing of accounts that do not own the address. */
  const ownClaimants = (paymentIds: readonly (string | null | undefined)[]) =>
    standingsOf(paymentIds)
      .filter((standing) => !isOthers(standing))
      .map(claimantOf);

  const [reserver] = ownClaimants([amount?.paymentId]);
  const [former] = claimants([transfer.paymentId]);
  return {
    reserved:
      amount && reserver
        ? {
            claimant: reserver,
            purpose: amount.purpose,
            targetId: amount.targetId,
            since: amount.since,
            until: amount.until,
          }
        : null,
    authorized: claimants(authorized),
    referenced: claimants(referenced),
    unproven: claimants(unproven),
    senders: ownClaimants(senders),
    claimed: claimants(claimed),
    former: former && transfer.attributedBy ? { claimant: former, by: transfer.attributedBy } : null,
    address: {
      thisAsset: wallets.some((wallet) => wallet.network === transfer.network && wallet.asset === transfer.asset),
      thisNetwork: wallets.some((wallet) => wallet.network === transfer.network),
      otherNetwork: wallets.some((wallet) => wallet.network !== transfer.network),
    },
  };
}

function claimantOf({ payment, direct, acceptsDirect }: Standing): Claimant {
  return {
    paymentId: payment.id,
    status: payment.status,
    createdAt: payment.createdAt,
    receiveAsset: payment.receiveAsset,
    receiveNetwork: payment.receiveNetwork,
    receiveAddress: payment.receiveAddress,
    acceptsDirect,
    amountMinor: payment.amountMinor,
    requiredUnits: direct.requiredUnits,
    dueUnits: direct.dueUnits,
  };
}
