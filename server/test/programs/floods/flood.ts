import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Settlement } from '../../support/settlement.ts';

export interface FloodOptions {
  /** The size of the flood; each has its own default. */
  size?: number;
  say?: (line: string) => void;
}

export interface FloodResult {
  figures: Record<string, number>;
  /** One sentence per failed check. */
  failures: string[];
}

export type Flood<Shop = Settlement> = (shop: Shop, options?: FloodOptions) => Promise<FloodResult>;

const SAMPLE_EVERY_MS = 10;
const MIB = 1024 * 1024;

/**
 * Measures the maximum growth of this process's resident memory in MiB while `work` ran. PostgreSQL is another process.
 */
export async function measureGrowth<T>(
  work: () => Promise<T>,
): Promise<{ value: T; grewMiB: number; beforeMiB: number; peakMiB: number; tookMs: number }> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const sample = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const timer = setInterval(sample, SAMPLE_EVERY_MS);
  const startedAt = performance.now();
  try {
    const value = await work();
    sample();
    return {
      value,
      grewMiB: Math.round((peak - before) / MIB),
      beforeMiB: Math.round(before / MIB),
      peakMiB: Math.round(peak / MIB),
      tookMs: Math.round(performance.now() - startedAt),
    };
  } finally {
    clearInterval(timer);
  }
}

/** Counts the service's JSON-RPC calls, single or in batches. Requests by `fetch` are not counted. */
export function countRpcCalls() {
  let calls = 0;
  const onRequest = (message: unknown) => {
    const { body } = (message as { request: { body?: unknown } }).request;
    if (typeof body === 'string' || Buffer.isBuffer(body)) calls += body.toString().split('"jsonrpc"').length - 1;
  };
  subscribe('undici:request:create', onRequest);
  return { calls: () => calls, stop: () => void unsubscribe('undici:request:create', onRequest) };
}
