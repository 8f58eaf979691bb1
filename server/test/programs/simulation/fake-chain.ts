import type { ReceiveNetwork } from '@quittance/contract';
import { pino } from 'pino';
import {
  type BlockRef,
  type Chain,
  ReorgError,
  type Head,
  NOT_ASKED,
  type Reading,
  type RevertedPayment,
  type Transfer,
  type Watching,
} from '../../../src/outside/chains/chain.ts';
import { earliestBlockAt } from '../../../src/outside/chains/rpc/block-at.ts';
import { createRpcChain, type ChainAdapter } from '../../../src/outside/chains/rpc/chain.ts';
import { ProviderBehindError, ProviderError } from '../../../src/outside/chains/rpc/errors.ts';
import { createProviders } from '../../../src/outside/chains/rpc/providers.ts';
import type { Report } from '../../../src/outside/chains/rpc/quorum.ts';
import { DAY_MS, later, MINUTE_MS } from '../../../src/platform/time.ts';
import { type Change, connectionTo, type FakeProvider, lookAt } from './fake-provider.ts';
import type { Block, Ledger, Movement, Tx } from './ledger.ts';
import type { Random } from './random.ts';

/** The chain's block tags: distances below the head. */
export interface Tags {
  safe: number;
  finalized: number;
}

export interface FakeChain {
  chain: Chain;
  providers: FakeProvider[];
  /** Maximum number of blocks in one read. */
  widestWindow: number;
  /** Healthy providers receive new blocks. */
  sync(): void;
  /** The process starts again and has lost its state about providers and heads. */
  restart(): void;
}

interface FakeChainOptions {
  ledger: Ledger;
  providers: FakeProvider[];
  tags: Tags;
  widestWindow: number;
  blockSeconds: number;
  random: Random;
  now: () => Date;
  /** The pause of a provider after a failure, if the monotonic clock is real and the world's clock is not. */
  pauseMs?: { first: number; longest: number };
}

export const NONCE_BYTES = 32;
/** Past the end of many sessions, and of the world's clock. */
/** In blocks. */
const SHOWN_AGAIN = 100;
const LATER_MS = { later: 30 * MINUTE_MS, future: DAY_MS };
/** An address that no merchant has. */
const ELSEWHERE = 'e15e'.repeat(10);

export const NO_PAUSES = { first: 0, longest: 0 };

/** A flapping provider answers at least this often. */
const ANSWERS_EVERY_MS = 5 * MINUTE_MS;
/** The most blocks beyond the real head that any time since the last head allows. */
const PLAUSIBLE_LEAD = 64;
const QUIET = pino({ level: 'silent' });

/**
 * One network as its readers see it: the service's own reader (`rpc/chain.ts`), over providers that lag, lie and fail.
 */
export function createFakeChain({
  ledger,
  providers,
  tags,
  widestWindow,
  blockSeconds,
  random,
  now,
  pauseMs,
}: FakeChainOptions): FakeChain {
  const { network } = ledger;
  const nowMs = () => now().getTime();

  /** One call. */
  function ask(name: string): FakeProvider {
    const provider = providers.find((one) => one.name === name) as FakeProvider;
    provider.requests += 1;
    // A flapping provider still answers every few minutes.
    const slips =
      provider.flaps > 0 &&
      nowMs() - (provider.answers.at(-1)?.atMs ?? 0) < ANSWERS_EVERY_MS &&
      random.chance(provider.flaps);
    if (provider.isDown || provider.view.length === 0 || slips) throw new ProviderError(`${name} is down`);
    if (provider.answers.at(-1)?.atMs !== nowMs())
      provider.answers.push({ atMs: nowMs(), isPlausible: (provider.ahead?.count ?? 0) <= PLAUSIBLE_LEAD });
    return provider;
  }

  function read(provider: FakeProvider, after: BlockRef, until: Head, watching: Watching): Reading {
    const start = Number(after.number);
    const here = provider.view[start];
    if (!here) throw new ProviderBehindError(`${provider.name} does not have block ${start} yet`);
    if (here.hash !== after.hash) throw new ReorgError(`block ${start} is another now`);
    const last = Math.min(Number(until.number), start + random.between(1, fake.widestWindow), provider.view.length - 1);
    const blocks = provider.view.slice(start + 1, last + 1);
    const covered = provider.view[Math.max(last, start)] as Block;
    const transfers = blocks
      .flatMap((block) =>
        [...block.txs, ...provider.invents.filter(() => random.chance(0.3))].flatMap((tx) =>
          shownBy(provider, toTransfers(network, tx, block)),
        ),
      )
      .concat(last > start ? shownAgain(provider, start).flatMap((tx) => toTransfers(network, tx, covered)) : [])
      .filter((transfer) => watching.addresses.has(transfer.to))
      .filter(() => provider.omits === 0 || !random.chance(provider.omits));
    const reverted = blocks
      .flatMap((block) => [...block.txs, ...provider.invents].filter((tx) => isRevertedBy(provider, tx)))
      .flatMap((tx) => tx.movements.map((movement) => revertedOf(tx.hash, movement)));
    return { transfers, reverted, covered: refOf(covered), provider: provider.name };
  }

  /** One provider's report; the rule that decides is the real one. */
  function report(provider: FakeProvider, transfer: Transfer, isTagged: boolean): Report {
    const { name } = provider;
    const { number, safe, finalized } = headOf(provider.view, tags);
    const head = isTagged ? { number, safe, finalized } : { number, safe: NOT_ASKED, finalized: NOT_ASKED };
    if (provider.invents.some((tx) => tx.hash === transfer.txHash))
      return { type: 'stands', provider: name, head, transfer };
    const found = find(provider.view, transfer.txHash);
    if (!found) {
      return provider.view.length > Number(transfer.block.number)
        ? { type: 'gone', provider: name, details: `${name} does not have it` }
        : { type: 'not_yet', provider: name, details: `${name} is behind`, head };
    }
    const here = changedBy(provider, toTransfers(network, found.tx, found.block)).find((one) => isSame(one, transfer));
    if (!here) return { type: 'gone', provider: name, details: `${name} has another one` };
    const shown = new Set(here.carried.map((reference) => Buffer.from(reference).toString('hex')));
    if (transfer.carried.some((reference) => !shown.has(Buffer.from(reference).toString('hex'))))
      return { type: 'differs', provider: name, details: `${name} has another reference` };
    return { type: 'stands', provider: name, head, transfer: here };
  }

  const family: ChainAdapter = {
    maxLag: 3n,
    usualBlockMs: blockSeconds * 1000,
    log: QUIET,
    readHead: async ({ name }, asked) => {
      const { safe, finalized, ...head } = headOf(ask(name).view, tags);
      return asked.tags ? { ...head, safe, finalized } : head;
    },
    readNewest: async ({ name }) => BigInt(ask(name).view.length - 1),
    findBlock: async ({ name }, number) => {
      const block = ask(name).view[Number(number)];
      return block && refOf(block);
    },
    read: async ({ name }, { after, until, watching }) => read(ask(name), after, until, watching),
    report: async ({ name }, { transfer, tags: asked }) => report(ask(name), transfer, asked),
    toTxHash: (text) => (/^0x[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : undefined),
    findTransaction: async ({ name }, txHash, watching) => {
      const provider = ask(name);
      const { invents, view } = provider;
      const invented = invents.find((tx) => tx.hash === txHash);
      const found = invented ? { tx: invented, block: view.at(-1) as Block } : find(view, txHash);
      const meant = found?.tx.movements.filter((movement) => watching.addresses.has(movement.to)) ?? [];
      const transfers = found && shownBy(provider, toTransfers(network, found.tx, found.block));
      const here = transfers?.filter(({ to }) => watching.addresses.has(to)) ?? [];
      return (
        found && {
          transfers: here,
          reverted: isRevertedBy(provider, found.tx) ? meant.map((movement) => revertedOf(txHash, movement)) : null,
          // A liar dates one that moved nothing back, so that it is final.
          ...(here.length === 0 && { emptyIn: BigInt(invented ? 0 : found.block.number) }),
        }
      );
    },
  };

  /** One process's state about its providers. */
  function start(): Omit<Chain, 'network'> {
    const pool = createProviders(
      providers.map(({ name }) => name),
      {
        pin: { method: 'none', expected: '', parse: String },
        nowMs,
        ...(pauseMs && { pauseMs }),
        open: (name) => connectionTo(providers.find((one) => one.name === name) as FakeProvider),
      },
      QUIET,
    );
    return {
      ...createRpcChain(pool, family, { nowMs }),
      async blockAt(time, start) {
        const find = async ({ name }: { name: string }) => {
          const { view, changes } = ask(name);
          const late = changes?.field === 'start' ? view.at(-1) : undefined;
          return {
            block: refOf(late ?? view.findLast((block) => block.time <= time) ?? (view[0] as Block)),
            reached: true,
          };
        };
        const search = { time, start, usualBlockMs: blockSeconds * 1000, nowMs: nowMs() };
        return (await earliestBlockAt(pool, find, search)).block;
      },
    };
  }

  let process = start();
  const fake: FakeChain = {
    chain: {
      network,
      head: (...args) => process.head(...args),
      block: (...args) => process.block(...args),
      isHeldByMost: (...args) => process.isHeldByMost(...args),
      blockAt: (...args) => process.blockAt(...args),
      read: (...args) => process.read(...args),
      check: (...args) => process.check(...args),
      transaction: (...args) => process.transaction(...args),
      // Every wallet is a plain key: it may reserve exact amounts without a proof.
      accountKindOf: async () => null,
      replacements: (...args) => process.replacements(...args),
      probe: () => process.probe(),
      health: () => process.health(),
      close: async () => {},
    },
    providers,
    widestWindow,
    sync() {
      for (const provider of providers) lookAt(provider, ledger, now());
    },
    restart() {
      process = start();
    },
  };
  return fake;
}

function revertedOf(txHash: string, { from, to, amountUnits, carried }: Movement): RevertedPayment {
  return { txHash, from, to, amountUnits, carried };
}

function headOf(view: readonly Block[], tags: Tags): Head {
  const block = view.at(-1) as Block;
  const tag = (depth: number) => BigInt(Math.max(0, block.number - depth));
  return { ...refOf(block), safe: tag(tags.safe), finalized: tag(tags.finalized) };
}

function refOf({ number, hash, time }: Block): BlockRef {
  return { number: BigInt(number), hash, time };
}

function toTransfers(network: ReceiveNetwork, tx: Tx, block: Block): Transfer[] {
  return tx.reverted ? [] : tx.movements.map((movement) => toTransfer(network, tx, movement, block));
}

function isRevertedBy({ changes }: FakeProvider, tx: Tx): boolean {
  return tx.reverted || (changes?.field === 'reverted' && !changes.onlyReports && isChanged(changes, tx.hash));
}

export function isChanged({ digits }: Change, txHash = ''): boolean {
  const digit = txHash.replace(/^0x/, '')[0];
  return digit !== undefined && digits.includes(digit);
}

/** The transfers of one transaction as this provider shows them to who reads it. */
function shownBy(provider: FakeProvider, transfers: readonly Transfer[]): Transfer[] {
  return provider.changes?.onlyReports ? [...transfers] : changedBy(provider, transfers);
}

function changedBy({ changes }: FakeProvider, transfers: readonly Transfer[]): Transfer[] {
  if (!changes || !isChanged(changes, transfers[0]?.txHash)) return [...transfers];
  const { field } = changes;
  switch (field) {
    case 'asset':
      return transfers.map((one) => ({ ...one, asset: anotherAsset(one) }));
    case 'amount':
      return transfers.map((one) => ({ ...one, amountUnits: one.amountUnits + 4_000_000n }));
    case 'from':
      return transfers.map((one) => ({ ...one, from: ELSEWHERE }));
    case 'to':
      return transfers.map((one) => ({ ...one, to: ELSEWHERE }));
    case 'earlier':
    case 'block':
      return transfers.map((one) => ({ ...one, block: earlier(one.block, field === 'block') }));
    case 'later':
    case 'future':
      return transfers.map(({ block, ...one }) => ({
        ...one,
        block: { ...block, time: later(block.time, LATER_MS[field]) },
      }));
    case 'reference':
      return transfers.map((one) => ({ ...one, carried: [] }));
    case 'nonce':
      return transfers.map((one) => ({ ...one, carried: one.carried.map(anotherNonce) }));
    case 'index':
      return transfers.map((one, at) => ({ ...one, index: transfers[transfers.length - 1 - at]?.index ?? 0 }));
    case 'out':
    case 'reverted':
      return [];
    case 'start':
    case 'again':
      return [...transfers];
  }
}

/** The transactions up to a block that this provider shows once more in newer ones. */
function shownAgain({ changes, view }: FakeProvider, upTo: number): Tx[] {
  if (changes?.field !== 'again' || changes.onlyReports) return [];
  const recent = view.slice(Math.max(0, upTo - SHOWN_AGAIN), upTo + 1).flatMap(({ txs }) => txs);
  return recent.filter(({ hash }) => isChanged(changes, hash));
}

/** Another one that readers know on that network. */
function anotherAsset({ network, asset }: Transfer): Transfer['asset'] {
  if (asset !== 'USDC') return 'USDC';
  return network === 'ethereum' ? 'USDT' : 'ETH';
}

/** Only an authorization's nonce is so long. */
function anotherNonce(mark: Uint8Array): Uint8Array {
  return mark.length === NONCE_BYTES ? mark.map((byte) => byte ^ 255) : mark;
}

function earlier({ number, hash, time }: BlockRef, isAnother: boolean): BlockRef {
  return { number, hash: isAnother ? ELSEWHERE + hash.slice(-24) : hash, time: later(time, -10 * MINUTE_MS) };
}

export function toTransfer(
  network: ReceiveNetwork,
  tx: Tx,
  { index, asset, from, to, amountUnits, carried, unproven }: Movement,
  block: Block,
): Transfer {
  return {
    network,
    txHash: tx.hash,
    index,
    asset,
    from,
    to,
    amountUnits,
    carried,
    ...(unproven && { unproven }),
    block: refOf(block),
  };
}

function isSame(one: Transfer, other: Transfer): boolean {
  return (
    one.index === other.index &&
    one.asset === other.asset &&
    one.from === other.from &&
    one.to === other.to &&
    one.amountUnits === other.amountUnits
  );
}

function find(view: readonly Block[], hash: string): { tx: Tx; block: Block } | undefined {
  for (let at = view.length - 1; at >= 0; at -= 1) {
    const block = view[at] as Block;
    const tx = block.txs.find((one) => one.hash === hash);
    if (tx) return { tx, block };
  }
  return undefined;
}
