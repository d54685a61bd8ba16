"""What stands before a body in the wire format of schema registries: a byte 0, and the schema's id in four bytes."""

from __future__ import annotations

from collections.abc import Iterable

from lsqlc.formats.registered import BROKEN, NO_MAGIC
from lsqlc.sql.spark import struct, text

# The bytes of a head.
HEAD = 5

Fault = tuple[str, str]
"""A condition, and the SQL of the text that says what is wrong where it holds."""


def head(id: int) -> str:
    """The literal of the five bytes before a body."""
    return f"X'00{id:08x}'"


def id_of(column: str) -> str:
    """SQL of the schema's id before the body of a BINARY column, as text."""
    return f"conv(hex(substring({column}, 2, 4)), 16, 10)"


def head_faults(column: str, ids: Iterable[int]) -> list[Fault]:
    """What can be wrong before the body of a BINARY column, whose schema has one of these ids."""
    unknown = f"concat({text('the schema id ')}, {id_of(column)}, {text(' is of no version of the subject')})"
    known = ", ".join(map(head, sorted(ids)))
    return [
        (f"substring({column}, 1, 1) != X'00' OR length({column}) = 0", text(NO_MAGIC)),
        (f"length({column}) < {HEAD}", text(BROKEN)),
        (f"substring({column}, 1, {HEAD}) NOT IN ({known})" if known else "TRUE", unknown),
    ]


def outcome(column: str, value: str, faults: Iterable[Fault]) -> str:
    """`STRUCT<value, fault: STRING>`: the value, null where a fault holds, of which it is the first; NULL of a NULL."""
    cases = " ".join(f"WHEN {condition} THEN {why}" for condition, why in faults)
    whole = struct((("value", f"if(_f IS NULL, {value}, NULL)"), ("fault", "_f")))
    return f"if({column} IS NULL, NULL, get(transform(array(CASE {cases} END), _f -> {whole}), 0))"
