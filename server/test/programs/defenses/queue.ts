import type { Defense } from './list.ts';

const settlement = 'server/src/settlement';
const queue = 'server/test/api/settlement/queue.test.ts';
const hinted = 'server/test/api/settlement/hinted-floods.test.ts';

/** What happens to a transfer between reading and settling, however many there are. */
export const QUEUE_DEFENSES: readonly Defense[] = [
  {
    rule: 'A transfer whose attribution fails three times is set aside',
    file: `${settlement}/attribution/attribute-queued.ts`,
    defends: '    await setTransferAside(ctx.db, id, now);',
    without: '    void setTransferAside;',
    test: queue,
    named: 'is set aside after three attempts',
  },
  {
    rule: 'A transaction that cannot be stored does not stop the reader',
    file: `${settlement}/reading/read-forward.ts`,
    defends: '    if (count < MAX_SAVE_ATTEMPTS) await saveReading',
    without: '    if (count >= 0) await saveReading',
    test: queue,
    named: 'not even the facts can be stored',
  },
  {
    rule: 'The queue serves every address in turn',
    file: `${settlement}/records/transfer-queue-store.ts`,
    defends: '       limit $4) one',
    without: '       limit 1000) one',
    also: {
      file: `${settlement}/attribution/attribute-queued.ts`,
      defends: '  for (const { id, to } of found) {',
      without: '  for (const { id, to } of found.slice(0, 5)) {',
    },
    test: queue,
    named: 'however much waits in the queue of one address',
  },
  {
    rule: 'Only what a payment depends on is verified by itself',
    file: `${settlement}/records/unverified-store.ts`,
    defends: `from transfers t join payments p on p.id = t.payment_id
       where`,
    without:
      'from transfers t join payments p on p.id = coalesce(t.payment_id, (select min(one.id) from payments one)) where',
    also: {
      file: `${settlement}/records/unverified-store.ts`,
      defends: 'join transfers t on t.id = served.id join payments p on p.id = t.payment_id',
      without:
        'join transfers t on t.id = served.id join payments p on p.id = coalesce(t.payment_id, (select min(one.id) from payments one))',
    },
    test: queue,
    named: 'an invented transfer costs no question',
  },
  {
    rule: 'A transfer that became final with its block is verified before it pays',
    file: `${settlement}/attribution/assign-transfer.ts`,
    defends: '  if (held.livemode && held.evidence.byBlock) await',
    without: '  if (!held) await',
    test: queue,
    named: 'is verified by itself once it is assigned',
  },
  {
    rule: 'A transfer that only its block made final pays nothing without the quorum',
    file: `${settlement}/attribution/assign-transfer.ts`,
    defends: '  if (held.livemode && held.evidence.byBlock) await',
    without: '  if (!held) await',
    test: 'server/test/api/transfers/final-by-block.test.ts',
    named: 'an invented transfer that became final with its block pays nothing when the merchant assigns it',
  },
  {
    rule: 'Dust that matches nothing is counted, not stored',
    file: `${settlement}/reading/select-transfers.ts`,
    defends: 'const isListed = !isDust && ',
    without: 'const isListed = ',
    test: queue,
    named: 'dust that matches nothing',
  },
  {
    rule: 'An unproved address lists a limited number of transfers an hour',
    file: `${settlement}/reading/select-transfers.ts`,
    defends: '(known?.listed ?? 0) + count.stored < listedLimit(known)',
    without: 'count.stored >= 0',
    test: queue,
    named: 'an unproved address lists',
  },
  {
    rule: 'An unproven reference makes no row of dust',
    file: `${settlement}/reading/activity-store.ts`,
    defends: '(isBelowCent(asset, amountUnits) ? [] : unproven)',
    without: 'unproven',
    test: hinted,
    named: 'a tag makes no row of dust',
  },
  {
    rule: 'A tag or a claim makes a limited number of rows of a transaction beyond the limits of its address',
    file: `${settlement}/reading/select-transfers.ts`,
    defends: '!largest.has(transfer) ||',
    without: '!limit ||',
    test: hinted,
    named: 'an unverified claim makes some rows',
  },
  {
    rule: "Of a transaction's transfers that a tag names, the largest become rows",
    file: `${settlement}/reading/select-transfers.ts`,
    defends: 'compare(b.amountUnits, a.amountUnits) ||',
    without: '',
    test: hinted,
    named: 'beyond the hourly list a tag makes some rows',
  },
  {
    rule: 'Tags make a limited number of rows an hour beyond the limits of an address',
    file: `${settlement}/reading/select-transfers.ts`,
    defends: " || (limit === 'hints' && !hasRoom)",
    without: ' || (hasRoom && !limit)',
    test: hinted,
    named: 'beyond the hourly list a tag makes some rows',
  },
  {
    rule: 'The tag of a session makes rows only of transfers to its wallet',
    file: `${settlement}/reading/activity-store.ts`,
    defends: '              and s.receive_address = carried.address) named',
    without: ') named',
    test: hinted,
    named: 'the tag of a session with another wallet or network',
  },
  {
    rule: 'The tag of a session makes rows only of transfers on its network',
    file: `${settlement}/reading/activity-store.ts`,
    defends: 'where named.is_here or (carried.is_proven and',
    without: 'where named.is_here is not null or (carried.is_proven and',
    test: hinted,
    named: 'the tag of a session with another wallet or network',
  },
  {
    rule: 'A payment by its own reference becomes a row however many others name references',
    file: `${settlement}/reading/select-transfers.ts`,
    defends: "      return isDust ? 'hints' : 'none';",
    without: "      return 'hints';",
    test: hinted,
    named: 'beyond all limits a payment by its own reference is paid',
  },
  {
    rule: 'No window ends while an attribution is open',
    file: `${settlement}/outcome/expire.ts`,
    defends: '  if (payment.livemode && (await hasQueued(',
    without: '  if (!payment && (await hasQueued(',
    test: queue,
    named: 'still waits for its attribution',
  },
  {
    rule: 'The transfers of one transaction are verified by one set of questions',
    file: 'server/src/outside/chains/rpc/answer-cache.ts',
    defends: '      if (known) return read(call, await known);',
    without: '      void known;',
    test: 'server/src/outside/chains/rpc/answer-cache.test.ts',
    named: 'the same call is sent once',
  },
];
