"""The client of a Quittance server, and the verification of its webhooks. No dependencies."""

from .client import Quittance
from .errors import (
    AuthenticationError,
    ConflictError,
    ConnectionError,
    InvalidRequestError,
    NotFoundError,
    PermissionError,
    QuittanceError,
    RateLimitError,
    SampleEventError,
    ServerError,
    SignatureVerificationError,
)
from .money import from_minor, to_minor
from .webhooks import construct_event, generate_test_header

__version__ = "0.1.0"
__all__ = [
    "AuthenticationError",
    "ConflictError",
    "ConnectionError",
    "InvalidRequestError",
    "NotFoundError",
    "PermissionError",
    "Quittance",
    "QuittanceError",
    "RateLimitError",
    "SampleEventError",
    "ServerError",
    "SignatureVerificationError",
    "construct_event",
    "from_minor",
    "generate_test_header",
    "to_minor",
]
