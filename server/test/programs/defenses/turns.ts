import type { Defense } from './list.ts';

const verification = 'server/src/settlement/verification';
const turn = `${verification}/turn.test.ts`;

/** What one account or address may use up in a turn of verification. */
export const TURN_DEFENSES: readonly Defense[] = [
  {
    rule: 'A busy address does not delay another address of its account',
    file: `${verification}/turn.ts`,
    defends: '      addresses.push(address);',
    without: '      addresses.unshift(address);',
    test: 'server/test/api/settlement/budgets.test.ts',
    named: 'one busy address of an account',
  },
  {
    rule: 'An address spends at most its budget in a turn of verification',
    file: `${verification}/turn.ts`,
    defends: '    if (!spending.mayAddress(account, address.name)) continue;',
    without: '',
    test: turn,
    named: 'skips an address that has used up',
  },
  {
    rule: 'An account spends at most its budget in a turn of verification',
    file: `${verification}/turn.ts`,
    defends: '  if (!spending.mayAccount(account)) return undefined;',
    without: '',
    test: turn,
    named: 'skips an account that has used up',
  },
  {
    rule: 'A turn of verification begins where the last one ended',
    file: `${verification}/turn.ts`,
    defends: '    position.account = item.account;',
    without: '',
    test: turn,
    named: 'begins after the account',
  },
  {
    rule: 'A transaction with many transfers is verified in parts, and other accounts between them',
    file: `${verification}/turn.ts`,
    defends: '[...own, ...others].slice(0, MAX_ITEM_TRANSFERS)',
    without: '[...own, ...others]',
    test: 'server/test/api/settlement/budgets.test.ts',
    named: 'one transaction with hundreds of transfers',
  },
  {
    rule: 'The verdicts of a small item do not wait for a large item after it',
    file: `${verification}/verify-transfers.ts`,
    defends: 'const checked = await checks[place];',
    without: 'const checked = (await Promise.all(checks))[place];',
    test: 'server/test/api/settlement/budgets.test.ts',
    named: 'one transaction with hundreds of transfers',
  },
  {
    rule: 'Transfers that stay undecided do not keep the others of their address waiting',
    file: `${verification}/turn.ts`,
    defends: 'position.rounds.get(placeOf(one))?.delete(one.transfer.id)',
    without: 'position.rounds.get(placeOf(one))',
    test: turn,
    named: 'serves each transfer of an address once',
  },
  {
    rule: 'The calls that verify a transaction are charged to its address',
    file: `${verification}/verify-transfers.ts`,
    defends: 'calls: Math.max(1, cache.calls)',
    without: 'calls: 0 * cache.calls',
    test: 'server/test/api/settlement/budgets.test.ts',
    named: 'spends at most its budget of calls',
  },
  {
    rule: 'Verification that hangs does not stop the reading of its network',
    file: 'server/src/watch.ts',
    defends: "      due.ring();\n      return became === 'more'",
    without: "      await verifyNetwork(ctx, network, watcher);\n      return became === 'more'",
    test: 'server/test/api/settlement/separate-loops.test.ts',
    named: 'a verification that hangs',
  },
  {
    rule: 'Reading that hangs does not stop the verification of what was read',
    file: 'server/src/watch.ts',
    defends: "    loop('verify', due, async () => {\n",
    without:
      "    loop('verify', due, async (failures) => {\n      await readOrStandBack(ctx, network, watcher, { failures, signal });\n",
    test: 'server/test/api/settlement/separate-loops.test.ts',
    named: 'a read that hangs',
  },
];
