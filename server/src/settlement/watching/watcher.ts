import { randomUUID } from 'node:crypto';
import type { ReceiveNetwork } from '@quittance/contract';
import type { Chain } from '../../outside/chains/chain.ts';
import type { Outage } from '../../platform/outage.ts';
import { SECOND_MS } from '../../platform/time.ts';
import type { QueuePosition } from '../attribution/attribute-queued.ts';
import type { Lease } from '../reading/cursor-store.ts';
import type { FailedSaves, ForwardResult } from '../reading/read-forward.ts';
import type { WatchedAddresses } from '../reading/watched-addresses.ts';
import type { Rounds } from '../verification/rounds.ts';
import type { View } from '../verification/verify-transfers.ts';

/** How long a turn waits for its second pass. */
export const MAX_SECOND_WAIT_MS = 8 * SECOND_MS;

/**
 * `more`: still catching up. `resting`: nothing was read, because nothing waits for it yet. `idle`: the network has no watched wallet.
 * `elsewhere`: another process reads it.
 */
export type Tick = 'more' | 'current' | 'resting' | 'idle' | 'elsewhere';

/** One process's state of watching. All of it may be lost at any moment. */
export interface Watcher {
  holder: string;
  networks: Map<ReceiveNetwork, WatchedNetwork>;
}

/** What a process knows about a network that it watches. */
export interface WatchedNetwork {
  watching?: WatchedAddresses;
  lease?: Lease;
  /** When this process took the lease that it holds. */
  held?: { token: bigint; since: Date };
  /** The turn of the second pass, which may outlast the turn of the network that began it. */
  second?: Promise<ForwardResult | null> | undefined;
  /** When the second pass last began a turn that read all blocks; undefined if it has to read on. */
  secondAt?: Date | undefined;
  /** Since when the second pass has found no provider to begin by; undefined once it has begun. */
  unbegunSince?: Date | undefined;
  /** When the head last came with its tags. */
  tagsAt?: Date;
  /** The provider of the first pass's latest reading. */
  reader?: string | undefined;
  /** The reader's last view; undefined while another process reads the network. */
  view?: View;
  /** Where the last turn of attribution ended. */
  position: QueuePosition;
  /** Where the last turns of verification ended, by the connections of this chain. */
  rounds?: Rounds & { chain: Chain };
  failedSaves: FailedSaves;
  /** What no provider has answered lately. */
  outages?: { probe: Outage; 'second pass': Outage };
  /** The health that this process last stored about the network, and when, by the monotonic clock. */
  noted?: { answered: boolean; atMs: number };
  /** Since when turns have read nothing while a provider names blocks to read, by the monotonic clock. */
  stalledAtMs?: number | undefined;
  /** When a turn last found a reason to read without a pause. */
  neededAt?: Date | undefined;
  /** Whether there was a reason to read at the last turn, or until just before. */
  isAwake?: boolean;
  /** When there last was a signal that a customer waits, by the monotonic clock. */
  waitedForAtMs?: number;
  /** When this holder of the lease last read all blocks of a network that is awake; undefined if it has to read on. */
  readAt?: Date | undefined;
  /** When this holder of the lease last read all blocks while nothing waited; undefined if the network does not rest. */
  lookedAt?: Date | undefined;
  /** When a provider last answered, by the monotonic clock. */
  answeredAtMs?: number;
  /** When it was last stored that there is nothing to read, by the monotonic clock. */
  idleNotedAtMs?: number;
  /** Whether the second pass waits for a provider, as this holder of the lease last stored it. */
  waiting?: { lease: Lease; waits: boolean };
}

export function createWatcher(holder: string = randomUUID()): Watcher {
  return { holder, networks: new Map() };
}

/** A reorg stays noted until verification has checked the transfers that it may have moved. */
export function noteView(state: WatchedNetwork, view: View): void {
  const forks = [state.view?.forkedAt, view.forkedAt].filter((block) => block != null);
  state.view = {
    ...view,
    forkedAt: forks.length === 0 ? null : forks.reduce((lowest, block) => (block < lowest ? block : lowest)),
  };
}
