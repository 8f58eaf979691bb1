import { expect, test } from 'vitest';
import { newestEvents } from '../src/newest-events.ts';
import type { Event } from '../src/types.gen.ts';

const event = (id: string, sequence: number) =>
  ({
    id: `evt_${id}_${sequence}`,
    type: 'payment.paid',
    data: { id, sequence, created_at: '2026-03-14T09:26:53.000Z' },
  }) as Event;

test('an event whose handler failed is handled when it is delivered again, and then never again', async () => {
  const newest = newestEvents();
  const handled: string[] = [];
  const handle = ({ id }: Event) => handled.push(id);
  const fail = async () => {
    throw new Error('The database is down.');
  };
  await expect(newest(event('a', 1), fail)).rejects.toThrow('The database is down.');
  expect(await newest(event('a', 1), handle)).toBe(true);
  expect(await newest(event('a', 1), handle)).toBe(false);
  expect(handled).toEqual(['evt_a_1']);
});

test('an event is marked after its handler has finished', async () => {
  const steps: string[] = [];
  const newest = newestEvents({ get: () => undefined, set: () => steps.push('marked') });
  await newest(event('a', 1), async () => {
    await Promise.resolve();
    steps.push('handled');
  });
  expect(steps).toEqual(['handled', 'marked']);
});

test('events of one payment are handled one at a time, and those of another payment meanwhile', async () => {
  const newest = newestEvents();
  const steps: string[] = [];
  const slow = Promise.withResolvers<void>();
  const first = newest(event('a', 3), async () => {
    steps.push('a 3 begins');
    await slow.promise;
    steps.push('a 3 ends');
  });
  const others = [event('a', 3), event('a', 2), event('a', 4)].map((one) =>
    newest(one, () => steps.push(`a ${one.data.sequence}`)),
  );
  await newest(event('b', 1), () => steps.push('b 1'));
  slow.resolve();
  expect([await first, ...(await Promise.all(others))]).toEqual([true, false, false, true]);
  expect(steps).toEqual(['a 3 begins', 'b 1', 'a 3 ends', 'a 4']);
});

test('behind a handler that never ends 100 events of its payment wait, and further ones are rejected', async () => {
  const newest = newestEvents();
  const hanging = Promise.withResolvers<void>();
  const first = newest(event('a', 1), () => hanging.promise);
  const waiting = Array.from({ length: 100 }, (_, at) => newest(event('a', at + 2), () => {}));
  const handled: string[] = [];
  const handle = ({ id }: Event) => handled.push(id);
  await expect(newest(event('a', 200), handle)).rejects.toThrow('100 events of this payment wait');
  hanging.resolve();
  await Promise.all([first, ...waiting]);
  expect(await newest(event('a', 200), handle)).toBe(true);
  expect(handled).toEqual(['evt_a_200']);
});

test('an event whose handler failed is not handled again if a newer one was handled since', async () => {
  const newest = newestEvents();
  const fail = () => {
    throw new Error('The database is down.');
  };
  await expect(newest(event('a', 1), fail)).rejects.toThrow('The database is down.');
  expect(await newest(event('a', 2), () => {})).toBe(true);
  expect(await newest(event('a', 1), () => {})).toBe(false);
});

test('the newest 10,000 payments are remembered by default', async () => {
  const newest = newestEvents();
  for (let number = 0; number <= 10_000; number += 1) await newest(event(`pay_${number}`, 1), () => {});
  expect(await newest(event('pay_10000', 1), () => {})).toBe(false);
  expect(await newest(event('pay_1', 1), () => {})).toBe(false);
  expect(await newest(event('pay_0', 1), () => {})).toBe(true);
});
