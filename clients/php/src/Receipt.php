<?php

declare(strict_types=1);

namespace Quittance;

/** Verifies receipts, without a network. Needs the extension `sodium`, which PHP brings. */
final class Receipt
{
    private const MAX_LENGTH = 65_536;
    /** Signatures up to a minute after their key was retired are still valid, because clocks differ. */
    private const RETIRED_TOLERANCE_SECONDS = 60;

    /**
     * The claims of a receipt, whose signature is verified.
     *
     * @param array<string, mixed> $jwks   the keys at the receipt's `jwks_url`, if that is at the service that you trust
     * @param string               $payee  the address that should have been paid, in CAIP-10 or as on its network
     * @param ?string              $issuer the address of the service that you trust
     *
     * @return array<string, mixed>
     *
     * @throws ReceiptVerificationError
     */
    public static function verify(
        string $receipt,
        array $jwks,
        string $payee,
        ?string $issuer = null,
        bool $allowTestMode = false,
    ): array {
        $text = trim($receipt);
        $parts = strlen($text) > self::MAX_LENGTH ? [] : array_map(self::decoded(...), explode('.', $text));
        if (count($parts) !== 3 || in_array(null, $parts, true)) {
            throw new ReceiptVerificationError('A receipt is three parts of base64url, joined by dots.');
        }
        [$header, $claims] = [self::parsed($parts[0]), self::parsed($parts[1])];
        if (
            ($header['alg'] ?? null) !== 'EdDSA' || ($header['typ'] ?? null) !== 'receipt+jwt'
            || !is_string($header['kid'] ?? null) || isset($header['crit']) || !is_int($claims['iat'] ?? null)
        ) {
            throw new ReceiptVerificationError('The header is not that of a receipt, or it has no claims.');
        }
        $keys = self::keysAt($jwks, $claims['iat'], $header['kid']);
        if ($keys === []) {
            throw new ReceiptVerificationError('None of these keys could have signed the receipt. Fetch them again.');
        }
        if (!self::isSignedByOne($keys, $parts[2], substr($text, 0, (int) strrpos($text, '.')))) {
            throw new ReceiptVerificationError('The signature does not match: the receipt was changed.');
        }
        self::checkWhose($claims, $payee, $issuer, $allowTestMode);

        return $claims;
    }

    /** @param array<string, mixed> $claims */
    private static function checkWhose(array $claims, string $payee, ?string $issuer, bool $allowTestMode): void
    {
        $paid = is_string($claims['payee'] ?? null) ? $claims['payee'] : '';
        $plain = str_contains($payee, ':') ? $paid : substr((string) strrchr(":$paid", ':'), 1);
        // Ethereum addresses are the same in capitals and small letters.
        $isSame = preg_match('/0x[0-9a-f]{40}$/iD', $payee) ? strcasecmp($plain, $payee) === 0 : $plain === $payee;
        if ($payee === '' || !$isSame) {
            throw new ReceiptVerificationError("The receipt is for money to $paid, not to $payee.");
        }
        if ($issuer !== null && ($claims['iss'] ?? null) !== rtrim($issuer, '/')) {
            throw new ReceiptVerificationError("The receipt is not from $issuer.");
        }
        if (($claims['livemode'] ?? false) !== true && !$allowTestMode) {
            throw new ReceiptVerificationError('The receipt is from test mode: no money moved.');
        }
    }

    /**
     * The Ed25519 keys with this `kid` that could have signed at an instant.
     *
     * @param array<string, mixed> $jwks
     *
     * @return list<string>
     */
    private static function keysAt(array $jwks, int $at, string $kid): array
    {
        $usable = array_filter(
            is_array($jwks['keys'] ?? null) ? $jwks['keys'] : [],
            static fn (mixed $key) => is_array($key)
                && [$key['kty'] ?? null, $key['crv'] ?? null, $key['kid'] ?? null] === ['OKP', 'Ed25519', $kid]
                && (!isset($key['exp']) || $at <= $key['exp'] + self::RETIRED_TOLERANCE_SECONDS),
        );
        $decoded = array_map(static fn (array $key) => self::decoded((string) ($key['x'] ?? '')), $usable);

        return array_values(array_filter(
            $decoded,
            static fn (?string $key) => strlen($key ?? '') === SODIUM_CRYPTO_SIGN_PUBLICKEYBYTES,
        ));
    }

    /** @param list<string> $keys */
    private static function isSignedByOne(array $keys, string $signature, string $signed): bool
    {
        if (strlen($signature) !== SODIUM_CRYPTO_SIGN_BYTES) {
            return false;
        }
        foreach ($keys as $key) {
            if (sodium_crypto_sign_verify_detached($signature, $signed, $key)) {
                return true;
            }
        }

        return false;
    }

    /** Null if the text is not the canonical encoding of its bytes, so that no character can change unnoticed. */
    private static function decoded(string $text): ?string
    {
        $bytes = base64_decode(strtr($text, '-_', '+/'), true);
        $again = $bytes === false ? '' : rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');

        return $text !== '' && $again === $text ? $bytes : null;
    }

    /** @return array<string, mixed> */
    private static function parsed(string $bytes): array
    {
        $value = json_decode($bytes, true, 64);

        return is_array($value) ? $value : [];
    }
}
