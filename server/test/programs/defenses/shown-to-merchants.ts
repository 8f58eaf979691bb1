import type { Defense } from './list.ts';

const settlement = 'server/src/settlement';
const journeys = 'server/test/journeys';
const disappears = `${journeys}/transfer-disappears.test.ts`;

/** What a merchant sees about their money. */
export const SHOWN_TO_MERCHANTS: readonly Defense[] = [
  {
    rule: 'A payment that money counts for is shown, whether or not it was started',
    file: `${settlement}/outcome/lifecycle.ts`,
    defends: `failureReason: null,
        startedAt: payment.startedAt ?? seen.at,
        paidAt`,
    without: 'failureReason: null, paidAt',
    test: `${journeys}/unstarted-sessions.test.ts`,
    named: 'is then paid by a block in time shows its payment',
  },
  {
    rule: 'A merchant whose final transfer disappears sees it on the payment',
    file: `${settlement}/verification/report-disappeared.ts`,
    defends: '    await setSettlementAlert(ctx, db, payment.id, alertFor(disappeared));',
    without: '',
    test: disappears,
    named: 'is shown on its payment',
  },
  {
    rule: 'One provider alone does not make a final transfer disappear',
    file: `${settlement}/verification/recheck-final.ts`,
    defends: '    default:\n      return false;',
    without: '    default:\n      return reportDisappeared(ctx, transfer);',
    test: disappears,
    named: 'is not reported while one provider says so',
  },
  {
    rule: 'A disappeared transfer is reported by mail once',
    file: `${settlement}/verification/report-disappeared.ts`,
    defends: '    if (knownSince !== undefined) return;',
    without: '',
    test: disappears,
    named: 'is reported once',
  },
  {
    rule: 'Evidence, alert and mail of a disappeared transfer are one transaction',
    file: `${settlement}/verification/disappeared-mail.ts`,
    defends: `later(now, USEFUL_FOR_MS),
  });`,
    without: 'later(now, USEFUL_FOR_MS) }).catch(() => {});',
    test: disappears,
    named: 'is reported in one transaction',
  },
  {
    rule: 'A transfer that is back counts only once it is final again',
    file: `${settlement}/verification/report-disappeared.ts`,
    defends: '    if (isBack && !isFinalAgain(ctx, current, payment, verdict)) return;',
    without: '    void isFinalAgain;',
    test: disappears,
    named: 'comes back in a later block',
  },
  {
    rule: 'Mails about disappeared transfers are limited per day',
    file: `${settlement}/verification/disappeared-mail.ts`,
    defends: 'const MAX_MAILS_PER_DAY = 20;',
    without: 'const MAX_MAILS_PER_DAY = 2_000;',
    test: disappears,
    named: 'twenty mails a day at most',
  },
  {
    rule: 'A transfer that was set aside is listed until the merchant has assigned or handled it',
    file: 'server/src/resources/dashboard/attention-store.ts',
    defends: 't.set_aside_at is not null and t.payment_id is null',
    without: 't.set_aside_at is null and t.payment_id is null',
    test: 'server/test/api/dashboard/attention.test.ts',
    named: 'is listed with its transaction',
  },
  {
    rule: 'Set-aside transfers are listed for the owner of their address only',
    file: 'server/src/resources/dashboard/attention-store.ts',
    defends: 'where w.account_id = $1 and w.livemode = $2)',
    without: 'where (w.account_id = $1 or true) and w.livemode = $2)',
    test: 'server/test/api/dashboard/attention.test.ts',
    named: 'is shown to no other account',
  },
  {
    rule: 'A transaction that could not be stored is listed for every account that it pays',
    file: `${settlement}/reading/set-aside-store.ts`,
    defends: 'const addresses = [...new Set(transfers.map((transfer) => transfer.to))];',
    without: 'const addresses: string[] = [];',
    test: 'server/test/api/settlement/queue.test.ts',
    named: 'could not be stored is listed for every account',
  },
  {
    rule: "Money that a route provider has is never shown as the merchant's",
    file: 'server/src/resources/dashboard/money.ts',
    defends: `    case 'stuck':
      return 'provider';`,
    without: `    case 'stuck':
      return 'merchant';`,
    test: 'server/test/api/dashboard/money.test.ts',
    named: 'is with the route provider where the conversion is stuck',
  },
  {
    rule: 'A payment brings nothing net before it is paid',
    file: 'contract/src/settled-net.ts',
    defends: 'if (!isSettled || actual === null',
    without: 'if (actual === null',
    test: 'contract/src/settled-net.test.ts',
    named: 'underpaid and undecided',
  },
  {
    rule: 'A payment that accepts no more transfers is not offered for one',
    file: 'server/src/resources/dashboard/rank-candidates.ts',
    defends: 'accepts: isSameWallet && ACCEPTING_STATUSES.includes(payment.status),',
    without: 'accepts: isSameWallet,',
    test: 'server/test/api/dashboard/money.test.ts',
    named: 'include the one that the transfer names',
  },
  {
    rule: 'Line items with unit prices add up to what is charged',
    file: 'server/src/resources/checkout-sessions/session-input.ts',
    defends: 'if (sum !== amountMinor)',
    without: 'if (false)',
    test: 'server/test/api/checkout-sessions/create.test.ts',
    named: 'with line items whose unit prices add up',
  },
  {
    rule: 'First steps in live mode are not done by test wallets',
    file: 'server/src/resources/dashboard/onboarding-store.ts',
    defends: 'payout_wallets where account_id = $1 and livemode = $2 and archived_at is null) as wallet,',
    without: 'payout_wallets where account_id = $1 and archived_at is null) as wallet,',
    test: 'server/test/api/dashboard/money.test.ts',
    named: 'the first steps are judged by the mode',
  },
];
