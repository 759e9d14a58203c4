"""Formats numbers for axes and tables."""

import math

SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def finite(value):
    return value is not None and math.isfinite(value)


def byte_count(value):
    """Returns for example 512 B, 64 KiB, 1.5 MiB."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(value) < 1024 or unit == "GiB":
            return f"{value:.4g} {unit}"
        value /= 1024


def number(value):
    """Returns for example 4296, 12.3, 0.0123; powers of ten only for very large and very small numbers."""
    if not finite(value):
        return "–"
    size = abs(value)
    if size == 0 or 1000 <= size < 1e6 or value == round(value) and size < 1e6:
        return f"{value:.0f}"
    if 1e-4 <= size < 1e6:
        return f"{value:.4g}"
    exponent = math.floor(math.log10(size))
    mantissa = f"{value / 10.0**exponent:.3g}"
    return ("" if mantissa == "1" else f"{mantissa} × ") + power(10, exponent)


def is_power(value, base):
    if value <= 0:
        return False
    exponent = round(math.log(value, base))
    return math.isclose(value, float(base) ** exponent, rel_tol=1e-9)


def power(base, exponent):
    return f"{base}{str(exponent).translate(SUPERSCRIPT)}"


def counts_bytes(label):
    return label.startswith("byte")


def namer(label, places):
    """Returns a function that formats all places of one sweep alike: bytes, powers of two, or plain numbers."""
    if counts_bytes(label):
        return lambda x: byte_count(x) if x == round(x) else number(x)
    if len(places) > 1 and max(places) >= 2**20 and all(is_power(x, 2) for x in places):
        return lambda x: power(2, round(math.log2(x))) if x > 0 else number(x)
    return number
