"""Exact sums of FLOAT, DOUBLE and wide DECIMALs.

They do not depend on the order of the records, on the division into batches, or on deleted values.

A floating sum is kept in integers, which are added exactly. The bits of a number are divided into digits of 26 bits at
fixed places, and each place is summed by itself; 37 bits are left above a digit, so that a group may have 2^37 values.
Eleven places cover all of FLOAT, and for DOUBLE the range between 2^-97 and 2^136 (6e-30 and 8e40). The rare DOUBLE
outside of it is kept unchanged, in a list, and is added when the total is computed.

A DECIMAL of more than 28 digits may have a total that no DECIMAL holds, so that it is summed in two halves.
"""

from __future__ import annotations

from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal

# The bits of a digit, and the exponents of the digits' places.
_BITS = 26
_LOWEST, _COUNT = -150, 11
_PLACES = range(_LOWEST, _LOWEST + _COUNT * _BITS, _BITS)
# The bits of a DOUBLE, and the limit beyond which its bits are outside of the places.
_MANTISSA = 53
_SMALLEST, _BEYOND = _LOWEST + _MANTISSA, _LOWEST + _COUNT * _BITS
# The places of every DOUBLE, including those above; below the first ones numbers are scaled up, to stay normal.
_ALL_LOWEST, _ALL_COUNT = _LOWEST - 36 * _BITS, 82
_SCALED_BELOW, _SCALE = -450, 600
# The digits of the lower half of a DECIMAL.
_HALF = 20
# Spark sums a DECIMAL with ten more digits than its own.
_SAFE_PRECISION = 28
# The carry to the next place of the sum `d` of the digits at a place, with the carry from below, and the rest.
_CARRY = f"shiftright(d + s.carry + {1 << (_BITS - 1)}L, {_BITS})"
_DIGIT = f"(d + s.carry - shiftleft({_CARRY}, {_BITS}))"


def is_split(type: DataType) -> bool:
    """Return True if values of a type are summed here."""
    return type in (data.DOUBLE, data.FLOAT) or (isinstance(type, Decimal) and type.precision > _SAFE_PRECISION)


def floating_total(x: str, type: DataType, weight: str = "") -> str:
    """Return the sum of a FLOAT or DOUBLE column, as a DOUBLE: an aggregate, over the finite values that are not null.

    `weight`: a BIGINT column, how often each value counts, -1 for a deleted one.
    """
    assert type in (data.DOUBLE, data.FLOAT)
    digits = f"array({', '.join(_place_sum(x, place, type, weight) for place in _PLACES)})"
    if type == data.FLOAT:
        return _near_total(digits)
    signed = f"{x} * {weight}" if weight else x
    large = f"abs({x}) >= {_power(_BEYOND)} AND abs({x}) < double('Infinity')"
    far = f"{large} OR {x} <> 0D AND abs({x}) < {_power(_SMALLEST)}"
    parts = f"struct({digits} AS near, collect_list(if({far}, {signed}, NULL)) AS far)"
    total = f"if(size(p.far) = 0, {_near_total('p.near')}, {_far_total('p.near', 'p.far')})"
    return f"get(transform(array({parts}), p -> {total}), 0)"


def _place_sum(x: str, place: int, type: DataType, weight: str) -> str:
    """Return the sum of the digits at a place. A number has none if it is smaller, or ends above."""
    least = max(place, _SMALLEST) if type == data.DOUBLE else place
    most = min(place + _BITS + _MANTISSA, _BEYOND)
    digit = f"CAST({x} % {_power(place + _BITS)} / {_power(place)} AS BIGINT)"
    weighted = f"{digit} * {weight}" if weight else digit
    return f"sum(if(abs({x}) >= {_power(least)} AND abs({x}) < {_power(most)}, {weighted}, 0L))"


def _near_total(digits: str) -> str:
    """Return the number of an array of the sums of the digits, lowest place first.

    Each digit is brought between -2^25 and 2^25, so that no added number has a larger opposite.
    """
    start = f"struct(0L AS carry, 0D AS total, {_power(_LOWEST)} AS unit)"
    step = f"struct({_CARRY} AS carry, s.total + {_DIGIT} * s.unit AS total, s.unit * {_power(_BITS)} AS unit)"
    return f"aggregate({digits}, {start}, (s, d) -> {step}, s -> s.total + s.carry * s.unit)"


def _far_total(near: str, far: str) -> str:
    """Return the number of the sums of digits and of an array of numbers that are outside of their places."""
    exponent = f"(i * {_BITS} + {_ALL_LOWEST})"
    shift = f"if({exponent} < {_SCALED_BELOW}, {_SCALE}, 0)"
    scaled = f"y * pow(2D, {shift}) % pow(2D, {exponent} + {_BITS} + {shift})"
    digit = f"CAST({scaled} / pow(2D, {exponent} + {shift}) AS BIGINT)"
    has_digit = f"abs(y) >= pow(2D, {exponent}) AND abs(y) < pow(2D, {exponent} + {_BITS + _MANTISSA})"
    first = (_LOWEST - _ALL_LOWEST) // _BITS
    start = f"coalesce(if(i >= {first}, get({near}, i - {first}), 0L), 0L)"
    sums = (
        f"transform(sequence(0, {_ALL_COUNT - 1}), i -> "
        f"aggregate({far}, {start}, (s, y) -> s + if({has_digit}, {digit}, 0L)))"
    )
    step = f"struct({_CARRY} AS carry, array_append(s.digits, {_DIGIT}) AS digits)"
    none = "struct(0L AS carry, CAST(array() AS ARRAY<BIGINT>) AS digits)"
    digits = f"aggregate({sums}, {none}, (s, d) -> {step}, s -> array_append(s.digits, s.carry))"
    # The four highest digits are more than a DOUBLE holds. It is scaled in two steps, so that neither overflows.
    top = "array_max(transform(n, (d, i) -> if(d <> 0L, i, -1)))"
    mantissa = " + ".join(f"coalesce(get(n, t{f' - {k}' if k else ''}), 0L) * {_power(-k * _BITS)}" for k in range(4))
    place = f"(t * {_BITS} + {_ALL_LOWEST})"
    half = f"CAST({place} div 2 AS INT)"
    value = f"if(t < 0, 0D, ({mantissa}) * pow(2D, {half}) * pow(2D, {place} - {half}))"
    return f"get(transform(array({digits}), n -> get(transform(array({top}), t -> {value}), 0)), 0)"


def _power(exponent: int) -> str:
    return f"{2.0**exponent!r}D"


def decimal_total(x: str, type: Decimal, weight: str = "") -> str:
    """Return the sum of a DECIMAL column as the text of a number, with an exponent: an aggregate.

    `weight`: as in `floating_total`.
    """
    whole = (
        f"CAST(replace(CAST({x} AS STRING), '.', '') AS DECIMAL(38,0))" if type.scale else f"CAST({x} AS DECIMAL(38,0))"
    )
    half = f"1{'0' * _HALF}BD"
    times = f" * {weight}" if weight else ""
    high = f"sum(CAST(({whole} div {half}){times} AS DECIMAL(20,0)))"
    low = f"sum(CAST(({whole} % {half}){times} AS DECIMAL(21,0)))"
    carry = f"(h.low div {half} - if(h.low % {half} < 0, 1, 0))"
    rest = f"h.low % {half} + if(h.low % {half} < 0, {half}, 0BD)"
    # The lower half is positive, or zero. If the higher one is negative, the digits are those of their complement.
    parts = f"struct(h.high + {carry} AS high, {rest} AS low)"
    positive = ("n.high", "n.low")
    negative = ("-n.high - if(n.low > 0, 1, 0)", f"if(n.low > 0, {half} - n.low, 0BD)")
    texts = [f"CAST({high} AS STRING), lpad(CAST({low} AS STRING), {_HALF}, '0')" for high, low in (positive, negative)]
    text = f"concat(if(n.high < 0, concat('-', {texts[1]}), concat({texts[0]})), 'E-{type.scale}')"
    bound = f"get(transform(array({parts}), n -> {text}), 0)"
    return f"get(transform(array(struct({high} AS high, {low} AS low)), h -> {bound}), 0)"
