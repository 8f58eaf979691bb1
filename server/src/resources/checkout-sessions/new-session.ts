import type { Account } from '../../platform/caller.ts';
import { later, SECOND_MS } from '../../platform/time.ts';
import { orderOf } from '../../settlement/records/order.ts';
import { NO_REFUNDS, type Payment } from '../../settlement/records/payment.ts';
import { type Identity, newIdentity } from './identity.ts';
import type { SessionInput } from './session-input.ts';
import type { CheckoutSession } from './session.ts';
import type { SessionWallet } from '../payout-wallets/store.ts';

/** A new session and its payment. */
export interface BuiltSession {
  session: CheckoutSession;
  payment: Payment;
}

/** What a session is made of. Without an identity it gets a new one. */
export interface NewSession {
  input: SessionInput;
  wallet: SessionWallet;
  identity?: Identity;
}

/** A new session and its payment on the direct route, with their common identity. Writes nothing. */
export function buildSession(
  account: Account,
  { input, wallet, identity = newIdentity() }: NewSession,
  now: Date,
): BuiltSession {
  const { expiresInSeconds, ...terms } = input;
  const session: CheckoutSession = {
    ...terms,
    id: identity.sessionId,
    accountId: account.id,
    livemode: account.livemode,
    paymentId: identity.paymentId,
    payoutWalletId: wallet.id,
    reference: identity.reference,
    receiveAsset: wallet.asset,
    receiveNetwork: wallet.network,
    receiveAddress: wallet.address,
    createdAt: now,
    expiresAt: later(now, expiresInSeconds * SECOND_MS),
  };
  return { session, payment: paymentOf(session) };
}

function paymentOf(session: CheckoutSession): Payment {
  return {
    id: session.paymentId,
    accountId: session.accountId,
    livemode: session.livemode,
    sessionId: session.id,
    status: 'created',
    sequence: 1,
    isAnnounced: true,
    // Until the customer has chosen, a payment shows the direct route.
    route: 'direct',
    amountMinor: session.amountMinor,
    currency: session.currency,
    payAsset: session.receiveAsset,
    payNetwork: session.receiveNetwork,
    receiveAsset: session.receiveAsset,
    receiveNetwork: session.receiveNetwork,
    receiveAddress: session.receiveAddress,
    payoutWalletId: session.payoutWalletId,
    paymentLinkId: session.paymentLinkId,
    ...orderOf(session),
    reference: session.reference,
    serviceFeeMinor: 0n,
    expectedOutputUnits: null,
    actualOutputUnits: null,
    txHash: null,
    txHashes: [],
    failureReason: null,
    refund: null,
    refunds: NO_REFUNDS,
    settlementAlert: null,
    startedAt: null,
    paidAt: null,
    endedAt: null,
    createdAt: session.createdAt,
    expiresAt: session.expiresAt,
  };
}
