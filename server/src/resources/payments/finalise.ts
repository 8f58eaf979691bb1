import type { Context } from '../../context.ts';
import type { Chain, Head, Verdict, Watching } from '../../outside/chains/chain.ts';
import { MINUTE_MS } from '../../platform/time.ts';
import { receive } from '../transfers/receive.ts';
import { addEvidence, findTransfersOf, findUnfinal, type StoredTransfer } from '../transfers/store.ts';
import { coverage } from './coverage.ts';
import { confirmations, finalityRule, isFinal, transferWorthUsdMinor, worthUsdMinor, type FinalityRule } from './finality.ts';
import { dropTransfer, settleTransfer } from './settle.ts';
import { isAloneForLong, reserveSingleProvider, SINGLE_PROVIDER_LIMIT_USD_MINOR } from './single-provider.ts';
import { lockPayments } from './store.ts';
import { watchSettled } from './watch-settled.ts';

const TRANSFERS_AT_ONCE = 500;
const CHECKS_AT_ONCE = 8;
const ALARM_AFTER_MS = 2 * MINUTE_MS;
const WAITING_ALARM_AFTER_MS = 10 * MINUTE_MS;

/**
 * Looks again at what was seen and should be final by now: what stands counts, what has vanished is dropped, what
 * providers contradict each other about is held. After a reorganisation everything above `forkedAt` is looked at.
 */
export async function finalise(ctx: Context, chain: Chain, head: Head, watching: Watching, forkedAt: bigint | null): Promise<void> {
  await watchSettled(ctx, chain, watching, head, forkedAt !== null);
  for (let after: StoredTransfer | undefined; ;) {
    const seen = await findUnfinal(ctx.db, true, chain.network, head.number, { contradicted: false, after, limit: TRANSFERS_AT_ONCE });
    await lookAgain(ctx, chain, head, watching, forkedAt, seen);
    after = seen.at(-1);
    if (seen.length < TRANSFERS_AT_ONCE) break;
  }
  // Of what is contradicted only so many: a provider that lies could make any number of them.
  const contradicted = await findUnfinal(ctx.db, true, chain.network, head.number, { contradicted: true, after: undefined, limit: TRANSFERS_AT_ONCE });
  await lookAgain(ctx, chain, head, watching, forkedAt, contradicted);
}

async function lookAgain(ctx: Context, chain: Chain, head: Head, watching: Watching, forkedAt: bigint | null, seen: readonly StoredTransfer[]): Promise<void> {
  const rules = await rulesFor(ctx, chain, seen);
  const ripe = seen.filter((transfer) => isFinal(ruleOf(rules, transfer), transfer.block.number, head) || (forkedAt !== null && transfer.block.number > forkedAt));
  for (let start = 0; start < ripe.length; start += CHECKS_AT_ONCE) {
    const some = ripe.slice(start, start + CHECKS_AT_ONCE);
    const verdicts = await Promise.allSettled(some.map((transfer) => chain.check(transfer, withAddress(watching, transfer.to))));
    // Asked at once, but applied in the order of their blocks: what came in time must count before what came late.
    for (const [place, transfer] of some.entries()) {
      try {
        const verdict = verdicts[place];
        if (verdict?.status !== 'fulfilled') throw verdict?.reason;
        if (verdict.value.type === 'stands' && await mustWait(ctx, transfer, verdict.value.transfer.block.time, rules.expiresAt.get(transfer.id))) continue;
        await applyVerdict(ctx, chain, transfer, verdict.value, ruleOf(rules, transfer), rules.worth.get(transfer.id) ?? 0n);
      } catch (error) {
        ctx.log.warn({ err: error, transferId: transfer.id, network: chain.network }, 'a transfer could not be looked at again yet');
      }
    }
  }
}

/**
 * Late money is not judged before everything that could have come in time has been read, by both passes, and is final:
 * it would turn a payment that was paid in time into a late one.
 */
async function mustWait(ctx: Context, transfer: StoredTransfer, blockTime: Date, expiresAt: Date | undefined): Promise<boolean> {
  if (!transfer.paymentId || !expiresAt || blockTime <= expiresAt) return false;
  const covered = (await coverage(ctx, ctx.db)).get(transfer.network);
  if (!covered || covered <= expiresAt) return true;
  const others = await findTransfersOf(ctx.db, [transfer.paymentId]);
  return others.some((other) => other.status === 'seen' && other.block.time <= expiresAt);
}

/** What a look at a seen transfer brought. */
async function applyVerdict(ctx: Context, chain: Chain, transfer: StoredTransfer, verdict: Verdict, rule: FinalityRule, worth: bigint): Promise<void> {
  switch (verdict.type) {
    case 'stands':
      return applyStanding(ctx, chain, transfer, verdict, rule, worth);
    case 'gone': {
      // Its transaction may have come back and move something else, in blocks that have been read already.
      // The providers have just decided against this block: one that insists on it must not bring the transfer back.
      const instead = verdict.instead ?? (transfer.untraced ? [] : (await chain.transaction(transfer.txHash, { addresses: new Set([transfer.to]) }))?.transfers ?? [])
        .filter(({ block }) => block.hash !== transfer.block.hash);
      const now = await ctx.db.now();
      await ctx.db.transaction(async (db) => {
        await dropTransfer(ctx, db, transfer, { gone: now }, { created: now, recorded: now });
        await receive(ctx, db, transfer.livemode, instead, now);
      });
      return;
    }
    case 'disagree':
      return hold(ctx, chain, transfer, verdict.details);
    case 'wait':
    case 'unknown':
      return waitFor(ctx, chain, transfer, verdict.details);
  }
}

/** Near the head providers may be on two branches for a moment; only what lasts is worth waking somebody. */
async function hold(ctx: Context, chain: Chain, transfer: StoredTransfer, details: string): Promise<void> {
  const now = await ctx.db.now();
  const known = transfer.evidence.contradictedSince;
  const since = typeof known === 'string' ? new Date(known) : now;
  if (since === now) await addEvidence(ctx.db, transfer.id, { contradictedSince: now });
  const about = { transferId: transfer.id, network: chain.network, txHash: transfer.txHash, details };
  if (now.getTime() - since.getTime() < ALARM_AFTER_MS) ctx.log.warn(about, 'providers contradict each other; the payment is held');
  else ctx.log.error({ ...about, alarm: 'providers_disagree' }, 'providers go on contradicting each other; the payment is held');
}

async function applyStanding(ctx: Context, chain: Chain, transfer: StoredTransfer, verdict: Extract<Verdict, { type: 'stands' }>, rule: FinalityRule, worth: bigint): Promise<void> {
  const block = verdict.transfer.block;
  const standing = { ...transfer, block };
  const now = await ctx.db.now();
  if (block.hash !== transfer.block.hash) await ctx.db.transaction((db) => receive(ctx, db, transfer.livemode, [verdict.transfer], now));
  if (!isFinal(rule, block.number, verdict.head)) return;

  const evidence = {
    txHash: transfer.txHash,
    index: transfer.index,
    block: { number: block.number, hash: block.hash, time: block.time },
    confirmations: confirmations(block.number, verdict.head.number),
    finality: rule,
    providers: verdict.providers,
  };
  const at = { created: now, recorded: now };
  if (verdict.alone === null) {
    await ctx.db.transaction((db) => settleTransfer(ctx, db, standing, evidence, at));
    return;
  }

  const details = `only ${verdict.providers.join(', ')} could be asked`;
  // A transfer that another provider has contradicted needs that provider's agreement, however long it is unreachable.
  if (transfer.evidence.contradictedSince) return waitFor(ctx, chain, transfer, details);
  if (worth >= SINGLE_PROVIDER_LIMIT_USD_MINOR || !isAloneForLong(verdict)) return waitFor(ctx, chain, transfer, details);
  const isSettled = await ctx.db.transaction(async (db) => {
    const singleProvider = await reserveSingleProvider(ctx, db, chain.network, transfer.id, worth, verdict, now);
    if (singleProvider) await settleTransfer(ctx, db, standing, { ...evidence, singleProvider }, at);
    return singleProvider !== undefined;
  });
  if (!isSettled) await waitFor(ctx, chain, transfer, `${details}, and the cap of ${ctx.config.singleProviderUsdPerHour} USD an hour is reached`);
}

/** Notes since when a transfer waits for its providers, and raises one alarm where that lasts. */
async function waitFor(ctx: Context, chain: Chain, transfer: StoredTransfer, details: string): Promise<void> {
  const now = await ctx.db.now();
  const { waitingSince, waitingAlarm } = transfer.evidence;
  const about = { transferId: transfer.id, network: chain.network, txHash: transfer.txHash, details };
  if (typeof waitingSince !== 'string') await addEvidence(ctx.db, transfer.id, { waitingSince: now });
  else if (!waitingAlarm && now.getTime() - new Date(waitingSince).getTime() >= WAITING_ALARM_AFTER_MS) {
    await addEvidence(ctx.db, transfer.id, { waitingAlarm: now });
    ctx.log.error({ ...about, alarm: 'verification_waits' }, 'transfer not settled: too few providers have verified it for ten minutes');
    return;
  }
  ctx.log.info(about, 'transfer not settled yet: too few providers have verified it');
}

interface Rules {
  rule: Map<string, FinalityRule>;
  worth: Map<string, bigint>;
  /** When the transfer's payment ends. */
  expiresAt: Map<string, Date>;
}

/** How final each must be: by its own worth, or its payment's where that is more. */
async function rulesFor(ctx: Context, chain: Chain, transfers: readonly StoredTransfer[]): Promise<Rules> {
  const ids = [...new Set(transfers.flatMap((transfer) => transfer.paymentId ?? []))];
  const payments = await ctx.db.transaction((db) => lockPayments(db, ids));
  const override = ctx.config.networks[chain.network].confirmations;
  const rules: Rules = { rule: new Map(), worth: new Map(), expiresAt: new Map() };
  for (const transfer of transfers) {
    const payment = transfer.paymentId ? payments.get(transfer.paymentId) : undefined;
    const isStable = transfer.asset === 'USDC' || transfer.asset === 'USDT';
    const asked = payment ? worthUsdMinor(payment.amountMinor, payment.currency) : 0n;
    const sent = isStable || !payment ? transferWorthUsdMinor(transfer.asset, transfer.amountUnits) : 0n;
    const worth = asked > sent ? asked : sent;
    rules.worth.set(transfer.id, worth);
    if (payment) rules.expiresAt.set(transfer.id, payment.expiresAt);
    rules.rule.set(transfer.id, finalityRule(chain.network, worth, override));
  }
  return rules;
}

function ruleOf(rules: Rules, transfer: StoredTransfer): FinalityRule {
  return rules.rule.get(transfer.id) ?? { type: 'finalized', otherwise: 100_000 };
}

function withAddress(watching: Watching, address: string): Watching {
  return watching.addresses.has(address) ? watching : { addresses: new Set([...watching.addresses, address]) };
}
