import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ReceiveNetwork } from '@quittance/contract';
import type { Context } from './context.ts';
import type { Chain, Head } from './outside/chains/chain.ts';
import { TemporaryFailure } from './platform/errors.ts';
import { later, SECOND_MS } from './platform/time.ts';
import { findCursor, LeaseLost, releaseLease, takeLease, type Lease } from './settlement/reading/cursor-store.ts';
import { finalise } from './settlement/verification/verify-transfers.ts';
import { readForward } from './settlement/reading/read-forward.ts';
import { findWatched, type Watched } from './settlement/reading/watched-addresses.ts';

// So long nobody reads a network whose reader was killed; one look takes less, unless providers are very slow.
const LEASE_MS = 30 * SECOND_MS;
const STEPS_MOST = 25;
/** So far behind the head a single provider is asked a second time. */
const LOOK_AGAIN_BLOCKS = 32n;
const IDLE_MS = 5 * SECOND_MS;
const FAILURE_LEAST_MS = 1 * SECOND_MS;
const FAILURE_MOST_MS = 20 * SECOND_MS;
/** About as often as each network has something new. */
const EVERY_MS: Record<ReceiveNetwork, number> = { ethereum: 6_000, base: 2_000, polygon: 2_000, arbitrum: 2_000, solana: 2_000 };
const TEST_CHAIN_EVERY_MS = 500;

/** `more` where it is still catching up, `idle` where the network has nobody to watch for, `elsewhere` where another process reads it. */
export type Tick = 'more' | 'current' | 'idle' | 'elsewhere';

/** One process's place in the watching: what it remembers between ticks may be lost at any moment. */
export interface Watcher {
  holder: string;
  watching: Map<ReceiveNetwork, Watched>;
  leases: Map<ReceiveNetwork, Lease>;
}

export function createWatcher(holder: string = randomUUID()): Watcher {
  return { holder, watching: new Map(), leases: new Map() };
}

/** Opens the door: one loop per network, until `stop`, which waits for what is being written. */
export function startWatching(ctx: Context): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const watcher = createWatcher();
  const loops = [...ctx.chains.keys()].map((network) => watchNetwork(ctx, watcher, network, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function watchNetwork(ctx: Context, watcher: Watcher, network: ReceiveNetwork, signal: AbortSignal): Promise<void> {
  const { chainId, genesisHash } = ctx.config.networks[network];
  const everyMs = chainId === null && genesisHash === null ? EVERY_MS[network] : TEST_CHAIN_EVERY_MS;
  let failures = 0;
  while (!signal.aborted) {
    let waitMs = everyMs;
    try {
      const became = await tick(ctx, network, watcher);
      failures = 0;
      waitMs = became === 'more' ? 0 : became === 'current' ? everyMs : IDLE_MS;
    } catch (error) {
      failures += 1;
      waitMs = Math.min(FAILURE_LEAST_MS * 2 ** Math.min(failures - 1, 10), FAILURE_MOST_MS);
      const isExpected = error instanceof TemporaryFailure || error instanceof LeaseLost;
      ctx.log[isExpected ? 'warn' : 'error']({ err: error, network, failures }, 'a network could not be read');
    }
    await pause(waitMs, undefined, { signal }).catch(() => {});
  }
  const lease = watcher.leases.get(network);
  if (lease) await releaseLease(ctx.db, lease).catch(() => {});
}

/** One look at a network: read on, settle what is final, read a second time from elsewhere. Can be broken off anywhere. */
export async function tick(ctx: Context, network: ReceiveNetwork, watcher: Watcher): Promise<Tick> {
  const chain = ctx.chains.get(network);
  if (!chain) return 'idle';
  const now = await ctx.db.now();
  // Who had somebody to watch for a moment ago has still; the set itself is looked at again below.
  if (!watcher.watching.get(network)?.addresses.size && (await watched(ctx, network, watcher)).addresses.size === 0) return 'idle';

  const lease = await takeLease(ctx.db, network, watcher.holder, now, later(now, LEASE_MS));
  if (!lease) return 'elsewhere';
  watcher.leases.set(network, lease);

  // The head comes before the wallets: who opens a session after that cannot have been paid in these blocks yet.
  const head = await chain.head('first');
  const secondHead = await unlessSilent(ctx, network, () => secondHeadOf(ctx, chain, head));
  const watching = await watched(ctx, network, watcher);
  if (watching.addresses.size === 0) return 'idle';

  const first = await readForward(ctx, chain, lease, 'first', head, watching, STEPS_MOST);
  await finalise(ctx, chain, head, watching, first.forkedAt);
  if (!secondHead) return first.caughtUp ? 'current' : 'more';

  const second = await unlessSilent(ctx, network, () => readForward(ctx, chain, lease, 'second', secondHead, watching, STEPS_MOST));
  if (second && second.forkedAt !== null) await finalise(ctx, chain, head, watching, second.forkedAt);
  return first.caughtUp && (second?.caughtUp ?? true) ? 'current' : 'more';
}

/**
 * How far the second look goes. Another provider is asked at once. Where there is only one it is asked again later, a
 * stretch at a time: it may have told of a block before it knew all that was in it.
 */
async function secondHeadOf(ctx: Context, chain: Chain, head: Head): Promise<Head | null> {
  if (ctx.config.networks[chain.network].rpcUrls.length > 1) return chain.head('second');
  if (head.number < LOOK_AGAIN_BLOCKS) return null;
  const cursor = await findCursor(ctx.db, chain.network, 'second');
  if (cursor && head.number - cursor.number < 2n * LOOK_AGAIN_BLOCKS) return null;
  const until = await chain.block(head.number - LOOK_AGAIN_BLOCKS);
  return until ? { ...until, safe: null, finalized: null } : null;
}

/** The second look must not hold up the first; while its provider is silent nothing that is pending expires. */
async function unlessSilent<T>(ctx: Context, network: ReceiveNetwork, look: () => Promise<T>): Promise<T | null> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof TemporaryFailure)) throw error;
    ctx.log.warn({ err: error, network }, 'the second look at a network was not answered');
    return null;
  }
}

/** The watched set; the same one as before where nothing has changed, so that what was prepared from it can be used again. */
async function watched(ctx: Context, network: ReceiveNetwork, watcher: Watcher): Promise<Watched> {
  const before = watcher.watching.get(network);
  const found = await findWatched(ctx.db, network, await ctx.db.now(), before);
  const isSame = before !== undefined && before.addresses.size === found.addresses.size && [...found.addresses].every((address) => before.addresses.has(address));
  const set = isSame ? { ...found, addresses: before.addresses } : found;
  watcher.watching.set(network, set);
  return set;
}
