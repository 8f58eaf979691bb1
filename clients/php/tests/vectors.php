<?php

// Runs contract/vectors through the client, and prints what it makes of each case. `clients/vectors.test.ts` compares.

declare(strict_types=1);

use Quittance\ConnectionError;
use Quittance\Money;
use Quittance\Quittance;
use Quittance\QuittanceError;
use Quittance\Receipt;
use Quittance\ReceiptVerificationError;
use Quittance\SignatureVerificationError;
use Quittance\Webhook;

require __DIR__ . '/../autoload.php';
error_reporting(E_ALL);
set_error_handler(static fn (int $level, string $message) => error_reporting() & $level ? throw new ErrorException($message) : false);

$server = $argv[1];
$read = static fn (string $name) => json_decode(file_get_contents(__DIR__ . "/../../../contract/vectors/$name.json"), true);

$client = static fn (string $file, int $at, ?ArrayObject $waits = null) => new Quittance(
    'sk_test_1',
    "$server/$file/$at",
    sleep: static fn (float $seconds) => $waits?->append($seconds),
);

$webhook = static function (array $case): array {
    try {
        $header = $case['headers']['service-signature'] ?? null;
        $event = Webhook::constructEvent($case['body'], $header, $case['secret'], now: $case['now']);

        return ['event' => $event['id']];
    } catch (SignatureVerificationError $error) {
        return ['status' => $error->status];
    }
};

$receipts = $read('receipts');
$receipt = static function (array $case) use ($receipts): array {
    try {
        $claims = Receipt::verify(
            $case['receipt'],
            $receipts['jwks'][$case['keys']],
            $case['payee'],
            $case['issuer'] ?? null,
            $case['allow_test_mode'] ?? false,
        );

        return ['payment' => $claims['payment']];
    } catch (ReceiptVerificationError) {
        return ['refused' => true];
    }
};

$answer = static function (int $at, array $case) use ($client): array {
    ['method' => $method, 'path' => $path] = $case['request'];
    $waits = new ArrayObject();
    $arguments = isset($case['request']['body']) ? [$case['request']['body']] : [];
    try {
        $client('errors', $at, $waits)->{strtolower($method)}($path, ...$arguments);

        return ['kind' => null];
    } catch (QuittanceError | ConnectionError $error) {
        $name = substr((new ReflectionClass($error))->getShortName(), 0, -strlen('Error'));

        return [
            'kind' => strtolower(preg_replace('/(?<!^)(?=[A-Z])/', '_', $name)),
            'code' => $error->errorCode ?? null,
            'param' => $error->param ?? null,
            'request_id' => $error->requestId ?? null,
            'retry_after_seconds' => $error->retryAfterSeconds ?? null,
            'attempts' => count($waits) + 1,
        ];
    }
};

$refuses = static function (string $text): bool {
    try {
        Money::toMinor($text);

        return false;
    } catch (InvalidArgumentException) {
        return true;
    }
};

$unsendable = static function (callable $call) use ($client): bool {
    try {
        $call($client('unsendable', 0));

        return false;
    } catch (InvalidArgumentException) {
        return true;
    }
};
$broken = "a\r\nService-Mode: live";

$ids = static fn (int $at, array $case) => array_map(
    static fn (array $item) => $item['id'],
    iterator_to_array($client('pagination', $at)->list($case['path'], $case['query']), false),
);

foreach ($read('bodies') as $at => $body) {
    $client('bodies', $at)->post('/v1/checkout/sessions', $body);
}

$once = (new ReflectionClassConstant(Quittance::class, 'ONCE'))->getValue();
$indexed = static fn (callable $run, array $cases) => array_map($run, array_keys($cases), $cases);
$money = $read('money');

echo json_encode([
    'webhooks' => array_map($webhook, $read('webhooks')),
    'receipts' => array_map($receipt, $receipts['cases']),
    'errors' => $indexed($answer, $read('errors')),
    'pagination' => $indexed($ids, $read('pagination')),
    'money' => [
        'accepted' => array_map(static fn (array $case) => (string) Money::toMinor($case['text']), $money['accepted']),
        'refused' => array_map($refuses, $money['refused']),
        'written' => array_map(static fn (array $case) => Money::fromMinor((int) $case['minor']), $money['written']),
    ],
    'idempotency' => array_map(static fn (array $case) => !preg_match($once, $case['path']), $read('idempotency')),
    'unsendable' => [
        $unsendable(static fn (Quittance $one) => $one->get("/v1/payments/$broken")),
        $unsendable(static fn (Quittance $one) => $one->post('/v1/checkout/sessions', [], $broken)),
        $unsendable(static fn (Quittance $one) => $one->get('@other.example/v1/payments')),
        $unsendable(static fn (Quittance $one) => $one->delete('')),
    ],
    'signed' => Webhook::generateTestHeader('Größe', 'whsec_1', 1_773_480_413),
], JSON_THROW_ON_ERROR);
