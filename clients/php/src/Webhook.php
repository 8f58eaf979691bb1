<?php

declare(strict_types=1);

namespace Quittance;

/** Verifies webhooks. Needs no key and nothing else of the package. */
final class Webhook
{
    /**
     * The event of a webhook, whose signature is verified.
     *
     * @param string  $rawBody `file_get_contents('php://input')`, before any JSON parsing
     * @param ?string $header  `$_SERVER['HTTP_SERVICE_SIGNATURE'] ?? null`
     * @param ?string $secret  the endpoint's `whsec_…`
     * @param int     $now     the current time, for tests
     *
     * @return array<string, mixed>
     *
     * @throws SignatureVerificationError Answer with its `status`
     */
    public static function constructEvent(
        string $rawBody,
        ?string $header,
        ?string $secret,
        int $toleranceSeconds = 300,
        bool $acceptSamples = false,
        ?int $now = null,
    ): array {
        [$timestamp, $signatures] = self::readHeader($header);
        $expected = hash_hmac('sha256', "$timestamp.$rawBody", self::checkedSecret($secret));
        $matches = false;
        // Each signature is compared, so that either secret of a rotation works.
        foreach ($signatures as $signature) {
            $matches = hash_equals($expected, $signature) || $matches;
        }
        if (!$matches) {
            throw new SignatureVerificationError(
                "No signature matches this body and secret. Use this endpoint's secret, and pass the raw body.",
            );
        }
        $age = ($now ?? time()) - (int) $timestamp;
        if ($toleranceSeconds > 0 && abs($age) > $toleranceSeconds) {
            $when = $age > 0 ? "$age seconds old" : 'from ' . -$age . ' seconds in the future';
            throw new SignatureVerificationError("The signature is $when. This may be a replay, or a clock is wrong.");
        }
        $event = json_decode($rawBody, true, 64, JSON_THROW_ON_ERROR);
        if (($event['sample'] ?? false) && !$acceptSamples) {
            throw new SampleEventError('The signature is right. This is a sample, so nothing was done.');
        }

        return $event;
    }

    /** A `Service-Signature` for a body, to test a receiver. */
    public static function generateTestHeader(string $rawBody, string $secret, ?int $timestamp = null): string
    {
        $timestamp ??= time();

        return "t=$timestamp,v1=" . hash_hmac('sha256', "$timestamp.$rawBody", $secret);
    }

    /** @return array{string, list<string>} */
    private static function readHeader(?string $header): array
    {
        if ($header === null || $header === '') {
            throw new SignatureVerificationError('The `Service-Signature` header is missing.');
        }
        $parts = array_map(trim(...), explode(',', $header));
        $timestamps = array_values(preg_grep('/^t=[0-9]{1,15}$/D', $parts));
        $signatures = array_slice(preg_grep('/^v1=[0-9a-f]{64}$/D', $parts), 0, 10);
        if ($timestamps === [] || $signatures === []) {
            throw new SignatureVerificationError(
                'The `Service-Signature` header is malformed. Expected `t=<seconds>,v1=<hex>`.',
            );
        }

        return [substr($timestamps[0], 2), array_map(static fn (string $part) => substr($part, 3), $signatures)];
    }

    private static function checkedSecret(?string $secret): string
    {
        if ($secret === null || $secret === '') {
            throw new SignatureVerificationError('Signing secret missing. Is the environment variable set?');
        }
        if (preg_match('/^sk_(test|live)_/', $secret)) {
            throw new SignatureVerificationError(
                "This is an API key. Webhooks are verified with the endpoint's `whsec_…`.",
            );
        }

        return $secret;
    }
}
