import { setImmediate } from 'node:timers/promises';
import {
  type Chain,
  createAnswerCache,
  type Transfer,
  type Verdict,
  type Watching,
} from '../../outside/chains/chain.ts';
import { versionsOf } from '../records/contested.ts';
import type { StoredTransfer } from '../records/transfer-store.ts';
import { type FinalityRule, isFinal } from './finality.ts';
import {
  giveBack,
  type Spending,
  takeSome,
  takeTurns,
  type TurnItem,
  type TurnPosition,
  type Waiting,
} from './turn.ts';

const CHECKS_AT_ONCE = 8;
/**
 * For how long verdicts are still applied after the end of a turn. The items of slow providers have used up the turn
 * before their first verdict, and still advance together.
 */
export const MAX_OVERTIME_MS = 1_000;

/** The limits of a turn, the position where it begins, and what accounts and addresses have spent. */
export interface Turn {
  maxItems: number;
  deadlineMs: number;
  position: TurnPosition;
  spending: Spending;
}

/** The work of a turn on its items. */
export interface TurnWork<T> {
  /** The verdicts on the transfers of an item, in their order. */
  check(item: TurnItem<T>): Promise<Verdict[]>;
  apply(one: T, verdict: Verdict): Promise<void>;
  /** A check or a verdict of this transfer failed. It is tried again in a later turn. */
  failed(one: T, error: unknown): Promise<void>;
}

/**
 * Checks items in round robin, some in parallel, and applies the verdicts in the given order: in-time money before late
 * money. Ends when nothing is left or the turn is over. Returns the number of transfers that were served.
 */
export async function runTurn<T extends Waiting>(
  due: readonly T[],
  { maxItems, deadlineMs, position, spending }: Turn,
  work: TurnWork<T>,
): Promise<number> {
  const items = takeTurns(due, position, spending);
  let served = 0;
  for (let left = maxItems; left > 0 && performance.now() < deadlineMs; left -= CHECKS_AT_ONCE) {
    const before = { ...position, addresses: new Map(position.addresses) };
    const some = takeSome(items, Math.min(left, CHECKS_AT_ONCE));
    if (some.length === 0) break;
    const applied = await applyTogether(some, { deadlineMs, spending }, work);
    served += some.slice(0, applied).reduce((sum, { transfers }) => sum + transfers.length, 0);
    if (applied < some.length) {
      giveBack(position, before, some, applied);
      break;
    }
  }
  return served;
}

/**
 * Checks some items in parallel. The verdicts of an item are applied as soon as they are there, so that a small item does
 * not wait for a large one after it. Returns the number of items that were applied before the turn was over.
 */
async function applyTogether<T>(
  items: readonly TurnItem<T>[],
  { deadlineMs, spending }: Pick<Turn, 'deadlineMs' | 'spending'>,
  work: TurnWork<T>,
): Promise<number> {
  // A failure is kept as a value until its item is reached.
  const checks = items.map((item) =>
    work.check(item).then(
      (verdicts) => ({ verdicts }),
      (error: unknown) => ({ error }),
    ),
  );
  let appliedMs = 0;
  for (const [place, { account, address, transfers }] of items.entries()) {
    const checked = await checks[place];
    if (performance.now() >= deadlineMs && appliedMs >= MAX_OVERTIME_MS) {
      await Promise.all(checks);
      return place;
    }
    const startedMs = performance.now();
    for (const [at, one] of transfers.entries()) {
      try {
        if (!checked || 'error' in checked) throw checked?.error;
        await work.apply(one, checked.verdicts[at] as Verdict);
      } catch (error) {
        await work.failed(one, error);
      }
    }
    const ms = performance.now() - startedMs;
    appliedMs += ms;
    spending.add(account, address, { calls: 0, ms });
  }
  return items.length;
}

/**
 * Transfers of one transaction are verified together, so that each provider is asked about it once. Only a rule that the
 * chain's own tags decide needs them, and without a rule any head is enough.
 */
export async function checkTransaction<T extends { transfer: StoredTransfer; rule?: FinalityRule }>(
  chain: Chain,
  watching: Watching,
  { account, address, transfers }: TurnItem<T>,
  spending: Spending,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const cache = createAnswerCache();
  const tags = transfers.some(({ rule }) => rule !== undefined && rule.type !== 'confirmations');
  const startedMs = performance.now();
  try {
    for (const { transfer, rule } of transfers) {
      verdicts.push(
        await checkVersions(versionsOf(transfer), (version) =>
          chain.check(version, withAddress(watching, version.to), cache, {
            tags,
            isEnough: (head) => !rule || isFinal(rule, version.block.number, head),
          }),
        ),
      );
    }
    return verdicts;
  } finally {
    spending.add(account, address, { calls: Math.max(1, cache.calls), ms: performance.now() - startedMs });
  }
}

/** The verdict on the first version that the quorum does not deny; if it denies them all, on the last one. */
async function checkVersions(
  versions: readonly Transfer[],
  check: (version: Transfer) => Promise<Verdict>,
): Promise<Verdict> {
  let denied: Verdict = { type: 'gone' };
  for (const version of versions) {
    const verdict = await check(version);
    // Cached answers come without a pause, and a receipt of thousands of logs takes milliseconds to parse.
    await setImmediate();
    if (verdict.type === 'stands' && versions.length > 1)
      return { ...verdict, transfer: { ...version, block: verdict.transfer.block } };
    const isDenied = verdict.type === 'gone' || (verdict.type === 'disagree' && verdict.isDenied === true);
    if (!isDenied) return verdict;
    denied = verdict;
  }
  return denied;
}

function withAddress(watching: Watching, address: string): Watching {
  if (watching.addresses.has(address)) return watching;
  return { ...watching, addresses: new Set([...watching.addresses, address]) };
}
