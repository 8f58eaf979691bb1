import { setTimeout as pause } from 'node:timers/promises';
import { RECEIVE_NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Job } from '../../job.ts';
import type { Transfer } from '../../outside/chains/chain.ts';
import { DAY_MS, later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import { EARLY_TOLERANCE_MS } from '../../settlement/records/amounts.ts';
import { coverage } from '../../settlement/reading/coverage.ts';
import { findPaymentById } from '../../settlement/records/payment-store.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { findTransfersByHash, findTransfersOf } from '../../settlement/records/transfer-store.ts';
import { hasQueued } from '../../settlement/records/transfer-queue-store.ts';
import { finalBlock, finalityRule, LARGE_USD_MINOR } from '../../settlement/verification/finality.ts';
import { isProof, mayMoveMoney } from './proof.ts';
import { send, unseal } from './send.ts';
import { endCredential, noteValidBefore, type StoredCredential, takeDueCredentials } from './store.ts';

const EVERY_MS = 5 * SECOND_MS;
/** The time of one turn. A network that takes longer continues beside the next turns. */
const TURN_MS = 5 * SECOND_MS;
const MAX_PER_LANE = 16;
const MAX_AT_ONCE = 4;
const MIN_PAUSE_MS = 15 * SECOND_MS;
const MAX_PAUSE_MS = 10 * MINUTE_MS;
/** After this many looks a credential has been open for ten minutes. */
const MAX_FREQUENT_LOOKS = 40;
/** A credential without an end, such as a transaction that was never mined, becomes void this long after the checkout ends. */
const VOID_AFTER_END_MS = 2 * DAY_MS;
/** A hash that leads to no transfer becomes void after this time; it never prevented a payment. */
const HASH_LIFE_MS = 10 * MINUTE_MS;
const MAX_SENDS = 20;

interface Lane {
  network: ReceiveNetwork;
  livemode: boolean;
}

const LANES: readonly Lane[] = RECEIVE_NETWORKS.flatMap((network) =>
  [true, false].map((livemode) => ({ network, livemode })),
);

/** One lane's credentials in one turn. */
interface Turn {
  now: Date;
  /** Cached for the turn. */
  finalTime(): Promise<Date | undefined>;
}

/**
 * Ends credentials with an unknown outcome: settled once the payment is paid, void once no block can execute them any
 * more. Until then they are sent again, because the process that stored one may have stopped before it sent it. Each
 * network has its own lane, so that a hanging network, or made-up hashes on it, delay no other. So has its test mode, which
 * waits for sandboxes.
 */
export function machinePaymentsJob(): Job {
  const lanes = new Map<Lane, Promise<void>>();
  return {
    name: 'machine payments',
    everyMs: EVERY_MS,
    async run(ctx, signal) {
      const now = await ctx.db.now();
      const due = await takeDueCredentials(ctx.db, now, {
        lanes: LANES.filter((lane) => !lanes.has(lane)),
        again: later(now, MIN_PAUSE_MS),
        rarely: later(now, MAX_PAUSE_MS),
        often: MAX_FREQUENT_LOOKS,
        limit: MAX_PER_LANE,
      });
      const byLane = Map.groupBy(due, (one) => LANES.find(isOf(one)) as Lane);
      for (const [lane, own] of byLane) {
        const resolving = resolveLane(ctx, lane.network, own, { now, signal }).finally(() => lanes.delete(lane));
        lanes.set(lane, resolving);
      }
      await endOrTimeout([...byLane.keys()].map((lane) => lanes.get(lane)));
      const hasMore = [...byLane].some(([lane, own]) => own.length === MAX_PER_LANE && !lanes.has(lane));
      return hasMore ? 'more' : 'idle';
    },
    async finish() {
      await Promise.all(lanes.values());
    },
  };
}

function isOf({ network, livemode }: Lane): (lane: Lane) => boolean {
  return (lane) => lane.network === network && lane.livemode === livemode;
}

async function endOrTimeout(lanes: readonly (Promise<void> | undefined)[]): Promise<void> {
  const over = new AbortController();
  await Promise.race([Promise.all(lanes), pause(TURN_MS, undefined, { signal: over.signal }).catch(() => {})]);
  over.abort();
}

async function resolveLane(
  ctx: Context,
  network: ReceiveNetwork,
  credentials: readonly StoredCredential[],
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<void> {
  let finalTime: Promise<Date | undefined> | undefined;
  const turn: Turn = { now, finalTime: () => (finalTime ??= finalTimeOf(ctx, network)) };
  // Credentials that may move money come first, because anyone can make up a hash.
  const line = credentials.toSorted((one, other) => Number(isProof(other)) - Number(isProof(one)));
  const work = async () => {
    for (let one = line.shift(); one && !signal.aborted; one = line.shift()) await resolveOne(ctx, one, turn);
  };
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, work));
}

async function resolveOne(ctx: Context, credential: StoredCredential, turn: Turn): Promise<void> {
  try {
    const payment = await findPaymentById(ctx.db, credential.paymentId);
    if (payment) await resolve(ctx, credential, payment, turn);
  } catch (error) {
    ctx.log.warn({ err: error, credentialId: credential.id }, 'credential not resolved yet');
  }
}

async function resolve(ctx: Context, credential: StoredCredential, payment: Payment, turn: Turn): Promise<void> {
  const { now } = turn;
  if (payment.status === 'paid' || payment.status === 'refunded')
    return endCredential(ctx.db, credential.id, 'settled', now);
  if (later(payment.expiresAt, VOID_AFTER_END_MS) < now) return endCredential(ctx.db, credential.id, 'void', now);
  if (credential.livemode && (await isVoid(ctx, credential, payment, turn))) {
    await endCredential(ctx.db, credential.id, 'void', now);
    ctx.log.info({ credentialId: credential.id, paymentId: payment.id }, 'credential void: no block can carry it out');
    ctx.db.notify('payments', payment.id);
    return;
  }
  // No block executes it after its end.
  if (credential.livemode && credential.validBefore && credential.validBefore <= now) return;
  const sendable = unseal(ctx, credential);
  if (sendable && credential.attempts <= MAX_SENDS) await send(ctx, credential, sendable);
}

/**
 * Whether a credential can never move money any more: its end has passed in a final block, everything up to that block
 * has been read (`coverage`), and no transfer of it was found. A used authorization waits until its transfer is read.
 */
async function isVoid(ctx: Context, credential: StoredCredential, payment: Payment, turn: Turn): Promise<boolean> {
  const { now } = turn;
  const { network, createdAt } = credential;
  const end = mayMoveMoney(credential) ? await endOf(ctx, credential, now) : later(createdAt, HASH_LIFE_MS);
  if (end === null || end >= now) return false;
  const finalTime = await turn.finalTime();
  const covered = (await coverage(ctx, ctx.db)).get(network);
  if (!finalTime || !covered || finalTime <= end || covered <= end) return false;
  if (await hasQueued(ctx.db, { network, address: payment.receiveAddress }, { until: now, now })) return false;
  return !(await mayHavePaid(ctx, credential, payment));
}

/**
 * Whether a credential moved money or may have, even if another payment or none received it. A payer is never asked
 * again for money that arrived. Other transfers of the payment do not count.
 */
async function mayHavePaid(ctx: Context, credential: StoredCredential, payment: Payment): Promise<boolean> {
  const { protocol, livemode, network, token, payer, nonce, txHash } = credential;
  const chain = ctx.chains.get(network);
  if (token && payer && nonce)
    return (await chain?.signed?.isUsed(token, payer, `0x${nonce.toString('hex')}`)) !== false;
  // The hash of a facilitator's transaction is known only from the facilitator's response.
  if (protocol === 'x402' && (await hasTransferFrom(ctx, credential))) return true;
  if (txHash === null) return false;
  const found = await findTransfersByHash(ctx.db, livemode, network, txHash);
  const here = found.filter((one) => one.status !== 'dropped' && one.to === payment.receiveAddress);
  // A hash proves nothing. If its transfer belongs to another payment, it did not pay this one.
  if (!isProof(credential)) return here.some((one) => one.paymentId === null || one.paymentId === payment.id);
  // A facilitator may name any transaction. What it sent for the credential pays the wallet from the payer.
  const isIts = ({ from, to }: Transfer) => protocol === 'mpp' || (from === payer && to === payment.receiveAddress);
  if (here.some(isIts)) return true;
  const onChain = await chain?.transaction(txHash, { addresses: new Set([payment.receiveAddress]) });
  if (onChain === undefined || onChain.movedNothing) return false;
  return protocol === 'mpp' || onChain.transfers.some(isIts);
}

/** Whether the credential's payer has paid its payment since, by any transaction. */
async function hasTransferFrom(ctx: Context, { paymentId, payer, createdAt }: StoredCredential): Promise<boolean> {
  const since = later(createdAt, -EARLY_TOLERANCE_MS);
  const transfers = await findTransfersOf(ctx.db, [paymentId]);
  return transfers.some(({ from, block }) => from === payer && block.time >= since);
}

/** When a credential ends. A transaction on an EVM network ends once its nonce is used, by itself or by another. */
async function endOf(ctx: Context, credential: StoredCredential, now: Date): Promise<Date | null> {
  if (credential.validBefore) return credential.validBefore;
  const { network, payer, accountNonce } = credential;
  if (payer === null || accountNonce === null) return null;
  if (!(await ctx.chains.get(network)?.signed?.isNonceSpent(payer, accountNonce))) return null;
  await noteValidBefore(ctx.db, credential.id, now);
  return now;
}

/** The time of the newest block that is final for any amount, by the pass that is further behind. */
async function finalTimeOf(ctx: Context, network: ReceiveNetwork): Promise<Date | undefined> {
  const chain = ctx.chains.get(network);
  if (!chain) return undefined;
  const rule = finalityRule(network, LARGE_USD_MINOR, ctx.config.networks[network].confirmations);
  const number = finalBlock(rule, await chain.head('first'));
  if (number < 0n) return undefined;
  const blocks = await Promise.all([chain.block(number, 'first'), chain.block(number, 'second')]);
  const times = blocks.map((block) => block?.time.getTime());
  return times.includes(undefined) ? undefined : new Date(Math.min(...(times as number[])));
}
