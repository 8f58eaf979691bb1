import type { Defense } from './list.ts';

const settlement = 'server/src/settlement';
const journeys = 'server/test/journeys';
const forks = 'server/test/api/settlement/forks.test.ts';
const races = 'server/test/api/settlement/races.test.ts';

/** What settles a payment, once and for good. */
export const SETTLING_DEFENSES: readonly Defense[] = [
  {
    rule: 'The recipient is copied at creation; nothing changes it',
    file: `${settlement}/outcome/lifecycle.ts`,
    defends: "    ...('choice' in seen ? seen.choice : undefined),",
    without:
      "    ...('choice' in seen ? seen.choice : undefined), receiveAddress: payment.receiveAddress.toLowerCase() + ' ',",
    test: `${settlement}/outcome/lifecycle.test.ts`,
    named: 'no transition changes the recipient',
  },
  {
    rule: 'A payment moves along the table only',
    file: `${settlement}/outcome/lifecycle.ts`,
    defends: `refund_recorded: [
    ['refunded']`,
    without: "refund_recorded:         ['refused',",
    test: `${settlement}/outcome/lifecycle.test.ts`,
    named: 'refund_recorded',
  },
  {
    rule: 'One transfer is kept once',
    file: 'server/src/platform/db/migrations/0001-the-house.sql',
    defends: '  unique (livemode, network, tx_hash, index)\n',
    without: '  check (true)\n',
    test: races,
    named: 'cannot be made two by the database itself',
  },
  {
    rule: 'One transfer settles one payment once',
    file: `${settlement}/outcome/settle.ts`,
    defends: "  if (transfer?.status !== 'seen') return payment;",
    without: '  if (!transfer) return payment;',
    test: races,
    named: 'read the same transfer',
  },
  {
    rule: 'A payment that is paid takes no more',
    file: `${settlement}/outcome/settle.ts`,
    defends: "  if (isOver || (observation && transitionOf(payment.status, observation.type) === 'refused')) {",
    without: '  if (!payment) {',
    also: {
      file: `${settlement}/outcome/settle.ts`,
      defends: `await releaseTransfers(
      db,
      leftOver.map((other) => other.id),
      'already_paid',
    );`,
      without: '    void leftOver;',
    },
    test: `${journeys}/settlement.test.ts`,
    named: 'a second time is listed as already paid',
  },
  {
    rule: 'Nothing that is not final changes a status',
    file: `${settlement}/verification/finality.ts`,
    defends: '      return confirmations(block, head.number) >= rule.count;',
    without: '      return true;',
    test: `${journeys}/settlement.test.ts`,
    named: 'changes no status before it is final',
  },
  {
    rule: 'Dust changes nothing',
    file: `${settlement}/attribution/attribute.ts`,
    defends: "(isTooSmall(transfer, candidate) ? 'too_small' : undefined)",
    without: '(isTooSmall(transfer, candidate) ? undefined : undefined)',
    test: `${journeys}/settlement.test.ts`,
    named: 'of dust changes nothing',
  },
  {
    rule: 'Another coin pays nothing',
    file: `${settlement}/attribution/attribute.ts`,
    defends: `&&
    candidate.receiveAsset === transfer.asset`,
    without: '',
    test: `${journeys}/settlement.test.ts`,
    named: 'of another supported coin',
  },
  {
    rule: "The block's time decides whether a transfer is late",
    file: `${settlement}/outcome/assess.ts`,
    defends: '  return credit.blockTime.getTime() <= terms.expiresAt.getTime();',
    without: '  return credit.blockTime.getTime() <= terms.expiresAt.getTime() || true;',
    test: `${journeys}/settlement.test.ts`,
    named: 'money that comes later is late',
  },
  {
    rule: 'Nothing pending expires that is not covered',
    file: `${settlement}/outcome/expire.ts`,
    defends: '    if (!coveredUntil || coveredUntil.getTime() <= payment.expiresAt.getTime()) return false;',
    without: '    if (!coveredUntil) return false;',
    test: races,
    named: 'does not happen before the chain was read past it',
  },
  {
    rule: 'A payment with a transfer in sight does not expire',
    file: `${settlement}/outcome/expire.ts`,
    defends:
      "  if (assessed.direct.unfinal || assessed.transfers.some((transfer) => transfer.status === 'seen')) return false;",
    without: '',
    test: races,
    named: 'does not happen while money is in sight',
  },
  {
    rule: 'Money without a price of its minute is not valued',
    file: `${settlement}/records/rate-store.ts`,
    defends: '  return (pair, minute) => found.get(key(pair, minute));',
    without:
      '  return (pair, minute) => found.get(key(pair, minute)) ?? [...found.values()][0] ?? { numerator: 2500n, denominator: 1n };',
    test: `${journeys}/moving-prices.test.ts`,
    named: 'in a minute that no price is known of',
  },
  {
    rule: 'State, event and deliveries are one commit',
    file: `${settlement}/records/payment-store.ts`,
    defends: '  await recordEvents(ctx, db, announced, at);',
    without: '  await recordEvents(ctx, ctx.db, [...steps], at);',
    test: races,
    named: 'whose settling breaks off at any statement',
  },
  {
    rule: 'A payment that has moved on meanwhile is not written over',
    file: `${settlement}/records/payment-store.ts`,
    defends: ' where id = $1 and sequence = $2\n',
    without: ' where id = $1 and $2::integer is not null\n',
    test: forks,
    named: 'a payment that has moved on meanwhile',
  },
  {
    rule: 'A shortfall that counts as paid is never more than 1.00',
    file: `${settlement}/records/amounts.ts`,
    defends: '  return share < cap ? share : cap;',
    without: '  return share < cap ? share : share;',
    test: `${settlement}/records/amounts.test.ts`,
    named: 'never more than 1.00',
  },
  {
    rule: 'In test mode webhooks are retried without jitter',
    file: 'server/src/resources/webhooks/delivery/schedule.ts',
    defends: 'const jitter = delivery.livemode ? JITTER * random : 0;',
    without: 'const jitter = JITTER * random;',
    test: 'server/src/resources/webhooks/delivery/schedule.test.ts',
    named: 'in test mode a failure',
  },
];
