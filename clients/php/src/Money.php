<?php

declare(strict_types=1);

namespace Quittance;

/** Amounts are decimal strings on the wire and whole cents in between, never floating-point numbers. */
final class Money
{
    /** The cents of a display amount from 0.01 to 999999999.99: `"49.00"` is 4900. */
    public static function toMinor(string $amount): int
    {
        $minor = preg_match('/^(0|[1-9][0-9]{0,8})(?:\.([0-9]{1,2}))?$/D', $amount, $found)
            ? (int) $found[1] * 100 + (int) str_pad($found[2] ?? '', 2, '0')
            : 0;
        if ($minor === 0) {
            throw new \InvalidArgumentException(
                'An amount is a decimal string from 0.01 to 999999999.99 such as "49.00", not ' . json_encode($amount) . '.',
            );
        }

        return $minor;
    }

    /** Whole cents as a display amount: 4900 is `"49.00"`. */
    public static function fromMinor(int $minor): string
    {
        if ($minor < 0) {
            throw new \InvalidArgumentException("Cents are a whole number that is not negative, not $minor.");
        }

        return sprintf('%d.%02d', intdiv($minor, 100), $minor % 100);
    }
}
