import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { listUnattributed, readNetworks } from '../../src/commands/restore-check.ts';
import type { Chain } from '../../src/outside/chains/chain.ts';
import { TemporaryError } from '../../src/platform/errors.ts';
import { later, MINUTE_MS, SECOND_MS } from '../../src/platform/time.ts';
import { reread } from '../../src/settlement/restored.ts';
import { startWatching } from '../../src/watch.ts';
import { FakeNetwork } from '../support/fake-network.ts';

let net: FakeNetwork;
beforeAll(async () => {
  net = await FakeNetwork.start();
  net.fake.sync();
});
afterEach(() => net.use({}));
afterAll(() => net[Symbol.asyncDispose]());

test('a network without watched wallets is read to its end, wherever its cursor once stopped', async () => {
  await net.ctx.db.query(
    'test_cursor',
    `
    insert into chain_cursors (network, pass, block_number, block_hash, block_time)
    select 'base', pass, 1, '0x1', $1 from unnest(array['first', 'second']) as pass`,
    [later(net.now, -MINUTE_MS)],
  );
  expect(await reread(net.ctx, 'base', earlier())).toMatchObject({ behind: 0n });
  await net.ctx.db.query('test_no_cursor', 'delete from chain_cursors');
});

test('a network is read to its end once the watcher has passed the head of the beginning, though blocks keep coming', async () => {
  await net.checkout(await net.wallet());
  await net.blocks(3);
  const worker = startWatching(net.ctx);
  net.use({ head: headAfterNewBlock });
  const mining = setInterval(mine, 250);
  try {
    expect(await reread(net.ctx, 'base', earlier())).toMatchObject({ behind: 0n });
  } finally {
    clearInterval(mining);
    await worker.stop();
  }
});

test('a network that no watcher reads is behind by the blocks that are left', async () => {
  mine();
  expect(await reread(net.ctx, 'base', earlier(), { maxWaitMs: 100 })).toMatchObject({
    behind: expect.toSatisfy((n) => n > 0n),
  });
});

test('a network with live wallets and no provider in the settings is not read to its end', async () => {
  await net.checkout(await net.wallet());
  net.ctx = { ...net.ctx, chains: new Map() };
  const said = printed();
  expect(await readNetworks(net.ctx, earlier())).toBe(1);
  expect(said()).toBe('base: could not be read: base has no provider in the settings.\n');
});

test('a network of which one provider alone served blocks is not read to its end', async () => {
  await net.checkout(await net.wallet());
  await net.blocks(3);
  const { read, health } = net.fake.chain;
  const { providers, ...rest } = health();
  net.use({
    health: () => ({ ...rest, providers: [...providers, ...providers.map((one) => ({ ...one, name: 'away' }))] }),
    read: async (step) => {
      if (step.only) throw new TemporaryError('no answer');
      return read(step);
    },
  });
  const said = printed();
  expect(await readNetworks(net.ctx, earlier())).toBe(1);
  expect(said()).toContain('Only one provider served');
});

test('a list that is cut says so, and the command fails', async () => {
  const wallet = await net.wallet();
  await net.checkout(wallet);
  net.send(net.transaction(wallet.address, 1_234_567n, 1_234_568n, 1_234_569n));
  await net.blocks(2);
  const before = process.exitCode;
  onTestFinished(() => void (process.exitCode = before));
  const said = printed();
  expect(await listUnattributed(net.ctx, earlier(), 3)).toBe(3);
  expect([process.exitCode, said()]).toEqual([before, expect.not.stringContaining('There are more')]);
  expect(await listUnattributed(net.ctx, earlier(), 2)).toBe(2);
  expect([process.exitCode, said()]).toEqual([
    1,
    expect.stringMatching(/^ {2}There are more than these 2: run this again/m),
  ]);
});

/** What is printed from now on. */
function printed(): () => string {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  return () => write.mock.calls.map(([text]) => text).join('');
}

const earlier = () => later(net.now, -20 * SECOND_MS);

/** Blocks come faster than a watcher asks for them. */
async function headAfterNewBlock(pass: Parameters<Chain['head']>[0]) {
  mine();
  return net.fake.chain.head(pass);
}

function mine(): void {
  net.now = later(net.now, 2 * SECOND_MS);
  net.ledger.mineUntil(net.now);
  net.fake.sync();
}
