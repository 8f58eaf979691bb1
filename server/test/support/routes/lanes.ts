import type { Context } from '../../../src/context.ts';
import type { Job } from '../../../src/job.ts';

/** Runs jobs side by side, as a worker does, until nothing is due. */
export async function runAll(jobs: readonly Job[], ctx: Context): Promise<void> {
  await Promise.all(
    jobs.map(async (job) => {
      while ((await job.run(ctx, new AbortController().signal, () => {})) === 'more');
    }),
  );
}
