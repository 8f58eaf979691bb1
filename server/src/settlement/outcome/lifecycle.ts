import type { AssetSymbol, EventType, FailureReason, Network, PaymentStatus, Route } from '@quittance/contract';
import { invariant } from '../../platform/errors.ts';
import type { Payment, Refund, Step } from '../records/payment.ts';

/** The customer's choice of route and asset. The target that is funded in the end decides. */
export interface Choice {
  route: Route;
  payAsset: AssetSymbol;
  payNetwork: Network;
  serviceFeeMinor: bigint;
  expectedOutputUnits: bigint | null;
}

/** Final money at the payout wallet. */
export interface Money {
  outputUnits: bigint;
  /** The transfer that completed the payment, and all transfers that counted. */
  txHash: string | null;
  txHashes: string[];
}

/** An event that was seen, and when. `assess.ts` has already evaluated the money; here it only changes states. */
export type Observation = {
  at: Date;
  /** Stored with the state that it leads to. */
  evidence?: Record<string, unknown>;
} & (
  | { type: 'payment_started'; choice: Choice }
  /** In full, final and in time. */
  | { type: 'funded'; money: Money; choice: Choice }
  | { type: 'funded_late'; money: Money; choice: Choice }
  | { type: 'rate_unknown'; money: Money; choice: Choice }
  /** The window closed with no money, too little, a reverted transaction, or money that cannot be traced. */
  | { type: 'window_closed' }
  /** Also if a route ended beside a direct part payment. */
  | { type: 'window_closed_short'; money: Money; choice: Choice }
  | { type: 'window_closed_reverted' }
  | { type: 'window_closed_untraced'; money: Money; choice: Choice }
  /** Reports of a route provider. Delivered, late and short only once the payout is final on the chain. */
  | { type: 'route_converting'; choice: Choice }
  | { type: 'route_delivering'; choice: Choice }
  | { type: 'route_delivered'; money: Money; choice: Choice }
  | { type: 'route_delivered_late'; money: Money; choice: Choice }
  /** Also a full delivery after the price lock that is worth too little by now. */
  | {
      type: 'route_short';
      money: Money;
      choice: Choice;
      reason: 'short_delivery' | 'underpaid' | 'rate_unknown';
    }
  | { type: 'route_returned' }
  | { type: 'route_stuck'; reason: FailureReason }
  | { type: 'route_dead'; reason: FailureReason }
  /** The merchant accepts a short or late payment as it is. */
  | { type: 'accepted' }
  | { type: 'refund_recorded'; refund: Refund }
  /** The owner of the address released a transfer: the payment keeps none of its money, or a part. */
  | { type: 'money_released'; money: Money }
  | { type: 'money_released_in_part'; money: Money }
);

export type ObservationType = Observation['type'];

/** The states that a payment passes; `stays` if nothing changes; `refused` if the transition is not allowed. */
export type Transition = readonly PaymentStatus[] | 'stays' | 'refused';

/**
 * The state machine of a payment: for each observation, the states it leads through from each state. A state that is
 * not listed refuses the observation. No state is skipped, so that every state has its event.
 */
const TRANSITIONS: Record<ObservationType, Partial<Record<PaymentStatus, Transition>>> = {
  payment_started: {
    created: ['pending'],
    pending: 'stays',
  },
  funded: {
    created: ['pending', 'paid'],
    pending: ['paid'],
    // The contract leads from routing to paid through settling only.
    routing: ['settling', 'paid'],
    settling: ['paid'],
    paid: 'stays',
    failed: ['refund_required'],
    expired: ['paid'],
    refund_required: 'stays',
  },
  funded_late: {
    created: ['expired', 'refund_required'],
    pending: ['expired', 'refund_required'],
    routing: ['refund_required'],
    settling: ['refund_required'],
    failed: ['refund_required'],
    expired: ['refund_required'],
    refund_required: 'stays',
  },
  rate_unknown: {
    created: ['pending', 'refund_required'],
    pending: ['refund_required'],
    routing: ['refund_required'],
    settling: ['refund_required'],
    failed: ['refund_required'],
    expired: ['refund_required'],
    refund_required: 'stays',
  },
  window_closed: {
    created: ['expired'],
    pending: ['expired'],
    failed: 'stays',
    expired: 'stays',
    refund_required: 'stays',
  },
  window_closed_short: {
    created: ['pending', 'refund_required'],
    pending: ['refund_required'],
    routing: ['refund_required'],
    settling: ['refund_required'],
    failed: ['refund_required'],
    expired: ['refund_required'],
    refund_required: 'stays',
  },
  window_closed_reverted: {
    created: ['pending', 'failed'],
    pending: ['failed'],
    failed: 'stays',
    expired: 'stays',
    refund_required: 'stays',
  },
  window_closed_untraced: {
    created: ['pending', 'refund_required'],
    pending: ['refund_required'],
    routing: ['refund_required'],
    settling: ['refund_required'],
    failed: ['refund_required'],
    expired: ['refund_required'],
    refund_required: 'stays',
  },
  route_converting: {
    created: ['pending', 'routing'],
    pending: ['routing'],
    routing: 'stays',
    settling: 'stays',
    paid: 'stays',
    failed: 'stays',
    expired: 'stays',
    refund_required: 'stays',
  },
  route_delivering: {
    created: ['pending', 'routing', 'settling'],
    pending: ['routing', 'settling'],
    routing: ['settling'],
    settling: 'stays',
    paid: 'stays',
    failed: 'stays',
    expired: 'stays',
    refund_required: 'stays',
  },
  route_delivered: {
    created: ['pending', 'routing', 'settling', 'paid'],
    pending: ['routing', 'settling', 'paid'],
    routing: ['settling', 'paid'],
    settling: ['paid'],
    paid: 'stays',
    failed: ['refund_required'],
    expired: ['paid'],
    refund_required: 'stays',
  },
  route_delivered_late: {
    created: ['expired', 'refund_required'],
    pending: ['expired', 'refund_required'],
    routing: ['settling', 'refund_required'],
    settling: ['refund_required'],
    failed: ['refund_required'],
    expired: ['refund_required'],
    refund_required: 'stays',
  },
  route_short: {
    created: ['pending', 'routing', 'settling', 'refund_required'],
    pending: ['routing', 'settling', 'refund_required'],
    routing: ['settling', 'refund_required'],
    settling: ['refund_required'],
    failed: ['refund_required'],
    expired: ['refund_required'],
    refund_required: 'stays',
  },
  route_returned: {
    created: ['pending', 'failed'],
    pending: ['failed'],
    routing: ['failed'],
    settling: ['failed'],
    failed: 'stays',
    expired: 'stays',
    refund_required: 'stays',
  },
  route_stuck: {
    created: ['pending', 'refund_required'],
    pending: ['refund_required'],
    routing: ['refund_required'],
    settling: ['refund_required'],
    failed: ['refund_required'],
    expired: ['refund_required'],
    refund_required: 'stays',
  },
  route_dead: {
    created: ['pending', 'failed'],
    pending: ['failed'],
    routing: ['failed'],
    settling: ['failed'],
    failed: 'stays',
    expired: 'stays',
    refund_required: 'stays',
  },
  accepted: {
    paid: 'stays',
    refund_required: ['paid'],
  },
  refund_recorded: {
    created: ['refunded'],
    pending: ['refunded'],
    routing: ['refunded'],
    settling: ['refunded'],
    paid: ['refunded'],
    failed: ['refunded'],
    expired: ['refunded'],
    refund_required: ['refunded'],
    refunded: 'stays',
  },
  // An open payment waits for other money. A payment that ended without money stays as it ended.
  money_released: {
    created: 'stays',
    pending: 'stays',
    routing: 'stays',
    settling: 'stays',
    paid: ['failed'],
    failed: 'stays',
    expired: 'stays',
    refund_required: ['failed'],
    refunded: 'stays',
  },
  money_released_in_part: {
    created: 'stays',
    pending: 'stays',
    routing: 'stays',
    settling: 'stays',
    paid: ['refund_required'],
    failed: 'stays',
    expired: 'stays',
    refund_required: ['refund_required'],
    refunded: 'stays',
  },
};

/** The states that an observation leads through from a state. */
export function transitionOf(status: PaymentStatus, seen: ObservationType): Transition {
  return TRANSITIONS[seen][status] ?? 'refused';
}

/**
 * Applies an observation to a payment: one step per state, each with the payment's next sequence. Empty if the payment
 * stays as it is or the table refuses (`transitionOf` returns which). Pure.
 */
export function advance(payment: Payment, seen: Observation): Step[] {
  const transition = transitionOf(payment.status, seen.type);
  if (transition === 'stays' || transition === 'refused') return [];

  let before = payment;
  return transition.map((status, index) => {
    invariant(status !== 'created', 'no transition leads back to created');
    const last = index === transition.length - 1;
    before = enter(before, status, seen);
    return {
      payment: before,
      type: `payment.${status}` satisfies EventType,
      evidence: last ? { ...seen.evidence, seen: seen.type } : { seen: seen.type },
    };
  });
}

/** The payment in its next state. */
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
      // Money can start a payment that the customer did not start: the window may have closed before the money was
      // read.
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
      // A refund does not start a payment: without received money, lists omit it and its session shows none.
      return { ...next, refund: seen.refund, endedAt: payment.endedAt ?? seen.at };
  }
}

function isReleased(seen: Observation): boolean {
  return seen.type === 'money_released' || seen.type === 'money_released_in_part';
}

/** The money of an observation, or the money already known. */
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
      // Full payment after a failure: the original failure reason best explains why it was not simply paid.
      return payment.failureReason ?? 'paid_late';
  }
}
