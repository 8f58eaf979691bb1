import type { Defense } from './list.ts';

const evm = 'server/src/outside/chains/evm';
const solana = 'server/src/outside/chains/solana';
const rpc = 'server/src/outside/chains/rpc';
const attribution = 'server/src/settlement/attribution';
const evmJourney = 'server/test/journeys/evm-references.test.ts';
const evmOperations = 'server/test/journeys/evm-user-operations.test.ts';
const solanaBalances = 'server/test/journeys/solana-balances.test.ts';

/** What keeps a reference from taking another customer's money. */
export const REFERENCE_DEFENSES: readonly Defense[] = [
  {
    rule: 'A tag counts in a transaction only if the debited account sent it',
    file: `${evm}/references.ts`,
    defends: 'new Map([[transaction.from, [readTags(transaction.input)]]])',
    without: 'new Map(movements.map((movement) => [movement.from as string, [readTags(transaction.input)]]))',
    test: evmJourney,
    named: 'copied behind the call that releases',
  },
  {
    rule: 'A user operation speaks only for its own sender',
    file: `${evm}/references.ts`,
    defends: 'payers.has(operation.sender) && ',
    without: '',
    also: {
      file: `${evm}/references.ts`,
      defends: '[...bySender].map(([sender, own]) => [sender, own.map(',
      without: '[...payers].map((sender) => [sender as string, [...bySender.values()].flat().map(',
    },
    test: evmOperations,
    named: "reference in another's operation proves nothing",
  },
  {
    rule: 'A user operation that failed proves nothing',
    file: `${evm}/user-operations.ts`,
    defends: `.filter((operation) =>
    succeeded.has(operationKey(operation.sender, operation.nonce)),
  )`,
    without: '.filter(() => succeeded)',
    test: evmOperations,
    named: 'an operation that failed proves nothing',
  },
  {
    rule: 'A traced call proves a reference only if the debited account made it',
    file: `${evm}/references.ts`,
    defends: "return `${from} ${token ?? 'native'}",
    without: "return from && `${token ?? 'native'}",
    test: `${evm}/references.test.ts`,
    named: 'a tagged call by the payer counts',
  },
  {
    rule: 'A traced call proves a reference only if it was made to the token',
    file: `${evm}/references.ts`,
    defends: "${token ?? 'native'}",
    without: "${token ? 'token' : 'native'}",
    test: `${evm}/references.test.ts`,
    named: 'a tagged call by the payer counts',
  },
  {
    rule: 'A call that reverted proves nothing, in one dialect of traces',
    file: `${evm}/trace.ts`,
    defends: '    if (frame.error !== undefined && frame.error !== null) continue;\n',
    without: '',
    test: evmJourney,
    named: 'where that call reverted',
  },
  {
    rule: 'A call that reverted proves nothing, in the other dialect of traces',
    file: `${evm}/trace.ts`,
    defends: '    if (raw.error != null) failedPaths.push(path);\n',
    without: '',
    test: evmJourney,
    named: 'where that call reverted',
  },
  {
    rule: "One provider's trace alone proves no reference",
    file: `${evm}/tagged-calls.ts`,
    defends: 'Math.min(QUORUM, providers.names.length)',
    without: 'Math.min(1, providers.names.length)',
    test: evmJourney,
    named: 'or only one of two does',
  },
  {
    rule: 'Providers that trace a transaction differently are named by an alarm',
    file: `${evm}/tagged-calls.ts`,
    defends: '  if (answers.size > 1) onTracesDiffer?.(txHash, [...answers.keys()]);\n',
    without: '  void onTracesDiffer;\n',
    test: 'server/test/journeys/lying-provider-ether.test.ts',
    named: 'a changed tag that a trace proves',
  },
  {
    rule: 'Minted money carries no reference',
    file: `${evm}/references.ts`,
    defends: '    if (isMint(movement)) return [];\n',
    without: '',
    test: `${evm}/references.test.ts`,
    named: 'minted money carries no reference',
  },
  {
    rule: 'Every provider must confirm a reference',
    file: `${evm}/tagged-calls.ts`,
    defends: '  if (transfer.carried.length === 0 || !needsTrace(movements, seen)) return carriedWith([]);',
    without: '  if (carriedWith) return transfer.carried;',
    test: evmJourney,
    named: 'copied behind the call that releases',
  },
  {
    rule: "Strangers can spend only so much of a provider's tracing",
    file: `${rpc}/budget.ts`,
    defends: 'if (spentMs >= maxSpentMs || !starts.acquire(client)) {',
    without: 'if (spentMs < 0) {',
    test: evmJourney,
    named: 'than the budget of a minute allows',
  },
  {
    rule: 'An unproven reference gives a payment nothing',
    file: `${attribution}/candidates.ts`,
    defends: '    referenced: candidates(referenced),\n',
    without: '    referenced: candidates([...referenced, ...unproven]),\n',
    test: 'server/test/journeys/unproven-references.test.ts',
    named: "never pays the stranger's order",
  },
  {
    rule: "A proven reference is tried where the amount's owner cannot take the money",
    file: `${attribution}/attribute.ts`,
    defends: "  if (reference?.type === 'taken') return reference;\n",
    without: '',
    test: `${attribution}/attribute.test.ts`,
    named: 'of a paid payment, with a proven reference',
  },
  {
    rule: "A memo beside someone else's transfer proves nothing",
    file: `${solana}/references.ts`,
    defends: '  if (!transaction.keys.some((key) => key.signer && key.address === payer)) return [];\n',
    without: '  void payer;\n',
    test: `${solana}/transfers.test.ts`,
    named: 'a reference that another party added',
  },
  {
    rule: 'Solana money that no transfer instruction explains carries no reference',
    file: `${solana}/transfers.ts`,
    defends: '  if (isUnexplained) return [];\n',
    without: '  void isUnexplained;\n',
    test: solanaBalances,
    named: 'has no sender and carries nothing',
  },
  {
    rule: "A wallet's transfer to itself does not count as received",
    file: `${evm}/transfers.ts`,
    defends: '(selfTransfers || moved.from !== moved.to) && ',
    without: '',
    test: evmJourney,
    named: 'to itself is not income',
  },
  {
    rule: 'A hint that is repeated is not looked up again at once',
    file: `${rpc}/hints.ts`,
    defends: '      if (before) return before;\n',
    without: '',
    test: `${rpc}/hints.test.ts`,
    named: 'runs once in ten seconds',
  },
  {
    rule: 'Hints leave the providers to the watcher',
    file: `${rpc}/hints.ts`,
    defends: 'if (running >= limits.maxAtOnce) await',
    without: 'if (running > 1_000) await',
    test: `${rpc}/hints.test.ts`,
    named: 'four run at once',
  },
  {
    rule: 'An increase on Solana that no instruction explains has no sender',
    file: 'server/src/outside/chains/solana/transfers.ts',
    defends: '        amountUnits: units,\n        movements: explicit,\n        from: null,',
    without:
      '        amountUnits: units,\n        movements: explicit,\n        from: transaction.keys[0]?.address ?? null,',
    test: 'server/test/journeys/solana-balances.test.ts',
    named: 'has no sender and carries nothing',
  },
  {
    rule: 'A rescan proves the references that the watcher did not trace',
    file: 'server/src/settlement/rescan.ts',
    defends: "pass: 'first', tracesAll: true }",
    without: "pass: 'first' }",
    test: 'server/test/journeys/unproven-references.test.ts',
    named: 'a hint or a rescan heals that',
  },
];
