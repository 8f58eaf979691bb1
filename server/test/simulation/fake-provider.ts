import { ProviderError } from '../../src/outside/chains/rpc/errors.ts';
import type { Provider } from '../../src/outside/chains/rpc/provider.ts';
import type { Block, Ledger, Tx } from './ledger.ts';
import type { Random } from './random.ts';

/** A provider: what it has seen of the ledger so far, and what is wrong with it. */
export interface FakeProvider {
  readonly name: string;
  view: readonly Block[];
  version: number;
  isDown: boolean;
  /** The share of calls that fail. */
  flaps: number;
  /** It receives no new blocks: it lags, or stays on a branch that was left. */
  isFrozen: boolean;
  /** The share of transfers that it leaves out when it is asked for them. */
  omits: number;
  /** Transfers that it invents, by hash. */
  invents: Tx[];
  /** Blocks that it invents on top of the real chain, or of the block where it left it. */
  ahead: Invention | null;
  /** When it answered, in Unix milliseconds, for the last hours. */
  answers: number[];
  /** How often it was asked. */
  requests: number;
}

interface Invention {
  /** The last real block of its chain; null where it follows the real head. */
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
    ahead: null,
    answers: [],
    requests: 0,
  };
}

/** Everything is as it should be again. */
export function cure(provider: FakeProvider): void {
  Object.assign(provider, {
    isDown: false,
    flaps: 0,
    isFrozen: false,
    omits: 0,
    invents: [],
    ahead: null,
    version: -1,
  });
}

/** From here on the provider shows so many blocks more than there are. */
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

/** What the provider shows of the ledger, with the blocks that it invents. */
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
    // Dated by the number alone, so that a block keeps its time; never after the present.
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

/** As the service's own pool of providers sees it; only its name and the count of its requests are used. */
export function connectionTo(provider: FakeProvider): Provider {
  const refuse = async () => {
    throw new ProviderError(`${provider.name} is asked by the family's functions only`);
  };
  return {
    name: provider.name,
    get requests() {
      return provider.requests;
    },
    call: refuse,
    batch: refuse,
    attempt: refuse,
    recheckChain() {},
    close: async () => {},
  };
}
