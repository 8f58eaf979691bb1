"""What can go wrong. Each class is one kind, so that a handler names what it handles."""

import builtins


class QuittanceError(Exception):
    """The server returned an error. `code` is stable, `param` names the field, `request_id` finds it in the logs."""

    def __init__(self, message, *, status, code, param=None, request_id=None, retry_after_seconds=None):
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds


class InvalidRequestError(QuittanceError):
    """400: a field is invalid; `param` names it."""


class AuthenticationError(QuittanceError):
    """401: the credential is missing, mistyped, rotated or revoked."""


class PermissionError(QuittanceError):  # noqa: A001
    """403: the credential does not have permission."""


class NotFoundError(QuittanceError):
    """404: no such object in this account and mode."""


class ConflictError(QuittanceError):
    """409: an idempotency key used for another request, or a disabled link."""


class RateLimitError(QuittanceError):
    """429: wait for `retry_after_seconds`. Shorter waits have been made already."""


class ServerError(QuittanceError):
    """5xx: the server failed. It was asked again already, except for requests that are sent only once."""


class ConnectionError(builtins.ConnectionError):  # noqa: A001
    """No answer: the network failed or the time was over. Whether the request was processed is unknown."""


class SignatureVerificationError(ValueError):
    """A webhook failed verification, or must not be acted on. Answer with its `status`."""

    status = 400


class SampleEventError(SignatureVerificationError):
    """A sample of `/v1/webhooks/test`: its signature is right, and there is no such payment. Answer 200."""

    status = 200


_BY_STATUS = {401: AuthenticationError, 403: PermissionError, 404: NotFoundError, 409: ConflictError, 429: RateLimitError}


def error_class(status):
    """The class for an HTTP status."""
    return _BY_STATUS.get(status) or (ServerError if status >= 500 else InvalidRequestError)
