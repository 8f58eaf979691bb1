/**
 * Every error the API answers: its code, its HTTP status and the sentence sent where the thrower has no better one.
 * A sentence says what was wrong and what would be right.
 */
export const ERRORS = {
  invalid_request: {
    status: 400,
    message: 'Malformed request. Send a JSON object that matches the documented schema.',
  },
  invalid_email_request: {
    status: 400,
    message:
      'Invalid email login request. Send a valid email address and, to verify it, the six-character code from the email.',
  },
  invalid_nonce_request: {
    status: 400,
    message: 'Invalid wallet login request. Send the address of a wallet on `network` (`ethereum` or `solana`).',
  },
  invalid_signature: {
    status: 400,
    message:
      'The signature does not match a message issued to this wallet in the last five minutes. Request a new message and sign it unchanged.',
  },
  invalid_invitation: {
    status: 400,
    message: 'This invitation was used or revoked, or it has expired. Ask the operator of this server for a new one.',
  },
  invalid_payout_wallet: {
    status: 400,
    message:
      'Invalid payout wallet. Send a supported payout asset, its network and an address that is valid on that network.',
  },
  invalid_checkout_session: { status: 400, message: 'The checkout session could not be created from these fields.' },
  invalid_payment_link: { status: 400, message: 'The payment link could not be created from these fields.' },
  invalid_route: {
    status: 400,
    message:
      'Unsupported payment route. Use a supported `pay_asset` and `pay_network`, and one of your payout wallets or sessions.',
  },
  invalid_refund: {
    status: 400,
    message:
      'The refund could not be recorded. `amount` must be a positive decimal no greater than the ' +
      'payment, and `reason` at most 280 characters.',
  },
  invalid_webhook_endpoint: {
    status: 400,
    message: 'Invalid webhook endpoint. Send a publicly reachable https URL and at least one event type.',
  },
  invalid_list_request: {
    status: 400,
    message: 'Invalid list parameters. `limit` must be 1 to 100, and `cursor` must come from a previous list response.',
  },
  invalid_payment_state: { status: 400, message: "This action is not allowed in the payment's current status." },
  authentication_required: { status: 401, message: 'Send a secret key or a login token as `Authorization: Bearer …`.' },
  invalid_credentials: {
    status: 401,
    message: 'Invalid credential. It may have been mistyped, rotated or revoked.',
  },
  invalid_code: { status: 401, message: 'The code is wrong, was already used, or has expired. Request a new one.' },
  forbidden: { status: 403, message: 'This credential does not have permission for this action.' },
  signup_closed: {
    status: 403,
    message:
      'This server does not accept new accounts. Log in to an existing account, or ask the operator of this server.',
  },
  not_found: { status: 404, message: 'No such object in this account and mode.' },
  method_not_allowed: {
    status: 405,
    message: 'Method not allowed for this path. The `Allow` header lists the allowed methods.',
  },
  request_timeout: { status: 408, message: 'The request took too long to arrive. Try again.' },
  idempotency_conflict: {
    status: 409,
    message: 'This Idempotency-Key was already used with a different request. Use a new key for each request.',
  },
  idempotency_in_progress: {
    status: 409,
    message: 'A request with this Idempotency-Key is still in progress. Try again in a moment.',
  },
  link_disabled: { status: 409, message: 'This payment link is disabled and accepts no new payments.' },
  payload_too_large: { status: 413, message: 'The request body is larger than 256 KiB.' },
  uri_too_long: { status: 414, message: 'The request URL is too long.' },
  unsupported_media_type: {
    status: 415,
    message: 'Unsupported media type. Send the body as `Content-Type: application/json`.',
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests. Wait for the number of seconds in `Retry-After`, then retry with exponential backoff.',
  },
  headers_too_large: { status: 431, message: 'The request headers are too large.' },
  internal_error: {
    status: 500,
    message: 'Something went wrong on the server. Include the request ID when you report it.',
  },
  service_unavailable: {
    status: 503,
    message: 'Service temporarily unavailable. Try again after `Retry-After` seconds.',
  },
  email_unavailable: {
    status: 503,
    message: 'Email login is disabled on this server because no mail server is configured. Log in with a wallet.',
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;
