import type { Context } from '../../context.ts';
import type { Job } from '../../job.ts';
import { type Chain, createAnswerCache, type Transfer, type VerdictHead } from '../../outside/chains/chain.ts';
import { TemporaryError } from '../../platform/errors.ts';
import { DAY_MS, later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import { EARLY_TOLERANCE_MS } from '../../settlement/records/amounts.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { findAddressOwner } from '../../settlement/records/address-owner-store.ts';
import { lockPayments, findPaymentById } from '../../settlement/records/payment-store.ts';
import { finalityRule, isFinal, transferWorthUsdMinor } from '../../settlement/verification/finality.ts';
import type { Mismatch, StoredRefund } from './refund.ts';
import { closeLink } from './answer-link.ts';
import { saveRefund } from './save.ts';
import { findRefund, findUsedTransfers, leaseDueRefunds } from './store.ts';

const REFUNDS_AT_ONCE = 20;
/** Of one transaction to one address: each is asked about at every provider. */
export const MAX_TRANSFERS = 4;
/** A transaction that no provider knows for this long will not be mined. */
const UNKNOWN_FOR_MS = 3 * DAY_MS;

/** Looks sent refunds up on the chain until they are final, and closes links that were not answered in time. */
export const refundsJob: Job = {
  name: 'refunds',
  everyMs: 2 * SECOND_MS,
  channel: 'refunds',
  async run(ctx) {
    const now = await ctx.db.now();
    const until = { new: later(now, 5 * SECOND_MS), known: later(now, MINUTE_MS), old: later(now, 15 * MINUTE_MS) };
    const due = await leaseDueRefunds(ctx.db, { now, until, limit: REFUNDS_AT_ONCE });
    await Promise.all(due.map((refund) => tryToVerify(ctx, refund, now)));
    return due.length === REFUNDS_AT_ONCE ? 'more' : 'idle';
  },
};

async function tryToVerify(ctx: Context, refund: StoredRefund, now: Date): Promise<void> {
  try {
    if (refund.status === 'requested') return await closeLink(ctx, refund, now);
    const chain = ctx.chains.get(refund.network);
    const payment = chain && (await findPaymentById(ctx.db, refund.paymentId));
    if (payment) await applyFinding(ctx, refund, await lookUp(ctx, chain, refund, payment), now);
  } catch (error) {
    const level = error instanceof TemporaryError || isTaken(error) ? 'warn' : 'error';
    ctx.log[level]({ err: error, refundId: refund.id, network: refund.network }, 'refund look-up failed: retrying');
  }
}

/** Whether a refund of another payment was returned by the same transfer at this moment. The next look sees that. */
function isTaken(error: unknown): boolean {
  return (error as { constraint?: unknown } | null)?.constraint === 'refunds_by_transfer';
}

/** What the chain says about a refund's transaction, by the quorum of the providers. */
type Finding =
  | { type: 'returned'; transferIndex: number }
  | { type: 'mismatch'; mismatch: Mismatch }
  | { type: 'reverted' | 'unknown' | 'wait' };

async function lookUp(ctx: Context, chain: Chain, refund: StoredRefund, payment: Payment): Promise<Finding> {
  const { txHash, toAddress } = refund;
  if (txHash === null || toAddress === null) return { type: 'wait' };
  const found = await chain.transaction(txHash, { addresses: new Set([toAddress]) });
  if (!found) return { type: 'unknown' };
  if (found.reverted) return { type: found.movedNothing ? 'reverted' : 'wait' };
  const [one] = found.transfers;
  // Every provider was asked: the transaction pays this address nothing.
  if (!one) return { type: 'mismatch', mismatch: { asset: null } };

  const finding = await judge(ctx, chain, { refund, payment }, found.transfers);
  if (finding.type !== 'mismatch') return finding;
  // The provider that was asked may hide this transfer behind others. None has this index, so none is left out.
  return judge(ctx, chain, { refund, payment }, await chain.replacements({ ...one, index: -1 }));
}

/** Whether one of these transfers is the refund. */
async function judge(
  ctx: Context,
  chain: Chain,
  { refund, payment }: { refund: StoredRefund; payment: Payment },
  transfers: readonly Transfer[],
): Promise<Finding> {
  const used = await findUsedTransfers(ctx.db, refund);
  const mayBeIt = (one: Transfer) => isRight(refund, payment, one) && !used.includes(one.index);
  const candidates = candidatesOf(refund, transfers, used);
  const confirmed = await confirmTransfers(chain, candidates);
  const settled = confirmed.filter(({ transfer, head }) => isSettled(ctx, chain, transfer, head));
  for (const { transfer } of settled)
    if (mayBeIt(transfer) && !(await isOthers(ctx, refund, transfer)))
      return { type: 'returned', transferIndex: transfer.index };
  const [other] = settled;
  // A provider that is late with one transfer may show the others. Until all that might be the right one is settled,
  // nothing is said to be wrong.
  const isOpen = candidates.filter(mayBeIt).length > settled.filter(({ transfer }) => mayBeIt(transfer)).length;
  if (!other || isOpen || confirmed.length > settled.length) return { type: 'wait' };
  const { asset, amountUnits, to } = other.transfer;
  return { type: 'mismatch', mismatch: { asset, amountUnits, to } };
}

/** Those that may be the refund come first, so that other transfers of one signature cannot crowd it out. */
function candidatesOf(
  { asset, amountUnits }: StoredRefund,
  transfers: readonly Transfer[],
  used: readonly number[],
): Transfer[] {
  const isLikely = (one: Transfer) =>
    one.asset === asset && one.amountUnits === amountUnits && !used.includes(one.index);
  return [...transfers.filter(isLikely), ...transfers.filter((one) => !isLikely(one))].slice(0, MAX_TRANSFERS);
}

/** A transfer from before the payment returned nothing of it. */
function isRight(refund: StoredRefund, payment: Payment, { asset, amountUnits, to, block }: Transfer): boolean {
  return (
    asset === refund.asset &&
    amountUnits === refund.amountUnits &&
    to === refund.toAddress &&
    block.time.getTime() >= payment.createdAt.getTime() - EARLY_TOLERANCE_MS
  );
}

/** Whether another account has proved that the sending wallet is its own: what it returns does not count for this one. */
async function isOthers({ db }: Context, { accountId, livemode }: StoredRefund, sent: Transfer): Promise<boolean> {
  if (sent.from === null) return false;
  const owner = await findAddressOwner(db, { livemode, network: sent.network, address: sent.from });
  return owner !== undefined && owner !== accountId;
}

function isSettled(ctx: Context, chain: Chain, transfer: Transfer, head: ConfirmedTransfer['head']): boolean {
  const override = ctx.config.networks[chain.network].confirmations;
  const rule = finalityRule(chain.network, transferWorthUsdMinor(transfer), override);
  return isFinal(rule, transfer.block.number, head);
}

/** A transfer that the quorum of the providers confirms, and how far the chain is by their agreement. */
export interface ConfirmedTransfer {
  transfer: Transfer;
  head: VerdictHead;
}

/** The transfers of one transaction that the quorum of providers confirms, whichever provider showed them. */
export async function confirmTransfers(chain: Chain, transfers: readonly Transfer[]): Promise<ConfirmedTransfer[]> {
  const cache = createAnswerCache();
  const confirmed: ConfirmedTransfer[] = [];
  for (const transfer of transfers) {
    const verdict = await chain.check(transfer, { addresses: new Set([transfer.to]) }, cache);
    if (verdict.type === 'stands' && !verdict.alone) confirmed.push({ transfer: verdict.transfer, head: verdict.head });
  }
  return confirmed;
}

async function applyFinding(ctx: Context, seen: StoredRefund, finding: Finding, now: Date): Promise<void> {
  await ctx.db.transaction(async (db) => {
    const payment = (await lockPayments(db, [seen.paymentId])).get(seen.paymentId);
    const refund = await findRefund(db, { id: seen.accountId, livemode: seen.livemode }, seen.id);
    // The merchant may have named another transaction meanwhile.
    if (!payment || refund?.status !== 'sent' || refund.txHash !== seen.txHash) return;
    // Another refund of the payment may have been returned by this transfer meanwhile. The next look says so.
    if (finding.type === 'returned' && (await findUsedTransfers(db, refund)).includes(finding.transferIndex)) return;
    const after = afterFinding(refund, finding, now);
    if (!after) return;
    await saveRefund({ ctx, db, at: { created: now, recorded: now } }, payment, { before: refund, after });
    ctx.log.info({ refundId: refund.id, paymentId: payment.id, finding: finding.type }, 'refund looked up');
  });
}

/** The refund after a look at the chain; undefined if nothing changes. */
function afterFinding(refund: StoredRefund, finding: Finding, now: Date): StoredRefund | undefined {
  const over = { dueAt: null, mismatch: null };
  switch (finding.type) {
    case 'returned':
      return { ...refund, ...over, status: 'final', transferIndex: finding.transferIndex, verified: true };
    case 'reverted':
      return { ...refund, ...over, status: 'failed', failureReason: 'transaction_reverted' };
    case 'mismatch':
      // Only another transaction will change that, which is looked up at once when it is named.
      return { ...refund, mismatch: finding.mismatch, dueAt: later(now, DAY_MS) };
    case 'unknown':
      return refund.sentAt && now.getTime() - refund.sentAt.getTime() >= UNKNOWN_FOR_MS
        ? { ...refund, ...over, status: 'failed', failureReason: 'transaction_not_found' }
        : undefined;
    case 'wait':
      return undefined;
  }
}
