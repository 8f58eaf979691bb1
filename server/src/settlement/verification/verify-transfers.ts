import type { Context } from '../../context.ts';
import type { Chain, Head, Verdict, Watching } from '../../outside/chains/chain.ts';
import { isSameBlock } from '../../outside/chains/pure/version.ts';
import { coverage, mayBeUnseen } from '../reading/coverage.ts';
import { findPaymentById } from '../records/payment-store.ts';
import { hasQueued } from '../records/transfer-queue-store.ts';
import { findTransfersOf, type StoredTransfer } from '../records/transfer-store.ts';
import { findUnverifiedTransfers, type UnverifiedTransfer } from '../records/unverified-store.ts';
import { withCredited } from './credited-store.ts';
import { dropVanished } from './drop-vanished.ts';
import { correctTransfer, storeMoved } from './correct-transfer.ts';
import { decideReports } from './decide-reports.ts';
import { finalizeBlocks } from './finalize-blocks.ts';
import { evidenceOf, type FinalityRule, isFinal, requirement } from './finality.ts';
import { holdsPaymentOpen } from '../outcome/holding.ts';
import { settleTransfer } from '../outcome/settle.ts';
import { holdTransfer, recordFailed, recordUndecided, recordWaiting } from './hold-transfer.ts';
import { recheckFinal, reopenUncounted } from './recheck-final.ts';
import { checkTransaction, runTurn, type Turn } from './run-turn.ts';
import type { Rounds } from './rounds.ts';
import { Spending } from './turn.ts';
import {
  type AgreedVerdict,
  describeAlone,
  isAgreed,
  isAloneForLong,
  reserveSingleProvider,
  SINGLE_PROVIDER_LIMIT_USD_MINOR,
} from './single-provider.ts';

/** Items per turn, and the maximum duration of a turn. `turn.ts` has the budgets of accounts and addresses. */
const MAX_ITEMS = 200;
const MAX_TURN_MS = 10_000;
/** Time of their own, so that a standing backlog cannot keep the service from noticing that a contradiction lasts. */
const MAX_CONTRADICTED_TURN_MS = 2_000;
/** Limits the work that a lying provider can cause by contradicting transfers. */
const MAX_CONTRADICTED_ITEMS = 100;

/**
 * The reader's state of a network: head, watched addresses, and the block above which a reorg may have moved transfers.
 */
export interface View {
  head: Head;
  watching: Watching;
  forkedAt: bigint | null;
}

/**
 * Verifies the transfers that payments depend on, in round robin over accounts and addresses. A confirmed final
 * transfer counts, a vanished one is dropped, and one about which providers disagree is held. Unattributed transfers
 * become final block by block.
 */
export async function verifyTransfers(
  ctx: Context,
  chain: Chain,
  { watching, ...seen }: View,
  rounds: Rounds,
): Promise<void> {
  const view: View = { ...seen, watching: withCredited(ctx.db, watching) };
  const spending = new Spending();
  await reopenUncounted(ctx, chain, view.forkedAt, rounds.rechecks);
  await decideReports(ctx, chain, view, rounds.reports);
  await verifyDue(ctx, chain, view, {
    contradicted: false,
    maxItems: MAX_ITEMS,
    deadlineMs: performance.now() + MAX_TURN_MS,
    position: rounds.agreed,
    spending,
  });
  await verifyDue(ctx, chain, view, {
    contradicted: true,
    maxItems: MAX_CONTRADICTED_ITEMS,
    deadlineMs: performance.now() + MAX_CONTRADICTED_TURN_MS,
    position: rounds.contradicted,
    spending,
  });
  // After the others: what has been counted changes no status, and a deep reorg may have marked very many transfers.
  await recheckFinal(ctx, chain, view, rounds.rechecks);
  await finalizeBlocks(ctx, chain, view.head, rounds.blocks);
}

type DueTransfer = UnverifiedTransfer & { rule: FinalityRule; worth: bigint };

/** Verifies the transfers about which providers disagree, or all others, until none is left or the turn is over. */
async function verifyDue(
  ctx: Context,
  chain: Chain,
  { head, watching, forkedAt }: View,
  { contradicted, ...turn }: Turn & { contradicted: boolean },
): Promise<void> {
  const { confirmations: confirmationsWanted } = ctx.config.networks[chain.network];
  const unverified = await findUnverifiedTransfers(ctx.db, chain.network, head.number, { contradicted });
  const due: DueTransfer[] = unverified
    .map((one) => ({
      ...one,
      ...requirement(
        chain.network,
        { ...one.transfer, amountMinor: one.amountMinor, currency: one.currency },
        confirmationsWanted,
      ),
    }))
    .filter(
      ({ transfer, rule }) =>
        isFinalByReader(rule, transfer.block.number, head) || (forkedAt !== null && transfer.block.number > forkedAt),
    );
  await runTurn(due, turn, {
    check: (item) => checkTransaction(chain, watching, item, turn.spending),
    async apply(one, verdict) {
      const { transfer, expiresAt } = one;
      if (verdict.type === 'stands' && (await mustWait(ctx, transfer, verdict.transfer.block.time, expiresAt))) return;
      await applyVerdict(ctx, chain, { ...one, head }, verdict);
    },
    failed: ({ transfer }, error) => recordFailed(ctx, transfer, error),
  });
}

/**
 * Late money waits until all money that could be in time has been read (`coverage`) and is final. Otherwise it would
 * turn a payment that was paid in time into a late one.
 */
async function mustWait(ctx: Context, transfer: StoredTransfer, blockTime: Date, expiresAt: Date): Promise<boolean> {
  if (!transfer.paymentId || blockTime <= expiresAt) return false;
  const covered = (await coverage(ctx, ctx.db)).get(transfer.network);
  if (!covered || covered <= expiresAt) return true;
  const payment = await findPaymentById(ctx.db, transfer.paymentId);
  const now = await ctx.db.now();
  if (payment && (await mayBeUnseen(ctx.db, payment, { until: expiresAt, now }))) return true;
  const wallet = { network: transfer.network, address: transfer.to };
  if (await hasQueued(ctx.db, wallet, { until: expiresAt, now })) return true;
  const others = await findTransfersOf(ctx.db, [transfer.paymentId]);
  return others.some((other) => holdsPaymentOpen(other, now) && other.block.time <= expiresAt);
}

/** By the reader's tags, or without them: it may be the one whose tags stand still, and the quorum's decide. */
function isFinalByReader(rule: FinalityRule, block: bigint, head: Head): boolean {
  return isFinal(rule, block, head) || isFinal(rule, block, { ...head, safe: null, finalized: null });
}

/** Applies the verdict on a seen transfer. */
async function applyVerdict(
  ctx: Context,
  chain: Chain,
  due: DueTransfer & { head: Head },
  verdict: Verdict,
): Promise<void> {
  const { transfer } = due;
  await recordUndecided(ctx, transfer, verdict.type === 'wait' || verdict.type === 'disagree');
  switch (verdict.type) {
    case 'stands':
      return applyConfirmed(ctx, chain, due, verdict);
    case 'gone':
      return dropVanished(ctx, chain, transfer, verdict);
    case 'disagree':
      return holdTransfer(ctx, chain, transfer, verdict.details);
    case 'wait':
    case 'unknown':
      return recordWaiting(ctx, chain, transfer, verdict.details);
  }
}

async function applyConfirmed(
  ctx: Context,
  chain: Chain,
  { transfer, rule, worth, head }: DueTransfer & { head: Head },
  verdict: Extract<Verdict, { type: 'stands' }>,
): Promise<void> {
  const block = verdict.transfer.block;
  const current = { ...transfer, block };
  const now = await ctx.db.now();
  const details = describeAlone(verdict);
  if (!isSameBlock(block, transfer.block)) {
    // The other provider has to agree, however long it is unreachable. The reader follows a reorg without it.
    if (!isAgreed(verdict)) return recordWaiting(ctx, chain, transfer, `${details}, and names another block`);
    return applyMoved(ctx, transfer, verdict, now);
  }
  if (!isFinal(rule, block.number, verdict.head)) {
    // Asked about because of a fork only: its time comes. Otherwise a provider that stands still would hold it in silence.
    if (!isFinalByReader(rule, block.number, head)) return;
    const { number, safe, finalized } = verdict.head;
    const reached = `block ${number}${rule.type === 'confirmations' ? '' : `, safe ${safe}, finalized ${finalized}`}`;
    return recordWaiting(ctx, chain, transfer, `${verdict.providers.join(', ')} agree on ${reached} only`);
  }

  const evidence = evidenceOf(transfer, rule, verdict);
  const at = { created: now, recorded: now };
  if (isAgreed(verdict)) {
    await ctx.db.transaction((db) => settleTransfer({ ctx, db, at }, current, evidence));
    return;
  }

  // A transfer that another provider contradicted needs that provider's agreement, however long it is unreachable.
  if (transfer.evidence.contradictedSince) return recordWaiting(ctx, chain, transfer, details);
  if (worth >= SINGLE_PROVIDER_LIMIT_USD_MINOR || !isAloneForLong(verdict))
    return recordWaiting(ctx, chain, transfer, details);
  const isSettled = await ctx.db.transaction(async (db) => {
    const singleProvider = await reserveSingleProvider(ctx, db, {
      network: chain.network,
      transferId: transfer.id,
      worthUsdMinor: worth,
      verdict,
      now,
    });
    if (singleProvider) await settleTransfer({ ctx, db, at }, current, { ...evidence, singleProvider });
    return singleProvider !== undefined;
  });
  if (!isSettled)
    await recordWaiting(
      ctx,
      chain,
      transfer,
      `${details}, and the cap of ${ctx.config.singleProviderUsdPerHour} USD an hour is reached`,
    );
}

/** In another block, or at another time, the transfer may belong to another payment, so it is queued again. */
async function applyMoved(ctx: Context, transfer: StoredTransfer, verdict: AgreedVerdict, now: Date): Promise<void> {
  if (verdict.transfer.block.hash === transfer.block.hash) return correctTransfer(ctx, transfer, verdict);
  await ctx.db.transaction((db) => storeMoved(db, transfer, verdict, now));
  ctx.db.notify('transfers', transfer.network);
}
