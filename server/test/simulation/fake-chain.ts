import type { ReceiveNetwork } from '@quittance/contract';
import { type BlockRef, type Chain, Forked, type Head, type Transfer, type Watching } from '../../src/outside/chains/chain.ts';
import { decide, type Report } from '../../src/outside/chains/rpc/quorum.ts';
import { TemporaryFailure } from '../../src/platform/errors.ts';
import type { Block, Ledger, Movement, Tx } from './ledger.ts';
import type { Random } from './random.ts';

/** A provider: what it has seen of the ledger so far, and what is wrong with it. */
export interface Provider {
  name: string;
  view: readonly Block[];
  version: number;
  isDown: boolean;
  /** It no longer hears of new blocks: it lags, or stays on a branch that was left. */
  isFrozen: boolean;
  /** Share of transfers that it leaves out when it is asked for them. */
  omits: number;
  /** Transfers that it invents, by hash. */
  invents: Tx[];
}

/** Some blocks below the head, as the chain calls them. */
export interface Tags {
  safe: number;
  finalized: number;
}

export interface FakeChain {
  chain: Chain;
  providers: Provider[];
  /** How many blocks are read at once at most. */
  widestWindow: number;
  /** Providers that are well hear of what is new. */
  sync(): void;
}

export function createProvider(name: string): Provider {
  return { name, view: [], version: -1, isDown: false, isFrozen: false, omits: 0, invents: [] };
}

/** One network as its readers see it through providers that lag, lie and fail, by the ways of the real reader. */
export function createFakeChain(ledger: Ledger, providers: Provider[], tags: Tags, widestWindow: number, random: Random): FakeChain {
  const { network } = ledger;
  const upright = () => providers.filter((provider) => !provider.isDown && provider.view.length > 0);

  /** Who read which block first, so that the second pass looks with other eyes. */
  const firstReaders = new Map<bigint, string>();

  function asked(pass: 'first' | 'second', after?: bigint): Provider[] {
    const well = upright();
    const first = firstReaders.get(after ?? -1n) ?? providers[0]?.name;
    const wanted = pass === 'first' || providers.length < 2 ? well : well.filter((provider) => provider.name !== first);
    if (wanted.length === 0) throw new TemporaryFailure(`nobody answers for ${network}`);
    return wanted;
  }

  async function use<T>(pass: 'first' | 'second', work: (provider: Provider) => T, after?: bigint): Promise<T> {
    await Promise.resolve();
    let failure: unknown;
    for (const provider of asked(pass, after)) {
      try {
        return work(provider);
      } catch (error) {
        if (!(error instanceof TemporaryFailure)) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  function read(provider: Provider, after: BlockRef, until: Head, watching: Watching) {
    const start = Number(after.number);
    const here = provider.view[start];
    if (!here) throw new TemporaryFailure(`${provider.name} does not have block ${start}`);
    if (here.hash !== after.hash) {
      const isAlone = upright().some((other) => other !== provider && other.view[start]?.hash === after.hash);
      if (isAlone) throw new TemporaryFailure(`${provider.name} alone has another block ${start}`);
      throw new Forked(`block ${start} is another now`);
    }
    const last = Math.min(Number(until.number), start + random.between(1, fake.widestWindow), provider.view.length - 1);
    const blocks = provider.view.slice(start + 1, last + 1);
    const covered = provider.view[Math.max(last, start)] as Block;
    const transfers = blocks.flatMap((block) => [...block.txs, ...provider.invents.filter(() => random.chance(0.3))]
      .flatMap((tx) => transfersIn(network, tx, block, watching)))
      .filter(() => !random.chance(provider.omits));
    const reverted = blocks.flatMap((block) => block.txs.filter((tx) => tx.reverted))
      .flatMap((tx) => tx.movements.map((movement) => ({ txHash: tx.hash, to: movement.to, carried: movement.carried })));
    return { transfers, reverted, covered: refOf(covered), provider: provider.name };
  }

  /** Since when each provider has been down, by the time of the ledger's newest block. */
  const downSinceMs = new Map<Provider, number>();
  const nowMs = () => ledger.blocks.at(-1)?.time.getTime() ?? 0;

  function noteDown(): void {
    for (const provider of providers) {
      if (!provider.isDown) downSinceMs.delete(provider);
      else if (!downSinceMs.has(provider)) downSinceMs.set(provider, nowMs());
    }
  }

  /** What one provider reports; the rule that decides is the real one. */
  function report(provider: Provider, transfer: Transfer): Report {
    const { name } = provider;
    if (provider.isDown || provider.view.length === 0) return { type: 'unreachable', provider: name, forMs: nowMs() - (downSinceMs.get(provider) ?? nowMs()), details: `${name} is down` };
    const { number, safe, finalized } = headOf(provider.view, tags);
    const head = { number, safe, finalized };
    if (provider.invents.some((tx) => tx.hash === transfer.txHash)) return { type: 'stands', provider: name, head, transfer };
    const found = find(provider.view, transfer.txHash);
    if (!found) {
      return provider.view.length > Number(transfer.block.number)
        ? { type: 'gone', provider: name, details: `${name} does not have it` }
        : { type: 'not_yet', provider: name, details: `${name} is behind`, head };
    }
    const movement = found.tx.reverted ? undefined : found.tx.movements.find((one) => isSame(one, transfer));
    return movement ? { type: 'stands', provider: name, head, transfer: toTransfer(network, found.tx, movement, found.block) } : { type: 'gone', provider: name, details: `${name} has another one` };
  }

  const chain: Chain = {
    network,
    head: (pass) => use(pass, (provider) => headOf(provider.view, tags)),
    block: (number) => use('first', (provider) => {
      const block = provider.view[Number(number)];
      return block && refOf(block);
    }),
    blockAt: (time) => use('first', (provider) => refOf(provider.view.findLast((block) => block.time <= time) ?? (provider.view[0] as Block))),
    async read(after, until, watching, pass) {
      const reading = await use(pass, (provider) => read(provider, after, until, watching), after.number);
      if (pass === 'first') for (let number = after.number; number < reading.covered.number; number += 1n) firstReaders.set(number, reading.provider);
      return reading;
    },
    async check(transfer) {
      await Promise.resolve();
      noteDown();
      return decide(providers.map((provider) => report(provider, transfer)), providers.length);
    },
    transaction: (txHash, watching) => use('first', (provider) => {
      const invented = provider.invents.find((tx) => tx.hash === txHash);
      const found = invented ? { tx: invented, block: provider.view.at(-1) as Block } : find(provider.view, txHash);
      const meant = found?.tx.movements.filter((movement) => watching.addresses.has(movement.to)) ?? [];
      return found && {
        transfers: transfersIn(network, found.tx, found.block, watching),
        reverted: found.tx.reverted ? meant.map(({ to, carried }) => ({ txHash, to, carried })) : null,
      };
    }),
    health: () => ({ reachable: upright().length > 0, providers: providers.map(({ name, isDown }) => ({ name, healthy: !isDown, lastError: isDown ? 'down' : null })) }),
    close: async () => {},
  };
  const fake: FakeChain = {
    chain,
    providers,
    widestWindow,
    sync() {
      noteDown();
      for (const provider of providers) {
        if (provider.isFrozen || provider.version === ledger.version) continue;
        provider.view = ledger.blocks.slice();
        provider.version = ledger.version;
      }
    },
  };
  return fake;
}

function headOf(view: readonly Block[], tags: Tags): Head {
  const block = view.at(-1) as Block;
  const tag = (depth: number) => BigInt(Math.max(0, block.number - depth));
  return { ...refOf(block), safe: tag(tags.safe), finalized: tag(tags.finalized) };
}

function refOf({ number, hash, time }: Block): BlockRef {
  return { number: BigInt(number), hash, time };
}

function transfersIn(network: ReceiveNetwork, tx: Tx, block: Block, watching: Watching): Transfer[] {
  return tx.reverted ? [] : tx.movements.filter((movement) => watching.addresses.has(movement.to)).map((movement) => toTransfer(network, tx, movement, block));
}

export function toTransfer(network: ReceiveNetwork, tx: Tx, { index, asset, from, to, amountUnits, carried }: Movement, block: Block): Transfer {
  return { network, txHash: tx.hash, index, asset, from, to, amountUnits, carried, block: refOf(block) };
}

function isSame(movement: Movement, transfer: Transfer): boolean {
  return movement.index === transfer.index && movement.asset === transfer.asset && movement.to === transfer.to && movement.amountUnits === transfer.amountUnits;
}

function find(view: readonly Block[], hash: string): { tx: Tx; block: Block } | undefined {
  for (let at = view.length - 1; at >= 0; at -= 1) {
    const block = view[at] as Block;
    const tx = block.txs.find((one) => one.hash === hash);
    if (tx) return { tx, block };
  }
  return undefined;
}
