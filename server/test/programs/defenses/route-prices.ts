import type { Defense } from './list.ts';

const settlement = 'server/src/settlement';
const journeys = 'server/test/journeys';
const routedPrices = `${journeys}/routed-prices.test.ts`;
const movingPrices = `${journeys}/moving-prices.test.ts`;

/** No customer gains by waiting for a price, or by paying a conversion's amount without converting. */
export const ROUTE_PRICE_DEFENSES: readonly Defense[] = [
  {
    rule: "A transfer of a route's exact output is a payout only where its provider reports the deposit",
    file: `${settlement}/outcome/settle.ts`,
    defends: '  switch (order && senderOf(order, transfer)) {',
    without: '  switch (undefined as ReturnType<typeof senderOf> | undefined) {',
    test: routedPrices,
    named: '98.5 % of the price is underpaid',
  },
  {
    rule: 'An announced deposit makes no payout of a transfer',
    file: `${settlement}/outcome/route-payout.ts`,
    defends: "    case 'converting':\n    case 'delivering':",
    without: "    case 'seen':\n    case 'converting':\n    case 'delivering':",
    test: routedPrices,
    named: 'for a deposit that is only announced',
  },
  {
    rule: 'A deposit that went back makes no payout of a transfer',
    file: `${settlement}/outcome/route-payout.ts`,
    defends: "    case 'done':\n    case 'stuck':",
    without: "    case 'done':\n    case 'returned':\n    case 'stuck':",
    test: routedPrices,
    named: 'after the provider has returned the deposit',
  },
  {
    rule: 'A payment does not end while its provider may still report the deposit of a payout',
    file: `${settlement}/outcome/expire.ts`,
    defends: '  if (isHeld) return false;',
    without: '',
    test: routedPrices,
    named: 'not before its provider has had ten minutes',
  },
  {
    rule: "A payout after the lock is valued at its minute's price",
    file: `${settlement}/outcome/route-payout.ts`,
    defends: '  if (isRoutePriceLocked(order, transfer.block.time)) return undefined;',
    without: '  if (isRoutePriceLocked(order, transfer.block.time) || order.outputUnits > 0n) return undefined;',
    test: routedPrices,
    named: 'less than the amount is underpaid',
  },
  {
    rule: 'An announced deposit locks no price',
    file: 'server/src/resources/routed-payments/progress.ts',
    defends: "const isConverted = state === 'converting'",
    without: "const isConverted = state === 'seen' || state === 'converting'",
    test: routedPrices,
    named: 'is not saved by an announced deposit',
  },
  {
    rule: 'No price hangs on the instant that a provider names',
    file: 'server/src/resources/routed-payments/progress.ts',
    defends: '(isConverted ? latest : null)',
    without: '(isConverted ? (reportedAt ?? latest) : null)',
    test: 'server/src/resources/routed-payments/progress.test.ts',
    named: 'is when we learned of it',
  },
  {
    rule: "A conversion's price is locked for less time than its session",
    file: `${settlement}/records/price-lock.ts`,
    defends: '  return isPegged ? PEGGED_LOCK_MS : MOVING_LOCK_MS;',
    without: '  return isPegged || MOVING_LOCK_MS > 0 ? PEGGED_LOCK_MS : MOVING_LOCK_MS;',
    test: routedPrices,
    named: 'holds 15 minutes, however long the session is open',
  },
  {
    rule: 'Choices that arrive together do not order more conversions than one checkout may',
    file: 'server/src/resources/checkout-sessions/choose-route.ts',
    defends: '    await requireFreeOrder(db, payment, now);\n',
    without: '',
    also: {
      file: 'server/src/resources/checkout-sessions/choose-route.ts',
      defends: '  const receive = receiveAssetOf(payment);\n',
      without:
        '  await ctx.db.transaction((db) => requireFreeOrder(db, payment, now));\n  const receive = receiveAssetOf(payment);\n',
    },
    test: routedPrices,
    named: 'choices that arrive together',
  },
  {
    rule: 'After a day a dollar coin off its peg is worth what it trades at',
    file: `${settlement}/outcome/assess.ts`,
    defends: '  if (terms.pegged && credit.sampledRequiredUnits === null) return',
    without: '  if (terms.pegged) return',
    test: movingPrices,
    named: 'nine tenths leave a rest to pay',
  },
  {
    rule: 'A dollar coin counts as a dollar for a day',
    file: `${settlement}/outcome/assessed-payment.ts`,
    defends: '  return block.time > later(createdAt, PEGGED_LOCK_MS);',
    without: '  return block.time > later(createdAt, PEGGED_LOCK_MS * 0);',
    also: {
      file: `${settlement}/outcome/assess.ts`,
      defends: 'target.createdAt.getTime() + PEGGED_LOCK_MS',
      without: 'target.createdAt.getTime() + PEGGED_LOCK_MS * 0',
    },
    test: movingPrices,
    named: 'counts as a dollar for a day',
  },
];
