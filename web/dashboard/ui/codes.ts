/** What a refusal means, by its code; whatever is not here is explained by the service's own words alone. */
export const CODES: Record<string, string> = {
  offline: 'The service cannot be reached. Check the connection and try again.',
  authentication_required: 'You are not signed in any more.',
  invalid_credentials: 'You are not signed in any more.',
  invalid_code: 'This code is wrong or has expired.',
  signup_closed: 'This server does not accept new accounts.',
  invalid_invitation: 'This invitation is not valid any more.',
  invalid_signature: 'The signature does not fit.',
  invalid_payout_wallet: 'This address cannot be used.',
  invalid_payment_state: 'The payment does not allow this in its present state.',
  invalid_refund: 'This refund cannot be recorded.',
  forbidden: 'This is not allowed here.',
  not_found: 'This does not exist, or not in this mode.',
  rate_limited: 'Too many requests at once. Wait a moment and try again.',
  service_unavailable: 'This is not available right now. Try again in a moment.',
  internal_error: 'Something went wrong on our side. The request id helps to find it.',
};
