import type { Defense } from './list.ts';

const payouts = 'server/src/resources/payouts';
const test = (name: string) => `server/test/api/dashboard/${name}.test.ts`;

/** What holds that a payout is recorded as what the chain shows, once, and that no line is planned half or twice. */
export const PAYOUT_DEFENSES: readonly Defense[] = [
  {
    rule: 'One transfer makes one payout or returns one refund',
    file: 'server/src/resources/outgoing-transfers/store.ts',
    defends: 'and tx_hash = $4 and used_by <> $5',
    without: 'and tx_hash = $4 and used_by = $5',
    also: {
      file: `${payouts}/verify.ts`,
      defends: '!(await takeTransfer(db, after, index))',
      without: '!(await takeTransfer(db, after, index)) && false',
    },
    test: test('send-payouts'),
    named: 'equal payouts of one signature need a transfer each',
  },
  {
    rule: "No account takes another account's transfer by naming it first",
    file: 'server/src/resources/outgoing-transfers/store.ts',
    defends: 'where account_id = $1 and livemode = $2 and network',
    without: 'where (account_id = $1 or true) and livemode = $2 and network',
    test: test('send-payouts'),
    named: 'that another account has named for itself first',
  },
  {
    rule: 'A payout that a wallet was just asked for is not cancelled as if nothing had been sent',
    file: `${payouts}/cancel.ts`,
    defends: 'wallet.until > caller.realNow && !isTakenOver',
    without: 'wallet.until === caller.realNow && !isTakenOver',
    test: test('send-payouts'),
    named: 'that a wallet has is not cancelled meanwhile',
  },
  {
    rule: 'A transfer from before the import makes no payout',
    file: `${payouts}/verify.ts`,
    defends: 'notBefore: async ({ createdAt }) => createdAt',
    without: 'notBefore: async () => new Date(0)',
    test: test('send-payouts'),
    named: 'a transfer from before the import',
  },
  {
    rule: 'A payout that a wallet has is not given to another one',
    file: 'server/src/resources/outgoing-transfers/hold.ts',
    defends: 'if (others.length > 0 && !isTakenOver)',
    without: 'if (others.length < 0 && !isTakenOver)',
    test: test('send-payouts'),
    named: 'what a browser gave to its wallet',
  },
  {
    rule: 'Nothing of a CSV is planned while one of its lines is wrong',
    file: `${payouts}/import.ts`,
    defends: 'if (first) fail(',
    without: 'if (first && lines.length === 0) fail(',
    test: test('payouts'),
    named: 'is refused with its reason, and nothing of it is imported',
  },
  {
    rule: 'An import that is asked for twice is planned once',
    file: `${payouts}/import.ts`,
    defends: 'if (before.length > 0) return',
    without: 'if (before.length < 0) return',
    also: {
      file: 'server/src/platform/db/migrations/0001-foundation.sql',
      defends: '  unique (account_id, livemode, import_name, line),\n',
      without: '',
    },
    test: test('payouts'),
    named: 'that is sent twice, also at once',
  },
  {
    rule: 'A payout on its way is not cancelled',
    file: `${payouts}/cancel.ts`,
    defends: "if (status !== 'planned' && !(status === 'sent' && isDisproved(payout, caller.now)))",
    without: "if (status === 'failed')",
    test: test('payouts'),
    named: 'neither changes nor is cancelled',
  },
  {
    rule: 'A payout that has arrived keeps its transaction',
    file: `${payouts}/report.ts`,
    defends: 'if (isLate && payout.wallet === null)\n',
    without: "if (isLate && payout.id === '')\n",
    test: test('payouts'),
    named: 'neither changes nor is cancelled',
  },
  {
    rule: 'An empty cell of a CSV does not take the amount of the next one',
    file: `${payouts}/read-csv.ts`,
    defends: '`[^\\\\S${separator}]*`',
    without: "'\\\\s*'",
    test: `${payouts}/read-csv.test.ts`,
    named: 'an empty cell does not take the value',
  },
  {
    rule: 'A payout whose transaction is named while it is being pruned is kept',
    file: 'server/src/resources/payouts/store.ts',
    defends: 'order by created_at limit $2 for update skip locked)',
    without: 'order by created_at limit $2)',
    test: 'server/test/journeys/retention/changed-meanwhile.test.ts',
    named: 'a row of payouts',
  },
  {
    rule: 'What a Solana wallet sent before it declined the rest is not offered again',
    file: 'web/dashboard/lib/wallets.ts',
    defends: '        for (const place of places) sent(place, hash);\n',
    without: '        if (at === transactions.length - 1) for (const place of all) sent(place, hash);\n',
    test: 'web/dashboard/lib/wallets.test.ts',
    named: 'before a person rejected the next transaction',
  },
];
