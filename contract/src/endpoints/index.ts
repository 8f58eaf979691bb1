import * as account from './account.ts';
import * as auth from './auth.ts';
import * as checkoutSessions from './checkout-sessions.ts';
import * as docs from './docs.ts';
import * as paymentLinks from './payment-links.ts';
import * as payments from './payments.ts';
import * as payoutWallets from './payout-wallets.ts';
import * as publicCheckout from './public.ts';
import * as quotes from './quotes.ts';
import * as testHelpers from './test-helpers.ts';
import * as transfers from './transfers.ts';
import * as webhooks from './webhooks.ts';

/** Every endpoint of the API by its operationId, in the order the documentation lists them. */
export const endpoints = {
  ...checkoutSessions,
  ...paymentLinks,
  ...payments,
  ...quotes,
  ...payoutWallets,
  ...webhooks,
  ...transfers,
  ...auth,
  ...account,
  ...publicCheckout,
  ...testHelpers,
  ...docs,
};

export type OperationId = keyof typeof endpoints;
