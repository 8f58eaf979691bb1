import { MAX_PAYOUT_LINES } from '@quittance/contract';
import { DAY_MS, later } from '../platform/time.ts';
import { MAX_IMPORTS_PER_MINUTE, MAX_OPEN_PAYOUTS, PLANNED_DAYS } from '../resources/payouts/payout.ts';
import { deleteUnsentPayouts } from '../resources/payouts/store.ts';
import { MAX_REFUNDS } from '../resources/refunds/refund.ts';
import { batches, type TablePolicy } from './table.ts';

const UNSENT_DAYS = 90;

/** The tables of what merchants send. */
export const OUTGOING_TABLES: Readonly<Record<string, TablePolicy>> = {
  outgoing_transfers: {
    owner: 'the account',
    budget: 'one per refund or payout that was verified',
    expiry: 'kept: a transfer counts once in an account',
    pruning: { by: 'nothing' },
  },
  payouts: {
    owner: 'the account',
    budget:
      `${MAX_PAYOUT_LINES} per import and ${MAX_IMPORTS_PER_MINUTE} imports a minute; ` +
      `${MAX_OPEN_PAYOUTS.toLocaleString('en-US')} per account and mode that are planned or on their way`,
    expiry:
      `cancelled if not sent within ${PLANNED_DAYS} days; cancelled without a transaction, and in test mode: ${UNSENT_DAYS} days; ` +
      'others: kept',
    pruning: batches((db, now, limit) => deleteUnsentPayouts(db, later(now, -UNSENT_DAYS * DAY_MS), limit)),
  },
  refunds: {
    owner: 'the account',
    budget: `the request rate of the account, and ${MAX_REFUNDS} per payment of which money arrived`,
    expiry: 'kept, as the payments whose money they return are',
    pruning: { by: 'nothing' },
  },
};
