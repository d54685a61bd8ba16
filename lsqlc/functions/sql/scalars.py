"""Scalar functions by Spark's names. One that means the same in another dialect is that declaration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsqlc.functions.forms import regexes
from lsqlc.functions.ksql.collections import COLLECTION_FUNCTIONS
from lsqlc.functions.ksql.json import JSON_FUNCTIONS
from lsqlc.functions.ksql.maps import MAP_FUNCTIONS
from lsqlc.functions.ksql.numbers import NUMBER_FUNCTIONS as KSQL_NUMBERS
from lsqlc.functions.ksql.scalars import NULL_FUNCTIONS, STRING_FUNCTIONS
from lsqlc.functions.lenses.arrays import ARRAYS
from lsqlc.functions.lenses.dates import DATES
from lsqlc.functions.lenses.nulls import NULLS
from lsqlc.functions.lenses.numbers import NUMBERS as LENSES_NUMBERS
from lsqlc.functions.lenses.strings import STRINGS as LENSES_STRINGS
from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm
from lsqlc.types.data import BOOLEAN, DATE, INT, STRING, DataType

_TEXT = Parameter("text", "string")
_TIME = Parameter("time", "timestamp")
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


def _matches(text: str, pattern: str) -> bool:
    return bool(regexes.matches(text, pattern))


_RLIKE = PythonForm("lsqlc_sql_rlike", _matches, ("VARCHAR", "VARCHAR"), "BOOLEAN")


STRINGS: tuple[Function, ...] = (
    _of(LENSES_STRINGS, "CONCAT"),
    _of(STRING_FUNCTIONS, "CONCAT_WS"),
    _of(LENSES_STRINGS, "LENGTH", aliases=("LEN", "CHAR_LENGTH", "CHARACTER_LENGTH")),
    _of(LENSES_STRINGS, "UPPER", aliases=("UCASE",)),
    _of(LENSES_STRINGS, "LOWER", aliases=("LCASE",)),
    replace(_trimmed("TRIM", "at both ends"), aliases=("BTRIM",)),
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
    Function("OCTET_LENGTH", (_TEXT,), always(INT), "cast(strlen({0}) as integer)", "octet_length({0})",
             "the number of bytes of the text in UTF-8"),
    Function("BIT_LENGTH", (_TEXT,), always(INT), "cast(8 * strlen({0}) as integer)", "bit_length({0})",
             "the number of bits of the text in UTF-8"),
    Function("MD5", (_TEXT,), always(STRING), "md5({0})", "md5({0})", "the MD5 of the text, in hexadecimal"),
    Function("SHA1", (_TEXT,), always(STRING), "sha1({0})", "sha1({0})", "the SHA-1 of the text, in hexadecimal",
             aliases=("SHA",)),
    Function("REGEXP_LIKE", (_TEXT, Parameter("pattern", "regex", literal=True)), always(BOOLEAN), _RLIKE,
             "regexp_like({0}, {1})", "whether the pattern occurs in the text; also written text RLIKE pattern",
             aliases=("REGEXP", "RLIKE")),
    _of(STRING_FUNCTIONS, "REGEXP_REPLACE"),
    _of(STRING_FUNCTIONS, "REGEXP_SPLIT_TO_ARRAY", "SPLIT"),
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
    _of(KSQL_NUMBERS, "PI"),
    Function(
        "ISNAN",
        (Parameter("number", "double"),),
        always(BOOLEAN),
        "coalesce(isnan({0}), false)",
        "isnan({0})",
        "whether the number is NaN; false of null",
        nulls=Nulls.NEVER,
    ),
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
    *(_of(COLLECTION_FUNCTIONS, f"ARRAY_{name}") for name in ("MIN", "MAX", "DISTINCT")),
    *(_of(COLLECTION_FUNCTIONS, f"ARRAY_{name}") for name in ("UNION", "INTERSECT", "EXCEPT")),
    _of(MAP_FUNCTIONS, "MAP_KEYS"),
    _of(MAP_FUNCTIONS, "MAP_VALUES"),
    _of(JSON_FUNCTIONS, "JSON_ARRAY_LENGTH"),
    _of(JSON_FUNCTIONS, "JSON_KEYS", "JSON_OBJECT_KEYS"),
)
TIMES: tuple[Function, ...] = (
    *(_of(DATES, name) for name in ("YEAR", "QUARTER", "MONTH")),
    _of(DATES, "WEEK", "WEEKOFYEAR"),
    _of(DATES, "DAY", aliases=("DAYOFMONTH",)),
    *(_of(DATES, name) for name in ("HOUR", "MINUTE", "SECOND")),
    Function(
        "DAYOFWEEK",
        (_TIME,),
        always(INT),
        "cast(dayofweek({0}) + 1 as integer)",
        "dayofweek({0})",
        "the day of the week, 1 for Sunday",
    ),
    Function(
        "WEEKDAY",
        (_TIME,),
        always(INT),
        "cast(isodow({0}) - 1 as integer)",
        "weekday({0})",
        "the day of the week, 0 for Monday",
    ),
    Function(
        "DAYOFYEAR",
        (_TIME,),
        always(INT),
        "cast(dayofyear({0}) as integer)",
        "dayofyear({0})",
        "the day of the year, from 1",
    ),
    Function(
        "LAST_DAY",
        (Parameter("date", "date"),),
        always(DATE),
        "last_day({0})",
        "last_day({0})",
        "the last day of the month",
    ),
    Function(
        "DATEDIFF",
        (Parameter("end", "date"), Parameter("start", "date")),
        always(INT),
        "cast({0} - {1} as integer)",
        "datediff({0}, {1})",
        "the days from `start` to `end`",
        aliases=("DATE_DIFF",),
    ),
)
