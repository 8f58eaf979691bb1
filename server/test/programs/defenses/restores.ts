import type { Defense } from './list.ts';

const sessions = 'server/src/resources/checkout-sessions';
const attribution = 'server/src/settlement/attribution';
const money = 'server/test/journeys/restored-money.test.ts';
const identities = 'server/test/api/checkout-sessions/restored-identities.test.ts';

/** What is derived from a request is the same after a restore, and never another account's. */
export const RESTORE_DEFENSES: readonly Defense[] = [
  {
    rule: 'The id of a session that follows from a key is of its account and mode only',
    file: `${sessions}/identity.ts`,
    defends: '[accountId, livemode, key, ',
    without: "[accountId && '', livemode && false, key, ",
    test: identities,
    named: 'another account, the other mode and another request',
  },
  {
    rule: 'A key that is used again for another request never inherits the money of the first',
    file: `${sessions}/identity.ts`,
    defends: "key, fingerprint.toString('hex'), ...form]",
    without: "key, fingerprint.toString('hex').slice(64), ...form]",
    test: identities,
    named: 'another account, the other mode and another request',
  },
  {
    rule: 'The id of a session that follows from a key is secret',
    file: `${sessions}/identity.ts`,
    defends: "secrets.keyedHash(request, 'session identity')",
    without: "createHash('sha256').update(secrets ? request : '').digest()",
    test: identities,
    named: 'cannot be computed without the master key',
  },
  {
    rule: 'An id that follows from a key is given out once',
    file: `${sessions}/insert-store.ts`,
    defends: ' and not asked.id_is_taken\n',
    without: '\n',
    test: identities,
    named: 'a key that is used again after its day',
  },
  {
    rule: 'An event that follows in another order after a restore is another event',
    file: 'server/src/settlement/records/event-store.ts',
    defends: '${sequence} ${type}`',
    without: '${sequence} ${type && 0}`',
    test: identities,
    named: 'an event that follows in another order',
  },
  {
    rule: 'A receiver takes the payment of a session that expired, was lost and is created again',
    file: 'sdk/src/newest-events.ts',
    defends: 'data.created_at === seen.created_at && data.sequence < seen.sequence',
    without: 'data.sequence <= seen.sequence',
    test: identities,
    named: 'a receiver takes the payment of a session that expired',
  },
  {
    rule: 'A receiver takes no payment twice whose session was created again after it was paid',
    file: 'sdk/src/newest-events.ts',
    defends: 'if (seen?.ids.includes(event.id)) return false;',
    without: '',
    test: identities,
    named: 'a receiver takes the payment of a session that expired',
  },
  {
    rule: 'A receiver that failed on an event takes it when it is delivered again',
    file: 'sdk/src/newest-events.ts',
    defends: `await handle(event);
  await store.set(id, { created_at, sequence, ids });`,
    without: `await store.set(id, { created_at, sequence, ids });
  await handle(event);`,
    test: 'sdk/test/newest-events.test.ts',
    named: 'an event whose handler failed',
  },
  {
    rule: 'Money that carries the reference of a session which exists again is not lost',
    file: `${attribution}/candidate-store.ts`,
    defends: "reason in ('no_match', 'other_asset', 'wrong_network')",
    without: "reason in ('other_asset', 'wrong_network')",
    test: money,
    named: 'is found once the session is created again',
  },
  {
    rule: 'Money for a session whose wallet was lost too is found if the address had a wallet for another asset or network',
    file: `${attribution}/candidate-store.ts`,
    defends: "'no_match', 'other_asset', 'wrong_network'",
    without: "'no_match'",
    test: money,
    named: 'is found once both exist again',
  },
  {
    rule: 'Money that is older than its session is listed after a restore, because it may have been refunded',
    file: 'server/src/settlement/restored-store.ts',
    defends: 't.block_time < p.created_at',
    without: "t.block_time < p.created_at - interval '1 day'",
    test: money,
    named: 'a payment is listed if its money is older than its session',
  },
  {
    rule: 'One address with made-up references does not keep the references of others from being looked at',
    file: `${attribution}/candidate-store.ts`,
    defends: 'order by turn, block_time desc limit $2',
    without: 'order by block_time desc limit $2',
    test: money,
    named: 'transfers with made-up references to one address',
  },
  {
    rule: 'One transfer that fails does not keep the others from their payments after a restore',
    file: `${attribution}/reclaim-referenced.ts`,
    defends: 'if (isUnavailable(error)) throw error;',
    without: 'throw error;',
    test: money,
    named: 'that fails does not keep the others',
  },
  {
    rule: 'A transfer that is set aside waits for a person after a restore',
    file: `${attribution}/candidate-store.ts`,
    defends: 'and set_aside_at is null and not queued',
    without: 'and not queued',
    test: money,
    named: 'that is set aside waits for a person',
  },
  {
    rule: 'A transfer that is released while its reference is looked at keeps its reason',
    file: `${attribution}/reclaim-referenced.ts`,
    defends: 'if (transfer.handledAt || transfer.releasedAt) return undefined;',
    without: '',
    test: money,
    named: 'that is released while it is looked at',
  },
  {
    rule: 'Every payment whose reference a transfer carries is locked before the transfer',
    file: `${attribution}/reclaim-referenced.ts`,
    defends: 'await lockPayments(db, paymentIds);',
    without: 'await lockPayments(db, paymentIds.slice(0, 1));',
    test: money,
    named: 'that carries two references is locked only after',
  },
];
