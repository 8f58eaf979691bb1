import type { AssetSymbol, EventType, FailureReason, Network, PaymentStatus, Route } from '@quittance/contract';
import { invariant } from '../../platform/errors.ts';
import type { Payment, Refund, Step } from '../records/payment.ts';

/** What a customer chose to pay with; the target that is funded in the end decides. */
export interface Choice {
  route: Route;
  payAsset: AssetSymbol;
  payNetwork: Network;
  serviceFeeMinor: bigint;
  expectedOutputUnits: bigint | null;
}

/** Money that reached the payout wallet, final. */
export interface Money {
  outputUnits: bigint;
  /** The transfer that completed the payment, and all that counted. */
  txHash: string | null;
  txHashes: string[];
}

/** What was seen, and when. What kind of money it was has been weighed before (`assess.ts`); here it only moves states. */
export type Observation = {
  at: Date;
  /** Kept beside the state that it leads to. */
  evidence?: Record<string, unknown>;
} & (
  | { type: 'payment_started'; choice: Choice }
  /** In full, final and in time. */
  | { type: 'funded'; money: Money; choice: Choice }
  | { type: 'funded_late'; money: Money; choice: Choice }
  | { type: 'rate_unknown'; money: Money; choice: Choice }
  /** The window closed with nothing, too little, a reverted transaction, or money that nobody can trace. */
  | { type: 'window_closed' }
  /** Also where the route that was under way has ended beside a direct part. */
  | { type: 'window_closed_short'; money: Money }
  | { type: 'window_closed_reverted' }
  | { type: 'window_closed_untraced'; money: Money }
  /** What a route provider reports; delivered, late and short only once the payout is final on the chain. */
  | { type: 'route_converting'; choice: Choice }
  | { type: 'route_delivering'; choice: Choice }
  | { type: 'route_delivered'; money: Money; choice: Choice }
  | { type: 'route_delivered_late'; money: Money; choice: Choice }
  /** Also a delivery in full whose price no longer held and that is worth too little by now. */
  | {
      type: 'route_short';
      money: Money;
      choice: Choice;
      reason: 'short_delivery' | 'underpaid' | 'rate_unknown';
    }
  | { type: 'route_returned' }
  | { type: 'route_stuck'; reason: FailureReason }
  | { type: 'route_dead'; reason: FailureReason }
  /** The merchant takes a short or late payment as it is. */
  | { type: 'accepted' }
  | { type: 'refund_recorded'; refund: Refund }
  /** The owner of the address took a transfer back: nothing is left of the payment's money, or a part. */
  | { type: 'money_released'; money: Money }
  | { type: 'money_released_in_part'; money: Money }
);

export type ObservationType = Observation['type'];

/** The states a payment walks through; `stays` where there is nothing left to do; `refused` where it may not happen. */
export type Walk = readonly PaymentStatus[] | 'stays' | 'refused';

const STATES = [
  'created',
  'pending',
  'routing',
  'settling',
  'paid',
  'failed',
  'expired',
  'refund_required',
  'refunded',
] as const;
type Row = readonly [Walk, Walk, Walk, Walk, Walk, Walk, Walk, Walk, Walk];

const stays = 'stays';
const refused = 'refused';
const P = 'pending';
const R = 'routing';
const S = 'settling';
const F = 'failed';
const X = 'expired';
const Q = 'refund_required';

/**
 * The whole life of a payment: for each thing that can be seen, the walk it causes from each state. What skips states
 * walks through each of them, so that every state has its event.
 */
const LIFE: Record<ObservationType, Row> = {
  //                        created             pending             routing        settling    paid          failed        expired       refund_required refunded
  payment_started: [[P], stays, refused, refused, refused, refused, refused, refused, refused],
  funded: [[P, 'paid'], ['paid'], refused, refused, stays, [Q], ['paid'], stays, refused],
  funded_late: [[X, Q], [X, Q], refused, refused, refused, [Q], [Q], stays, refused],
  rate_unknown: [[P, Q], [Q], refused, refused, refused, [Q], [Q], stays, refused],
  window_closed: [[X], [X], refused, refused, refused, stays, stays, stays, refused],
  window_closed_short: [[P, Q], [Q], [Q], [Q], refused, [Q], [Q], stays, refused],
  window_closed_reverted: [[P, F], [F], refused, refused, refused, stays, stays, stays, refused],
  window_closed_untraced: [[P, Q], [Q], refused, refused, refused, [Q], [Q], stays, refused],
  route_converting: [[P, R], [R], stays, stays, stays, stays, stays, stays, refused],
  route_delivering: [[P, R, S], [R, S], [S], stays, stays, stays, stays, stays, refused],
  route_delivered: [[P, R, S, 'paid'], [R, S, 'paid'], [S, 'paid'], ['paid'], stays, [Q], ['paid'], stays, refused],
  route_delivered_late: [[X, Q], [X, Q], [S, Q], [Q], refused, [Q], [Q], stays, refused],
  route_short: [[P, R, S, Q], [R, S, Q], [S, Q], [Q], refused, [Q], [Q], stays, refused],
  route_returned: [[P, F], [F], [F], [F], refused, stays, stays, stays, refused],
  route_stuck: [[P, Q], [Q], [Q], [Q], refused, [Q], [Q], stays, refused],
  route_dead: [[P, F], [F], [F], [F], refused, stays, stays, stays, refused],
  accepted: [refused, refused, refused, refused, stays, refused, refused, ['paid'], refused],
  refund_recorded: [
    ['refunded'],
    ['refunded'],
    ['refunded'],
    ['refunded'],
    ['refunded'],
    ['refunded'],
    ['refunded'],
    ['refunded'],
    stays,
  ],
  // While a payment is open it waits for other money; what ended without a claim to money stays as it ended.
  money_released: [stays, stays, stays, stays, [F], stays, stays, [F], stays],
  money_released_in_part: [stays, stays, stays, stays, [Q], stays, stays, [Q], stays],
};

/** The walk that an observation causes from a state. */
export function walkOf(status: PaymentStatus, seen: ObservationType): Walk {
  return LIFE[seen][STATES.indexOf(status)] ?? refused;
}

/**
 * What a payment becomes by what was seen: one step per state on the way, each with the payment's next sequence. Empty
 * where it stays as it is or the table refuses (`walkOf` tells which). Reads nothing, writes nothing.
 */
export function advance(payment: Payment, seen: Observation): Step[] {
  const walk = walkOf(payment.status, seen.type);
  if (walk === stays || walk === refused) return [];

  let before = payment;
  return walk.map((status, index) => {
    invariant(status !== 'created', 'nothing leads back to the beginning');
    const last = index === walk.length - 1;
    before = enter(before, status, seen);
    return {
      payment: before,
      type: `payment.${status}` satisfies EventType,
      evidence: last ? { ...seen.evidence, seen: seen.type } : { seen: seen.type },
    };
  });
}

/** The payment as it is in its next state. */
function enter(payment: Payment, status: Exclude<PaymentStatus, 'created'>, seen: Observation): Payment {
  const next: Payment = {
    ...payment,
    ...('choice' in seen ? seen.choice : undefined),
    status,
    sequence: payment.sequence + 1,
  };
  switch (status) {
    case 'pending':
      return { ...next, startedAt: payment.startedAt ?? seen.at };
    case 'routing':
    case 'settling':
      return next;
    case 'paid':
      // Money may start a payment that the customer never did: the window may have closed before the money was read.
      return {
        ...next,
        ...arrived(payment, seen),
        failureReason: null,
        startedAt: payment.startedAt ?? seen.at,
        paidAt: payment.paidAt ?? seen.at,
        endedAt: payment.endedAt ?? seen.at,
      };
    case 'failed':
    case 'refund_required':
      return {
        ...next,
        ...arrived(payment, seen),
        failureReason: reasonOf(payment, seen),
        startedAt: payment.startedAt ?? seen.at,
        paidAt: isReleased(seen) ? null : payment.paidAt,
        endedAt: payment.endedAt ?? seen.at,
      };
    case 'expired':
      return { ...next, failureReason: null, endedAt: payment.endedAt ?? seen.at };
    case 'refunded':
      invariant(seen.type === 'refund_recorded', 'only a recorded refund leads to refunded');
      // A refund does not start a payment: if no money counted, lists leave it out and its session shows none.
      return { ...next, refund: seen.refund, endedAt: payment.endedAt ?? seen.at };
  }
}

function isReleased(seen: Observation): boolean {
  return seen.type === 'money_released' || seen.type === 'money_released_in_part';
}

/** The money that an observation tells of, or what is known already. */
function arrived(payment: Payment, seen: Observation): Pick<Payment, 'actualOutputUnits' | 'txHash' | 'txHashes'> {
  if (!('money' in seen))
    return { actualOutputUnits: payment.actualOutputUnits, txHash: payment.txHash, txHashes: payment.txHashes };
  return { actualOutputUnits: seen.money.outputUnits, txHash: seen.money.txHash, txHashes: seen.money.txHashes };
}

function reasonOf(payment: Payment, seen: Observation): FailureReason {
  switch (seen.type) {
    case 'funded_late':
    case 'route_delivered_late':
      return 'paid_late';
    case 'rate_unknown':
      return 'rate_unknown';
    case 'window_closed_short':
      return 'underpaid';
    case 'window_closed_untraced':
      return 'untraced_transfer';
    case 'window_closed_reverted':
      return 'transaction_reverted';
    case 'route_returned':
      return 'route_refunded';
    case 'money_released':
    case 'money_released_in_part':
      return 'transfer_released';
    case 'route_short':
    case 'route_stuck':
    case 'route_dead':
      return seen.reason;
    default:
      // Money in full for a payment that had failed: why it failed still says best why it was not simply paid.
      return payment.failureReason ?? 'paid_late';
  }
}
