import type { Defense } from './list.ts';

const sessions = 'server/src/resources/checkout-sessions';
const identities = 'server/test/api/restored-identities.test.ts';

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
    defends: "key, fingerprint.toString('hex')]",
    without: "key, fingerprint.toString('hex').slice(64)]",
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
    defends: ' and earlier.id is null\n',
    without: '\n',
    test: identities,
    named: 'a key that is used again after its day',
  },
  {
    rule: 'An event that follows in another order after a restore is another event',
    file: 'server/src/settlement/records/record-events.ts',
    defends: '${payment.sequence} ${type}`',
    without: '${payment.sequence} ${type && 0}`',
    test: identities,
    named: 'an event that follows in another order',
  },
  {
    rule: 'Money that carries the reference of a session which exists again is not lost',
    file: 'server/src/settlement/attribution/reclaim-store.ts',
    defends: "handled_at is null and reason = 'no_match'",
    without: "handled_at is null and reason = 'already_paid'",
    test: 'server/test/journeys/restored-money.test.ts',
    named: 'is found once the session is created again',
  },
];
