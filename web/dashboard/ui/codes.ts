import type { MessageKey } from '../lib/i18n.tsx';

/** The meaning of an error, by its code. Other codes are explained only by the service's message. */
export const CODES: Record<string, MessageKey> = {
  offline: 'Can’t reach the server. Check your connection and try again.',
  authentication_required: 'Your session expired. Sign in again.',
  invalid_credentials: 'Your session expired. Sign in again.',
  invalid_code: 'This code is wrong or has expired.',
  signup_closed: 'This server does not accept new accounts.',
  invalid_invitation: 'This invitation is no longer valid.',
  invalid_signature: 'Invalid signature.',
  invalid_payout_wallet: 'This address can’t be used.',
  invalid_payment_state: 'This action isn’t allowed in the payment’s current status.',
  invalid_refund: 'This refund can’t be recorded.',
  forbidden: 'You don’t have permission for this action.',
  not_found: 'Not found in this mode.',
  rate_limited: 'Too many requests. Wait a moment and try again.',
  service_unavailable: 'Temporarily unavailable. Try again in a moment.',
  internal_error: 'Something went wrong on the server. Include the request ID when you report it.',
};
