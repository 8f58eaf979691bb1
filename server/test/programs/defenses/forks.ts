import type { Defense } from './list.ts';

const settlement = 'server/src/settlement';
const journeys = 'server/test/journeys';
const forks = 'server/test/api/settlement/forks.test.ts';
const faults = 'server/test/api/settlement/provider-faults.test.ts';
const rechecks = 'server/test/api/settlement/rechecks.test.ts';
const races = 'server/test/api/settlement/races.test.ts';

/** What a reorg may change, and what it must not. */
export const FORK_DEFENSES: readonly Defense[] = [
  {
    rule: 'A transfer that disappears before it is final is dropped',
    file: `${settlement}/outcome/settle.ts`,
    defends: "  if (!(await setTransferStatus(db, seen, { status: 'dropped', evidence }, at.created))) return;",
    without: '  if (seen) return;',
    test: races,
    named: 'that comes back after it was dropped',
  },
  {
    rule: 'A final transfer that disappears raises an alarm',
    file: `${settlement}/verification/verify-transfers.ts`,
    defends: '  await recheckFinal(ctx, chain, view, rounds.rechecks);',
    without: '  void recheckFinal;',
    test: `${journeys}/watching.test.ts`,
    named: 'a reorg deeper than finality',
  },
  {
    rule: 'A final transfer in doubt is checked again at any depth',
    file: `${settlement}/records/rechecked-store.ts`,
    defends: "and t.status = 'final' and t.evidence ? 'doubted'\n    ), waiting",
    without: "and t.status = 'final' and t.evidence ? 'doubted' and t.block_number > $2\n    ), waiting",
    test: rechecks,
    named: 'costs a check an hour until then',
  },
  {
    rule: 'A transfer that has been missing for more than a day is still asked for',
    file: `${settlement}/records/rechecked-store.ts`,
    defends: "(t.evidence ->> 'goneAfterFinal')::timestamptz < $2 as is_rare",
    without: "case when (t.evidence ->> 'goneAfterFinal')::timestamptz < $2 then null else false end as is_rare",
    also: {
      file: `${settlement}/records/rechecked-store.ts`,
      defends: ' where asked_at is null or asked_at <=',
      without: ' where is_rare is not null and asked_at is null or asked_at <=',
    },
    test: rechecks,
    named: 'back after an outage of a day',
  },
  {
    rule: 'Transfers that stay missing wait behind the others',
    file: `${settlement}/verification/recheck-final.ts`,
    defends: 'if (transfer.evidence.goneAfterFinal !== undefined) await noteAsked(',
    without: 'if (transfer.evidence.neverAsked !== undefined) await noteAsked(',
    test: rechecks,
    named: 'asked for once an hour',
  },
  {
    rule: 'A transfer that is back is final again by the tags that made it final',
    file: `${settlement}/verification/recheck-final.ts`,
    defends: '{ ...one, rule }',
    without: "{ ...one, rule: { type: 'confirmations', count: 1 } }",
    test: rechecks,
    named: 'by the tags that made it final',
  },
  {
    rule: 'A reorg that one of three providers claims moves no pass',
    file: `${settlement}/reading/read-forward.ts`,
    defends: 'hash !== stored.hash && !(await chain.isHeldByMost(stored)))',
    without: 'hash !== stored.hash)',
    also: {
      file: `${settlement}/reading/read-forward.ts`,
      defends: ' || (await chain.isHeldByMost(block))) return { block };',
      without: ') return { block };',
    },
    test: forks,
    named: 'moves no pass, however low the head is',
  },
  {
    rule: 'A head far below the cursor that one of three providers names moves no pass',
    file: `${settlement}/reading/read-forward.ts`,
    defends: '> MAX_ABOVE_HEAD && !(await chain.isHeldByMost(cursor)))',
    without: '> MAX_ABOVE_HEAD)',
    test: forks,
    named: 'moves no pass, however low the head is',
  },
  {
    rule: 'A pass goes over no block that most providers have',
    file: `${settlement}/reading/read-forward.ts`,
    defends: ' || (await chain.isHeldByMost(block))) return { block };',
    without: ') return { block };',
    test: forks,
    named: 'goes back over no block',
  },
  {
    rule: 'The last block in common is found by halves, so that a deep reorg is followed within one lease',
    file: `${settlement}/reading/read-forward.ts`,
    defends: '    next = 2 * next + 1;',
    without: '    next += 1;',
    test: forks,
    named: 'with few questions',
  },
  {
    rule: 'After a reorg each pass returns to its own last common block',
    file: `${settlement}/reading/cursor-store.ts`,
    defends: 'where network = $1 and pass = $2 and number < $3 order by',
    without: 'where network = $1 and $2::text is not null and number < $3 order by',
    test: forks,
    named: 'the second look reads a new branch',
  },
  {
    rule: 'A transfer that comes back changed after a fork is attributed again',
    file: `${settlement}/records/seen-transfer-store.ts`,
    defends: '    stored.fresh.push(...(await replaceChanged(db, some, at)));',
    without: '    void replaceChanged;',
    test: forks,
    named: 'after it was dropped is attributed again',
  },
  {
    rule: 'A transfer that a fork has moved is assessed again, by the time of its new block',
    file: `${settlement}/records/seen-transfer-store.ts`,
    defends: 'final_at = null, queued = true, attempts',
    without: 'final_at = null, attempts',
    test: forks,
    named: 'of the session before, from before the session now',
  },
  {
    rule: 'A manual assignment survives a fork',
    file: `${settlement}/attribution/attribute-transfer.ts`,
    defends: "  if (transfer.attributedBy === 'hand' || transfer.attributedBy === 'route') return undefined;",
    without: '',
    test: forks,
    named: 'a merchant has assigned stays assigned',
  },
  {
    rule: 'A tag counts by what stands beside it on the branch that stays',
    file: `${settlement}/records/seen-transfer-store.ts`,
    defends:
      "           carried = array(select decode(mark, 'hex') from " +
      "unnest(string_to_array(nullif(seen.carried, ''), ',')) as mark), status = 'seen',\n",
    without: "           status = 'seen',\n",
    test: forks,
    named: 'stood alone before a fork and beside another transfer after it',
  },
  {
    rule: 'A revert on an abandoned branch is deleted',
    file: `${settlement}/reading/read-forward.ts`,
    defends: '    await deleteReverted(db, lease, back);',
    without: '    void deleteReverted;',
    test: forks,
    named: 'that reverted only on an abandoned branch',
  },
  {
    rule: 'A transaction that is gone is looked up once more',
    file: `${settlement}/verification/drop-vanished.ts`,
    defends: 'instead ?? (transfer.untraced ? [] : await chain.replacements(transfer))',
    without: 'instead ?? (chain ? [] : [])',
    test: faults,
    named: 'in a block that both passes have read, is looked up once',
  },
  {
    rule: 'A transaction that a fork put into another block with another amount is stored when it is read',
    file: `${settlement}/records/seen-transfer-store.ts`,
    defends: `       and (t.status = 'dropped' or (t.status = 'seen' and t.block_hash <> seen.block_hash))
       and (t.asset,`,
    without: `       and t.status = 'dropped'
       and (t.asset,`,
    test: forks,
    named: 'is read once, and that is enough',
  },
  {
    rule: 'A head that went back to another branch is noticed',
    file: `${settlement}/reading/read-forward.ts`,
    defends: 'if (cursor.number > head.number && (await isStillCanonical(reader, cursor, head)))',
    without: 'if (cursor.number > head.number)',
    test: forks,
    named: 'a head below the cursor on another branch',
  },
  {
    rule: 'A provider without a response does not agree with a disputed report',
    file: `${settlement}/verification/verify-transfers.ts`,
    defends: '  if (transfer.evidence.contradictedSince) return',
    without: '  if (transfer.evidence.contradictedSince && chain === undefined) return',
    test: faults,
    named: 'a contradicted transfer is not paid',
  },
  {
    rule: 'Money that a reorg has put in doubt helps to pay nothing, also before it is open again',
    file: `${settlement}/outcome/assessed-payment.ts`,
    defends: "return isOpen && transfer.status === 'final' ?",
    without: "return isOpen && transfer.status === 'dropped' ?",
    test: rechecks,
    named: 'while the rest is verified does not help to pay',
  },
  {
    rule: 'No window is closed by money that a reorg has put in doubt',
    file: `${settlement}/outcome/expiry-store.ts`,
    defends: "t.status = 'final' and t.evidence ? 'doubted'",
    without: 'false',
    also: {
      file: `${settlement}/outcome/assessed-payment.ts`,
      defends: "return isOpen && transfer.status === 'final' ?",
      without: "return isOpen && transfer.status === 'dropped' ?",
    },
    test: rechecks,
    named: 'no window closes by the money',
  },
];
