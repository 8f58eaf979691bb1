import { getAccount, updateAccount } from './account.ts';
import {
  createApiKey,
  deleteApiKey,
  issueNonce,
  listApiKeys,
  logout,
  logoutEverywhere,
  rotateApiKey,
  startEmailLogin,
  verifyEmailCode,
  verifyWallet,
} from './auth.ts';
import { createCheckoutSession, getCheckoutSession } from './checkout-sessions.ts';
import { getOpenApi } from './docs.ts';
import { createInvitation, listInvitations, revokeInvitation } from './invitations.ts';
import {
  createPaymentLink,
  disablePaymentLink,
  enablePaymentLink,
  getPaymentLink,
  listPaymentLinks,
} from './payment-links.ts';
import { acceptPayment, getPayment, getPaymentTimeline, listPayments, recordRefund } from './payments.ts';
import {
  archivePayoutWallet,
  createPayoutWallet,
  getPayoutWallet,
  listPayoutWallets,
  proveWalletOwnership,
  setDefaultPayoutWallet,
} from './payout-wallets.ts';
import {
  actOnTestSession,
  buildPublicTransaction,
  getPublicSession,
  openPaymentLink,
  payPublicSession,
  streamPublicSession,
  submitPublicTransaction,
} from './public.ts';
import { getPublicReceipt, getReceipt, verifyReceipt } from './receipts.ts';
import { getRouteQuote } from './quotes.ts';
import { advanceTestClock, testPaySession } from './test-helpers.ts';
import { assignTransfer, handleTransfer, listTransfers } from './transfers.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  enableWebhookEndpoint,
  getEvent,
  listDeliveryAttempts,
  listEvents,
  listWebhookDeliveries,
  listWebhookEndpoints,
  redeliverFailed,
  redeliverWebhook,
  rotateWebhookSecret,
  streamEvents,
  testWebhook,
} from './webhooks.ts';

/** Every endpoint of the API by its operationId, in the order the documentation lists them. */
export const endpoints = {
  createCheckoutSession,
  getCheckoutSession,
  createPaymentLink,
  listPaymentLinks,
  getPaymentLink,
  disablePaymentLink,
  enablePaymentLink,
  listPayments,
  getPayment,
  recordRefund,
  acceptPayment,
  getPaymentTimeline,
  getReceipt,
  verifyReceipt,
  getRouteQuote,
  createPayoutWallet,
  listPayoutWallets,
  getPayoutWallet,
  setDefaultPayoutWallet,
  archivePayoutWallet,
  proveWalletOwnership,
  createWebhookEndpoint,
  listWebhookEndpoints,
  deleteWebhookEndpoint,
  enableWebhookEndpoint,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  listDeliveryAttempts,
  redeliverWebhook,
  redeliverFailed,
  listEvents,
  getEvent,
  streamEvents,
  listTransfers,
  assignTransfer,
  handleTransfer,
  startEmailLogin,
  verifyEmailCode,
  issueNonce,
  verifyWallet,
  logout,
  logoutEverywhere,
  createApiKey,
  listApiKeys,
  rotateApiKey,
  deleteApiKey,
  createInvitation,
  listInvitations,
  revokeInvitation,
  getAccount,
  updateAccount,
  getPublicSession,
  payPublicSession,
  submitPublicTransaction,
  buildPublicTransaction,
  streamPublicSession,
  getPublicReceipt,
  openPaymentLink,
  actOnTestSession,
  testPaySession,
  advanceTestClock,
  getOpenApi,
};

export type OperationId = keyof typeof endpoints;
