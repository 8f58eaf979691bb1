"""The client: one credential, every path of the API."""

import http.client
import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

from .errors import ConnectionError, NotFoundError, RateLimitError, error_class

# What supports no `Idempotency-Key`: if its answer is lost, asking again would do it twice.
ONCE = re.compile(
    r"/v1/(auth/.*|public/checkout/.*|api-keys(/[^/]+/rotate)?|invitations|receipts/verify|webhooks/test|test_helpers/.*)"
)
# A proxy or a limit per day may ask for hours, and the caller holds a customer's request open.
MAX_RETRY_AFTER_SECONDS = 30


class Quittance:
    """Calls the API with a secret key (`sk_test_…`, `sk_live_…`) or a login token (`ses_…`).

    Methods return the object inside `data` as a dict. A POST has an idempotency key where the endpoint supports one.
    What is safe to repeat is sent up to `max_retries` times more, with jitter, after the time in `Retry-After`.
    """

    def __init__(self, credential, *, base_url="http://localhost:3000", max_retries=2, timeout=30, mode=None, sleep=None):
        self._credential = _checked_credential(credential)
        self._base_url = _checked_base_url(base_url)
        self._max_retries = max_retries
        self._timeout = timeout
        self._mode = mode
        self._sleep = sleep or time.sleep
        self._opener = urllib.request.build_opener(_NoRedirects())

    def get(self, path, **query):
        """The object at a path, or one page of a list: `data` and `pagination`."""
        return self._call("GET", _with_query(path, query))

    def post(self, path, body=None, *, idempotency_key=None):
        """Creates or does something. A retry with the same key returns the first result."""
        return self._call("POST", path, body, idempotency_key)

    def patch(self, path, body=None):
        """Changes the named fields."""
        return self._call("PATCH", path, body)

    def delete(self, path):
        """Deletes the object at a path."""
        return self._call("DELETE", path)

    def list(self, path, **query):
        """Every object of a list, to its end, page by page."""
        while True:
            page = self.get(path, **query)
            yield from page["data"]
            cursor = page["pagination"]["cursor"]
            if not page["pagination"]["has_more"] or cursor is None:
                return
            query["cursor"] = cursor

    def _call(self, method, path, body=None, key=None):
        # They are written into the request as they are, and may come from a customer.
        if re.search(r"[\x00-\x20\x7f]", path + (key or "")):
            raise ValueError(f"Paths and keys have no spaces and no line ends: {path!r}, {key!r}")
        # Behind an address without a path, `@` and the like would name another host, which would get the key.
        if not path.startswith("/"):
            raise ValueError(f"A path starts with a slash, such as /v1/payments, not {path!r}.")
        is_once = method == "POST" and ONCE.fullmatch(path.split("?")[0]) is not None
        # One key for all attempts, so that a retry gets the first attempt's result.
        key = (key or str(uuid.uuid4())) if method == "POST" and not is_once else None
        may_be_deleted = False
        for attempt in range(self._max_retries + 1):
            try:
                answer = self._send(method, path, body, key)
                return answer if "pagination" in answer else answer.get("data", answer)
            except Exception as error:
                # An earlier attempt whose answer was lost has deleted it.
                if may_be_deleted and isinstance(error, NotFoundError):
                    return {"id": urllib.parse.unquote(path.rsplit("/", 1)[-1]), "deleted": True}
                may_be_deleted = may_be_deleted or (method == "DELETE" and not isinstance(error, RateLimitError))
                wait = getattr(error, "retry_after_seconds", None) or 0
                too_long = wait > min(MAX_RETRY_AFTER_SECONDS, self._timeout)
                if attempt == self._max_retries or too_long or not _may_retry(error, is_once):
                    raise
                self._sleep(max(min(0.5 * 2**attempt, 8) * (1 - random.random() / 2), wait))

    def _send(self, method, path, body, key):
        request = urllib.request.Request(self._base_url + path, method=method)
        request.add_header("Accept", "application/json")
        if self._credential:
            request.add_header("Authorization", f"Bearer {self._credential}")
        if self._mode:
            request.add_header("Service-Mode", self._mode)
        if key:
            request.add_header("Idempotency-Key", key)
        if body is not None:
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps(body).encode()
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                status, headers, text = response.status, response.headers, response.read()
        except urllib.error.HTTPError as response:
            status, headers, text = response.code, response.headers, _rest_of(response)
        except (OSError, http.client.HTTPException) as cause:
            reason = getattr(cause, "reason", None) or cause
            raise ConnectionError(f"{method} {self._base_url}{path} got no response: {reason}") from cause
        answer = _parse(text)
        if status < 300 and answer is not None:
            return answer
        raise _error_of(502 if status < 400 else status, headers, (answer or {}).get("error"))


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would take the key to another address."""

    def redirect_request(self, *_):
        return None


def _may_retry(error, is_once):
    if isinstance(error, RateLimitError):
        return True
    if is_once:
        return False
    if isinstance(error, ConnectionError):
        return True
    return getattr(error, "status", 0) >= 500 or getattr(error, "code", None) == "idempotency_in_progress"


def _error_of(status, headers, fields):
    fields = fields if isinstance(fields, dict) else {}
    retry_after = headers.get("Retry-After", "")
    return error_class(status)(
        fields.get("message", f"The service answered {status} without a readable body."),
        status=status,
        code=fields.get("code", "unreadable_answer"),
        param=fields.get("param"),
        request_id=headers.get("Request-Id"),
        retry_after_seconds=int(retry_after) if re.fullmatch(r"[0-9]{1,9}", retry_after) else None,
    )


def _rest_of(response):
    try:
        return response.read()
    except (OSError, http.client.HTTPException):
        return b""


def _parse(text):
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _with_query(path, query):
    given = {name: _text(value) for name, value in query.items() if value is not None}
    return f"{path}?{urllib.parse.urlencode(given)}" if given else path


def _text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _checked_base_url(address):
    """Without a trailing slash or `/v1`."""
    if urllib.parse.urlsplit(address).scheme not in ("http", "https"):
        raise ValueError(f'base_url must be a URL like https://pay.example.com, not "{address}".')
    return re.sub(r"/v1$", "", address.rstrip("/"))


def _checked_credential(credential):
    """Rejects malformed credentials before they are sent. None is for paths that need none."""
    if credential is None:
        return None
    if credential.startswith("whsec_"):
        raise ValueError("This is a webhook signing secret. The client needs a secret key: sk_test_… or sk_live_….")
    if not re.match(r"(sk_(test|live)|ses)_", credential):
        raise ValueError("A secret key starts with sk_test_ or sk_live_, a login token with ses_.")
    if not credential.isascii():
        raise ValueError("A key cannot contain such characters. Replace the example with a key from the dashboard.")
    return credential
