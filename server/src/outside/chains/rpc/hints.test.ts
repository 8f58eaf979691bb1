import { expect, test } from 'vitest';
import { Client } from '../../../platform/http/admission/client.ts';
import { TemporaryError } from '../../../platform/errors.ts';
import { createHints } from './hints.ts';

const LIMITS = {
  maxAtOnce: 4,
  maxWaiting: 8,
  cacheMs: 10_000,
  maxAMinute: 1_000,
  perClient: { atOnce: 12, aMinute: 1_000 },
};

function start(limits: Partial<typeof LIMITS> = {}) {
  const clock = { ms: 0 };
  const running: (() => void)[] = [];
  let begun = 0;
  const hints = createHints({ ...LIMITS, ...limits }, () => clock.ms);
  const lookUp = () => {
    begun += 1;
    return new Promise<string>((resolve) => running.push(() => resolve('found')));
  };
  return { clock, hints, lookUp, begun: () => begun, finish: () => running.shift()?.() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('the same lookup runs once in ten seconds, for all callers', async () => {
  const { clock, hints, lookUp, begun, finish } = start();
  const answers = Array.from({ length: 50 }, () => hints.lookUp('0xaa', lookUp));
  finish();
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['found']));
  clock.ms = 9_999;
  await hints.lookUp('0xaa', lookUp);
  expect(begun()).toBe(1);

  clock.ms = 10_000;
  const again = hints.lookUp('0xaa', lookUp);
  finish();
  await again;
  expect(begun()).toBe(2);
});

test('a failed lookup is not repeated at once either', async () => {
  const { hints } = start();
  let tries = 0;
  const fail = () => {
    tries += 1;
    return Promise.reject(new TemporaryError('no provider answers'));
  };
  for (let time = 0; time < 3; time += 1)
    await expect(hints.lookUp('0xaa', fail)).rejects.toThrow('no provider answers');
  expect(tries).toBe(1);
});

test('four run at once, some wait in a queue, and the rest are rejected', async () => {
  const { hints, lookUp, begun, finish } = start();
  const results = Array.from({ length: 20 }, (_, at) =>
    hints.lookUp(`0x${at}`, lookUp).catch((error: unknown) => error),
  );
  await settled();
  expect(begun()).toBe(4);
  finish();
  await settled();
  expect(begun()).toBe(5);
  for (let at = 0; at < 20; at += 1) {
    finish();
    await settled();
  }
  const all = await Promise.all(results);
  expect(all.filter((result) => result === 'found')).toHaveLength(12);
  expect(all.filter((result) => result instanceof TemporaryError)).toHaveLength(8);
  // A rejection is not cached.
  const again = hints.lookUp('0x19', lookUp);
  finish();
  expect(await again).toBe('found');
});

test('at most the budget of a minute is looked up, and a rejected lookup may be repeated', async () => {
  const { clock, hints } = start({ maxAMinute: 3 });
  const look = (key: string) => hints.lookUp(key, () => Promise.resolve(key));
  for (const key of ['a', 'b', 'c']) expect(await look(key)).toBe(key);
  await expect(look('d')).rejects.toBeInstanceOf(TemporaryError);
  clock.ms = 60_000;
  expect(await look('d')).toBe('d');
});

test('one client cannot use up the budget of a minute, and a new client finds some of it', async () => {
  const { hints } = start({ maxAMinute: 120, perClient: { atOnce: 12, aMinute: 40 } });
  const lookAll = async (client: string) => {
    let done = 0;
    while (await hints.lookUp(`${client} ${done}`, () => Promise.resolve(true), Client.only(client)).catch(() => false))
      done += 1;
    return done;
  };
  expect(await lookAll('one')).toBe(40);
  expect(await lookAll('two')).toBeGreaterThan(20);
  for (let client = 3; client < 8; client += 1) expect(await lookAll(`client ${client}`)).toBeGreaterThan(0);
});

test('one client cannot fill the places of all', async () => {
  const { hints, lookUp, begun, finish } = start({ perClient: { atOnce: 6, aMinute: 1_000 } });
  const ask = (client: string, count: number) =>
    Array.from({ length: count }, (_, at) =>
      hints.lookUp(`${client} ${at}`, lookUp, Client.only(client)).catch((error: unknown) => error),
    );
  const greedy = ask('one', 20);
  const others = ask('two', 1);
  for (let at = 0; at < 20; at += 1) {
    await settled();
    finish();
  }
  expect((await Promise.all(greedy)).filter((result) => result === 'found')).toHaveLength(6);
  expect(await Promise.all(others)).toEqual(['found']);
  expect(begun()).toBe(7);
});
