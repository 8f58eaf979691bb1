"""Runs contract/vectors through the client, and prints what it makes of each case. `clients/vectors.test.ts` compares."""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "clients/python"))

import quittance  # noqa: E402
from quittance.client import ONCE  # noqa: E402

SERVER = sys.argv[1]


def read(name):
    return json.loads((ROOT / f"contract/vectors/{name}.json").read_text("utf-8"))


def client(file, at, waits=None):
    sleep = (waits if waits is not None else []).append
    return quittance.Quittance("sk_test_1", base_url=f"{SERVER}/{file}/{at}", sleep=sleep)


def webhook(case):
    header = case["headers"].get("service-signature")
    try:
        event = quittance.construct_event(case["body"].encode(), header, case["secret"], now=case["now"])
        return {"event": event["id"]}
    except quittance.SignatureVerificationError as error:
        return {"status": error.status}


def answer(at, case):
    request, waits = case["request"], []
    one = client("errors", at, waits)
    call = {"GET": one.get, "POST": one.post, "PATCH": one.patch, "DELETE": one.delete}[request["method"]]
    try:
        call(request["path"], request["body"]) if "body" in request else call(request["path"])
        return {"kind": None}
    except (quittance.QuittanceError, quittance.ConnectionError) as error:
        return {
            "kind": re.sub(r"(?<!^)(?=[A-Z])", "_", type(error).__name__[: -len("Error")]).lower(),
            "code": getattr(error, "code", None),
            "param": getattr(error, "param", None),
            "request_id": getattr(error, "request_id", None),
            "retry_after_seconds": getattr(error, "retry_after_seconds", None),
            "attempts": len(waits) + 1,
        }


def refuses(text):
    try:
        quittance.to_minor(text)
        return False
    except ValueError:
        return True


def unsendable(call):
    try:
        call(client("unsendable", 0))
        return False
    except ValueError:
        return True


BROKEN = "a\r\nService-Mode: live"
money = read("money")
for number, body in enumerate(read("bodies")):
    client("bodies", number).post("/v1/checkout/sessions", body)

print(
    json.dumps(
        {
            "webhooks": [webhook(case) for case in read("webhooks")],
            "errors": [answer(at, case) for at, case in enumerate(read("errors"))],
            "pagination": [
                [item["id"] for item in client("pagination", at).list(case["path"], **case["query"])]
                for at, case in enumerate(read("pagination"))
            ],
            "money": {
                "accepted": [str(quittance.to_minor(case["text"])) for case in money["accepted"]],
                "refused": [refuses(text) for text in money["refused"]],
                "written": [quittance.from_minor(int(case["minor"])) for case in money["written"]],
            },
            "idempotency": [ONCE.fullmatch(case["path"]) is None for case in read("idempotency")],
            "unsendable": [
                unsendable(lambda one: one.get(f"/v1/payments/{BROKEN}")),
                unsendable(lambda one: one.post("/v1/checkout/sessions", {}, idempotency_key=BROKEN)),
                unsendable(lambda one: one.get("@other.example/v1/payments")),
                unsendable(lambda one: one.delete("")),
            ],
            "signed": quittance.generate_test_header("Größe".encode(), "whsec_1", timestamp=1_773_480_413),
        }
    )
)
