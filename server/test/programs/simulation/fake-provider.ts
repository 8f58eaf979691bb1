import { ProviderError } from '../../../src/outside/chains/rpc/errors.ts';
import type { Provider } from '../../../src/outside/chains/rpc/provider.ts';
import type { Block, Ledger, Tx } from './ledger.ts';
import type { Random } from './random.ts';

/** A provider: its view of the ledger, and its faults. */
export interface FakeProvider {
  readonly name: string;
  view: readonly Block[];
  version: number;
  isDown: boolean;
  /** The share of calls that fail. */
  flaps: number;
  /** It receives no new blocks: it lags, or stays on an orphaned branch. */
  isFrozen: boolean;
  /** The share of transfers that it omits. */
  omits: number;
  /** Transfers that it invents, by hash. */
  invents: Tx[];
  /** One field that it changes of some real transactions. */
  changes: Change | null;
  /** Blocks that it invents on top of the real chain, or on top of its last real block. */
  ahead: Invention | null;
  /** When it answered, in Unix milliseconds, and whether its head was one that readers believe. */
  answers: { atMs: number; isPlausible: boolean }[];
  /** How often it was asked. */
  requests: number;
}

/**
 * What a liar can change of a real transfer; `earlier`, `later` and `future` date its block so, `block` names an earlier one that
 * does not exist, `nonce` is that of a signed authorization, `out` leaves it out, `reverted` says that its transaction
 * failed, `start` names a late block to begin at, `again` shows it once more in each newer block.
 */
export const CHANGED_FIELDS = [
  'asset',
  'amount',
  'from',
  'to',
  'earlier',
  'later',
  'future',
  'block',
  'reference',
  'nonce',
  'index',
  'out',
  'reverted',
  'start',
  'again',
] as const;

export interface Change {
  field: (typeof CHANGED_FIELDS)[number];
  /** Transactions whose hash begins with one of these digits. */
  digits: string;
  /** Only in its reports to the quorum: what is read from it is right. */
  onlyReports?: boolean;
}

interface Invention {
  /** The last real block of its chain; null if it follows the real head. */
  from: number | null;
  /** How many invented blocks it shows beyond the real head. */
  count: number;
  /** In the first invented block. */
  txs: readonly Tx[];
  seal: string;
}

export function createFakeProvider(name: string): FakeProvider {
  return {
    name,
    view: [],
    version: -1,
    isDown: false,
    flaps: 0,
    isFrozen: false,
    omits: 0,
    invents: [],
    changes: null,
    ahead: null,
    answers: [],
    requests: 0,
  };
}

/** Removes every fault. */
export function removeFaults(provider: FakeProvider): void {
  Object.assign(provider, {
    isDown: false,
    flaps: 0,
    isFrozen: false,
    omits: 0,
    invents: [],
    changes: null,
    ahead: null,
    version: -1,
  });
}

/** From here on the provider shows this many blocks more than exist. */
export function runAhead(
  provider: FakeProvider,
  ledger: Ledger,
  random: Random,
  invention: { leaves: boolean; count: number; txs: readonly Tx[] },
): void {
  provider.ahead = {
    from: invention.leaves ? ledger.blocks.length - 1 : null,
    count: invention.count,
    txs: invention.txs,
    seal: random.hex(24),
  };
  provider.version = -1;
}

/** The provider's view of the ledger, including the blocks that it invents. */
export function lookAt(provider: FakeProvider, ledger: Ledger, now: Date): void {
  if (provider.isFrozen || provider.version === ledger.version) return;
  provider.version = ledger.version;
  const { ahead } = provider;
  provider.view = ahead ? invented(ahead, ledger, now) : ledger.blocks.slice();
}

function invented({ from, count, txs, seal }: Invention, ledger: Ledger, now: Date): Block[] {
  const blocks = ledger.blocks.slice(0, from === null ? undefined : from + 1);
  const base = blocks.at(-1) as Block;
  for (let number = base.number + 1; number < ledger.blocks.length + count; number += 1) {
    // The time follows from the number, so that a block keeps it; never in the future.
    const time = new Date(Math.min(now.getTime(), base.time.getTime() + number - base.number));
    blocks.push({
      number,
      hash: `${seal}${number.toString(16).padStart(16, '0')}`,
      time,
      txs: number === base.number + 1 ? txs : [],
    });
  }
  return blocks;
}

/** For the service's pool of providers, which uses only the name and the count of its requests. */
export function connectionTo(provider: FakeProvider): Provider {
  const refuse = async () => {
    throw new ProviderError(`${provider.name} is asked by the family's functions only`);
  };
  return {
    name: provider.name,
    get requests() {
      return provider.requests;
    },
    get proven() {
      return this;
    },
    call: refuse,
    batch: refuse,
    attempt: refuse,
    recheckChain() {},
    close: async () => {},
  };
}
