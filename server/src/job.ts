import type { Context } from './context.ts';

/** Recurring work. `run` commits piece by piece, so that another worker may take over at any point. */
export interface Job {
  name: string;
  /** How often it polls. Polling is the truth, signals only save waiting. */
  everyMs: number;
  /** The channel whose signals make it run at once. */
  channel?: string;
  /** Does what is due. Returns `more` to run again at once. `wake` makes it run again later. */
  run(ctx: Context, signal: AbortSignal, wake: () => void): Promise<'more' | 'idle'>;
  /** Finishes what `run` has started without waiting for it. */
  finish?(ctx: Context): Promise<void>;
}
