import type { Defence } from './list.ts';

const webhooks = 'server/src/resources/webhooks';

/** What strangers and other accounts can make the service store or do, and whom it delays. */
export const ROW_DEFENCES: readonly Defence[] = [
  {
    rule: 'A payment link that is only opened records no event and no delivery',
    file: 'server/src/resources/payment-links/open.ts',
    defends: 'payment: { ...reserved.payment, isAnnounced: false } }',
    without: 'payment: { ...reserved.payment, isAnnounced: true } }',
    also: {
      file: 'server/src/resources/checkout-sessions/insert.ts',
      defends: '    event_id: event?.id ?? null,\n    event_body: event?.body.toString() ?? null,',
      without: "    event_id: event?.id ?? `evt_${session.id}`,\n    event_body: event?.body.toString() ?? '{}',",
    },
    test: 'server/test/api/payment-links-events.test.ts',
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
    file: `${webhooks}/claim.ts`,
    defends: 'partition by lane order by account_turn, due_at',
    without: 'partition by lane order by turn, due_at',
    test: 'server/test/webhooks/leases.test.ts',
    named: 'a batch is shared by accounts before their endpoints',
  },
  {
    rule: 'Accounts take turns before their endpoints do',
    file: `${webhooks}/lanes.ts`,
    defends: '        served.add(account);\n',
    without: '        served.add({ ...account });\n',
    test: `${webhooks}/lanes.test.ts`,
    named: 'accounts take turns before their endpoints do',
  },
];
