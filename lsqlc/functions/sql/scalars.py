"""Scalar functions by Spark's names. One that means the same in another dialect is that declaration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsqlc.functions.ksql.numbers import NUMBER_FUNCTIONS as KSQL_NUMBERS
from lsqlc.functions.ksql.scalars import NULL_FUNCTIONS, STRING_FUNCTIONS
from lsqlc.functions.lenses.arrays import ARRAYS
from lsqlc.functions.lenses.dates import DATES
from lsqlc.functions.lenses.nulls import NULLS
from lsqlc.functions.lenses.numbers import NUMBERS as LENSES_NUMBERS
from lsqlc.functions.lenses.strings import STRINGS as LENSES_STRINGS
from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Parameter
from lsqlc.types.data import INT, STRING, DataType

_TEXT = Parameter("text", "string")
_PLACE, _SIZE = Parameter("place", "index"), Parameter("size", "index", optional=True)


def _of(family: tuple[Function, ...], name: str, new: str = "", aliases: tuple[str, ...] = ()) -> Function:
    """A function of another dialect, perhaps under another name, and without its other names."""
    function = next(f for f in family if f.name == name)
    if not new and function.aliases == aliases:
        return function
    return replace(function, name=new or name, aliases=aliases)


# Where a text is cut: from a place that counts from 1, or from the end if it is negative, which may lie before the
# first character.
_FROM = "(case when {1} > 0 then {1}::bigint - 1 when {1} < 0 then length({0}) + {1}::bigint else 0 end)"


def _substring_duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
    start = _FROM.format(*texts)
    # A place or a size that is null gives null, which `greatest` passes over.
    if len(texts) == 2:
        return f"(case when {texts[1]} is not null then substring({texts[0]}, greatest({start}, 0) + 1) end)"
    size = f"(greatest({start} + {texts[2]}::bigint, 0) - greatest({start}, 0))"
    cut = f"substring({texts[0]}, greatest({start}, 0) + 1, greatest({size}, 0))"
    return f"(case when {texts[1]} is not null and {texts[2]} is not null then {cut} end)"


def _substring_spark(texts: Sequence[str], types: Sequence[DataType]) -> str:
    return f"substring({', '.join(texts)})"


def _trimmed(name: str, where: str) -> Function:
    """Spaces only, as Spark has it: DuckDB takes any white space unless it is said."""
    return Function(name, (_TEXT,), always(STRING), f"{name.lower()}({{0}}, ' ')", f"{name.lower()}({{0}})",
                    f"the text without spaces {where}")  # fmt: skip


STRINGS: tuple[Function, ...] = (
    _of(LENSES_STRINGS, "CONCAT"),
    _of(STRING_FUNCTIONS, "CONCAT_WS"),
    _of(LENSES_STRINGS, "LENGTH", aliases=("LEN", "CHAR_LENGTH", "CHARACTER_LENGTH")),
    _of(LENSES_STRINGS, "UPPER", aliases=("UCASE",)),
    _of(LENSES_STRINGS, "LOWER", aliases=("LCASE",)),
    _trimmed("TRIM", "at both ends"),
    _trimmed("LTRIM", "at its start"),
    _trimmed("RTRIM", "at its end"),
    Function(
        "SUBSTRING", (_TEXT, _PLACE, _SIZE), always(STRING), _substring_duckdb, _substring_spark,
        "the text from a place that counts from 1, or from the end if negative", aliases=("SUBSTR",),
    ),
    _of(LENSES_STRINGS, "TAKELEFT", "LEFT"),
    _of(LENSES_STRINGS, "TAKERIGHT", "RIGHT"),
    _of(LENSES_STRINGS, "REPLACE"),
    _of(LENSES_STRINGS, "REVERSE"),
    _of(LENSES_STRINGS, "CONTAINS"),
    _of(LENSES_STRINGS, "STARTSWITH"),
    _of(LENSES_STRINGS, "ENDSWITH"),
    Function(
        "INSTR", (_TEXT, Parameter("sought", "string")), always(INT), "cast(strpos({0}, {1}) as integer)",
        "instr({0}, {1})", "where `sought` first occurs, counted from 1, or 0",
    ),
)  # fmt: skip
NUMBERS: tuple[Function, ...] = (
    _of(LENSES_NUMBERS, "ABS"),
    _of(LENSES_NUMBERS, "CEIL", aliases=("CEILING",)),
    _of(LENSES_NUMBERS, "FLOOR"),
    _of(LENSES_NUMBERS, "ROUND"),
    _of(LENSES_NUMBERS, "NEG", "NEGATIVE"),
    _of(LENSES_NUMBERS, "SIGN", aliases=("SIGNUM",)),
    *(_of(LENSES_NUMBERS, name) for name in ("SQRT", "CBRT", "EXP")),
    _of(LENSES_NUMBERS, "LN", aliases=("LOG",)),
    _of(LENSES_NUMBERS, "LOG10"),
    _of(LENSES_NUMBERS, "POW", "POWER", aliases=("POW",)),
    *(_of(LENSES_NUMBERS, name) for name in ("SIN", "COS", "TAN", "ASIN", "ACOS", "ATAN", "ATAN2")),
    *(_of(LENSES_NUMBERS, name) for name in ("SINH", "COSH", "TANH", "DEGREES", "RADIANS")),
    _of(KSQL_NUMBERS, "GREATEST"),
    _of(KSQL_NUMBERS, "LEAST"),
)
OF_NULLS: tuple[Function, ...] = (
    _of(NULLS, "COALESCE", aliases=("IFNULL", "NVL")),
    _of(NULL_FUNCTIONS, "NULLIF"),
    _of(NULLS, "ISNULL"),
    _of(NULLS, "ISNOTNULL"),
)
COLLECTIONS: tuple[Function, ...] = (
    _of(ARRAYS, "SIZEOF", "SIZE", aliases=("CARDINALITY", "ARRAY_SIZE")),
    _of(ARRAYS, "FLATTEN"),
)
TIMES: tuple[Function, ...] = (
    *(_of(DATES, name) for name in ("YEAR", "QUARTER", "MONTH")),
    _of(DATES, "WEEK", "WEEKOFYEAR"),
    _of(DATES, "DAY", aliases=("DAYOFMONTH",)),
    *(_of(DATES, name) for name in ("HOUR", "MINUTE", "SECOND")),
)
