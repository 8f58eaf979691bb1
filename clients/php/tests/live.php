<?php

// What a shop does, against a running server. `server/test/journeys/clients.test.ts` starts it and compares.

declare(strict_types=1);

use Quittance\ConnectionError;
use Quittance\Quittance;
use Quittance\QuittanceError;

require __DIR__ . '/../autoload.php';

[, $url, $lossy, $redirect, $key] = $argv;

$client = static fn (?string $to = null, ?string $with = null) => new Quittance(
    $with ?? $key,
    $to ?? $url,
    sleep: static fn (float $seconds) => null,
);

$kind = static function (callable $call): ?array {
    try {
        $call();

        return null;
    } catch (QuittanceError | ConnectionError $error) {
        $name = (new ReflectionClass($error))->getShortName();

        return [$name, $error->errorCode ?? null, $error->param ?? null];
    }
};

$shop = $client();
$body = ['amount' => '49.00', 'order_id' => 'keyed', 'metadata' => ['note' => 'Größe 1']];
$one = $shop->post('/v1/checkout/sessions', $body, 'order-1');
$same = $shop->post('/v1/checkout/sessions', $body, 'order-1');
$pay = ['pay_asset' => 'USDC', 'pay_network' => 'base', 'outcome' => 'paid'];
$paid = $shop->post("/v1/test_helpers/checkout/sessions/{$one['id']}/pay", $pay);
$lost = $client($lossy)->post('/v1/checkout/sessions', ['amount' => '49.00', 'order_id' => 'lost']);
$shop->post("/v1/test_helpers/checkout/sessions/{$lost['id']}/pay", $pay);
$events = ['url' => 'https://shop.example.com/hook', 'events' => ['payment.paid']];
$endpoint = $shop->post('/v1/webhook-endpoints', $events);
$orders = [];
foreach ($shop->list('/v1/payments', ['limit' => 1]) as $payment) {
    $orders[] = $payment['order_id'];
}
sort($orders);

echo json_encode([
    'same' => $one['id'] === $same['id'] && $one['metadata']['note'] === 'Größe 1',
    'paid' => $shop->get("/v1/payments/{$paid['payment']}")['status'],
    'lost' => $lost['order_id'],
    'deleted' => $client($lossy)->delete("/v1/webhook-endpoints/{$endpoint['id']}"),
    'endpoint' => $endpoint['id'],
    'orders' => $orders,
    'errors' => [
        $kind(static fn () => $client(null, 'sk_test_' . str_repeat('0', 36))->get('/v1/payments')),
        $kind(static fn () => $shop->get('/v1/payments/pay_none')),
        $kind(static fn () => $shop->post('/v1/checkout/sessions', ['amount' => '49,00'])),
        $kind(static fn () => $shop->post('/v1/checkout/sessions', ['amount' => '50.00'] + $body, 'order-1')),
        array_slice($kind(static fn () => $client('http://127.0.0.1:9')->get('/v1/payments')), 0, 1),
        array_slice($kind(static fn () => $client($redirect)->get('/v1/payments')), 0, 1),
    ],
], JSON_THROW_ON_ERROR);
