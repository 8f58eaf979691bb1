import type { Defense } from './list.ts';

const routed = 'server/src/resources/routed-payments';
const settlement = 'server/src/settlement';
const journeys = 'server/test/journeys';
const chains = `${journeys}/routed-chains.test.ts`;
const lies = `${journeys}/routed-lies.test.ts`;
const overdue = `${journeys}/routed-overdue.test.ts`;

/** What the progress of a conversion does to its payment. */
export const ROUTE_DEFENSES: readonly Defense[] = [
  {
    rule: 'A route is paid by its exact output only',
    file: `${settlement}/outcome/route-payout.ts`,
    defends: 'if (transfer.amountUnits !== order.outputUnits)',
    without: 'if (transfer.amountUnits < 0n)',
    test: `${journeys}/routed.test.ts`,
    named: 'that is delivered short',
  },
  {
    rule: "No payout settles a stranger's order",
    file: `${routed}/follow.ts`,
    defends: `transfer.paymentId === null &&
        transfer.reason === 'no_match' &&`,
    without: '',
    also: {
      file: `${settlement}/attribution/assign-transfer.ts`,
      defends: 'return transfer.paymentId === null && transfer',
      without: 'return transfer',
    },
    test: `${journeys}/routed.test.ts`,
    named: "names a stranger's transfer",
  },
  {
    rule: 'A route that never delivered does not stay in settlement',
    file: `${routed}/follow.ts`,
    defends: '(await isGivenUp(ctx, db, { payment, order }, at.created))\n    ? giveUp',
    without: '(false as boolean)\n    ? giveUp',
    test: `${journeys}/routed.test.ts`,
    named: 'never delivers what it took',
  },
  {
    rule: 'Due orders of one account delay none of another',
    file: `${settlement}/records/route-order-store.ts`,
    defends: 'order by turns.turn, o.due_at limit $3',
    without: 'order by o.due_at limit $3',
    test: `${journeys}/routed-lanes.test.ts`,
    named: 'many due orders of one account',
  },
  {
    rule: 'The end of a route takes nothing from direct money that is in sight',
    file: `${settlement}/outcome/route-end.ts`,
    defends: '  if (assessed.direct.seenUnits > 0n) return undefined;',
    without: '',
    test: `${journeys}/routed-ends.test.ts`,
    named: 'changes nothing while direct money in full is in sight',
  },
  {
    rule: 'A direct part beside a route that has ended is shown',
    file: `${settlement}/outcome/route-end.ts`,
    defends: '  if (direct.receivedUnits === 0n) return end;',
    without: '  if (direct.receivedUnits >= 0n) return end;',
    test: `${journeys}/routed-ends.test.ts`,
    named: 'shows the direct part',
  },
  {
    rule: 'The end of one order fails no payment of which another is under way',
    file: `${settlement}/outcome/route-end.ts`,
    defends: 'return isAnotherUnderWay ? undefined :',
    without: 'return isAnotherUnderWay && !payment ? undefined :',
    test: `${journeys}/routed-ends.test.ts`,
    named: 'of which another order is under way',
  },
  {
    rule: 'A direct part does not keep a payment open whose provider is gone',
    file: `${routed}/overdue.ts`,
    defends: "every((transfer) => transfer.attributedBy !== 'route')",
    without: 'length === 0',
    test: `${journeys}/routed-ends.test.ts`,
    named: 'falls silent',
  },
  {
    rule: 'A route provider takes nothing back',
    file: `${routed}/progress.ts`,
    defends: '  return isBack ? known : next;',
    without: '  return isBack ? next : next;',
    test: `${routed}/progress.test.ts`,
    named: 'converting and then waiting is converting',
  },
  {
    rule: 'Statuses in any order never pay by themselves',
    file: `${routed}/follow.ts`,
    defends: "    case 'done':\n      return { type: 'route_delivering', at, choice: routedChoice(order), evidence };",
    without:
      "    case 'done':\n      return { type: order.state === 'done' ? 'route_delivered' : " +
      "'route_delivering', at, choice: routedChoice(order), money: { outputUnits: order.outputUnits, " +
      'txHash: null, txHashes: [] }, evidence };',
    test: lies,
    named: 'statuses in any order',
  },
  {
    rule: 'SUCCESS without a delivery pays nothing',
    file: `${routed}/follow.ts`,
    defends: "    case 'done':\n      return { type: 'route_delivering', at, choice: routedChoice(order), evidence };",
    without:
      "    case 'done':\n      return { type: order.state === 'done' ? 'route_delivered' : " +
      "'route_delivering', at, choice: routedChoice(order), money: { outputUnits: order.outputUnits, " +
      'txHash: null, txHashes: [] }, evidence };',
    test: lies,
    named: 'and has sent nothing',
  },
  {
    rule: 'A payment with SUCCESS but without a delivery does not stay in settlement',
    file: `${routed}/progress.ts`,
    defends: "  return state === 'done' && doneAt !== null &&",
    without: "  return state === 'done' && doneAt === null &&",
    test: lies,
    named: 'and has sent a coin that only calls itself USDC',
  },
  {
    rule: 'A conversion that arrives after its order ended is shown',
    file: `${settlement}/outcome/settle.ts`,
    defends: `payment.status === 'refund_required' &&
    observation &&
    'money' in observation`,
    without: "payment.route === 'direct' && observation && 'money' in observation",
    test: lies,
    named: 'had failed and arrives after all',
  },
  {
    rule: 'What a conversion delivered while the merchant accepted other money is listed',
    file: `${settlement}/outcome/settle.ts`,
    defends: "await releaseTransfers(db, [transfer.id], refusalOf(payment.status) ?? 'already_paid');",
    without: '',
    test: 'server/test/journeys/routed-prices.test.ts',
    named: 'that waits for its provider while the merchant accepts other money is listed',
  },
  {
    rule: 'Held money is counted although its transaction has other money that is',
    file: `${settlement}/outcome/settle.ts`,
    defends: 'if (await isCounted(db, payment, transfer)) return payment;',
    without: 'if (payment.txHashes.includes(transfer.txHash)) return payment;',
    test: 'server/test/journeys/routed-prices.test.ts',
    named: 'in one transaction with other money of its payment is shown',
  },
  {
    rule: 'Held payouts hide no disappearance of money that was counted',
    file: `${settlement}/outcome/settle.ts`,
    defends: "  if (transfer.attributedBy !== 'route') return true;",
    without: '',
    also: {
      file: `${settlement}/outcome/settle.ts`,
      defends: 'one.untraced || payment.txHashes.includes(one.txHash)',
      without: 'one.untraced || payment.txHashes.length > 0',
    },
    test: 'server/test/journeys/routed-prices.test.ts',
    named: 'hides no reorganization',
  },
  {
    rule: 'What a payout does not need is listed, also if its transaction made both',
    file: `${settlement}/outcome/settle.ts`,
    defends: "!(isDirect(transfer) && isDirect(other) && other.status === 'final')",
    without: '!after.txHashes.includes(other.txHash)',
    test: 'server/test/journeys/routed-prices.test.ts',
    named: 'that pays alone leaves the other money of its transaction',
  },
  {
    rule: 'A payment to be refunded shows both of two transfers of the exact output',
    file: `${settlement}/outcome/route-payout.ts`,
    defends: "one.id !== last.id && one.status === 'final'",
    without: "one.id !== last.id && one.status === 'final' && one.attributedBy !== 'route'",
    test: 'server/test/journeys/routed-prices.test.ts',
    named: 'of two transfers of the exact output that are not enough, both are shown',
  },
  {
    rule: 'An unreachable provider does not keep a payment open',
    file: `${routed}/follow.ts`,
    defends: '    await noteUnanswered(ctx, order.id);\n    return false;',
    without: '    return false;',
    test: chains,
    named: 'gone for good',
  },
  {
    rule: 'A conversion that is first heard of late is followed until its payment ends',
    file: `${routed}/overdue.ts`,
    defends: '  await saveProgress(db, { ...order, dueAt: later(now, pauseMs(order, payment, now)) });',
    without: '  void pauseMs;',
    test: overdue,
    named: 'spared for a payout, which then disappears',
  },
  {
    rule: 'No payout is called missing before the chain has been read',
    file: `${routed}/overdue.ts`,
    defends: '  if (covered === undefined || covered <= instant) return false;',
    without: '  if (covered === undefined) return false;',
    test: overdue,
    named: 'though its provider is silent',
  },
  {
    rule: 'No payout is called missing while it waits for attribution',
    file: `${routed}/overdue.ts`,
    defends: '  return !(await hasQueued(db, wallet, { until: instant, now }));',
    without: '  void hasQueued;\n  void wallet;\n  return true;',
    test: overdue,
    named: 'while it waits for attribution',
  },
  {
    rule: 'A delivery that is reported late has its day',
    file: `${routed}/overdue.ts`,
    defends: "  if (order.state !== 'done')\n",
    without: '  if (order.state)\n',
    test: overdue,
    named: 'a delivery, which has its day',
  },
  {
    rule: 'No conversion is given up before the provider of each order has been asked after its time',
    file: `${routed}/overdue.ts`,
    defends: 'isTimeOver(order, polledAt) &&',
    without: 'isTimeOver(order, now) &&',
    test: overdue,
    named: 'though another order is asked about first',
  },
  {
    rule: 'An amount that may still be delivered stays reserved',
    file: `${settlement}/records/reserved-amount-store.ts`,
    defends: "case r.purpose when 'route_output' then",
    without: "case r.purpose when 'no such' then",
    also: {
      file: `${routed}/follow.ts`,
      defends: 'transfer.amountUnits <= order.outputUnits',
      without: 'transfer.amountUnits < order.outputUnits',
    },
    test: chains,
    named: 'delivered only after the offer had ended',
  },
  {
    rule: 'Nothing expires while a provider was not asked',
    file: `${settlement}/outcome/expiry-store.ts`,
    defends:
      "                               or (o.state in ('waiting', 'short', 'seen') and o.due_at is not null\n" +
      '                                   and (o.polled_at is null or o.polled_at <= p.expires_at))',
    without: '                               or false',
    also: {
      file: `${settlement}/outcome/holding.ts`,
      defends: 'return polledAt === null || polledAt.getTime() <= end.getTime();',
      without: 'return false;',
    },
    test: chains,
    named: 'down in the middle',
  },
  {
    rule: 'An order that is over keeps no longer session open',
    file: `${settlement}/outcome/expiry-store.ts`,
    defends: "o.state in ('waiting', 'short', 'seen') and o.due_at is not null",
    without: "o.state in ('waiting', 'short', 'seen')",
    test: overdue,
    named: 'hides no direct part',
  },
  {
    rule: 'An order that is over is waited for by no session that is to be closed',
    file: `${settlement}/outcome/holding.ts`,
    defends: '  if (dueAt === null) return false;\n',
    without: '',
    test: `${settlement}/outcome/holding.test.ts`,
    named: 'no longer polled',
  },
  {
    rule: 'An announced deposit does not count as in time',
    file: `${routed}/progress.ts`,
    defends: "  const isDeposited = state === 'seen' ? depositedUnits !== null :",
    without: "  const isDeposited = state === 'seen' ? depositedUnits !== undefined :",
    test: `${routed}/progress.test.ts`,
    named: 'has an instant only once the provider has counted money',
  },
  {
    rule: 'An announced deposit keeps a window open only for minutes',
    file: `${settlement}/outcome/holding.ts`,
    defends: 'const ANNOUNCED_HOLD_MS = 10 * MINUTE_MS;',
    without: 'const ANNOUNCED_HOLD_MS = 10_000 * MINUTE_MS;',
    test: lies,
    named: 'one-click only announces holds the window open',
  },
  {
    rule: 'An expired checkout counts no deposit that was only announced',
    file: 'server/src/resources/checkout-sessions/public-session.ts',
    defends: "order.state === 'seen' && isOpenPayment(payment);",
    without: "order.state === 'seen';",
    test: lies,
    named: 'one-click only announces holds the window open',
  },
  {
    rule: 'An expired checkout shows the order with the money, not one that was only announced',
    file: 'server/src/resources/checkout-sessions/shown-target.ts',
    defends: "return state === 'seen' ? depositedUnits !== null :",
    without: "return state === 'seen' ? depositedUnits !== undefined :",
    test: 'server/src/resources/checkout-sessions/shown-target.test.ts',
    named: 'not a newer one that someone only announced',
  },
];
