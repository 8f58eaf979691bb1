<?php

declare(strict_types=1);

namespace Quittance;

/** The server returned an error. `errorCode` is stable, `param` names the field, `requestId` finds it in the logs. */
class QuittanceError extends \RuntimeException
{
    public function __construct(
        string $message,
        public readonly int $status,
        public readonly string $errorCode,
        public readonly ?string $param = null,
        public readonly ?string $requestId = null,
        public readonly ?int $retryAfterSeconds = null,
    ) {
        parent::__construct($message, $status);
    }

    /** The class for an HTTP status. */
    public static function classFor(int $status): string
    {
        return match (true) {
            $status === 401 => AuthenticationError::class,
            $status === 403 => PermissionError::class,
            $status === 404 => NotFoundError::class,
            $status === 409 => ConflictError::class,
            $status === 429 => RateLimitError::class,
            $status >= 500 => ServerError::class,
            default => InvalidRequestError::class,
        };
    }
}

/** 400: a field is invalid; `param` names it. */
class InvalidRequestError extends QuittanceError
{
}

/** 401: the credential is missing, mistyped, rotated or revoked. */
class AuthenticationError extends QuittanceError
{
}

/** 403: the credential does not have permission. */
class PermissionError extends QuittanceError
{
}

/** 404: no such object in this account and mode. */
class NotFoundError extends QuittanceError
{
}

/** 409: an idempotency key used for another request, or a disabled link. */
class ConflictError extends QuittanceError
{
}

/** 429: wait for `retryAfterSeconds`. Shorter waits have been made already. */
class RateLimitError extends QuittanceError
{
}

/** 5xx: the server failed. It was asked again already, except for requests that are sent only once. */
class ServerError extends QuittanceError
{
}

/** No answer: the network failed or the time was over. Whether the request was processed is unknown. */
class ConnectionError extends \RuntimeException
{
}

/** A webhook failed verification, or must not be acted on. Answer with its `status`. */
class SignatureVerificationError extends \RuntimeException
{
    public int $status = 400;
}

/** A sample of `/v1/webhooks/test`: its signature is right, and there is no such payment. Answer 200. */
class SampleEventError extends SignatureVerificationError
{
    public int $status = 200;
}

/** A receipt failed verification; the message says why. */
class ReceiptVerificationError extends \RuntimeException
{
}
