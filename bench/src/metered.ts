import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The cost of some work: provider calls, their bytes, and the service's own CPU time. */
export interface Cost {
  calls: number;
  kilobytes: number;
  cpuMs: number;
  wallMs: number;
}

/** Runs work and counts its provider calls; a batch counts by its calls. */
export async function metered(work: () => Promise<unknown>): Promise<Cost> {
  let calls = 0;
  let bytes = 0;
  const asked = (message: unknown) => {
    const { request } = message as { request: { body?: unknown; method: string } };
    const body =
      typeof request.body === 'string' ? request.body : Buffer.isBuffer(request.body) ? request.body.toString() : '';
    bytes += body.length;
    calls += request.method === 'POST' ? (body.match(/"method":/g)?.length ?? 1) : 0;
  };
  const answered = (message: unknown) => {
    bytes += (message as { chunk: Buffer }).chunk.length;
  };
  subscribe('undici:request:create', asked);
  subscribe('undici:request:bodyChunkReceived', answered);
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()];
  try {
    await work();
  } finally {
    unsubscribe('undici:request:create', asked);
    unsubscribe('undici:request:bodyChunkReceived', answered);
  }
  const { user, system } = process.cpuUsage(cpu);
  return { calls, kilobytes: bytes / 1000, cpuMs: (user + system) / 1000, wallMs: performance.now() - startedAt };
}

export function sum(costs: readonly Cost[]): Cost {
  return costs.reduce(
    (a, b) => ({
      calls: a.calls + b.calls,
      kilobytes: a.kilobytes + b.kilobytes,
      cpuMs: a.cpuMs + b.cpuMs,
      wallMs: a.wallMs + b.wallMs,
    }),
    { calls: 0, kilobytes: 0, cpuMs: 0, wallMs: 0 },
  );
}

/** The cost per item, to a tenth. */
export function each(cost: Cost, among: number): Cost {
  return {
    calls: tenth(cost.calls / among),
    kilobytes: tenth(cost.kilobytes / among),
    cpuMs: tenth(cost.cpuMs / among),
    wallMs: tenth(cost.wallMs / among),
  };
}

export function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The used memory after garbage collection. */
export function heldMb(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return Math.round((heapUsed + external) / 1e6);
}
