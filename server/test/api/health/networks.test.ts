import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type App, createApp } from '../../../src/app.ts';
import type { Chain, Reading, ReadStep } from '../../../src/outside/chains/chain.ts';
import type { Database } from '../../../src/platform/db/db.ts';
import { TemporaryError } from '../../../src/platform/errors.ts';
import { later, SECOND_MS } from '../../../src/platform/time.ts';
import { reportStalled, type StalledNetworks } from '../../../src/alarms/stalled-networks.ts';
import { startWatching } from '../../../src/watch.ts';
import { tick } from '../../../src/settlement/watching/turns.ts';
import { createWatcher } from '../../../src/settlement/watching/watcher.ts';
import { findNetworkStates, recordNetworkHealth } from '../../../src/settlement/reading/network-health-store.ts';
import { FakeNetwork } from '../../support/fake-network.ts';

let net: FakeNetwork;

beforeAll(async () => {
  net = await FakeNetwork.start();
});
afterAll(() => net[Symbol.asyncDispose]());
beforeEach(() => {
  net.lines.length = 0;
});

/** The context of a process that cannot reach the providers. */
function withoutProviders(): FakeNetwork['ctx'] {
  return { ...net.ctx, chains: new Map([['base', { ...net.fake.chain, head: noAnswer, probe: noAnswer }]]) };
}

async function noAnswer(): Promise<never> {
  throw new TemporaryError('rpc.example did not answer');
}

describe('a process that cannot read a network', () => {
  test('loses the lease after ten seconds, however often it tries, and another reads on', async () => {
    const wallet = await net.wallet();
    const honest = await net.checkout(wallet);
    await net.blocks(1);
    await releaseAll();

    const [dead, ctx] = [createWatcher('dead'), withoutProviders()];
    for (let turn = 0; turn < 4; turn += 1) {
      await expect(tick(ctx, 'base', dead)).rejects.toThrow(TemporaryError);
      net.now = later(net.now, 3 * SECOND_MS);
    }
    expect(await tick(net.ctx, 'base', net.watcher)).not.toBe('elsewhere');
    net.send(net.transaction(wallet.address, honest.amountUnits));
    await net.blocks(6);
    expect(await net.status(honest)).toBe('paid');
  });

  test('gives it to a healthy standby that runs beside it', async () => {
    const wallet = await net.wallet();
    const honest = await net.checkout(wallet);
    await net.blocks(1);
    await releaseAll();

    const dead = startWatching(withoutProviders());
    await expect.poll(holder).not.toBeNull();
    const failing = await holder();
    const standby = startWatching(net.ctx);
    try {
      await expect.poll(holder, { timeout: 15_000 }).not.toBeOneOf([null, failing]);
      net.send(net.transaction(wallet.address, honest.amountUnits));
      mine(6);
      await expect.poll(() => net.status(honest), { timeout: 15_000 }).toBe('paid');
    } finally {
      await Promise.all([dead.stop(), standby.stop()]);
    }
  });
});

test('a process that catches up slowly keeps the lease beside a standby, in both passes', async () => {
  await using slow = await FakeNetwork.start();
  await slow.checkout(await slow.wallet());
  await slow.blocks(1);
  for (let mined = 0; mined < 20; mined += 1) {
    slow.now = later(slow.now, 2 * SECOND_MS);
    slow.ledger.mineUntil(slow.now);
  }
  slow.fake.sync();
  const [{ chain }, others, standby] = [slow.fake, slow.ctx, createWatcher('standby')];
  const turns: string[] = [];
  let aheadMs = 0;
  const nowMs = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs() + aheadMs);
  // A block a step, and three seconds for each.
  const read: Chain['read'] = async (step) => {
    const next = await chain.block(step.after.number + 1n);
    const reading = await chain.read({
      ...step,
      until: next && next.number < step.until.number ? { ...next, safe: null, finalized: null } : step.until,
    });
    aheadMs += 3 * SECOND_MS;
    slow.now = later(slow.now, 3 * SECOND_MS);
    turns.push(await tick(others, 'base', standby));
    return reading;
  };
  slow.use({ read });
  try {
    for (let turn = 0; turn < 3; turn += 1) expect(await tick(slow.ctx, 'base', slow.watcher)).toBe('more');
    expect(turns.length).toBeGreaterThan(12);
    expect(turns.filter((became) => became !== 'elsewhere')).toEqual([]);
  } finally {
    clock.mockRestore();
  }
});

describe('a network that no customer can pay on', () => {
  test('is asked for its newest block once a minute in production, so that it can be offered, and never in development', async () => {
    await using quiet = await FakeNetwork.start();
    quiet.fake.sync();
    let probes = 0;
    const probe: Chain['probe'] = async () => {
      probes += 1;
      return quiet.fake.chain.probe();
    };
    const chains = new Map([['base' as const, { ...quiet.fake.chain, probe }]]);
    const isReachable = async () => (await findNetworkStates(quiet.ctx.db, quiet.now)).get('base')?.isReachable;
    let aheadMs = 0;
    const nowMs = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs() + aheadMs);
    try {
      let turns = 0;
      const watch = (profile: 'production' | 'development') => {
        const query = ((name: string, ...rest: [string, unknown[]]) => {
          if (name === 'count_watched') turns += 1;
          return quiet.ctx.db.query(name, ...rest);
        }) as Database['query'];
        return startWatching({
          ...quiet.ctx,
          chains,
          db: { ...quiet.ctx.db, query },
          config: { ...quiet.ctx.config, profile },
        });
      };
      const idle = watch('development');
      await expect.poll(() => turns, { timeout: 15_000 }).toBeGreaterThan(0);
      await idle.stop();
      expect([probes, await isReachable()]).toEqual([0, null]);

      const worker = watch('production');
      await expect.poll(isReachable, { timeout: 15_000 }).toBe(true);
      turns = 0;
      aheadMs = 50 * SECOND_MS;
      await expect.poll(() => turns, { timeout: 20_000 }).toBeGreaterThan(0);
      expect(probes).toBe(1);
      aheadMs = 61 * SECOND_MS;
      await expect.poll(() => probes, { timeout: 20_000 }).toBe(2);
      await worker.stop();
    } finally {
      clock.mockRestore();
    }
  });
});

test('a network that no customer can pay on and no provider serves logs a skipped probe, not a skipped second pass', async () => {
  await using quiet = await FakeNetwork.start();
  const worker = startWatching({
    ...quiet.ctx,
    chains: new Map([['base', { ...quiet.fake.chain, head: noAnswer, probe: noAnswer }]]),
    config: { ...quiet.ctx.config, profile: 'production' },
  });
  const skipped = () => quiet.lines.map(({ msg }) => String(msg)).filter((text) => text.includes(' skipped: '));
  await expect.poll(skipped).not.toEqual([]);
  await worker.stop();
  expect(new Set(skipped())).toEqual(new Set(['probe skipped: no provider answered']));
});

describe('a network that customers can pay on and no process reads', () => {
  test('stays behind and stalled in /readyz and /metrics of every process, however long its reader has been dead', async () => {
    const wallet = await net.wallet();
    await net.checkout(wallet);
    await net.blocks(2);
    // One process that could read the network, and one that has never reached a provider of it.
    await using api = await startBeside(net.fake.chain);
    await using other = await startBeside({ ...net.fake.chain, health: () => DEAD });
    for (const process of [api, other]) {
      expect(await readyz(process)).toMatchObject({ stalled: false });
      expect(await metric(process, 'quittance_network_stalled')).toBe(0);
      expect(await metric(process, 'quittance_network_behind_seconds')).toBeLessThan(10);
    }

    // The reader dies, and its lease expires.
    net.now = later(net.now, 31 * SECOND_MS);
    for (const process of [api, other]) {
      await expect.poll(() => readyz(process)).toMatchObject({ stalled: true });
      expect(await metric(process, 'quittance_network_stalled')).toBe(1);
    }
    net.now = later(net.now, 3600 * SECOND_MS);
    for (const process of [api, other]) {
      await expect.poll(async () => (await readyz(process)).behind_seconds).toBeGreaterThan(3600);
      expect(await readyz(process)).toMatchObject({ stalled: true });
      expect(await metric(process, 'quittance_network_stalled')).toBe(1);
      expect(await metric(process, 'quittance_network_behind_seconds')).toBeGreaterThan(3600);
    }
  });

  test('is not stalled when its first customer arrives, because an idle worker has nothing to read', async () => {
    await using quiet = await FakeNetwork.start();
    const stateNow = async () => (await findNetworkStates(quiet.ctx.db, quiet.now)).get('base');
    const worker = startWatching(quiet.ctx);
    await expect.poll(async () => (await stateNow())?.progressedAt).toEqual(quiet.now);
    await worker.stop();
    await quiet.checkout(await quiet.wallet());
    expect(await stateNow()).toMatchObject({ hasOpenSessions: true, isStalled: false });
    await quiet.blocks(2);
    expect(await stateNow()).toMatchObject({ isStalled: false, readUntil: expect.any(Date) });
  });

  test('raises an alarm at the second look, and again every five minutes until a process reads it', async () => {
    const wallet = await net.wallet();
    await net.checkout(wallet);
    await net.blocks(2);
    const stalled: StalledNetworks = new Map();
    net.now = later(net.now, 31 * SECOND_MS);
    for (const atMs of [0, 5_000, 10_000, 300_000, 305_001]) await reportStalled(net.ctx, stalled, atMs);
    expect(net.alarms('network_stalled')).toHaveLength(2);

    await net.blocks(2);
    await reportStalled(net.ctx, stalled, 700_000);
    await reportStalled(net.ctx, stalled, 710_000);
    expect(net.alarms('network_stalled')).toHaveLength(2);
  });
});

test('a network that customers can pay on and that has no provider in the settings raises the same alarm', async () => {
  await net.checkout(await net.wallet());
  await net.blocks(2);
  net.now = later(net.now, 31 * SECOND_MS);
  const stalled: StalledNetworks = new Map();
  const ctx = { ...net.ctx, chains: new Map() };
  for (const atMs of [0, 5_000]) await reportStalled(ctx, stalled, atMs);
  expect(net.alarms('network_stalled')).toMatchObject([{ network: 'base' }]);
  await net.blocks(1);
});

describe('a network whose head moves on while no provider serves its blocks', () => {
  test('is stalled and its alarm comes, while what was read is still verified', async () => {
    const wallet = await net.wallet();
    const [seen, unseen] = [await net.checkout(wallet), await net.checkout(wallet)];
    net.send(net.transaction(wallet.address, seen.amountUnits));
    await net.blocks(1);
    expect(await net.status(seen)).not.toBe('paid');
    const before = await progress();

    net.use({ read: readNothing });
    net.send(net.transaction(wallet.address, unseen.amountUnits));
    await net.blocks(6);
    expect([await net.status(seen), await net.status(unseen)]).toEqual(['paid', 'pending']);
    expect((await progress()).progressedAt).toEqual(before.progressedAt);

    await net.blocks(20);
    const stalled: StalledNetworks = new Map();
    for (const atMs of [0, 10_000]) await reportStalled(net.ctx, stalled, atMs);
    expect(net.alarms('network_stalled')).toHaveLength(1);

    net.use({});
    await releaseAll();
    await net.blocks(6);
    expect(await net.status(unseen)).toBe('paid');
    expect((await findNetworkStates(net.ctx.db, net.now)).get('base')).toMatchObject({ isStalled: false });
  });

  test('is left to a process that can read it', async () => {
    const wallet = await net.wallet();
    const honest = await net.checkout(wallet);
    await net.blocks(1);
    mine(1);
    await releaseAll();

    const stalled = startWatching({
      ...net.ctx,
      chains: new Map([['base', { ...net.fake.chain, read: readNothing }]]),
    });
    await expect.poll(holder).not.toBeNull();
    const first = await holder();
    const standby = startWatching(net.ctx);
    try {
      await expect.poll(holder, { timeout: 30_000 }).not.toBeOneOf([null, first]);
      net.send(net.transaction(wallet.address, honest.amountUnits));
      mine(6);
      await expect.poll(() => net.status(honest), { timeout: 15_000 }).toBe('paid');
    } finally {
      await Promise.all([stalled.stop(), standby.stop()]);
    }
  });
});

const DEAD = {
  reachable: false,
  isDownToOne: false,
  providers: [{ name: 'rpc.example', healthy: false, lastError: 'no answer', lastAnsweredAt: null }],
};

test('when each provider last answered is shown by every process, also after the process that asked has died', async () => {
  // The processes of the tests above stored their answers earlier.
  net.now = later(net.now, 60 * SECOND_MS);
  const answeredAt = later(net.now, -60 * SECOND_MS);
  const health = (lastAnsweredAt: Date | null) => ({
    reachable: true,
    isDownToOne: false,
    providers: [{ name: 'rpc.example', healthy: true, lastError: null, lastAnsweredAt }],
  });
  const note = (worker: string, at: Date | null) =>
    recordNetworkHealth(net.ctx.db, { ...net.fake.chain, health: () => health(at) }, worker, true);
  await note('first worker', answeredAt);
  // A later process has not been answered yet, another one's clock runs late, and a day passes.
  await note('second worker', null);
  await note('third worker', later(answeredAt, -3600 * SECOND_MS));
  await net.ctx.db.query('test_forget', 'delete from network_health where process = $1', ['first worker']);

  await using api = await startBeside({ ...net.fake.chain, health: () => health(null) });
  const shown = async () => (await api.server.inject({ url: '/readyz' })).json().networks.base.providers;
  expect(await shown()).toEqual([
    { name: 'rpc.example', healthy: true, last_error: null, last_answered_at: answeredAt.toISOString() },
  ]);
  const page = (await api.server.inject({ url: '/metrics' })).payload;
  expect(page).toContain(
    `quittance_provider_last_answer_timestamp_seconds{network="base",provider="rpc.example"} ${answeredAt.getTime() / 1000}\n`,
  );

  // A clock that is ahead does not hide that a provider has stopped answering.
  await note('fourth worker', later(net.now, 3600 * SECOND_MS));
  await expect.poll(async () => (await shown())[0].last_answered_at).toBe(net.now.toISOString());
});

/** Another process on the database and the clock of the network. */
async function startBeside(chain: Chain): Promise<AsyncDisposable & Pick<App, 'server'>> {
  const { server, close } = await createApp(net.app.config, {
    ...net.ctx,
    chains: new Map([['base', chain]]),
  });
  return { server, [Symbol.asyncDispose]: close };
}

async function readyz({ server }: Pick<App, 'server'>): Promise<{ stalled: boolean; behind_seconds: number }> {
  return (await server.inject({ url: '/readyz' })).json().networks.base;
}

/** A metric of the network on the page of a process. */
async function metric({ server }: Pick<App, 'server'>, name: string): Promise<number> {
  const page = (await server.inject({ url: '/metrics' })).payload;
  return Number(new RegExp(`^${name}\\{network="base"\\} (\\d+)$`, 'm').exec(page)?.[1]);
}

async function holder(): Promise<string | null> {
  const [row] = await net.ctx.db.query<{ holder: string | null }>(
    'test_holder',
    `select holder from chain_cursors where network = 'base' and pass = 'first'`,
  );
  return row?.holder ?? null;
}

/** Blocks that running watchers see. */
function mine(blocks: number): void {
  for (let mined = 0; mined < blocks; mined += 1) {
    net.now = later(net.now, 2 * SECOND_MS);
    net.ledger.mineUntil(net.now);
  }
  net.fake.sync();
}

/** As when one provider names the head and refuses every read, and the other stands still at the cursor. */
async function readNothing({ after }: ReadStep): Promise<Reading> {
  return { transfers: [], reverted: [], covered: after, provider: 'provider 1', isStalled: true };
}

async function progress(): Promise<{ progressedAt: Date | null }> {
  const [row] = await net.ctx.db.query<{ progressedAt: Date | null }>(
    'test_progress',
    `select progressed_at from chain_cursors where network = 'base' and pass = 'first'`,
  );
  return row ?? { progressedAt: null };
}

async function releaseAll(): Promise<void> {
  await net.ctx.db.query('test_release_all', 'update chain_cursors set holder = null, lease_until = null');
}
