import type { Defense } from './list.ts';

const settlement = 'server/src/settlement';
const unseen = 'server/test/journeys/evm-unseen-ether.test.ts';
const gapTest = 'server/test/api/settlement/look-again.test.ts';
const ownEvidence = 'server/src/outside/chains/evm/own-evidence.test.ts';

/** What keeps ether that contracts send from being missed or invented. */
export const UNSEEN_DEFENSES: readonly Defense[] = [
  {
    rule: 'Ether from inside a transaction of an unreadable form is never dropped silently',
    file: 'server/src/outside/chains/evm/read-blocks.ts',
    defends: '[...inner.problems, ...paying.map(unreadableProblem)]',
    without: 'inner.problems',
    test: 'server/src/outside/chains/evm/read-blocks.test.ts',
    named: 'pays a watched wallet from inside',
  },
  {
    rule: 'Blocks without balances are traced',
    file: 'server/src/outside/chains/evm/native.ts',
    defends: 'if (performance.now() > untilMs || !(await trace(block))) unseen.push(block);',
    without: 'unseen.push(block);',
    test: unseen,
    named: 'is seen by a trace',
  },
  {
    rule: 'The balances that one provider claimed are never those of another one',
    file: 'server/src/outside/chains/evm/native.ts',
    defends: 'const last = balances.get(provider.name);',
    without: 'const last = [...balances.values()].at(-1);',
    test: ownEvidence,
    named: 'which another one claimed before it failed',
  },
  {
    rule: 'A trace of another provider explains only what the own balances show',
    file: 'server/src/outside/chains/evm/native.ts',
    defends: '      if (exact.length > 0) missing.delete(wallet);',
    without: '      missing.delete(wallet);',
    test: ownEvidence,
    named: 'does not explain what its own balances show',
  },
  {
    rule: 'What a trace does not add up to is not lost',
    file: 'server/src/outside/chains/evm/native.ts',
    defends: 'restrict(grown, notExplained(own, grown))',
    without: 'restrict(grown, notExplained(own, grown).slice(0, 0))',
    test: ownEvidence,
    named: 'its own trace may leave out a part',
  },
  {
    rule: 'A provider that has no balances of a block reports nothing about a growth in it',
    file: 'server/src/outside/chains/evm/check.ts',
    defends: 'return undecided(provider, head, `${provider.name} has no balances',
    without: 'return gone(`${provider.name} has no balances',
    test: ownEvidence,
    named: 'a denial that only one of three can show',
  },
  {
    rule: 'A provider that cannot see ether from contracts does not say that a transaction paid nothing',
    file: 'server/src/outside/chains/evm/chain.ts',
    defends: '  if (!shown && transfersOf(',
    without: '  if (watched.size < 0 && transfersOf(',
    test: ownEvidence,
    named: 'moved nothing only by',
  },
  {
    rule: 'Ether that could not be looked for holds the payments that it may be for',
    file: `${settlement}/outcome/expiry-store.ts`,
    defends: "       and not (p.status = 'pending'\n                and exists (select 1 from unseen_blocks u",
    without: "       and not (p.status = 'none'\n                and exists (select 1 from unseen_blocks u",
    also: {
      file: `${settlement}/outcome/expire.ts`,
      defends: '    if (await mayBeUnseen(db, payment, { until: payment.expiresAt, now: at.recorded })) return false;',
      without: '',
    },
    test: unseen,
    named: 'holds its payment open',
  },
  {
    rule: 'A gap closes only where a reading could look',
    file: `${settlement}/reading/look-again.ts`,
    defends: "function seenParts(after: BlockRef, { covered, unseen = [] }: Reading): Pick<Look, 'after' | 'to'>[] {",
    without:
      "function seenParts(after: BlockRef, { covered }: Reading): Pick<Look, 'after' | 'to'>[] {\n  const unseen: { from: BlockRef; to: BlockRef }[] = [];",
    test: gapTest,
    named: 'two that cannot',
  },
  {
    rule: 'A gap closes only when a second provider has looked',
    file: `${settlement}/reading/look-again.ts`,
    defends: '  const needsAnother = providersOf(chain).length > 1;',
    without: '  const needsAnother = providersOf(chain).length > 99;',
    test: gapTest,
    named: 'a liar and one that cannot',
  },
  {
    rule: 'A provider that looks at a gap twice does not close it',
    file: `${settlement}/reading/look-again.ts`,
    defends: 'names.filter((other) => other !== lookedBy)',
    without: 'names.filter((other) => other === lookedBy)',
    test: gapTest,
    named: 'stays due after one look',
  },
  {
    rule: 'What only the second pass could not look for is one word of the first',
    file: `${settlement}/reading/read-forward.ts`,
    defends: '    await recordOneLook(db, chain.network, blocks, { now, lookedBy: firstReader ?? null });',
    without: '    return;',
    test: unseen,
    named: 'is waited for an hour where the first pass looked',
  },
  {
    rule: 'A transfer of one asset that a provider denies does not end what a gap of another one holds',
    file: `${settlement}/reading/unseen-store.ts`,
    defends: '       where network = $1 and asset = $2\n         and ((from_block <= $4',
    without: '       where network = $1\n         and ((from_block <= $4',
    test: gapTest,
    named: 'hold the payments of both',
  },
  {
    rule: 'A provider cannot date a gap so that it holds nothing',
    file: `${settlement}/reading/unseen-store.ts`,
    defends: 'greatest($6, $12, max(to_time)) as to_time',
    without: 'greatest($6, max(to_time)) as to_time',
    test: gapTest,
    named: 'dates its blocks 40 days back',
  },
  {
    rule: 'Late money is not judged while money in time may be unseen',
    file: `${settlement}/verification/verify-transfers.ts`,
    defends: '  if (payment && (await mayBeUnseen(ctx.db, payment, { until: expiresAt, now }))) return true;',
    without: '  void payment;',
    test: unseen,
    named: 'before money that came late',
  },
  {
    rule: 'A gap that a block is added to while it is being pruned is kept',
    file: `${settlement}/reading/unseen-store.ts`,
    defends: 'limit $2 for update skip locked)',
    without: 'limit $2)',
    test: 'server/test/journeys/retention/changed-meanwhile.test.ts',
    named: 'a row of unseen_blocks',
  },
];
