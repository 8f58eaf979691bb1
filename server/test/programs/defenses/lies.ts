import type { Defense } from './list.ts';

const settlement = 'server/src/settlement';
const journeys = 'server/test/journeys';
const contestEnds = 'server/test/api/settlement/contest-ends.test.ts';
const movedFar = 'server/test/api/settlement/moved-far-above.test.ts';

/** What keeps one provider's lie about a transaction from hiding money, or from inventing it. */
export const LIE_DEFENSES: readonly Defense[] = [
  {
    rule: 'A transfer that the second pass reports differently is contested, whatever its block says',
    file: `${settlement}/records/seen-transfer-store.ts`,
    defends: '  await contestTransfers(db, contested);',
    without: '  if (contested.length < 0) await contestTransfers(db, contested);',
    test: `${journeys}/lying-provider.test.ts`,
    named: 'a changed tag',
  },
  {
    rule: 'A transfer whose block another provider dates differently is contested',
    file: 'server/src/outside/chains/pure/version.ts',
    defends: 'return a.hash === b.hash && a.time.getTime() === b.time.getTime();',
    without: 'return a.hash === b.hash;',
    test: `${journeys}/lying-provider.test.ts`,
    named: 'a changed time to an earlier one',
  },
  {
    rule: 'Of contested versions, those with more references are asked about first',
    file: `${settlement}/records/contested.ts`,
    defends: '(a, b) => b.carried.length - a.carried.length',
    without: '(a, b) => a.carried.length - b.carried.length',
    test: `${journeys}/lying-provider.test.ts`,
    named: 'a changed tag',
  },
  {
    rule: 'A transfer that only one of several providers reported is not final by its block',
    file: `${settlement}/records/unverified-store.ts`,
    defends: 'not t.queued and t.confirmed and t.contested is null\n      returning',
    without: 'not t.queued and t.contested is null\n      returning',
    test: `${journeys}/lying-provider.test.ts`,
    named: 'is never final, and an alarm names the provider',
  },
  {
    rule: 'Reading begins at the earliest block that any provider names',
    file: 'server/src/outside/chains/rpc/block-at.ts',
    defends: '(a.block.number < b.block.number ? -1 : 1)',
    without: '(a.block.number < b.block.number ? 1 : -1)',
    test: `${journeys}/lying-provider.test.ts`,
    named: 'although no block was read before',
  },
  {
    rule: 'What a rescan no longer finds is asked of the quorum',
    file: `${settlement}/reading/doubt-missing.ts`,
    defends: '!reported.has(keyOf(one))',
    without: '!reported.has(keyOf(one)) && one.index < 0',
    test: `${journeys}/lying-provider.test.ts`,
    named: 'a rescan heals the rest',
  },
  {
    rule: 'Reconciling a transaction has the quorum decide at once about what was stored of it otherwise',
    file: `${settlement}/rescan.ts`,
    defends: '    await decideAll(ctx, chain, watching, rounds);\n',
    without: '',
    test: `${journeys}/lying-provider.test.ts`,
    named: 'reconciling its transaction heals at once',
  },
  {
    rule: 'What reconciling a transaction no longer finds in it is asked of the quorum',
    file: `${settlement}/rescan.ts`,
    defends:
      '    await doubtMissing(ctx.db, { network, blocks: null, txHash: hash }, { watching, transfers: seen.transfers });\n',
    without: '',
    test: `${journeys}/lying-provider.test.ts`,
    named: 'reconciling a transaction drops what it never paid',
  },
  {
    rule: 'A transfer of a payment that one provider moved above the head is asked about all the same',
    file: `${settlement}/records/unverified-store.ts`,
    defends: '(t.block_number <= $2 or t.first_seen_at < $5)',
    without: '(t.block_number <= $2 or t.first_seen_at < $5 and false)',
    test: movedFar,
    named: 'in a look-up is paid, and the liar stays',
  },
  {
    rule: 'A transfer above the head is asked about without the blocks that would make it final',
    file: `${settlement}/verification/verify-transfers.ts`,
    defends: '        transfer.block.number > head.number ||\n',
    without: '',
    test: movedFar,
    named: 'in a look-up is paid, and the liar stays',
  },
  {
    rule: 'A transfer of no payment that one provider moved above the first pass is asked about all the same',
    file: `${settlement}/records/contested-store.ts`,
    defends: 'or (t.first_seen_at < $6 and t.block_number',
    without: 'or (t.first_seen_at < $6 and false and t.block_number',
    test: movedFar,
    named: 'is asked about, and goes back',
  },
  {
    rule: 'That a transfer of no payment waits above all that was read raises the alarm of one that waits',
    file: `${settlement}/verification/decide-reports.ts`,
    defends: 'if (transfer.contested || isAhead) ',
    without: 'if (transfer.contested) ',
    test: movedFar,
    named: 'stays behind, an alarm says so',
  },
  {
    rule: 'The quorum confirms a transfer in the block that it was asked about, not in a later one',
    file: `${settlement}/records/contested-store.ts`,
    defends: 'if (!held || !isSameVersion(held, seen)) return;',
    without: 'if (!held) return;',
    also: {
      file: `${settlement}/records/contested-store.ts`,
      defends: '  if (!versionsOf(held).every(',
      without: '  if (held.block.hash === seen.block.hash && !versionsOf(held).every(',
    },
    test: contestEnds,
    named: 'is not confirmed in its new block',
  },
  {
    rule: 'A pass confirms a transfer in the block that it compared, not in a later one',
    file: `${settlement}/records/contested-store.ts`,
    defends: 'where t.id = same.id and t.block_hash = same.block_hash',
    without: 'where t.id = same.id',
    test: contestEnds,
    named: 'while another pass confirms it',
  },
  {
    rule: 'A version that was reported while the quorum was asked about others is asked about too',
    file: `${settlement}/records/contested-store.ts`,
    defends: '!versionsOf(held).every(',
    without: '!versionsOf(held).some(',
    test: contestEnds,
    named: 'keeps the contest open',
  },
  {
    rule: 'A transfer on Tron is verified in the form of its logs',
    file: 'server/src/outside/chains/tron/chain.ts',
    defends: 'evm.check(asEvm(transfer), ',
    without: 'evm.check(transfer, ',
    test: 'server/test/networks/lying-provider.test.ts',
    named: 'the payment is paid, or an alarm names the providers',
  },
];
