import { ADDRESS_DEFENSES } from './addresses.ts';
import { AMOUNT_DEFENSES } from './amounts.ts';
import { ANSWER_DEFENSES } from './answers.ts';
import { CLAIM_DEFENSES } from './claims.ts';
import { ELSEWHERE_DEFENSES } from './elsewhere.ts';
import { FORK_DEFENSES } from './forks.ts';
import { LIVENESS_DEFENSES } from './liveness.ts';
import { LIE_DEFENSES } from './lies.ts';
import { MADE_UP_CREDENTIAL_DEFENSES } from './made-up-credentials.ts';
import { MACHINE_PAYMENT_DEFENSES } from './machine-payments.ts';
import { PAYMASTER_DEFENSES } from './paymasters.ts';
import { PAYOUT_DEFENSES } from './payouts.ts';
import { QUEUE_DEFENSES } from './queue.ts';
import { QUORUM_DEFENSES } from './quorum.ts';
import { READING_DEFENSES } from './reading.ts';
import { RECEIPT_DEFENSES } from './receipts.ts';
import { REFERENCE_DEFENSES } from './references.ts';
import { REFUND_DEFENSES } from './refunds.ts';
import { RESTORE_DEFENSES } from './restores.ts';
import { RESTING_DEFENSES } from './resting.ts';
import { RETURNED_DEFENSES } from './returned.ts';
import { ROUTE_ORDER_DEFENSES } from './route-orders.ts';
import { ROUTE_PRICE_DEFENSES } from './route-prices.ts';
import { ROUTE_DEFENSES } from './routes.ts';
import { SETTLING_DEFENSES } from './settling.ts';
import { SHOP_DEFENSES } from './shops.ts';
import { TEST_MODE_DEFENSES } from './test-mode.ts';
import { UNSEEN_DEFENSES } from './unseen.ts';

/** One defense of the money rules, how to switch it off, and the test that must go red without it. */
export interface Defense {
  rule: string;
  file: string;
  /** The text that defends, and the text that replaces it. */
  defends: string;
  without: string;
  /** A second line of the same defense. */
  also?: { file: string; defends: string; without: string };
  test: string;
  /** A part of the test's name. */
  named: string;
}

export const DEFENSES: readonly Defense[] = [
  ...SETTLING_DEFENSES,
  ...AMOUNT_DEFENSES,
  ...CLAIM_DEFENSES,
  ...ELSEWHERE_DEFENSES,
  ...MACHINE_PAYMENT_DEFENSES,
  ...MADE_UP_CREDENTIAL_DEFENSES,
  ...PAYMASTER_DEFENSES,
  ...QUORUM_DEFENSES,
  ...FORK_DEFENSES,
  ...READING_DEFENSES,
  ...LIVENESS_DEFENSES,
  ...LIE_DEFENSES,
  ...UNSEEN_DEFENSES,
  ...RESTING_DEFENSES,
  ...QUEUE_DEFENSES,
  ...ROUTE_DEFENSES,
  ...ROUTE_ORDER_DEFENSES,
  ...ROUTE_PRICE_DEFENSES,
  ...ANSWER_DEFENSES,
  ...REFERENCE_DEFENSES,
  ...ADDRESS_DEFENSES,
  ...RESTORE_DEFENSES,
  ...RECEIPT_DEFENSES,
  ...REFUND_DEFENSES,
  ...RETURNED_DEFENSES,
  ...PAYOUT_DEFENSES,
  ...SHOP_DEFENSES,
  ...TEST_MODE_DEFENSES,
];
