import type { Context } from '../../context.ts';
import type { Chain } from '../../outside/chains/chain.ts';
import { isUnavailable } from '../../platform/db/unavailable.ts';
import { TemporaryError } from '../../platform/errors.ts';
import { failures } from '../../platform/metrics.ts';
import { MINUTE_MS } from '../../platform/time.ts';
import { isLookRecent, LOOK_COUNTS_MS } from '../outcome/holding.ts';
import { describeReports, isAboutReferences } from '../records/contested.ts';
import { addEvidence, type StoredTransfer } from '../records/transfer-store.ts';

const ALARM_AFTER_MS = 2 * MINUTE_MS;
const WAITING_ALARM_AFTER_MS = 10 * MINUTE_MS;

/** How often a look that left a transfer open, or that failed, is recorded. */
const LOOK_EVERY_MS = 1 * MINUTE_MS;

/**
 * Records since when providers that answer leave a transfer open, and when they last did, see `holdsPaymentOpen`. Any other
 * verdict ends that time: during an outage, nothing speaks against a transfer. A time without looks is an outage of the
 * service.
 */
export async function recordUndecided(
  ctx: Pick<Context, 'db'>,
  { id, evidence }: StoredTransfer,
  isUndecided: boolean,
): Promise<void> {
  const { undecidedSince, undecidedAt } = evidence;
  if (!isUndecided) {
    if (typeof undecidedSince === 'string') await addEvidence(ctx.db, id, { undecidedSince: null, undecidedAt: null });
    return;
  }
  const now = await ctx.db.now();
  if (typeof undecidedSince !== 'string' || !isLookRecent(evidence, now))
    await addEvidence(ctx.db, id, { undecidedSince: now, undecidedAt: now });
  else if (now.getTime() - new Date(String(undecidedAt)).getTime() >= LOOK_EVERY_MS)
    await addEvidence(ctx.db, id, { undecidedAt: now });
}

/**
 * Near the head, providers may be on different forks for a moment, and not all of them trace references. Only a lasting
 * disagreement raises an alarm; different contents of the same block do at once.
 */
export async function holdTransfer(
  ctx: Context,
  chain: Chain,
  transfer: StoredTransfer,
  details: string,
): Promise<void> {
  const now = await ctx.db.now();
  const known = transfer.evidence.contradictedSince;
  const since = typeof known === 'string' ? new Date(known) : now;
  if (since === now) await addEvidence(ctx.db, transfer.id, { contradictedSince: now });
  const { id, txHash, reportedBy, contested } = transfer;
  const reports = contested ? { reports: describeReports(transfer) } : {};
  const about = { transferId: id, network: chain.network, txHash, details, reportedBy, ...reports };
  const isSameBlock = contested !== null && !isAboutReferences(transfer);
  if (!isSameBlock && now.getTime() - since.getTime() < ALARM_AFTER_MS)
    ctx.log.warn(about, 'transfer held: providers disagree');
  else ctx.log.error({ ...about, alarm: 'providers_disagree' }, 'transfer held: providers keep disagreeing');
}

/**
 * Counts a verdict that could not be applied, such as a settlement that the database refuses, and raises one alarm if that
 * lasts: meanwhile the payment stays open, whatever the providers say.
 */
export async function recordFailed(ctx: Context, transfer: StoredTransfer, error: unknown): Promise<void> {
  const { id, network, txHash, evidence } = transfer;
  const about = { err: error, transferId: id, network, txHash };
  failures.inc({ job: `verify ${network}` });
  ctx.log.warn(about, 'transfer verification failed: retrying');
  // An outage is not the transfer's fault.
  if (isUnavailable(error) || error instanceof TemporaryError || evidence.failingAlarm) return;
  const now = await ctx.db.now();
  const passedMs = (at: unknown) => (typeof at === 'string' ? now.getTime() - new Date(at).getTime() : null);
  const failedMs = passedMs(evidence.failedAt);
  // One that failed hours ago says nothing of the time between.
  const lastedMs = failedMs !== null && failedMs < LOOK_COUNTS_MS ? passedMs(evidence.failingSince) : null;
  if (lastedMs !== null && lastedMs < WAITING_ALARM_AFTER_MS) {
    if (failedMs !== null && failedMs >= LOOK_EVERY_MS)
      await addEvidence(ctx.db, id, { failedAt: now }).catch(() => {});
    return;
  }
  const raise = () =>
    ctx.log.error(
      { ...about, alarm: 'settlement_fails' },
      'transfer not settled: what its providers say cannot be applied',
    );
  const isLasting = lastedMs !== null;
  if (isLasting) raise();
  // Where not even that can be stored, each try says so.
  await addEvidence(ctx.db, id, isLasting ? { failingAlarm: now } : { failingSince: now, failedAt: now }).catch(
    isLasting ? () => {} : raise,
  );
}

/** Records since when a transfer waits for its providers, and raises one alarm if that lasts. */
export async function recordWaiting(
  ctx: Context,
  chain: Chain,
  transfer: StoredTransfer,
  details: string,
): Promise<void> {
  const now = await ctx.db.now();
  const { waitingSince, waitingAlarm } = transfer.evidence;
  const about = { transferId: transfer.id, network: chain.network, txHash: transfer.txHash, details };
  if (typeof waitingSince !== 'string') await addEvidence(ctx.db, transfer.id, { waitingSince: now });
  else if (!waitingAlarm && now.getTime() - new Date(waitingSince).getTime() >= WAITING_ALARM_AFTER_MS) {
    // Before it is stored: if the process ends between the two, it is raised again and not lost.
    ctx.log.error(
      { ...about, alarm: 'verification_waits' },
      'transfer not settled: verified by too few providers for ten minutes',
    );
    return addEvidence(ctx.db, transfer.id, { waitingAlarm: now });
  }
  ctx.log.info(about, 'transfer not settled yet: verified by too few providers');
}
