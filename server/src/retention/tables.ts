import { deleteSandboxBlocks } from '../outside/chains/sandbox/prune-store.ts';
import { WIDER_ALLOWANCE } from '../platform/http/admission/client.ts';
import { pruneIdempotencyKeys } from '../platform/http/idempotency/idempotency-store.ts';
import { deleteMailsBefore } from '../platform/mails/store.ts';
import { DAY_MS, HOUR_MS, later, MINUTE_MS, SECOND_MS } from '../platform/time.ts';
import { MAX_CHOICES, MAX_HELD_AMOUNTS } from '../resources/checkout-sessions/choose-direct.ts';
import { MAX_ORDERS } from '../resources/checkout-sessions/choose-route.ts';
import { deleteRequestsBefore } from '../resources/dashboard/request-log-store.ts';
import { deleteCodesBefore, MAX_TRIES } from '../resources/logins/code-store.ts';
import { MAX_MAILS_PER_ADDRESS, MAX_STARTS } from '../resources/logins/mail-limits.ts';
import { deleteExpiredNonces } from '../resources/logins/nonce-store.ts';
import { MAX_CREDENTIALS_PER_PAYMENT, MAX_HASHES_PER_PAYMENT } from '../resources/machine-payments/pay.ts';
import { deleteNoticesBefore } from '../resources/notices/store.ts';
import { MAX_OPENS_PER_LINK_AND_MINUTE } from '../resources/payment-links/open.ts';
import {
  deleteExpiredChallenges,
  deleteExpiredTransferChallenges,
} from '../resources/payout-wallets/challenge-store.ts';
import { MAX_QUOTES_PER_MINUTE } from '../resources/quotes/routes.ts';
import { deleteQuotesBefore } from '../resources/quotes/store.ts';
import { MAX_WAITING_PER_ACCOUNT } from '../resources/webhooks/delivery/parking-store.ts';
import { MAX_PARKED_PER_ENDPOINT } from '../resources/webhooks/delivery/queue-limits.ts';
import { RETRY_DELAYS_MS } from '../resources/webhooks/delivery/schedule.ts';
import { DEAD_AFTER_MS } from '../resources/webhooks/delivery/worker-store.ts';
import { MAX_ENDPOINTS, MAX_ENDPOINTS_PER_DAY } from '../resources/webhooks/endpoints/create.ts';
import { deleteEndpointsBefore } from '../resources/webhooks/endpoints/endpoint-store.ts';
import { deleteExpiredClaims, MAX_CLAIMS_PER_PAYMENT } from '../settlement/attribution/claim-store.ts';
import { deleteExpiredHints, MAX_HINTS_PER_PAYMENT } from '../settlement/attribution/hint-store.ts';
import { pruneActivity } from '../settlement/reading/activity-store.ts';
import { MAX_LISTED_PER_HOUR, MAX_LISTED_UNPROVED_PER_HOUR } from '../settlement/reading/select-transfers.ts';
import { deleteGapsBefore, MAX_GAPS } from '../settlement/reading/unseen-store.ts';
import { MOVING_LOCK_MS } from '../settlement/records/price-lock.ts';
import { deleteSetAsideTransactions, deleteTransfersWithoutPayment } from '../settlement/records/transfer-store.ts';
import { ACCOUNT_TABLES } from './account-tables.ts';
import { OUTGOING_TABLES } from './outgoing-tables.ts';
import { batches, KEPT, type TablePolicy } from './table.ts';
import { MIN_CHECKOUT_DAYS, UNPAID_DAYS, unpaidCheckouts } from './unpaid-checkouts.ts';

const UNATTRIBUTED_DAYS = 365;
const SANDBOX_DAYS = 365;
/** A wallet is watched this long after its sessions. */
const UNSEEN_DAYS = 30;
const MAILS_DAYS = 30;
/** The mails of the last 24 hours are counted. */
const NOTICES_DAYS = 3;
const REQUEST_LOG_DAYS = 7;
const LOGGED_REQUESTS = { perAccount: 50_000, total: 200_000 };

const service = { owner: 'the service' };

/** Every table of the database. `npm run docs` writes this list into docs/operating.md, and a test compares it with the schema. */
export const TABLES: Readonly<Record<string, TablePolicy>> = {
  ...ACCOUNT_TABLES,
  activity_days: { owner: 'the account', budget: 'one row per day and mode', ...KEPT },
  activity_so_far: {
    owner: 'the account',
    budget: 'two rows per mode: days that are not over',
    expiry: 'when a later day is summed',
    pruning: { by: 'writer' },
  },
  address_disputes: {
    owner: 'the operator',
    budget: 'one per address, network and account that proved it second',
    expiry: 'kept: the operator decides',
    pruning: { by: 'nothing' },
  },
  address_owners: {
    owner: 'the account that proved the address',
    budget: 'one per address and network',
    expiry: 'kept: a proof does not age',
    pruning: { by: 'nothing' },
  },
  address_activity: {
    owner: 'the watched address',
    budget: 'one row per address and hour',
    expiry: '48 hours',
    pruning: batches(pruneActivity),
  },
  alarm_mails: { owner: 'the operator', budget: 'one per alarm and network', ...KEPT },
  chain_blocks: {
    owner: 'the network',
    budget: 'the blocks that a reorganization can reach, and 64 days of what the second pass has not read',
    expiry: 'replaced by the watcher',
    pruning: { by: 'writer' },
  },
  chain_cursors: { owner: 'the network', budget: 'two per network', expiry: 'kept', pruning: { by: 'writer' } },
  checkout_sessions: {
    owner: 'the account, or its payment link',
    budget:
      'the request rate of the account; a link opens 60 a minute per client and ' +
      `${count(MAX_OPENS_PER_LINK_AND_MINUTE)} for all clients together`,
    expiry:
      `never started: \`RETENTION_DAYS\` after the end, at least ${MIN_CHECKOUT_DAYS} days; started ` +
      `without money: ${UNPAID_DAYS} days; with money: kept`,
    pruning: { by: 'batches', begin: () => unpaidCheckouts() },
  },
  customers: {
    owner: 'the account',
    budget: 'one per customer who has paid, as the merchant identifies them',
    expiry: 'kept, as the payments that it counts are',
    pruning: { by: 'nothing' },
  },
  deliveries: {
    owner: 'the webhook endpoint',
    budget:
      `${MAX_ENDPOINTS} endpoints per account and mode; ${count(MAX_PARKED_PER_ENDPOINT)} parked per ` +
      `disabled endpoint and ${count(MAX_WAITING_PER_ACCOUNT)} waiting per account, beyond which events are counted instead`,
    expiry: 'whole months, `RETENTION_DAYS` after their end; parked ones are canceled with a mail',
    pruning: { by: 'month' },
  },
  delivery_attempts: {
    owner: 'the webhook endpoint',
    budget: `${RETRY_DELAYS_MS.length + 1} scheduled attempts per delivery`,
    expiry: 'whole months, `RETENTION_DAYS` after their end',
    pruning: { by: 'month' },
  },
  delivery_leases: {
    owner: 'the delivery',
    budget: 'one per delivery that is being sent',
    expiry: 'one minute after the lease',
    pruning: { by: 'writer' },
  },
  delivery_workers: {
    owner: 'the worker',
    budget: 'one per worker',
    expiry: `${DEAD_AFTER_MS / SECOND_MS} seconds after its last sign of life`,
    pruning: { by: 'writer' },
  },
  email_code_tries: {
    owner: 'the login code',
    budget: `${MAX_TRIES.ofAll} tries per code, ${MAX_TRIES.perClient} of a client, ${MAX_TRIES.perClientRange} of an IPv6 /48`,
    expiry: 'with the code',
    pruning: { by: 'parent', table: 'email_codes' },
  },
  email_codes: {
    owner: 'the client that asked',
    budget:
      `60 a minute and ${MAX_STARTS.perClient} in ten minutes per client, ${WIDER_ALLOWANCE} times that ` +
      `per IPv6 /48; those that send a mail: ${MAX_MAILS_PER_ADDRESS.hour} an hour and ` +
      `${MAX_MAILS_PER_ADDRESS.day} a day per address, \`LOGIN_MAILS_PER_HOUR\` in all`,
    expiry: '24 hours',
    // Codes of the last day count against the day's mails of their address.
    pruning: batches((db, now, limit) => deleteCodesBefore(db, later(now, -DAY_MS), limit)),
  },
  events: {
    owner: 'the payment, or the refund',
    budget: 'one per state of a payment, none until the customer of a link chooses something; two per refund',
    expiry: 'whole months, `RETENTION_DAYS` after their end',
    pruning: { by: 'month' },
  },
  idempotency_keys: {
    owner: 'the account, or the public path',
    budget: 'one per request with a key',
    expiry: '24 hours',
    pruning: batches(pruneIdempotencyKeys),
  },
  login_nonces: {
    owner: 'the client that asked',
    budget: '60 a minute per client, five per wallet',
    expiry: 'when they expire',
    pruning: batches(deleteExpiredNonces),
  },
  machine_credentials: {
    owner: 'the payment',
    budget:
      `${MAX_CREDENTIALS_PER_PAYMENT} per payment, with at most 32 kB each; at most ` +
      `${MAX_HASHES_PER_PAYMENT} are hashes, which prove nothing, and the others are verified before they are stored`,
    expiry:
      'with its payment, which is kept for it unless it is void: no block can carry it out, or its checkout ended more than two days ago',
    pruning: { by: 'parent', table: 'checkout_sessions' },
  },
  mails: {
    owner: 'the recipient',
    budget: 'the budget of what sends them',
    expiry: `${MAILS_DAYS} days; the content goes when the mail is out`,
    pruning: batches((db, now, limit) => deleteMailsBefore(db, later(now, -MAILS_DAYS * DAY_MS), limit)),
  },
  notices: {
    owner: 'the account',
    budget: 'one per change of a payment, receipt or unattributed transfer that the account wants a mail about',
    expiry: `${NOTICES_DAYS} days after it is mailed; without a mail server at once`,
    pruning: batches((db, now, limit) => deleteNoticesBefore(db, later(now, -NOTICES_DAYS * DAY_MS), limit)),
  },
  payment_links: { owner: 'the account', budget: 'the request rate of the account', ...KEPT },
  payment_states: {
    owner: 'the payment',
    budget: 'one per state',
    expiry: 'with the checkout',
    pruning: { by: 'parent', table: 'checkout_sessions' },
  },
  payment_targets: {
    owner: 'the payment',
    budget: `${MAX_CHOICES} choices in ${MOVING_LOCK_MS / MINUTE_MS} minutes per checkout`,
    expiry: 'with the checkout',
    pruning: { by: 'parent', table: 'checkout_sessions' },
  },
  provider_answers: {
    owner: 'the network',
    budget: 'one per configured provider',
    expiry: '90 days after its last answer',
    pruning: { by: 'writer' },
  },
  network_health: {
    owner: 'the process that reads the network',
    budget: 'one per network and process',
    expiry: '24 hours after its last word',
    pruning: { by: 'writer' },
  },
  payments: {
    owner: 'the checkout',
    budget: 'one per checkout',
    expiry: 'with the checkout',
    pruning: { by: 'parent', table: 'checkout_sessions' },
  },
  ...OUTGOING_TABLES,
  payout_wallets: {
    owner: 'the account',
    budget: 'the request rate of the account',
    expiry: 'kept, also when archived',
    pruning: { by: 'nothing' },
  },
  quotes: {
    owner: 'the account',
    budget: `${MAX_QUOTES_PER_MINUTE} a minute per account`,
    expiry: '24 hours after they expired',
    pruning: batches((db, now, limit) => deleteQuotesBefore(db, later(now, -24 * HOUR_MS), limit)),
  },
  rate_samples: {
    ...service,
    budget: 'one per pair and minute',
    expiry: 'kept: they value late money',
    pruning: { by: 'nothing' },
  },
  receipts: {
    owner: 'the payment',
    budget: 'one per change of what counts for a paid payment',
    expiry: 'kept: each names the one that it replaces',
    pruning: { by: 'nothing' },
  },
  request_log: {
    owner: 'the account',
    budget:
      `50 a second per account; ${count(LOGGED_REQUESTS.perAccount)} per account and mode, ` +
      `${count(LOGGED_REQUESTS.total)} in all, of which the largest account gives first`,
    expiry: `${REQUEST_LOG_DAYS} days`,
    pruning: batches((db, now, limit) =>
      deleteRequestsBefore(db, later(now, -REQUEST_LOG_DAYS * DAY_MS), LOGGED_REQUESTS, limit),
    ),
  },
  reserved_amounts: {
    owner: 'the payment',
    budget: `${MAX_HELD_AMOUNTS} per checkout and lock; unpaid ones per client, link and unproved account (\`RESERVED_AMOUNTS_…\`)`,
    expiry: 'free again after their quarantine; deleted with the checkout',
    pruning: { by: 'parent', table: 'checkout_sessions' },
  },
  reverted_transactions: {
    owner: 'the payment',
    budget: 'the hints of a checkout',
    expiry: 'with the checkout; of a failed payment: kept',
    pruning: { by: 'parent', table: 'checkout_sessions' },
  },
  route_orders: {
    owner: 'the payment',
    budget: `${MAX_ORDERS} per checkout`,
    expiry: 'with the checkout; with a deposit: kept',
    pruning: { by: 'parent', table: 'checkout_sessions' },
  },
  sandbox_blocks: {
    owner: 'the account, in test mode',
    budget: 'one per action in test mode',
    expiry: `${SANDBOX_DAYS} days, but the newest of each chain`,
    pruning: batches((db, now, limit) => deleteSandboxBlocks(db, later(now, -SANDBOX_DAYS * DAY_MS), limit)),
  },
  sandbox_orders: {
    owner: 'the account, in test mode',
    budget: `${MAX_ORDERS} per checkout in test mode`,
    expiry: 'with the checkout; with a deposit: kept',
    pruning: { by: 'parent', table: 'checkout_sessions' },
  },
  sandbox_transfers: {
    owner: 'the account, in test mode',
    budget: 'one per action in test mode',
    expiry: 'with their block',
    pruning: { by: 'parent', table: 'sandbox_blocks' },
  },
  schema_migrations: { ...service, budget: 'one per migration', expiry: 'kept', pruning: { by: 'nothing' } },
  set_aside_transactions: {
    owner: 'the watched address',
    budget: 'transactions that failed to be stored three times; an alarm names each',
    expiry: '`RETENTION_DAYS`',
    pruning: batches((db, now, limit, { config }) =>
      deleteSetAsideTransactions(db, later(now, -config.retentionDays * DAY_MS), limit),
    ),
  },
  signing_keys: {
    owner: 'the account',
    budget: 'one per mode, and one per rotation by the operator',
    expiry: 'kept, like the account: receipts stay verifiable; a retired private key is deleted',
    pruning: { by: 'nothing' },
  },
  signed_claims: {
    owner: 'the payment',
    budget: `${MAX_CLAIMS_PER_PAYMENT} per payment`,
    expiry: "when the payment's wallet is no longer watched for it",
    pruning: batches(deleteExpiredClaims),
  },
  single_provider_locks: { ...service, budget: 'one per network', expiry: 'kept', pruning: { by: 'writer' } },
  single_provider_settlements: {
    ...service,
    budget: '`SINGLE_PROVIDER_USD_PER_HOUR` per network',
    expiry: 'one hour',
    pruning: { by: 'writer' },
  },
  transaction_hints: {
    owner: 'the payment',
    budget: `${MAX_HINTS_PER_PAYMENT} per payment`,
    expiry: "when the payment's wallet is no longer watched for it",
    pruning: batches(deleteExpiredHints),
  },
  transfers: {
    owner: 'the payment, or the watched address',
    budget:
      `${MAX_LISTED_PER_HOUR} an hour per address without a proof of ownership, ` +
      `${MAX_LISTED_UNPROVED_PER_HOUR} if several accounts saved it or it has code; dust is counted instead`,
    expiry: `without a payment: ${UNATTRIBUTED_DAYS} days; of a payment: kept`,
    pruning: batches((db, now, limit) =>
      deleteTransfersWithoutPayment(db, later(now, -UNATTRIBUTED_DAYS * DAY_MS), limit),
    ),
  },
  unseen_blocks: {
    owner: 'the network',
    budget:
      `${MAX_GAPS} runs of blocks per network and asset in which too few providers could show all transfers; a further one is ` +
      'joined with the newest',
    expiry: `when two providers, or the only one, have shown them, at the latest ${UNSEEN_DAYS} days after the last was recorded`,
    pruning: batches((db, now, limit) => deleteGapsBefore(db, later(now, -UNSEEN_DAYS * DAY_MS), limit)),
  },
  wallet_challenges: {
    owner: 'the payout wallet',
    budget: 'one per wallet',
    expiry: 'when they expire',
    pruning: batches(deleteExpiredChallenges),
  },
  transfer_challenges: {
    owner: 'the payout wallet',
    budget: 'one per wallet',
    expiry: 'when they expire, after three days',
    pruning: batches(deleteExpiredTransferChallenges),
  },
  webhook_endpoints: {
    owner: 'the account',
    budget: `${MAX_ENDPOINTS} per mode; ${MAX_ENDPOINTS_PER_DAY} in 24 hours with deleted ones`,
    expiry: 'deleted ones: `RETENTION_DAYS` and two months later',
    // By then the months of its deliveries are dropped.
    pruning: batches((db, now, limit, { config }) =>
      deleteEndpointsBefore(db, later(now, -(config.retentionDays + 62) * DAY_MS), limit),
    ),
  },
};

function count(number: number): string {
  return number.toLocaleString('en-US');
}
