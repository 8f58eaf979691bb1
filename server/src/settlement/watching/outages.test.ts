import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Context } from '../../context.ts';
import { TemporaryError } from '../../platform/errors.ts';
import { failedTurn } from './loops.ts';
import { unlessUnreachable } from './note-health.ts';
import type { WatchedNetwork } from './watcher.ts';

const HOUR_MS = 3_600_000;
const ABOUT = { network: 'base', subject: 'probe' } as const;
const lines: Record<string, unknown>[] = [];
const log = pino({ base: undefined, timestamp: false }, { write: (line: string) => lines.push(JSON.parse(line)) });
const ctx = { log } as unknown as Context;
let state: WatchedNetwork;

beforeEach(() => {
  lines.length = 0;
  state = { position: { address: '' }, failedSaves: new Map() };
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

const probe = (error?: Error) =>
  unlessUnreachable(ctx, state, ABOUT, async () => {
    if (error) throw error;
    return true;
  });
const unreachable = () => new TemporaryError('one.example did not answer');

test('an outage is one log line without a stack when it begins, then one an hour', async () => {
  for (let at = 0; at < 2 * HOUR_MS; at += 10_000) {
    expect(await probe(unreachable())).toBeNull();
    vi.advanceTimersByTime(10_000);
  }
  const line = {
    level: 40,
    network: 'base',
    why: 'one.example did not answer',
    msg: 'probe skipped: no provider answered',
  };
  expect(lines).toEqual([line, line]);

  expect(await probe()).toBe(true);
  await probe(unreachable());
  expect(lines).toEqual([line, line, line]);
  await expect(probe(new Error('a bug'))).rejects.toThrow('a bug');
});

test('so is an outage that fails turns of reading; another error is logged each time, with its stack', () => {
  const failed = failedTurn(ctx, { network: 'base', name: 'read' });
  for (let failures = 1; failures <= 360; failures += 1) {
    failed(unreachable(), failures);
    vi.advanceTimersByTime(20_000);
  }
  const line = {
    level: 40,
    network: 'base',
    name: 'read',
    why: 'one.example did not answer',
    msg: 'network turn failed',
  };
  expect(lines).toEqual([
    { ...line, failures: 1 },
    { ...line, failures: 181 },
  ]);
  failed(unreachable(), 1);
  expect(lines).toHaveLength(3);
  for (const failures of [2, 3]) failed(new Error('a bug'), failures);
  expect(lines.slice(3)).toEqual([2, 3].map((failures) => expect.objectContaining({ level: 50, failures })));
  expect(lines[4]?.err).toMatchObject({ stack: expect.any(String) });
});
