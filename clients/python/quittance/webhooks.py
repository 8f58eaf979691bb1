"""Verifies webhooks. Needs no key and nothing else of the package."""

import hashlib
import hmac
import json
import re
import time

from .errors import SampleEventError, SignatureVerificationError


def construct_event(raw_body, header, secret, *, tolerance_seconds=300, accept_samples=False, now=None):
    """The event of a webhook, whose signature is verified.

    raw_body: the bytes of the request, before any JSON parsing. header: `Service-Signature`. secret: `whsec_…`.
    Raises SignatureVerificationError; answer with its `status`.
    """
    timestamp, signatures = _read_header(header)
    body = raw_body.encode() if isinstance(raw_body, str) else bytes(raw_body)
    expected = _sign(timestamp, body, _checked_secret(secret))
    # Each signature is compared, so that either secret of a rotation works.
    if not any([hmac.compare_digest(one, expected) for one in signatures]):
        raise SignatureVerificationError(
            "No signature matches this body and secret. Use this endpoint's secret, and pass the raw body."
        )
    age = round((time.time() if now is None else now) - int(timestamp))
    if tolerance_seconds > 0 and abs(age) > tolerance_seconds:
        when = f"{age} seconds old" if age > 0 else f"from {-age} seconds in the future"
        raise SignatureVerificationError(f"The signature is {when}. This may be a replay, or a clock is wrong.")
    event = json.loads(body)
    if event.get("sample") and not accept_samples:
        raise SampleEventError("The signature is right. This is a sample, so nothing was done.")
    return event


def generate_test_header(raw_body, secret, *, timestamp=None):
    """A `Service-Signature` for a body, to test a receiver."""
    at = str(int(time.time() if timestamp is None else timestamp))
    body = raw_body.encode() if isinstance(raw_body, str) else bytes(raw_body)
    return f"t={at},v1={_sign(at, body, secret)}"


def _sign(timestamp, body, secret):
    return hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def _read_header(header):
    if not header:
        raise SignatureVerificationError("The `Service-Signature` header is missing.")
    parts = [part.strip() for part in header.split(",")]
    timestamps = [part[2:] for part in parts if re.fullmatch(r"t=[0-9]{1,15}", part)]
    signatures = [part[3:] for part in parts if re.fullmatch(r"v1=[0-9a-f]{64}", part)][:10]
    if not timestamps or not signatures:
        raise SignatureVerificationError("The `Service-Signature` header is malformed. Expected `t=<seconds>,v1=<hex>`.")
    return timestamps[0], signatures


def _checked_secret(secret):
    if not secret:
        raise SignatureVerificationError("Signing secret missing. Is the environment variable set?")
    if re.match(r"sk_(test|live)_", secret):
        raise SignatureVerificationError("This is an API key. Webhooks are verified with the endpoint's `whsec_…`.")
    return secret
