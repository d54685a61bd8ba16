"""UUID: an identifier that is derived from the record, so that a replay writes the same (LANGUAGE.md, "Types and
scalars"). It is the MD5 of the record's ordinal, which no other record has, and of a number that tells the identifiers
of one record apart, in the form of a UUID of version 3 (RFC 9562).
"""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.forms.literals import integer_value
from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter
from lsqlc.types.data import STRING, DataType

# The digits that say version and variant.
_FORM = r"\1-\2-3\3-8\4-\5"
_PARTS = "([0-9a-f]{8})([0-9a-f]{4}).([0-9a-f]{3}).([0-9a-f]{3})([0-9a-f]{12})"


def _hashed(texts: Sequence[str]) -> str:
    return f"md5({{record}} || '#{integer_value(texts[0])}')"


def _duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
    return f"regexp_replace({_hashed(texts)}, '{_braces(_PARTS)}', '{_FORM}')"


def _spark(texts: Sequence[str], types: Sequence[DataType]) -> str:
    form = _FORM.replace("\\", "$")
    return f"regexp_replace({_hashed(texts)}, '{_braces(_PARTS)}', '{form}')"


def _braces(pattern: str) -> str:
    """Safe from `str.format`."""
    return pattern.replace("{", "{{").replace("}", "}}")


IDENTIFIERS: tuple[Function, ...] = (
    Function(
        "UUID", (Parameter("number", "size", literal=True, optional=True, default="0"),), always(STRING),
        _duckdb, _spark,
        "an identifier of the record, the same in every run; a record's further ones need a number, and get one where"
        " none is written", nulls=Nulls.NEVER, of_record=True,
    ),
)  # fmt: skip
