"""What a shop does, against a running server. `server/test/journeys/clients.test.ts` starts it and compares."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import quittance  # noqa: E402

URL, LOSSY, REDIRECT, KEY = sys.argv[1:]


def client(url=URL, key=KEY, **options):
    return quittance.Quittance(key, base_url=url, sleep=lambda seconds: None, **options)


def kind(call):
    try:
        call()
        return None
    except (quittance.QuittanceError, quittance.ConnectionError) as error:
        return [type(error).__name__, getattr(error, "code", None), getattr(error, "param", None)]


shop = client()
body = {"amount": "49.00", "order_id": "keyed", "metadata": {"note": "Größe 1"}}
one, same = [shop.post("/v1/checkout/sessions", body, idempotency_key="order-1") for _ in range(2)]
pay = {"pay_asset": "USDC", "pay_network": "base", "outcome": "paid"}
paid = shop.post(f"/v1/test_helpers/checkout/sessions/{one['id']}/pay", pay)
lost = client(LOSSY).post("/v1/checkout/sessions", {"amount": "49.00", "order_id": "lost"})
shop.post(f"/v1/test_helpers/checkout/sessions/{lost['id']}/pay", pay)
endpoint = shop.post("/v1/webhook-endpoints", {"url": "https://shop.example.com/hook", "events": ["payment.paid"]})
print(
    json.dumps(
        {
            "same": one["id"] == same["id"] and one["metadata"]["note"] == "Größe 1",
            "paid": shop.get(f"/v1/payments/{paid['payment']}")["status"],
            "lost": lost["order_id"],
            "deleted": client(LOSSY).delete(f"/v1/webhook-endpoints/{endpoint['id']}"),
            "endpoint": endpoint["id"],
            "orders": sorted(payment["order_id"] for payment in shop.list("/v1/payments", limit=1)),
            "errors": [
                kind(lambda: client(key="sk_test_" + "0" * 36).get("/v1/payments")),
                kind(lambda: shop.get("/v1/payments/pay_none")),
                kind(lambda: shop.post("/v1/checkout/sessions", {"amount": "49,00"})),
                kind(lambda: shop.post("/v1/checkout/sessions", {**body, "amount": "50.00"}, idempotency_key="order-1")),
                kind(lambda: client("http://127.0.0.1:9").get("/v1/payments"))[:1],
                kind(lambda: client(REDIRECT).get("/v1/payments"))[:1],
            ],
        }
    )
)
