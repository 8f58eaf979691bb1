import { named } from '../endpoint.ts';
import { accountEndpoints } from './account.ts';
import { authEndpoints } from './auth.ts';
import { checkoutSessionEndpoints } from './checkout-sessions.ts';
import { documentationEndpoints, publicEndpoints } from './public.ts';
import { invitationEndpoints } from './invitations.ts';
import { paymentLinkEndpoints } from './payment-links.ts';
import { paymentEndpoints } from './payments.ts';
import { payoutWalletEndpoints } from './payout-wallets.ts';
import { quoteEndpoints } from './quotes.ts';
import { receiptEndpoints } from './receipts.ts';
import { refundEndpoints } from './refunds.ts';
import { testHelperEndpoints } from './test-helpers.ts';
import { transferEndpoints } from './transfers.ts';
import { webhookEndpoints } from './webhooks.ts';

/** Every endpoint of the API by its operationId, in the order the documentation lists them. */
export const endpoints = named({
  ...checkoutSessionEndpoints,
  ...paymentLinkEndpoints,
  ...paymentEndpoints,
  ...refundEndpoints,
  ...receiptEndpoints,
  ...quoteEndpoints,
  ...payoutWalletEndpoints,
  ...webhookEndpoints,
  ...transferEndpoints,
  ...authEndpoints,
  ...invitationEndpoints,
  ...accountEndpoints,
  ...publicEndpoints,
  ...testHelperEndpoints,
  ...documentationEndpoints,
});
