"""Values of a type, and records in the wire format, drawn at random."""

from __future__ import annotations

from datetime import UTC
from decimal import Context, Decimal
from typing import Any

from hypothesis import strategies as st

from lsqlc.types import data

_WIDE = Context(prec=60)
_LEAVES: dict[data.DataType, st.SearchStrategy[Any]] = {
    data.BOOLEAN: st.booleans(),
    data.INT: st.integers(-(2**31), 2**31 - 1),
    data.BIGINT: st.integers(-(2**63), 2**63 - 1),
    data.FLOAT: st.floats(width=32),
    data.DOUBLE: st.floats(),
    data.STRING: st.text(max_size=8),
    data.BYTES: st.binary(max_size=8),
    data.DATE: st.dates(),
    data.TIME: st.integers(0, 86_399_999_999),
    data.TIMESTAMP: st.datetimes(timezones=st.just(UTC)),
}


def values(type: data.DataType) -> st.SearchStrategy[Any]:
    """Values in their one form, none of them null as a whole; fields that are NOT NULL are not."""
    match type:
        case data.Struct(fields):
            parts = {f.name: (st.none() | values(f.type)) if f.nullable else values(f.type) for f in fields}
            return st.fixed_dictionaries(parts)
        case data.Array(element):
            return st.lists(st.none() | values(element), max_size=3)
        case data.Map(key, value):
            # Among the keys of a map Spark has one zero, and Python no NaN that it finds again.
            keys = values(key).filter(lambda found: found == found and not (isinstance(found, float) and found == 0))
            return st.dictionaries(keys, st.none() | values(value), max_size=3)
        case data.Decimal(precision, scale):
            digits = st.integers(-(10**precision) + 1, 10**precision - 1)
            return digits.map(lambda n: Decimal(n).scaleb(-scale, _WIDE))
    return _LEAVES[type]
