"""Scalar functions by Spark's names. A function that means the same in another dialect is that declaration."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from lsqlc.functions.forms import regexes
from lsqlc.functions.forms.casts import cast, widen
from lsqlc.functions.forms.sizes import MOST, bounded
from lsqlc.functions.ksql.collections import COLLECTION_FUNCTIONS
from lsqlc.functions.ksql.json import JSON_FUNCTIONS
from lsqlc.functions.ksql.maps import MAP_FUNCTIONS
from lsqlc.functions.ksql.numbers import NUMBER_FUNCTIONS as KSQL_NUMBERS
from lsqlc.functions.ksql.scalars import NULL_FUNCTIONS, STRING_FUNCTIONS
from lsqlc.functions.lenses.arrays import ARRAYS
from lsqlc.functions.lenses.nulls import NULLS
from lsqlc.functions.lenses.numbers import NUMBERS as LENSES_NUMBERS
from lsqlc.functions.lenses.strings import STRINGS as LENSES_STRINGS
from lsqlc.functions.results import always, common
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, Render, ValueForm
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BOOLEAN, DOUBLE, FLOAT, INT, STRING, Array, DataType

_TEXT = Parameter("text", "string")
_PLACE, _SIZE = Parameter("place", "index"), Parameter("size", "index", optional=True)


def of(family: tuple[Function, ...], name: str, new: str = "", aliases: tuple[str, ...] = ()) -> Function:
    """Return a function of another dialect, optionally under another name, and without its aliases."""
    function = next(f for f in family if f.name == name)
    if not new and function.aliases == aliases:
        return function
    return replace(function, name=new or name, aliases=aliases)


# The start of a part of a text. The position counts from 1, or from the end if it is negative. It may be before the
# first character.
_FROM = "(case when {1} > 0 then {1}::bigint - 1 when {1} < 0 then length({0}) + {1}::bigint else 0 end)"


_INT_MAX = 2**31 - 1


def _substring_duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
    start = _FROM.format(*texts)
    if len(texts) == 2:
        # The default size of Spark is the largest INT.
        cut = f"substring({texts[0]}, greatest({start}, 0) + 1, greatest({_INT_MAX} + least({start}, 0), 0))"
        return f"(case when {texts[1]} is not null then {cut} end)"
    # A null position or size gives null, which `greatest` ignores.
    size = f"(greatest({start} + {texts[2]}::bigint, 0) - greatest({start}, 0))"
    cut = f"substring({texts[0]}, greatest({start}, 0) + 1, greatest({size}, 0))"
    return f"(case when {texts[1]} is not null and {texts[2]} is not null then {cut} end)"


def _substring_spark(texts: Sequence[str], types: Sequence[DataType]) -> str:
    return f"substring({', '.join(texts)})"


def _trimmed(name: str, where: str) -> Function:
    """Return a function that trims spaces only, as in Spark; DuckDB's default is any white space."""
    side = {"TRIM": "BOTH", "LTRIM": "LEADING", "RTRIM": "TRAILING"}[name]
    return Function(
        name, (_TEXT, Parameter("characters", "string", optional=True, default=" ")), always(STRING),
        f"{name.lower()}({{0}}, {{1}})", f"trim({side} {{1}} FROM {{0}})",
        f"the text without spaces, or the characters, {where}; also written TRIM({side} characters FROM text)",
    )  # fmt: skip


def _matches(text: str, pattern: str) -> bool:
    return bool(regexes.matches(text, pattern))


def _group(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    """Return STRING if the pattern has a group with this number."""
    pattern, group = literals[1], literals[2] if len(literals) > 2 else 1
    is_there = isinstance(pattern, str) and isinstance(group, int) and 0 <= group <= regexes.groups(pattern)
    return STRING if is_there else None


def _padded(left: bool) -> Callable[[str, int, str], str | None]:
    def pad(text: str, size: int, fill: str) -> str | None:
        """Return a text of `size` characters, filled or cut. None beyond the limit."""
        if size > MOST:
            return None
        missing = max(0, size - len(text)) if fill else 0
        filling = (fill * missing)[:missing]
        return (filling + text if left else text + filling)[: max(0, size)]

    return pad


def _pad(name: str, side: str) -> Function:
    form = PythonForm(
        f"lsqlc_sql_{name.lower()}", _padded(name == "LPAD"), ("VARCHAR", "INTEGER", "VARCHAR"), "VARCHAR"
    )
    return Function(
        name, (_TEXT, Parameter("size", "index"), Parameter("pad", "string", optional=True, default=" ")),
        always(STRING), form, bounded(f"{name.lower()}({{0}}, {{1}}, {{2}})", 1),
        f"the text, filled on the {side} or cut to `size` code points; null beyond 1,000,000", nulls=Nulls.SIZED,
    )  # fmt: skip


_GROUP = PythonForm("lsqlc_sql_regexp_extract", regexes.group, ("VARCHAR", "VARCHAR", "INTEGER"), "VARCHAR")
_RLIKE = PythonForm("lsqlc_sql_rlike", _matches, ("VARCHAR", "VARCHAR"), "BOOLEAN")


def _narrowed(name: str, bits: int) -> Function:
    """Return a cast to an integer with fewer bits than an INT."""
    least, most = -(1 << bits - 1), (1 << bits - 1) - 1
    form = f"case when {{0}} between {least} and {most} then {{0}} end"
    return Function(name, (Parameter("value", "index"),), always(INT), form, form,
                    f"the value as an INT from {least:,} to {most:,}, as by CAST(value AS {name}); null for another",
                    nulls=Nulls.MAY)  # fmt: skip


def split(text: str, pattern: str, limit: int) -> list[str]:
    """Return the parts between the matches; for an empty pattern the characters, except for an empty text."""
    if text and not pattern:
        size = limit if 0 < limit <= len(text) else len(text)
        return [*text[: size - 1], text[size - 1 :]]
    return regexes.split(text, pattern, limit - 1 if limit > 0 else None)


_SPLIT = PythonForm("lsqlc_sql_split", split, ("VARCHAR", "VARCHAR", "INTEGER"), "VARCHAR[]")


def _round() -> Function:
    """Return ROUND with the type FLOAT for a FLOAT."""
    other = of(LENSES_NUMBERS, "ROUND")

    def form(engine: Engine, original: object) -> ValueForm:
        assert isinstance(original, ValueForm)

        def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
            rounded = original.render(texts, types, values)
            return cast(engine, rounded, DOUBLE, FLOAT) if types[0] == FLOAT else rounded

        return ValueForm(render)

    return replace(
        other, result=lambda types, literals: FLOAT if types[0] == FLOAT else other.result(types, literals),
        duckdb=form("duckdb", other.duckdb), spark=form("spark", other.spark),
    )  # fmt: skip


def _log() -> Function:
    """Return LOG of one number, or to a base: the quotient of two logarithms, as Spark computes it."""
    of_one = "case when {0} > 0 then ln({0}) end"
    of_two = "case when {0} > 0 and {1} > 0 then ln({1}) / ln({0}) end"
    return Function(
        "LOG", (Parameter("base_or_number", "double"), Parameter("number", "double", optional=True)), always(DOUBLE),
        lambda texts, types: (of_one if len(texts) == 1 else of_two).format(*texts),
        lambda texts, types: f"log({', '.join(texts)})",
        "the logarithm to a base, or the natural one of one number; null unless the numbers are positive",
        nulls=Nulls.MAY,
    )  # fmt: skip


def _nullif() -> Function:
    """Return NULLIF with the type of the first value."""
    other = of(NULL_FUNCTIONS, "NULLIF")

    def form(engine: Engine) -> Render:
        def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
            original = other.duckdb if engine == "duckdb" else other.spark
            common_type = common(types, ())
            assert callable(original) and common_type is not None
            if common_type == types[0]:
                return original(texts, types)
            one, two = (widen(engine, text, type, common_type) for text, type in zip(texts, types, strict=True))
            return f"case when {one} = {two} then null else {texts[0]} end"

        return render

    return replace(
        other, result=lambda types, literals: other.result(types, literals) and types[0],
        duckdb=form("duckdb"), spark=form("spark"),
    )  # fmt: skip


def _contains() -> Function:
    """Return ARRAY_CONTAINS, whose arguments are in the opposite order of IN_ARRAY's."""
    other = of(ARRAYS, "IN_ARRAY")

    def swapped(form: object) -> Render:
        assert callable(form)
        return lambda texts, types: form(texts[::-1], types[::-1])

    return replace(
        other, name="ARRAY_CONTAINS", parameters=other.parameters[::-1],
        result=lambda types, literals: other.result(types[::-1], literals[::-1]),
        duckdb=swapped(other.duckdb), spark=swapped(other.spark),
    )  # fmt: skip


STRINGS: tuple[Function, ...] = (
    of(LENSES_STRINGS, "CONCAT"),
    of(STRING_FUNCTIONS, "CONCAT_WS"),
    of(LENSES_STRINGS, "LENGTH", aliases=("LEN", "CHAR_LENGTH", "CHARACTER_LENGTH")),
    of(LENSES_STRINGS, "UPPER", aliases=("UCASE",)),
    of(LENSES_STRINGS, "LOWER", aliases=("LCASE",)),
    replace(_trimmed("TRIM", "at both ends"), aliases=("BTRIM",)),
    _trimmed("LTRIM", "at its start"),
    _trimmed("RTRIM", "at its end"),
    Function(
        "SUBSTRING", (_TEXT, _PLACE, _SIZE), always(STRING), _substring_duckdb, _substring_spark,
        "the text from a place that counts from 1, or from the end if negative", aliases=("SUBSTR",),
    ),
    of(LENSES_STRINGS, "TAKELEFT", "LEFT"),
    of(LENSES_STRINGS, "TAKERIGHT", "RIGHT"),
    of(LENSES_STRINGS, "REPLACE"),
    of(LENSES_STRINGS, "REVERSE"),
    of(LENSES_STRINGS, "CONTAINS"),
    of(LENSES_STRINGS, "STARTSWITH"),
    of(LENSES_STRINGS, "ENDSWITH"),
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
    of(STRING_FUNCTIONS, "REGEXP_REPLACE"),
    Function(
        "REGEXP_EXTRACT",
        (_TEXT, Parameter("pattern", "regex", literal=True),
         Parameter("group", "index", literal=True, optional=True, default=1)),
        _group, _GROUP, "regexp_extract({0}, {1}, {2})",
        "a group of the first match of the pattern, the first one unless said, 0 for all of it; empty for none",
    ),
    _pad("LPAD", "left"),
    _pad("RPAD", "right"),
    Function(
        "SPLIT",
        (_TEXT, Parameter("pattern", "regex", literal=True), Parameter("limit", "index", optional=True, default=-1)),
        always(Array(STRING)), _SPLIT, "split({0}, {1}, {2})",
        "the parts of the text between the matches of the pattern; at most `limit` of them if that is positive",
    ),
    of(LENSES_STRINGS, "BASE64"),
    of(COLLECTION_FUNCTIONS, "ELT"),
)  # fmt: skip
NUMBERS: tuple[Function, ...] = (
    of(LENSES_NUMBERS, "ABS"),
    _round(),
    of(LENSES_NUMBERS, "NEG", "NEGATIVE"),
    of(LENSES_NUMBERS, "SIGN", aliases=("SIGNUM",)),
    *(of(LENSES_NUMBERS, name) for name in ("SQRT", "CBRT", "EXP")),
    of(LENSES_NUMBERS, "LN"),
    _log(),
    of(LENSES_NUMBERS, "LOG10"),
    of(LENSES_NUMBERS, "POW", "POWER", aliases=("POW",)),
    *(of(LENSES_NUMBERS, name) for name in ("SIN", "COS", "TAN", "ASIN", "ACOS", "ATAN", "ATAN2")),
    *(of(LENSES_NUMBERS, name) for name in ("SINH", "COSH", "TANH", "DEGREES", "RADIANS")),
    of(KSQL_NUMBERS, "PI"),
    Function(
        "ISNAN",
        (Parameter("number", "double"),),
        always(BOOLEAN),
        "coalesce(isnan({0}), false)",
        "isnan({0})",
        "whether the number is NaN; false of null",
        nulls=Nulls.NEVER,
    ),
    of(KSQL_NUMBERS, "GREATEST"),
    of(KSQL_NUMBERS, "LEAST"),
    of(LENSES_NUMBERS, "MOD"),
    _narrowed("TINYINT", 8),
    _narrowed("SMALLINT", 16),
)
OF_NULLS: tuple[Function, ...] = (
    of(NULLS, "COALESCE", aliases=("IFNULL", "NVL")),
    _nullif(),
    of(NULLS, "ISNULL"),
    of(NULLS, "ISNOTNULL"),
)
COLLECTIONS: tuple[Function, ...] = (
    of(ARRAYS, "SIZEOF", "SIZE", aliases=("CARDINALITY", "ARRAY_SIZE")),
    of(ARRAYS, "FLATTEN"),
    _contains(),
    *(of(COLLECTION_FUNCTIONS, f"ARRAY_{name}") for name in ("MIN", "MAX", "DISTINCT")),
    *(of(COLLECTION_FUNCTIONS, f"ARRAY_{name}") for name in ("UNION", "INTERSECT", "EXCEPT")),
    of(MAP_FUNCTIONS, "MAP_KEYS"),
    of(MAP_FUNCTIONS, "MAP_VALUES"),
    of(JSON_FUNCTIONS, "JSON_ARRAY_LENGTH"),
    of(JSON_FUNCTIONS, "JSON_KEYS", "JSON_OBJECT_KEYS"),
)
