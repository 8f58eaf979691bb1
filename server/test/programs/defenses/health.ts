import type { Defense } from './list.ts';

const test = 'server/test/api/health/networks.test.ts';

/** A network without a reader is visible to the operator, and a process that cannot read gives way. */
export const HEALTH_DEFENSES: readonly Defense[] = [
  {
    rule: 'A lease is not extended by further turns',
    file: 'server/src/settlement/reading/cursor-store.ts',
    defends: 'lease_until = case when c.holder = $2 and c.lease_until > $3 then c.lease_until else $4 end',
    without: 'lease_until = $4',
    test,
    named: 'loses the lease after ten seconds',
  },
  {
    rule: 'Each step of either pass extends the lease',
    file: 'server/src/settlement/reading/read-forward.ts',
    defends: '      await renewLease(ctx.db, lease, pass, clock());',
    without: '      void renewLease;',
    test,
    named: 'a process that catches up slowly keeps the lease',
  },
  {
    rule: 'A lease is extended while a turn runs',
    file: 'server/src/settlement/reading/cursor-store.ts',
    defends: 'update chain_cursors set lease_until = $5\n',
    without: 'update chain_cursors set lease_until = least(lease_until, $5)\n',
    test: 'server/test/api/health/leases.test.ts',
    named: 'keeps the lease beside a standby, and loses it without progress',
  },
  {
    rule: 'A turn without progress loses the lease',
    file: 'server/src/settlement/reading/cursor-store.ts',
    defends: ' and greatest(progressed_at, $6) > $7',
    without: ' and greatest($6, $7) is not null',
    test: 'server/test/api/health/leases.test.ts',
    named: 'keeps the lease beside a standby, and loses it without progress',
  },
  {
    rule: 'A process whose turns fail gives the network to another',
    file: 'server/src/watch.ts',
    defends: '    await releaseLease(ctx.db, state.lease);',
    without: '    void releaseLease;',
    test,
    named: 'gives it to a healthy standby',
  },
  {
    rule: 'A network without a reader stays visible',
    file: 'server/src/settlement/reading/network-health-store.ts',
    defends: 'isStalled: row.hasOpen && !isRead',
    without: 'isStalled: row.hasOpen && isRead',
    test,
    named: 'stays behind and stalled',
  },
  {
    rule: 'A network that no process reaches is not offered',
    file: 'server/src/settlement/reading/offered-networks.ts',
    defends: '(await statesOf(ctx)).get(network)?.isOffered ?? own',
    without: '((await statesOf(ctx)), own)',
    test: 'server/test/api/health/offered.test.ts',
    named: 'offers a live network by what workers wrote down',
  },
  {
    rule: 'A release does not start on a schema that lacks what it needs',
    file: 'server/src/platform/db/migrate.ts',
    defends: '      refuseNewerSchema(difference(migrations, rows));',
    without: '      void refuseNewerSchema;',
    test: 'server/test/journeys/database/migrate.test.ts',
    named: 'a schema that a newer release took something from',
  },
];
