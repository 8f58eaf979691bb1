import type { Context } from './context.ts';
import type { Job } from './job.ts';
import { createAlarm } from './platform/alarm.ts';
import { repeat } from './platform/loop.ts';
import { SECOND_MS } from './platform/time.ts';
import { machinePaymentsJob } from './resources/machine-payments/resolve.ts';
import { lookUpWalletsJob } from './resources/payout-wallets/look-up-address.ts';
import { mailJob } from './resources/mails/send-mails.ts';
import { payoutsJob } from './resources/payouts/verify.ts';
import { refundsJob } from './resources/refunds/verify.ts';
import { noticesJob } from './resources/notices/send-notices.ts';
import { reclaimJob } from './settlement/attribution/reclaim-referenced.ts';
import { retrySetAsideJob } from './settlement/attribution/retry-set-aside.ts';
import { claimsJob } from './settlement/attribution/verify-claims.ts';
import { expiryJob } from './settlement/outcome/expire.ts';
import { routesJobs } from './resources/routed-payments/follow.ts';
import { lookAgainJob } from './settlement/reading/look-again.ts';
import { ratesJob } from './settlement/outcome/sample-rates.ts';
import { deliveriesJob } from './resources/webhooks/delivery/deliver.ts';
import { parkingJob } from './resources/webhooks/delivery/parking.ts';
import { partitionsJob } from './resources/webhooks/events/partitions.ts';
import { waitingJob } from './resources/webhooks/delivery/queue-limits.ts';
import { pruneJob } from './retention/prune.ts';

export type { Job };

/** Every job of the worker. */
export function jobs(ctx: Pick<Context, 'routers'>): Job[] {
  return [
    deliveriesJob(),
    mailJob,
    noticesJob,
    expiryJob,
    claimsJob,
    reclaimJob,
    retrySetAsideJob,
    lookAgainJob,
    lookUpWalletsJob,
    ...routesJobs(ctx.routers),
    ratesJob,
    parkingJob,
    waitingJob,
    partitionsJob,
    machinePaymentsJob(),
    refundsJob,
    payoutsJob,
    pruneJob,
  ];
}

const MAX_BACKOFF_MS = 30 * SECOND_MS;

/** Runs every job in its own loop until `stop`, which waits for running work. */
export function startWork(ctx: Context, list: readonly Job[] = jobs(ctx)): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const loops = list.map((job) => runLoop(ctx, job, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function runLoop(ctx: Context, job: Job, signal: AbortSignal): Promise<void> {
  const alarm = createAlarm(signal);
  const stopListening =
    job.channel === undefined ? undefined : await ctx.db.listen(job.channel, alarm.ring).catch(() => undefined);
  await repeat(
    {
      name: job.name,
      alarm,
      maxBackoffMs: MAX_BACKOFF_MS,
      turn: async () => ((await job.run(ctx, signal, alarm.ring)) === 'idle' ? job.everyMs : 0),
      failed: (error) => ctx.log.error({ err: error, job: job.name }, 'job failed: retrying'),
    },
    signal,
  );
  await stopListening?.().catch(() => {});
  try {
    await job.finish?.(ctx);
  } catch (error) {
    ctx.log.error({ err: error, job: job.name }, 'job could not finish its started work');
  }
}
