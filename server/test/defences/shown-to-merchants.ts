import type { Defence } from './list.ts';

const settlement = 'server/src/settlement';
const journeys = 'server/test/journeys';

/** Defenses of what a merchant is shown and told about their money. */
export const SHOWN_TO_MERCHANTS: readonly Defence[] = [
  {
    rule: 'A payment that money counts for is shown, whether or not it was started',
    file: `${settlement}/outcome/lifecycle.ts`, defends: 'failureReason: null, startedAt: payment.startedAt ?? seen.at, paidAt', without: 'failureReason: null, paidAt',
    test: `${journeys}/unstarted-sessions.test.ts`, named: 'is then paid by a block in time shows its payment',
  },
];
