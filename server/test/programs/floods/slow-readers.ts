import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestApp } from '../../support/app.ts';
import type { FloodOptions, FloodResult } from './flood.ts';

const DEFAULT_SIZE = 800;
const REQUESTS_PER_CONNECTION = 3;
const PROBE_EVERY_MS = 100;
const MIN_PROBES = 100;
const WARM_UP_PROBES = 20;
/** The service's timeout for connections that do not read is 60 s. */
const MAX_ATTACK_MS = 120_000;
/** Responses smaller than the operating system's buffers are sent, so their connections are idle: closed after 72 s. */
const REQUEST = 'GET /v1/openapi.json HTTP/1.1\r\nhost: localhost\r\naccept-encoding: identity\r\n\r\n';
const MAX_PROBE_MS = 1_000;

/**
 * Hundreds of connections request the largest document several times each and never read. Other clients are served
 * meanwhile.
 */
export async function floodWithSlowReaders(
  { url, server }: TestApp,
  { size = DEFAULT_SIZE, say = () => {} }: FloodOptions = {},
): Promise<FloodResult> {
  const probe = async () => {
    const askedAt = performance.now();
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
    await response.text();
    if (response.status !== 200) throw new Error(`answered ${response.status}`);
    return performance.now() - askedAt;
  };
  // Code that was never run is slow.
  for (let index = 0; index < WARM_UP_PROBES; index += 1) await probe();
  const alone: number[] = [];
  for (let index = 0; index < MIN_PROBES; index += 1) alone.push(await probe());

  say(`${size} connections that do not read`);
  const { hostname, port } = new URL(url);
  const accepted = new Set<Socket>();
  server.server.on('connection', (socket) => {
    accepted.add(socket);
    socket.once('close', () => accepted.delete(socket));
  });
  const sockets = Array.from({ length: size }, () =>
    connect(Number(port), hostname)
      .on('error', () => {})
      .pause(),
  );
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) socket.write(REQUEST.repeat(REQUESTS_PER_CONNECTION));

  const local = new Set(sockets.map((socket) => socket.localPort));
  const stillOpen = () => [...accepted].filter((socket) => local.has(socket.remotePort)).length;
  const during: number[] = [];
  const failed: string[] = [];
  const startedAt = performance.now();
  while (performance.now() - startedAt < MAX_ATTACK_MS && (stillOpen() > 0 || during.length < MIN_PROBES)) {
    await probe().then(
      (ms) => during.push(ms),
      (error: Error) => failed.push(`${error.message} ${error.cause ?? ''}`),
    );
    await pause(PROBE_EVERY_MS);
  }
  const leftOpen = stillOpen();
  for (const socket of sockets) socket.destroy();

  const p99AttackMs = percentile(during, 0.99);
  return {
    figures: {
      connections: size,
      requests: size * REQUESTS_PER_CONNECTION,
      p50AloneMs: percentile(alone, 0.5),
      p99AloneMs: percentile(alone, 0.99),
      p50AttackMs: percentile(during, 0.5),
      p99AttackMs,
      probes: during.length,
      failedProbes: failed.length,
      closedAfterMs: Math.round(performance.now() - startedAt),
      leftOpen,
    },
    failures: [
      ...(failed.length === 0 ? [] : [`${failed.length} requests of others failed: ${failed[0]}`]),
      ...(p99AttackMs <= MAX_PROBE_MS ? [] : [`the p99 of others is ${p99AttackMs} ms`]),
      ...(leftOpen === 0 ? [] : [`${leftOpen} connections are still open`]),
    ],
  };
}

function percentile(delays: readonly number[], share: number): number {
  const sorted = delays.toSorted((one, other) => one - other);
  return Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) * 10) / 10;
}
