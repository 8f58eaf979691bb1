import type { AssetSymbol, ReceiveNetwork } from '@quittance/contract';
import { later } from '../../../src/platform/time.ts';
import type { Random } from './random.ts';

/** One transfer inside a transaction. */
export interface Movement {
  index: number;
  asset: AssetSymbol;
  from: string;
  to: string;
  amountUnits: bigint;
  carried: Uint8Array[];
  /** References in the transaction that anyone may have written. */
  unproven?: Uint8Array[];
  /** The session it was sent for, or null. */
  meantFor: string | null;
}

export interface Tx {
  hash: string;
  movements: readonly Movement[];
  reverted: boolean;
  /** The result depends on the state, so the same transaction may move something else on another branch. */
  contract: boolean;
}

export interface Block {
  number: number;
  hash: string;
  time: Date;
  txs: readonly Tx[];
}

/** The truth of one network: a chain of blocks that can be replaced from a given depth on. */
export interface Ledger {
  readonly network: ReceiveNetwork;
  readonly blocks: readonly Block[];
  /** Changes with every block and every reorg. */
  readonly version: number;
  /** The highest block that ever existed. */
  readonly highest: number;
  send(tx: Tx): void;
  /** Mines blocks until this instant. */
  mineUntil(time: Date): void;
  /** Replaces the newest blocks. Their transactions stay, move, wait again, change or disappear. */
  reorg(depth: number): void;
  /**
   * Replaces the newest blocks by empty ones, with these transactions in the first of them. With `shorter`, by that
   * many fewer.
   */
  replace(depth: number, txs: readonly Tx[], shorter?: number): void;
  /** Whether it is on the chain or pending. */
  knows(hash: string): boolean;
  find(hash: string): { tx: Tx; block: Block } | undefined;
}

const BLOCKS_AT_ONCE = 40;

export function createLedger(
  network: ReceiveNetwork,
  random: Random,
  { begin, blockSeconds, inclusion = 1 }: { begin: Date; blockSeconds: number; inclusion?: number },
): Ledger {
  let blocks: Block[] = [{ number: 0, hash: random.hex(32), time: begin, txs: [] }];
  let mempool: Tx[] = [];
  let version = 0;
  let highest = 0;
  let index = { version: -1, places: new Map<string, { tx: Tx; block: Block }>() };
  const head = () => blocks.at(-1) as Block;
  const add = (time: Date, txs: Tx[]) => {
    highest = Math.max(highest, blocks.length);
    blocks.push({ number: blocks.length, hash: random.hex(32), time, txs });
    version += 1;
  };

  const ledger: Ledger = {
    network,
    get blocks() {
      return blocks;
    },
    get version() {
      return version;
    },
    get highest() {
      return highest;
    },
    send: (tx) => void mempool.push(tx),
    mineUntil(time) {
      // A long wait has few blocks; other tests cover many blocks.
      const seconds = Math.max(
        blockSeconds,
        Math.floor((time.getTime() - head().time.getTime()) / 1000 / BLOCKS_AT_ONCE),
      );
      for (let next = later(head().time, seconds * 1000); next <= time; next = later(next, seconds * 1000)) {
        const taken = mempool.filter(() => random.chance(inclusion));
        mempool = mempool.filter((tx) => !taken.includes(tx));
        add(next, taken);
      }
    },
    reorg(depth) {
      const orphans = blocks.slice(-depth);
      blocks = blocks.slice(0, -depth);
      let moved: Tx[] = [];
      for (const orphan of orphans) {
        const here: Tx[] = moved;
        moved = [];
        for (const tx of orphan.txs) {
          const fate = random.next();
          if (fate < 0.45) here.push(tx);
          else if (fate < 0.65) moved.push(tx);
          else if (fate < 0.75) mempool.push(tx);
          else if (fate < 0.85 && tx.contract) here.push(changed(tx, random));
          else if (fate < 0.92) here.push(replaced(tx, random));
          // The rest has disappeared.
        }
        add(orphan.time, here);
      }
      mempool.push(...moved);
      // Now and then the new branch is shorter at first, so that the head goes back.
      for (let shorter = 1; shorter < depth && random.chance(0.15); shorter += 1)
        mempool.push(...(blocks.pop() as Block).txs);
      version += 1;
    },
    replace(depth, txs, shorter = 0) {
      const orphans = blocks.slice(-depth);
      blocks = blocks.slice(0, -depth);
      for (const [at, orphan] of orphans.slice(0, depth - shorter).entries())
        add(orphan.time, at === 0 ? [...txs] : []);
    },
    knows: (hash) => mempool.some((tx) => tx.hash === hash) || ledger.find(hash) !== undefined,
    find(hash) {
      if (index.version !== version)
        index = {
          version,
          places: new Map(blocks.flatMap((block) => block.txs.map((tx) => [tx.hash, { tx, block }] as const))),
        };
      return index.places.get(hash);
    },
  };
  return ledger;
}

/** The same transaction with another result. */
function changed(tx: Tx, random: Random): Tx {
  const how = random.next();
  if (how < 0.3) return { ...tx, reverted: true };
  return {
    ...tx,
    movements: tx.movements.map((movement) => ({
      ...movement,
      amountUnits: how < 0.6 ? movement.amountUnits * 3n + 7n : movement.amountUnits / 2n,
    })),
  };
}

/** A replacement transaction with the same transfer, as wallets send when they raise the fee. */
function replaced(tx: Tx, random: Random): Tx {
  return { ...tx, hash: random.hex(32) };
}
