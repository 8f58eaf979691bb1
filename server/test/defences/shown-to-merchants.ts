import type { Defence } from './list.ts';

const settlement = 'server/src/settlement';
const journeys = 'server/test/journeys';
const disappears = `${journeys}/transfer-disappears.test.ts`;

/** Defenses of what a merchant is shown and told about their money. */
export const SHOWN_TO_MERCHANTS: readonly Defence[] = [
  {
    rule: 'A payment that money counts for is shown, whether or not it was started',
    file: `${settlement}/outcome/lifecycle.ts`, defends: 'failureReason: null, startedAt: payment.startedAt ?? seen.at, paidAt', without: 'failureReason: null, paidAt',
    test: `${journeys}/unstarted-sessions.test.ts`, named: 'is then paid by a block in time shows its payment',
  },
  {
    rule: 'A merchant whose final transfer disappears sees it on the payment',
    file: `${settlement}/verification/report-disappeared.ts`, defends: '    await setSettlementAlert(ctx, db, payment.id, alertFor(disappeared));', without: '',
    test: disappears, named: 'is shown on its payment',
  },
  {
    rule: 'A disappeared transfer is reported by mail once',
    file: `${settlement}/verification/report-disappeared.ts`, defends: '    if (knownSince !== undefined) return;', without: '',
    test: disappears, named: 'is reported once',
  },
  {
    rule: 'Evidence, alert and mail of a disappeared transfer are one transaction',
    file: `${settlement}/verification/disappeared-mail.ts`, defends: 'later(now, USEFUL_FOR_MS) });', without: 'later(now, USEFUL_FOR_MS) }).catch(() => {});',
    test: disappears, named: 'is reported in one transaction',
  },
  {
    rule: 'A transfer that is back counts only once it is final again',
    file: `${settlement}/verification/report-disappeared.ts`, defends: '    if (isBack && !isFinalAgain(ctx, standing, payment, verdict)) return;', without: '    void isFinalAgain;',
    test: disappears, named: 'comes back in a later block',
  },
  {
    rule: 'Mails about disappeared transfers are limited per day',
    file: `${settlement}/verification/disappeared-mail.ts`, defends: 'const MAX_MAILS_PER_DAY = 20;', without: 'const MAX_MAILS_PER_DAY = 2_000;',
    test: disappears, named: 'twenty mails a day at most',
  },
];
