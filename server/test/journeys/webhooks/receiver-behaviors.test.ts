import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Outbound } from '../../../src/outside/http/outbound.ts';
import { createOutbound } from '../../../src/outside/http/undici.ts';
import { startReceiver } from '../../support/receiver.ts';
import { authority, receiverBehaviors } from './receiver-behaviors.ts';

/** `ZOO_ROUNDS=50` makes the long run. */
const ROUNDS = Number(process.env.ZOO_ROUNDS ?? 2);
const TIMEOUT_MS = 1_500;
const MAX_HELD_MS = TIMEOUT_MS + 500;
const body = Buffer.from(JSON.stringify({ id: 'evt_zoo', data: 'x'.repeat(3_000) }));

let outbound: Outbound;

beforeAll(() => {
  outbound = createOutbound({ allowPrivate: true, ownUrl: 'http://localhost:1', ca: authority });
});
afterAll(() => outbound.close());

test('there are at least twenty kinds of receivers', () => {
  expect(receiverBehaviors.length).toBeGreaterThanOrEqual(20);
  expect(new Set(receiverBehaviors.map(({ kind }) => kind)).size).toBe(receiverBehaviors.length);
});

const promise = 'gets the verdict $verdict within the deadline, every time, one request each';
const longest = 10_000 + ROUNDS * MAX_HELD_MS;

describe.each(receiverBehaviors.filter(({ untilDeadline }) => !untilDeadline))('a receiver that $kind', (animal) => {
  test.for([animal])(promise, { timeout: longest }, getsVerdict);
});

// These wait for the deadline side by side.
describe.concurrent.each(receiverBehaviors.filter(({ untilDeadline }) => untilDeadline))(
  'a receiver that $kind',
  (animal) => {
    test.for([animal])(promise, { timeout: longest }, getsVerdict);
  },
);

async function getsVerdict(animal: (typeof receiverBehaviors)[number]): Promise<void> {
  const cage = await animal.start();
  const owner = `we_${animal.kind}`;
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    const answer = await outbound.post({
      owner,
      url: cage.url,
      headers: { 'content-type': 'application/json' },
      body,
      timeoutMs: TIMEOUT_MS,
    });
    const heldMs = performance.now() - startedAt;
    expect(answer.status ?? answer.error).toBe(animal.verdict);
    expect(heldMs).toBeLessThan(MAX_HELD_MS);
    if (!animal.untilDeadline) expect(heldMs).toBeLessThan(MAX_HELD_MS - 300);
    if (answer.body !== null) expect(Buffer.byteLength(answer.body)).toBeLessThanOrEqual(3 * 2048);
  }
  if (typeof animal.verdict === 'number') expect(cage.requests()).toBeLessThanOrEqual(ROUNDS);
  await cage.stop();
}

test('all of them at once leave memory flat and a good receiver unharmed', async () => {
  const cages = await Promise.all(receiverBehaviors.map((animal) => animal.start()));
  const good = await startReceiver();
  const post = (owner: string, url: string) => outbound.post({ owner, url, headers: {}, body, timeoutMs: TIMEOUT_MS });
  await post('we_good', good.url);
  const before = process.memoryUsage().rss;

  const answers = Promise.all(
    cages.flatMap((cage, index) => Array.from({ length: 4 }, () => post(`we_all_${index}`, cage.url))),
  );
  const slowest: number[] = [];
  for (let sent = 0; sent < 50; sent += 1) slowest.push((await post('we_good', good.url)).durationMs);
  await answers;

  expect(good.received).toHaveLength(51);
  expect(slowest.sort((one, other) => one - other)[45]).toBeLessThan(500);
  expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(96);
  await Promise.all([...cages.map((cage) => cage.stop()), good.close()]);
});

describe('connections', () => {
  test('are kept open within one endpoint, and never shared between two', async () => {
    const receiver = await startReceiver();
    for (let sent = 0; sent < 3; sent += 1) {
      await outbound.post({ owner: 'we_a', url: receiver.url, headers: {}, body, timeoutMs: TIMEOUT_MS });
      await turnOfTheLoop();
    }
    await outbound.post({ owner: 'we_b', url: receiver.url, headers: {}, body, timeoutMs: TIMEOUT_MS });
    expect(receiver.received).toHaveLength(4);
    expect(receiver.connections()).toBe(2);
    await receiver.close();
  });

  test('that the other end closes just as they are used again do not cost an attempt', async () => {
    const receiver = await startReceiver();
    const post = () =>
      outbound.post({ owner: 'we_stale', url: receiver.url, headers: {}, body, timeoutMs: TIMEOUT_MS });
    expect(await post()).toMatchObject({ status: 200 });
    await turnOfTheLoop();
    receiver.closeOnNextRequest();
    expect(await post()).toMatchObject({ status: 200 });
    await receiver.close();
  });

  test('of an owner that was dropped end at once, and none is made for it again', async () => {
    const receiver = await startReceiver();
    receiver.answer(() => new Promise<number>(() => {}));
    const post = () =>
      outbound.post({ owner: 'we_dropped', url: receiver.url, headers: {}, body, timeoutMs: TIMEOUT_MS });
    const running = post();
    await receiver.connected(1);
    outbound.drop('we_dropped');
    expect(await running).toMatchObject({ error: 'dropped' });
    expect(await post()).toMatchObject({ error: 'dropped' });
    expect(receiver.connections()).toBe(1);
    await receiver.close();
  });

  test('carry no credentials, cookies or proxies, and ask for no compression', async () => {
    const receiver = await startReceiver();
    await outbound.post({
      owner: 'we_headers',
      url: receiver.url,
      headers: { 'accept-encoding': 'identity' },
      body,
      timeoutMs: TIMEOUT_MS,
    });
    expect(Object.keys(receiver.received[0]?.headers ?? {}).sort()).toEqual([
      'accept-encoding',
      'connection',
      'content-length',
      'host',
    ]);
    await receiver.close();
  });
});

/** A connection is free again once the turn in which its answer ended is over. */
function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
