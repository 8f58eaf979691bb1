/**
 * Every error the API answers: its code, its HTTP status and the sentence sent where the thrower has no better one.
 * A sentence says what was wrong and what would be right.
 */
export const ERRORS = {
  invalid_request: {
    status: 400,
    message: 'The request could not be read. Send a JSON object that fits the documented body.',
  },
  invalid_email_request: {
    status: 400,
    message: 'Send a valid email address, and for verification the six-character code from the mail.',
  },
  invalid_nonce_request: {
    status: 400,
    message: 'Send the address of a wallet on the named network (ethereum or solana).',
  },
  invalid_signature: {
    status: 400,
    message:
      'The signature does not match a message issued to this wallet in the last five minutes. Request a new one and sign it as it is.',
  },
  invalid_invitation: {
    status: 400,
    message:
      'This invitation is not valid: it was used or revoked, or it has expired. Ask the operator of this server for a new one.',
  },
  invalid_payout_wallet: {
    status: 400,
    message: 'Send a receive asset, its network and an address that is valid on that network.',
  },
  invalid_checkout_session: { status: 400, message: 'The checkout session could not be created from these fields.' },
  invalid_payment_link: { status: 400, message: 'The payment link could not be created from these fields.' },
  invalid_route: {
    status: 400,
    message:
      'There is no such route. Send a pay asset and network of the Safe List, and a payout wallet or session of yours.',
  },
  invalid_refund: {
    status: 400,
    message:
      'The refund could not be recorded. The amount must be a positive decimal of at most the payment, the reason at most 280 characters.',
  },
  invalid_webhook_endpoint: {
    status: 400,
    message: 'Send an https URL that is publicly reachable and at least one event type.',
  },
  invalid_list_request: {
    status: 400,
    message: 'The list parameters are not valid. `limit` is 1 to 100, `cursor` is one that a list answered.',
  },
  invalid_payment_state: { status: 400, message: 'The payment is not in a state in which this can be done.' },
  authentication_required: { status: 401, message: 'Send a secret key or a login token as `Authorization: Bearer …`.' },
  invalid_credentials: {
    status: 401,
    message: 'The credential is not valid. It may have been mistyped, rotated or revoked.',
  },
  invalid_code: { status: 401, message: 'The code is wrong, used or expired. Request a new one.' },
  forbidden: { status: 403, message: 'This credential may not do that.' },
  signup_closed: {
    status: 403,
    message:
      'This server does not accept new accounts. Log in to an existing account, or ask the operator of this server.',
  },
  not_found: { status: 404, message: 'There is no such object in this account and mode.' },
  method_not_allowed: {
    status: 405,
    message: 'This path does not answer to this method. The `Allow` header lists those it does.',
  },
  request_timeout: { status: 408, message: 'The request took too long to arrive. Send it again.' },
  idempotency_conflict: {
    status: 409,
    message: 'This Idempotency-Key was used with another request. Use a new key for a new request.',
  },
  idempotency_in_progress: {
    status: 409,
    message: 'A request with this Idempotency-Key is still running. Send it again in a moment.',
  },
  link_disabled: { status: 409, message: 'This payment link is disabled and takes no new payments.' },
  payload_too_large: { status: 413, message: 'The body is larger than 256 KiB.' },
  uri_too_long: { status: 414, message: 'The address of the request is too long.' },
  unsupported_media_type: { status: 415, message: 'Send the body as `Content-Type: application/json`.' },
  rate_limited: {
    status: 429,
    message: 'Too many requests. Wait as long as `Retry-After` says and back off exponentially.',
  },
  headers_too_large: { status: 431, message: 'The headers of the request are too large.' },
  internal_error: { status: 500, message: 'Something went wrong on our side. The request id helps us find it.' },
  service_unavailable: {
    status: 503,
    message: 'This cannot be answered right now. Try again after `Retry-After` seconds.',
  },
  email_unavailable: {
    status: 503,
    message: 'Email login is off on this server: no mail server is configured. Log in with a wallet.',
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;
