import { PAYMENT_STATUSES, type PaymentStatus } from '@quittance/contract';
import { describe, expect, test } from 'vitest';
import { paymentWith as payment } from '../../../test/support/payment-with.ts';
import { advance, transitionOf, type Choice, type Money, type Observation, type ObservationType } from './lifecycle.ts';
import { refusalOf } from '../records/attribution.ts';

/** All allowed edges, listed independently of the table: it must use only these. */
const EDGES: Record<PaymentStatus, readonly PaymentStatus[]> = {
  created: ['pending', 'expired', 'refunded'],
  pending: ['routing', 'paid', 'expired', 'failed', 'refund_required', 'refunded'],
  routing: ['settling', 'failed', 'refund_required', 'refunded'],
  settling: ['paid', 'failed', 'refund_required', 'refunded'],
  // Only the owner of the address can remove money from an ended payment.
  paid: ['refunded', 'failed', 'refund_required'],
  failed: ['refund_required', 'refunded'],
  expired: ['paid', 'refund_required', 'refunded'],
  refund_required: ['paid', 'refunded', 'failed', 'refund_required'],
  refunded: [],
};

const at = new Date('2026-01-02T03:04:05.678Z');
const money: Money = { outputUnits: 49_000_017n, txHash: '0xb', txHashes: ['0xa', '0xb'] };
const choice: Choice = {
  route: 'direct',
  payAsset: 'USDC',
  payNetwork: 'base',
  serviceFeeMinor: 0n,
  expectedOutputUnits: 49_000_000n,
};

const OBSERVATIONS: { [Type in ObservationType]: Extract<Observation, { type: Type }> } = {
  payment_started: { type: 'payment_started', at, choice },
  funded: { type: 'funded', at, money, choice },
  funded_late: { type: 'funded_late', at, money, choice },
  rate_unknown: { type: 'rate_unknown', at, money, choice },
  window_closed: { type: 'window_closed', at },
  window_closed_short: { type: 'window_closed_short', at, money, choice },
  window_closed_reverted: { type: 'window_closed_reverted', at },
  window_closed_untraced: { type: 'window_closed_untraced', at, money, choice },
  route_converting: { type: 'route_converting', at, choice },
  route_delivering: { type: 'route_delivering', at, choice },
  route_delivered: { type: 'route_delivered', at, money, choice },
  route_delivered_late: { type: 'route_delivered_late', at, money, choice },
  route_short: { type: 'route_short', at, money, choice, reason: 'short_delivery' },
  route_returned: { type: 'route_returned', at },
  route_stuck: { type: 'route_stuck', at, reason: 'route_failed' },
  route_dead: { type: 'route_dead', at, reason: 'route_expired' },
  accepted: { type: 'accepted', at },
  refund_recorded: {
    type: 'refund_recorded',
    at,
    refund: { amountMinor: 4900n, address: null, reason: null, createdAt: at },
  },
  money_released: { type: 'money_released', at, money: { outputUnits: 0n, txHash: null, txHashes: [] } },
  money_released_in_part: { type: 'money_released_in_part', at, money },
};

/**
 * `.` stays, `-` refused, otherwise the states passed: p(ending) r(outing) s(ettling) P(aid) f(ailed) x(expired)
 * q(refund_required) R(efunded).
 */
const EXPECTED: Record<ObservationType, string> = {
  //                       created pending routing settling paid failed expired refund_required refunded
  payment_started: '        p       .       -       -        -    -      -       -               -',
  funded: '                 pP      P       sP      P        .    q      P       .               -',
  funded_late: '            xq      xq      q       q        -    q      q       .               -',
  rate_unknown: '           pq      q       q       q        -    q      q       .               -',
  window_closed: '          x       x       -       -        -    .      .       .               -',
  window_closed_short: '    pq      q       q       q        -    q      q       .               -',
  window_closed_reverted: ' pf      f       -       -        -    .      .       .               -',
  window_closed_untraced: ' pq      q       q       q        -    q      q       .               -',
  route_converting: '       pr      r       .       .        .    .      .       .               -',
  route_delivering: '       prs     rs      s       .        .    .      .       .               -',
  route_delivered: '        prsP    rsP     sP      P        .    q      P       .               -',
  route_delivered_late: '   xq      xq      sq      q        -    q      q       .               -',
  route_short: '            prsq    rsq     sq      q        -    q      q       .               -',
  route_returned: '         pf      f       f       f        -    .      .       .               -',
  route_stuck: '            pq      q       q       q        -    q      q       .               -',
  route_dead: '             pf      f       f       f        -    .      .       .               -',
  accepted: '               -       -       -       -        .    -      -       P               -',
  refund_recorded: '        R       R       R       R        R    R      R       R               .',
  money_released: '         .       .       .       .        f    .      .       f               .',
  money_released_in_part: ' .       .       .       .        q    .      .       q               .',
};
const LETTERS: Record<string, PaymentStatus> = {
  p: 'pending',
  r: 'routing',
  s: 'settling',
  P: 'paid',
  f: 'failed',
  x: 'expired',
  q: 'refund_required',
  R: 'refunded',
};

describe.each(Object.keys(OBSERVATIONS) as ObservationType[])('%s', (type) => {
  const cells = EXPECTED[type].trim().split(/\s+/);

  test.each(PAYMENT_STATUSES.map((status, index) => [status, cells[index] ?? '?'] as const))(
    'in %s: %s',
    (status, cell) => {
      const before = payment({ status, sequence: 4 });
      const steps = advance(before, OBSERVATIONS[type]);

      if (cell === '.' || cell === '-') {
        expect(steps).toEqual([]);
        expect(transitionOf(status, type)).toBe(cell === '.' ? 'stays' : 'refused');
        return;
      }
      expect(steps.map((step) => step.payment.status)).toEqual([...cell].map((letter) => LETTERS[letter]));
      expect(steps.map((step) => step.type)).toEqual([...cell].map((letter) => `payment.${LETTERS[letter]}`));
      expect(steps.map((step) => step.payment.sequence)).toEqual(steps.map((_, index) => 5 + index));
      [status, ...steps.map((step) => step.payment.status)].reduce((from, to) => {
        expect(EDGES[from]).toContain(to);
        return to;
      });
    },
  );
});

test('money is refused only in a state that has a reason for unattributed transfers', () => {
  for (const status of PAYMENT_STATUSES.filter((open) => refusalOf(open) === undefined))
    for (const seen of Object.values(OBSERVATIONS).filter((one) => 'money' in one))
      expect([status, seen.type, transitionOf(status, seen.type)]).not.toContain('refused');
});

test('a payment never leaves refunded', () => {
  for (const seen of Object.values(OBSERVATIONS)) expect(advance(payment({ status: 'refunded' }), seen)).toEqual([]);
});

test('only the merchant can turn refund_required into paid', () => {
  for (const seen of Object.values(OBSERVATIONS)) {
    const ends = advance(payment({ status: 'refund_required', failureReason: 'underpaid' }), seen).at(-1)?.payment
      .status;
    if (ends === 'paid') expect(seen.type).toBe('accepted');
  }
});

test('the funded target determines the pay asset and route', () => {
  const routed = payment({
    status: 'pending',
    route: 'routed',
    payAsset: 'BTC',
    payNetwork: 'bitcoin',
    serviceFeeMinor: 74n,
  });

  const [paid] = advance(routed, OBSERVATIONS.funded);

  expect(paid?.payment).toMatchObject({
    route: 'direct',
    payAsset: 'USDC',
    payNetwork: 'base',
    serviceFeeMinor: 0n,
    actualOutputUnits: 49_000_017n,
    txHash: '0xb',
    txHashes: ['0xa', '0xb'],
  });
});

test('an accepted payment keeps the received money and loses its failure reason', () => {
  const short = payment({
    status: 'refund_required',
    failureReason: 'underpaid',
    actualOutputUnits: 5n,
    txHash: '0xa',
    txHashes: ['0xa'],
    endedAt: new Date(0),
  });

  const [paid] = advance(short, OBSERVATIONS.accepted);

  expect(paid?.payment).toMatchObject({
    status: 'paid',
    failureReason: null,
    actualOutputUnits: 5n,
    txHashes: ['0xa'],
    paidAt: at,
    endedAt: new Date(0),
  });
});

test('a payment that received money counts as started, even if the customer did not start it', () => {
  for (const status of PAYMENT_STATUSES) {
    for (const seen of Object.values(OBSERVATIONS)) {
      const after = advance(payment({ status }), seen).at(-1)?.payment;
      if (after && 'money' in seen && after.status !== 'expired')
        expect(after.startedAt, `${status} and ${seen.type}`).not.toBeNull();
    }
  }
});

test('no transition changes the recipient', () => {
  for (const status of PAYMENT_STATUSES) {
    for (const seen of Object.values(OBSERVATIONS)) {
      for (const step of advance(payment({ status }), seen))
        expect(step.payment.receiveAddress).toBe('0x1111111111111111111111111111111111111111');
    }
  }
});
