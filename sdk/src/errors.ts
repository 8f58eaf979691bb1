/** The fields of an API error. */
export interface ErrorDetails {
  status: number;
  code: string;
  message: string;
  /** The path of the field that caused the error, if any. */
  param: string | null;
  requestId: string | null;
  retryAfterSeconds: number | null;
}

/**
 * The server returned an error. `code` is stable, `param` names the field, `requestId` finds the request in the logs.
 *
 * @example
 * try { await quittance.payments.retrieve(id) } catch (error) {
 *   if (error instanceof NotFoundError) return null;
 *   throw error;
 * }
 */
export class QuittanceError extends Error {
  readonly status: number;
  readonly code: string;
  readonly param: string | null;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(details: ErrorDetails) {
    super(details.message);
    this.name = new.target.name;
    this.status = details.status;
    this.code = details.code;
    this.param = details.param;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** 400: a field is invalid; `param` names it. */
export class InvalidRequestError extends QuittanceError {}
/** 401: the credential is missing, mistyped, rotated or revoked. */
export class AuthenticationError extends QuittanceError {}
/** 403: the credential does not have permission. */
export class PermissionError extends QuittanceError {}
/** 404: no such object in this account and mode. */
export class NotFoundError extends QuittanceError {}
/** 409: an idempotency key used for another request, or a disabled link. */
export class ConflictError extends QuittanceError {}
/** 429: wait for `retryAfterSeconds`. The client has already retried, unless that is more than 30 seconds or its timeout. */
export class RateLimitError extends QuittanceError {}
/** 5xx: the server failed. The client has already retried, except requests that are sent only once. */
export class ServerError extends QuittanceError {}

/** No response: the network failed or the request timed out. Whether the request was processed is unknown. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** The error class for the status. */
export function errorOf(details: ErrorDetails): QuittanceError {
  const { status } = details;
  if (status === 401) return new AuthenticationError(details);
  if (status === 403) return new PermissionError(details);
  if (status === 404) return new NotFoundError(details);
  if (status === 409) return new ConflictError(details);
  if (status === 429) return new RateLimitError(details);
  return status >= 500 ? new ServerError(details) : new InvalidRequestError(details);
}
