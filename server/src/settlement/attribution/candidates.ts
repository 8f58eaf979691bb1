import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/db.ts';
import { type AssessedPayment, assessPayments } from '../outcome/assessed-payment.ts';
import { findAddressOwner } from '../records/address-owner-store.ts';
import { findOthersOfSender, type StoredTransfer } from '../records/transfer-store.ts';
import type { Candidate, Candidates } from './attribute.ts';
import {
  findAddresses,
  findAuthorized,
  findElsewhere,
  findPaymentsById,
  findReferenced,
  findReserved,
  findSenders,
} from './candidate-store.ts';
import type { Sibling } from './choose-claimed.ts';
import { findClaimed } from './claim-store.ts';

/** A transaction can name any number of sessions but pays at most one, so further references are ignored. */
const MAX_REFERENCES = 16;

/** A transaction can contain any number of transfers. Further ones are shared out after these. */
const MAX_SIBLINGS = 50;

/** Loads all candidates for a transfer, in a fixed number of queries, each with a limit. */
export async function findCandidates(
  ctx: Pick<Context, 'prices'>,
  db: Db,
  transfer: StoredTransfer,
): Promise<Candidates> {
  const clues = await findClues(db, transfer);
  const { candidates, ownCandidates } = await loadPayments(ctx, db, transfer, clues);
  const { amount, authorized, referenced, unproven, senders, claimed, siblings, elsewhere, wallets } = clues;
  const [reserver] = ownCandidates([amount?.paymentId]);
  const [former] = candidates([transfer.paymentId]);
  return {
    reserved:
      amount && reserver
        ? {
            candidate: reserver,
            purpose: amount.purpose,
            targetId: amount.targetId,
            since: amount.since,
            until: amount.until,
          }
        : null,
    authorized: candidates(authorized),
    referenced: candidates(referenced),
    unproven: candidates(unproven),
    senders: ownCandidates(senders),
    claimed: candidates(claimed),
    siblings,
    elsewhere: ownCandidates(elsewhere),
    former: former && transfer.attributedBy ? { candidate: former, by: transfer.attributedBy } : null,
    address: {
      thisAsset: wallets.some((wallet) => wallet.network === transfer.network && wallet.asset === transfer.asset),
      thisNetwork: wallets.some((wallet) => wallet.network === transfer.network),
      otherNetwork: wallets.some((wallet) => wallet.network !== transfer.network),
    },
  };
}

type Clues = Awaited<ReturnType<typeof findClues>>;

/** The ids of payments that a transfer may belong to, by kind of clue, and the sessions' wallets at its address. */
async function findClues(db: Db, transfer: StoredTransfer) {
  const { livemode } = transfer;
  const judged = { ...transfer, carried: transfer.carried.slice(0, MAX_REFERENCES) };
  const amount = (await findReserved(db, livemode, [judged])).get(0);
  const authorized = await findAuthorized(db, judged);
  const referenced = (await findReferenced(db, livemode, [judged])).get(0) ?? [];
  const unproven = (await findReferenced(db, livemode, [{ ...judged, carried: transfer.unproven ?? [] }])).get(0) ?? [];
  const senders = (await findSenders(db, livemode, [judged])).get(0) ?? [];
  const claimed = (await findClaimed(db, livemode, [judged])).get(0) ?? [];
  const siblings = claimed.length > 0 ? await findSiblings(db, transfer) : [];
  const elsewhere = amount || referenced.length > 0 ? [] : await findElsewhere(db, judged);
  const wallets = (await findAddresses(db, livemode, [judged])).get(transfer.to) ?? [];
  return { amount, authorized, referenced, unproven, senders, claimed, siblings, elsewhere, wallets };
}

/** The other transfers between which the payments of a claimed transaction choose. */
async function findSiblings(db: Db, transfer: StoredTransfer): Promise<Sibling[]> {
  const { livemode } = transfer;
  const others = (await findOthersOfSender(db, transfer, MAX_SIBLINGS)).map((one) => ({
    ...one,
    carried: one.carried.slice(0, MAX_REFERENCES),
  }));
  const reserved = await findReserved(db, livemode, others);
  const referenced = await findReferenced(db, livemode, others);
  return others.flatMap((one, place) => {
    const known = reserved.get(place)?.paymentId ?? referenced.get(place)?.[0];
    // What its exact amount or reference has left unattributed, no claim can take.
    if (known !== undefined && one.paymentId === null && !one.queued) return [];
    return {
      amountUnits: one.amountUnits,
      paymentId: one.paymentId ?? known ?? null,
      isCounted: one.paymentId !== null,
    };
  });
}

type PaymentId = string | null | undefined;

/** Loads the payments that the clues name. Returns what makes candidates of some of them. */
async function loadPayments(
  ctx: Pick<Context, 'prices'>,
  db: Db,
  transfer: StoredTransfer,
  { amount, authorized, referenced, unproven, senders, claimed, elsewhere }: Clues,
) {
  const { livemode, network, to: address } = transfer;
  const ids = [
    amount?.paymentId,
    transfer.paymentId,
    ...authorized,
    ...referenced,
    ...unproven,
    ...senders,
    ...claimed,
    ...elsewhere,
  ].filter((id) => id != null);
  const payments = await findPaymentsById(db, [...new Set(ids)]);
  // Assessed without this transfer: its own amount must not count toward the missing amount.
  const assessed = await assessPayments(ctx, db, payments, transfer.id);
  // In test mode, accounts may use addresses that they do not own.
  const owner = livemode ? await findAddressOwner(db, { livemode, network, address }) : undefined;
  const isOthers = ({ payment }: AssessedPayment) => owner !== undefined && payment.accountId !== owner;
  const assessedOf = (paymentIds: readonly PaymentId[]) =>
    paymentIds
      .flatMap((id) => (id ? (assessed.get(id) ?? []) : []))
      // The owner released this transfer, so no payment of another account gets it again.
      .filter((assessed) => !(transfer.releasedAt && isOthers(assessed)));
  return {
    /** For rules that identify a payment by themselves. The owner's payments come first. */
    candidates: (paymentIds: readonly PaymentId[]) =>
      assessedOf(paymentIds)
        .sort((a, b) => Number(isOthers(a)) - Number(isOthers(b)))
        .map(candidateOf),
    /** For rules that depend on other payments at the address. Excludes accounts that do not own the address. */
    ownCandidates: (paymentIds: readonly PaymentId[]) =>
      assessedOf(paymentIds)
        .filter((assessed) => !isOthers(assessed))
        .map(candidateOf),
  };
}

function candidateOf({ payment, direct, acceptsDirect, transfers }: AssessedPayment): Candidate {
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
    enoughUnits: direct.enoughUnits,
    transferCount: transfers.length,
  };
}
