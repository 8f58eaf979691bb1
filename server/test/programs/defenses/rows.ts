import type { Defense } from './list.ts';

const webhooks = 'server/src/resources/webhooks';

/** What strangers and other accounts can make the service store or do, and which requests that delays. */
export const ROW_DEFENSES: readonly Defense[] = [
  {
    rule: 'A made-up hash keeps no checkout that was never paid',
    file: 'server/src/resources/checkout-sessions/unpaid-store.ts',
    defends: "where m.payment_id = p.id and m.state <> 'void')",
    without: 'where m.payment_id = p.id)',
    test: 'server/test/api/machine-payments/queue.test.ts',
    named: 'a made-up hash does not keep a checkout that was never paid',
  },
  {
    rule: 'A payment link that is only opened records no event and no delivery',
    file: 'server/src/resources/payment-links/open.ts',
    defends: 'payment: { ...built.payment, isAnnounced: false } }',
    without: 'payment: { ...built.payment, isAnnounced: true } }',
    also: {
      file: 'server/src/resources/checkout-sessions/insert-store.ts',
      defends: '    event_id: event?.id ?? null,\n    event_body: event?.body.toString() ?? null,',
      without: "    event_id: event?.id ?? `evt_${session.id}`,\n    event_body: event?.body.toString() ?? '{}',",
    },
    test: 'server/test/api/payment-links/events.test.ts',
    named: 'opening a link records no event',
  },
  {
    rule: 'Money for a payment that was never announced brings the events of its whole life',
    file: 'server/src/settlement/records/announce.ts',
    defends: '  return [...earlierSteps(before), ...steps];',
    without: '  void earlierSteps;\n  return steps;',
    test: 'server/test/journeys/unstarted-sessions.test.ts',
    named: 'is announced with its whole life',
  },
  {
    rule: 'Webhook batches are shared by accounts before their endpoints',
    file: `${webhooks}/delivery/lease-store.ts`,
    defends: 'partition by lane order by account_turn, due_at',
    without: 'partition by lane order by turn, due_at',
    test: 'server/test/journeys/webhooks/leases.test.ts',
    named: 'a batch is shared by accounts before their endpoints',
  },
  {
    rule: 'Accounts take turns before their endpoints do',
    file: `${webhooks}/delivery/fairness/lanes.ts`,
    defends: '        served.add(account);\n',
    without: '        served.add({ ...account });\n',
    test: `${webhooks}/delivery/fairness/lanes.test.ts`,
    named: 'accounts take turns before their endpoints do',
  },
  {
    rule: 'A checkout that money came for is never deleted',
    file: 'server/src/resources/checkout-sessions/unpaid-store.ts',
    defends: '         and not exists (select from transfers t where t.near_payment_id = p.id)\n',
    without:
      '         and p.id not in (select p.id from payments p join transfers t on t.near_payment_id = p.id where false)\n',
    test: 'server/test/journeys/retention/checkouts.test.ts',
    named: 'with a transfer that nearly met it',
  },
  {
    rule: 'Checkouts that are kept do not block those behind them',
    file: 'server/src/resources/checkout-sessions/delete-unpaid.ts',
    defends: 'return last && batch.length === limit ? { expiresAt: last.expiresAt, id: last.id } : undefined;',
    without: 'return last && batch.length === limit + 1 ? { expiresAt: last.expiresAt, id: last.id } : undefined;',
    test: 'server/test/journeys/retention/checkouts.test.ts',
    named: 'do not block another',
  },
  {
    rule: 'A table that cannot be pruned does not delay another',
    file: 'server/src/retention/prune.ts',
    defends: "    ctx.log.error({ err: error, table }, 'table pruning failed: retrying');\n",
    without: '    throw error;\n',
    test: 'server/test/journeys/retention/tables.test.ts',
    named: 'a table that fails is left to the next pass',
  },
  {
    rule: 'A full endpoint collects no more deliveries',
    file: 'server/src/settlement/records/event-store.ts',
    defends: 'endpoint.deleted_at is null and endpoint.collects and',
    without: 'endpoint.deleted_at is null and',
    test: 'server/test/journeys/retention/full-endpoints.test.ts',
    named: 'collects no more',
  },
  {
    rule: 'Pending deliveries survive the month they were recorded in, with their events',
    file: `${webhooks}/events/partitions.ts`,
    defends: '  await moveToPresent(db, end, now);\n',
    without: '  void moveToPresent;\n',
    test: 'server/test/journeys/webhooks/partitions.test.ts',
    named: 'moves on with its event and is delivered',
  },
  {
    rule: 'A payment link has a budget that all clients share',
    file: 'server/src/platform/http/admission/client-quota.ts',
    defends: '    if (!allowed) throw new ApiError',
    without: '    if (!allowed && id === options.name) throw new ApiError',
    test: 'server/src/platform/http/admission/client-quota.test.ts',
    named: 'a new client may until the limit is reached',
  },
  {
    rule: 'Many client addresses together cannot use up the openings of a payment link',
    file: 'server/src/platform/http/admission/client-quota.ts',
    defends: '(share > 0 && ownCount > share)',
    without: 'false',
    test: 'server/test/api/payment-links/links-and-quotes-limits.test.ts',
    named: 'strangers from twenty client addresses do not use up',
  },
];
