"""Amounts are decimal strings on the wire and whole cents in between, never floating-point numbers."""

import re

_AMOUNT = re.compile(r"(0|[1-9][0-9]{0,8})(?:\.([0-9]{1,2}))?")


def to_minor(amount):
    """The cents of a display amount from 0.01 to 999999999.99: `"49.00"` is 4900."""
    found = _AMOUNT.fullmatch(amount) if isinstance(amount, str) else None
    minor = int(found[1]) * 100 + int((found[2] or "").ljust(2, "0")) if found else 0
    if minor == 0:
        raise ValueError(f'An amount is a decimal string from 0.01 to 999999999.99 such as "49.00", not {amount!r}.')
    return minor


def from_minor(minor):
    """Whole cents as a display amount: 4900 is `"49.00"`."""
    if isinstance(minor, bool) or not isinstance(minor, int) or minor < 0:
        raise ValueError(f"Cents are a whole number that is not negative, not {minor!r}.")
    return f"{minor // 100}.{minor % 100:02d}"
