import type { Defense } from './list.ts';

const evm = 'server/src/outside/chains/evm';
const solana = 'server/src/outside/chains/solana';

/** Which parts of a node's responses count. */
export const ANSWER_DEFENSES: readonly Defense[] = [
  {
    rule: 'A reverted transaction pays nothing, although Polygon logs its fee',
    file: `${evm}/transfers.ts`,
    defends: '  if (!receipt.succeeded) return [];\n',
    without: '',
    test: `${evm}/shapes.test.ts`,
    named: 'makes no transfer, even if the fee contract were a watched token',
  },
  {
    rule: 'A reverted receipt contains only the log of the fee',
    file: `${evm}/shapes.ts`,
    defends: 'return log.address === POLYGON_FEE_CONTRACT && log.topics[0] === POLYGON_FEE_TOPIC;',
    without: 'return log.address === POLYGON_FEE_CONTRACT || log.topics[0] === POLYGON_FEE_TOPIC;',
    test: `${evm}/shapes.test.ts`,
    named: 'is rejected with another event of the fee contract',
  },
  {
    rule: 'The growth of a balance confirms no more transfers than it covers',
    file: `${evm}/check.ts`,
    defends: 'return difference >= transfer.amountUnits + beside ?',
    without: 'return difference >= transfer.amountUnits + beside * 0n ?',
    test: 'server/test/journeys/evm-balance-proof.test.ts',
    named: 'does not pay for two',
  },
  {
    rule: 'A wallet with code may have sent money on: its balance denies nothing',
    file: `${evm}/check.ts`,
    defends: "return (await provider.call(hasCodeAt(wallet))) ? 'open' : undefined;",
    without: 'return undefined;',
    test: `${evm}/check.test.ts`,
    named: 'are not denied by the balance of a wallet with code',
  },
  {
    rule: 'A balance that was traced is not credited once more',
    file: `${evm}/check.ts`,
    defends: "    if (beside >= transfer.amountUnits) return gone('all of it has been traced');\n",
    without: '    if (beside >= transfer.amountUnits * 1_000n) return gone();\n',
    test: `${evm}/check.test.ts`,
    named: 'a growth that was traced before is not credited once more',
  },
  {
    rule: 'A receipt without a status pays nothing',
    file: `${evm}/shapes.ts`,
    defends: "    hash(receipt.root, 'receipt.root');\n    return null;",
    without: '    return true;',
    test: `${evm}/shapes.test.ts`,
    named: 'so it makes no transfer',
  },
  {
    rule: 'A receipt lacks a status only before Byzantium',
    file: `${evm}/shapes.ts`,
    defends: `&&
    quantity(receipt.blockNumber, 'receipt.blockNumber') < BYZANTIUM_BLOCK`,
    without: '',
    test: `${evm}/shapes.test.ts`,
    named: 'a recent receipt with a state root instead of a status',
  },
  {
    rule: 'A provider that lacks a transaction is asked for other traces',
    file: `${evm}/refusals.ts`,
    defends: `||
    (MISSING_DATA.test(error.message) && !METHOD.test(error.message))`,
    without: '',
    test: `${evm}/trace.test.ts`,
    named: 'with an error is asked again for the next transaction',
  },
  {
    rule: 'A block counts as traced only with all of its transactions',
    file: `${evm}/trace.ts`,
    defends: 'return transactionHashes.every((txHash) => traces.has(txHash)) ? traces : null;',
    without: 'return transactionHashes.length >= 0 ? traces : null;',
    test: `${evm}/trace.test.ts`,
    named: 'a block is traced only if all of its transactions are',
  },
  {
    rule: 'One malformed transaction does not hide others of its block',
    file: `${evm}/shapes.ts`,
    defends: '    if (!(error instanceof MalformedAnswerError)) throw error;\n    const parties',
    without: '    if (error) throw error;\n    const parties',
    test: `${evm}/read-blocks.test.ts`,
    named: 'an unreadable transaction to a stranger delays nothing',
  },
  {
    rule: 'A malformed transaction that names a watched wallet is retried before it is skipped',
    file: 'server/src/outside/chains/rpc/overdue.ts',
    defends: '  since.set(key, nowMs);\n  return false;',
    without: '  since.set(key, nowMs);\n  return true;',
    test: `${evm}/read-blocks.test.ts`,
    named: 'is retried, and then skipped with an alarm',
  },
  {
    rule: 'Many malformed logs delay reading no longer than one',
    file: `${evm}/read.ts`,
    defends: 'const [waited] = problems.filter(({ key }) => !isOverdue(evm.contradicted, key));',
    without: 'const waited = problems.find(({ key }) => !isOverdue(evm.contradicted, key));',
    test: `${evm}/read.test.ts`,
    named: 'many such logs are retried together',
  },
  {
    rule: 'Many malformed Solana transactions delay reading no longer than one',
    file: `${solana}/read.ts`,
    defends: 'malformed.filter(({ signature }) => !isOverdue(solana.unreadable, signature));',
    without:
      '[malformed.find(({ signature }) => !isOverdue(solana.unreadable, signature))].filter((one) => one !== undefined);',
    test: `${solana}/read.test.ts`,
    named: 'many unreadable transactions are retried together',
  },
  {
    rule: 'One malformed transaction does not hide others of its Solana block',
    file: `${solana}/shapes.ts`,
    defends: '++unreadable > MAX_UNREADABLE_IN_BLOCK',
    without: '++unreadable > 0',
    test: `${solana}/read.test.ts`,
    named: 'although a transaction has an unknown form',
  },
  {
    rule: 'A receipt stands for its transaction only if its hash follows from the block',
    file: `${evm}/state-sync.ts`,
    defends: ' || receipt.txHash !== stateSyncHash(receipt)',
    without: '',
    test: `${evm}/read.test.ts`,
    named: 'whose transaction is unknown',
  },
];
