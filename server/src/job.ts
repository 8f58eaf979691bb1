import type { Context } from './context.ts';

/** Work that falls due: what `run` does is committed piece by piece, so that another worker may take over at any point. */
export interface Job {
  name: string;
  /** How often it looks by itself. Polling is the truth, signals only save waiting. */
  everyMs: number;
  /** The channel whose signals make it look at once. */
  channel?: string;
  /** Does what is due. `more` where it wants to be run again at once. `wake` makes it look again later. */
  run(ctx: Context, signal: AbortSignal, wake: () => void): Promise<'more' | 'idle'>;
  /** Finishes what `run` has begun without waiting for it. */
  finish?(ctx: Context): Promise<void>;
}
