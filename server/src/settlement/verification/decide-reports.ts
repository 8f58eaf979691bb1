import type { Context } from '../../context.ts';
import type { Chain, Transfer, Verdict, Watching } from '../../outside/chains/chain.ts';
import { isSameVersion } from '../../outside/chains/pure/version.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { contradictedBy, describeReports } from '../records/contested.ts';
import { endContest, findUndecided, type UndecidedTransfer } from '../records/contested-store.ts';
import { addEvidence, type StoredTransfer } from '../records/transfer-store.ts';
import { correctTransfer } from './correct-transfer.ts';
import { dropVanished } from './drop-vanished.ts';
import { holdTransfer, recordFailed, recordUndecided, recordWaiting } from './hold-transfer.ts';
import { checkTransaction, runTurn } from './run-turn.ts';
import { describeAlone, isAgreed } from './single-provider.ts';
import { Spending, type TurnPosition } from './turn.ts';

/** Items and duration of a turn: an own share, so that a provider that invents transfers delays no payment for long. */
const MAX_ITEMS = 100;
const MAX_TURN_MS = 2 * SECOND_MS;
const AT_ONCE = 500;

/**
 * Lets the quorum decide what one provider alone says: transfers that two providers report differently, and unattributed
 * ones that the other pass did not report. Reading needs no further calls for this: only these transfers cause questions,
 * ever fewer while they stay undecided; those last asked about before `askedBefore` are asked about now.
 */
export async function decideReports(
  ctx: Context,
  chain: Chain,
  { watching, askedBefore }: { watching: Watching; askedBefore?: Date },
  position: TurnPosition,
): Promise<number> {
  const { db } = ctx;
  const now = await db.now();
  const hasOthers = chain.health().providers.length > 1;
  const undecided = await findUndecided(db, chain.network, { hasOthers, askedBefore, now }, AT_ONCE);
  if (undecided.length === 0) return 0;
  const spending = new Spending();
  const turn = { maxItems: MAX_ITEMS, deadlineMs: performance.now() + MAX_TURN_MS, position, spending };
  return runTurn(undecided, turn, {
    check: (item) => checkTransaction(chain, watching, item, spending),
    async apply(one, verdict) {
      await addEvidence(db, one.transfer.id, { askedAt: now });
      await applyDecision(ctx, chain, one, verdict);
    },
    failed: ({ transfer }: UndecidedTransfer, error) => recordFailed(ctx, transfer, error),
  });
}

async function applyDecision(ctx: Context, chain: Chain, one: UndecidedTransfer, verdict: Verdict): Promise<void> {
  const { transfer } = one;
  await recordUndecided(ctx, transfer, verdict.type === 'wait' || verdict.type === 'disagree');
  switch (verdict.type) {
    case 'stands':
      // A provider that reported something else, or nothing, has to agree, however long it is unreachable.
      if (!isAgreed(verdict)) return leaveOpen(ctx, chain, one, describeAlone(verdict));
      reportContradicted(ctx, transfer, verdict.transfer);
      if (isSameVersion(transfer, verdict.transfer) || isConfirmedAsStored(transfer, verdict.transfer))
        return ctx.db.transaction((db) => endContest(db, transfer, verdict.providers));
      return correctTransfer(ctx, transfer, verdict);
    case 'gone':
      reportContradicted(ctx, transfer, null);
      return dropVanished(ctx, chain, transfer, verdict);
    case 'disagree':
      return holdTransfer(ctx, chain, transfer, verdict.details);
    case 'wait':
    case 'unknown':
      return leaveOpen(ctx, chain, one, verdict.details);
  }
}

/** Without a contest, every provider confirmed the references that are stored, and was not asked about others. */
function isConfirmedAsStored(transfer: StoredTransfer, right: Transfer): boolean {
  return transfer.contested === null && isSameVersion({ ...right, carried: transfer.carried }, transfer);
}

/** No payment depends on transfers that are neither contested nor taken out of their block. */
async function leaveOpen(
  ctx: Context,
  chain: Chain,
  { transfer, isAhead }: UndecidedTransfer,
  details: string,
): Promise<void> {
  if (transfer.contested || isAhead) await recordWaiting(ctx, chain, transfer, details);
}

/** The quorum decided against what these providers reported. */
function reportContradicted(ctx: Context, transfer: StoredTransfer, right: Transfer | null): void {
  const providers = contradictedBy(transfer, right);
  if (providers.length === 0) return;
  ctx.log.error(
    {
      alarm: 'provider_contradicted',
      network: transfer.network,
      transferId: transfer.id,
      txHash: transfer.txHash,
      providers,
      reports: describeReports(transfer),
    },
    'provider contradicted: the others report another transfer, or none',
  );
}
