import type { Context } from '../../context.ts';
import {
  type AnswerCache,
  type Chain,
  createAnswerCache,
  type FoundTransaction,
  type Transfer,
  type VerdictHead,
} from '../../outside/chains/chain.ts';
import { DAY_MS, HOUR_MS, later } from '../../platform/time.ts';
import { findAddressOwner } from '../../settlement/records/address-owner-store.ts';
import { EARLY_TOLERANCE_MS } from '../../settlement/records/amounts.ts';
import { emptyReporterOf } from '../../settlement/records/contested.ts';
import {
  type FinalityRule,
  finalityRule,
  isFinal,
  transferWorthUsdMinor,
} from '../../settlement/verification/finality.ts';
import { isDisproved, isTooOldToArrive, type Mismatch, type Outgoing } from './outgoing.ts';
import { findUsedTransfers } from './store.ts';

/** Of one transaction to one address: each is asked about at every provider. */
export const MAX_TRANSFERS = 4;

/** What the chain says about a transaction that the merchant named, by the quorum of the providers. */
export type Finding =
  | { type: 'moved'; txHash: string; transferIndex: number; otherHashes?: string[] }
  | { type: 'mismatch'; mismatch: Mismatch; otherHashes?: string[] }
  | { type: 'reverted' | 'unknown' | 'wait' };

/**
 * What the looks of one turn on one network share. A provider that did not know a transaction when it was searched for is
 * asked again when it is checked: it may have the block by now, and must not seem to contradict itself.
 */
export interface LookCaches {
  found: AnswerCache;
  checked: AnswerCache;
}

export function createLookCaches(): LookCaches {
  return { found: createAnswerCache(), checked: createAnswerCache() };
}

/** Looks up every transaction that was named for it. `notBefore`: an older transfer moved something else. */
export async function lookUp(ctx: Context, one: Outgoing, notBefore: Date, caches: LookCaches): Promise<Finding> {
  const last = await lookUpOne(ctx, one, notBefore, caches);
  const all = [{ txHash: one.txHash, finding: last }];
  for (const txHash of one.otherHashes)
    all.push({ txHash, finding: await lookUpOne(ctx, { ...one, txHash }, notBefore, caches) });
  const moved = all.find(({ finding }) => finding.type === 'moved')?.finding;
  if (moved?.type === 'moved') {
    const mayHaveMoved = all.filter(({ txHash, finding: { type } }) => {
      const isDisproved = type === 'mismatch' || type === 'reverted';
      // Who sends elsewhere may have named a wrong one. A wallet that was asked may send as long as it likes.
      return txHash !== moved.txHash && !isDisproved && (type !== 'unknown' || one.wallet !== null);
    });
    return { ...moved, otherHashes: mayHaveMoved.flatMap(({ txHash }) => txHash ?? []) };
  }
  const isAny = (type: Finding['type']) => all.some(({ finding }) => finding.type === type);
  if (isAny('wait')) return { type: 'wait' };
  // Its amount is free only when none of them can be mined any more.
  if (last.type === 'reverted' && isAny('unknown')) return { type: 'unknown' };
  if (last.type !== 'mismatch') return last;
  const mayBeMined = all.filter(({ finding }) => finding.type === 'unknown');
  return { ...last, otherHashes: mayBeMined.flatMap(({ txHash }) => txHash ?? []) };
}

async function lookUpOne(ctx: Context, one: Outgoing, notBefore: Date, caches: LookCaches): Promise<Finding> {
  const { txHash, toAddress } = one;
  const chain = ctx.chains.get(one.network);
  if (!chain || txHash === null || toAddress === null) return { type: 'wait' };
  const found = await chain.transaction(txHash, { addresses: new Set([toAddress]) }, { cache: caches.found });
  if (!found) return { type: 'unknown' };
  const [first] = found.transfers;
  if (!first) return judgeEmpty(ctx, chain, one, found);

  const wanted = { one, txHash, notBefore, cache: caches.checked };
  const finding = await judge(ctx, chain, wanted, found.transfers);
  if (finding.type !== 'mismatch') return finding;
  // The provider that was asked may hide this transfer behind others. None has this index, so none is left out.
  return judge(ctx, chain, wanted, await chain.replacements({ ...first, index: -1 }, caches.checked));
}

/** Whether one of these transfers is the wanted one. */
async function judge(
  ctx: Context,
  chain: Chain,
  { one, txHash, notBefore, cache }: { one: Outgoing; txHash: string; notBefore: Date; cache: AnswerCache },
  transfers: readonly Transfer[],
): Promise<Finding> {
  const used = await findUsedTransfers(ctx.db, one);
  const mayBeIt = (transfer: Transfer) => isRight(one, notBefore, transfer) && !used.includes(transfer.index);
  const candidates = candidatesOf(one, transfers, used);
  const confirmed = await confirmTransfers(chain, candidates, {
    cache,
    isEnough: (transfer, head) => isSettled(ctx, transfer, head),
  });
  const settled = confirmed.filter(({ transfer, head }) => isSettled(ctx, transfer, head));
  for (const { transfer } of settled)
    if (mayBeIt(transfer) && !(await isOthers(ctx, one, transfer)))
      return { type: 'moved', txHash, transferIndex: transfer.index };
  const [other] = settled;
  // A provider that is late with one transfer may show the others. Until all that might be the right one is settled,
  // nothing is said to be wrong.
  const isOpen = candidates.filter(mayBeIt).length > settled.filter(({ transfer }) => mayBeIt(transfer)).length;
  if (!other || isOpen || confirmed.length > settled.length) return { type: 'wait' };
  const { asset, amountUnits, to } = other.transfer;
  return { type: 'mismatch', mismatch: { asset, amountUnits, to } };
}

/** Those that may be the right one come first, so that other transfers of one signature cannot crowd it out. */
function candidatesOf(
  { asset, amountUnits }: Outgoing,
  transfers: readonly Transfer[],
  used: readonly number[],
): Transfer[] {
  const isLikely = (one: Transfer) =>
    one.asset === asset && one.amountUnits === amountUnits && !used.includes(one.index);
  return [...transfers.filter(isLikely), ...transfers.filter((one) => !isLikely(one))].slice(0, MAX_TRANSFERS);
}

function isRight(wanted: Outgoing, notBefore: Date, { asset, amountUnits, to, block }: Transfer): boolean {
  return (
    asset === wanted.asset &&
    amountUnits === wanted.amountUnits &&
    to === wanted.toAddress &&
    block.time.getTime() >= notBefore.getTime() - EARLY_TOLERANCE_MS
  );
}

/** Whether another account has proved that the sending wallet is its own: what it sends does not count for this one. */
async function isOthers({ db }: Context, { accountId, livemode }: Outgoing, sent: Transfer): Promise<boolean> {
  if (sent.from === null) return false;
  const owner = await findAddressOwner(db, { livemode, network: sent.network, address: sent.from });
  return owner !== undefined && owner !== accountId;
}

/** Of one that reverted, or pays this address nothing. A reorg may change that, so it has to be as final as a transfer. */
async function judgeEmpty({ config }: Context, chain: Chain, one: Outgoing, found: FoundTransaction): Promise<Finding> {
  const { reverted, movedNothing, emptyIn } = found;
  if ((reverted && !movedNothing) || emptyIn === undefined) return { type: 'wait' };
  // One provider may say so of a transaction that is still pending, which no other one knows.
  if (!emptyReporterOf(chain, found).isConfirmed) return { type: reverted ? 'unknown' : 'wait' };
  if (!isFinal(ruleOf(config, one), emptyIn, await chain.head('first'))) return { type: 'wait' };
  return reverted ? { type: 'reverted' } : { type: 'mismatch', mismatch: { asset: null } };
}

function isSettled({ config }: Context, transfer: Transfer, head: ConfirmedTransfer['head']): boolean {
  return isFinal(ruleOf(config, transfer), transfer.block.number, head);
}

function ruleOf(config: Context['config'], moved: Pick<Transfer, 'network' | 'asset' | 'amountUnits'>): FinalityRule {
  return finalityRule(moved.network, transferWorthUsdMinor(moved), config.networks[moved.network].confirmations);
}

/** A transfer that the quorum of the providers confirms, and how far the chain is by their agreement. */
export interface ConfirmedTransfer {
  transfer: Transfer;
  head: VerdictHead;
}

/** The transfers of one transaction that the quorum of providers confirms, whichever provider showed them. */
export async function confirmTransfers(
  chain: Chain,
  transfers: readonly Transfer[],
  {
    cache = createAnswerCache(),
    isEnough = () => true,
  }: { cache?: AnswerCache; isEnough?: (transfer: Transfer, head: VerdictHead) => boolean } = {},
): Promise<ConfirmedTransfer[]> {
  const confirmed: ConfirmedTransfer[] = [];
  for (const transfer of transfers) {
    const verdict = await chain.check(transfer, { addresses: new Set([transfer.to]) }, cache, {
      tags: true,
      isEnough: (head) => isEnough(transfer, head),
    });
    if (verdict.type === 'stands' && !verdict.alone) confirmed.push({ transfer: verdict.transfer, head: verdict.head });
  }
  return confirmed;
}

/** The same after a look at the chain; undefined if nothing changes. */
export function afterFinding<One extends Outgoing>(one: One, finding: Finding, now: Date) {
  const over = { dueAt: null, mismatch: null };
  switch (finding.type) {
    case 'moved': {
      const { txHash, transferIndex, otherHashes = [] } = finding;
      return { ...one, ...over, status: 'final' as const, txHash, transferIndex, otherHashes, verified: true };
    }
    case 'reverted':
      return { ...one, ...over, status: 'failed' as const, failureReason: 'transaction_reverted' as const };
    case 'mismatch': {
      const { mismatch, otherHashes = [] } = finding;
      const found = { ...one, mismatch, otherHashes };
      // Otherwise only another transaction will change that, which is looked up at once when it is named.
      return { ...found, dueAt: later(now, isDisproved(found, now) ? DAY_MS : HOUR_MS) };
    }
    case 'unknown':
      return isTooOldToArrive(one, now)
        ? { ...one, ...over, status: 'failed' as const, failureReason: 'transaction_not_found' as const }
        : undefined;
    case 'wait':
      return undefined;
  }
}
