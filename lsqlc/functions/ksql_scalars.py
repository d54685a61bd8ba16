"""Scalar functions of ksqlDB by its own names. Places count from 1, CONCAT skips nulls, padding also cuts.

A function that means the same in the Lenses language is the very same declaration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsqlc.functions import date_forms
from lsqlc.functions import ksql_forms as forms
from lsqlc.functions.casts import cast
from lsqlc.functions.dates import DATES
from lsqlc.functions.ksql_collections import COLLECTION_FUNCTIONS
from lsqlc.functions.nulls import NULLS, in_common_type
from lsqlc.functions.numbers import NUMBERS
from lsqlc.functions.results import always, common, first
from lsqlc.functions.signature import Engine, Function, Nulls, Parameter, PythonForm, Render
from lsqlc.functions.strings import STRINGS
from lsqlc.types.data import (
    BIGINT,
    DOUBLE,
    INT,
    STRING,
    TIMESTAMP,
    Array,
    DataType,
    Decimal,
    is_integer,
)

_TEXT = Parameter("text", "string")
_SIZE = Parameter("size", "index")
_VALUE = Parameter("value", "any")
_NUMBER = Parameter("number", "number")
_ARRAY = Parameter("array", "array")


def _of(family: tuple[Function, ...], name: str, new: str = "") -> Function:
    """A function of the Lenses language, perhaps under another name, and without its other names."""
    function = next(f for f in family if f.name == name)
    if not new and not function.aliases:
        return function
    return replace(function, name=new or name, aliases=())


def _string(
    name: str, parameters: tuple[Parameter, ...], duckdb: str | Render | PythonForm, spark: str | Render, doc: str,
    *, result: DataType = STRING, nulls: Nulls = Nulls.PROPAGATE, variadic: bool = False,
    uses: tuple[PythonForm, ...] = (), aliases: tuple[str, ...] = (),
) -> Function:  # fmt: skip
    return Function(name, parameters, always(result), duckdb, spark, doc, aliases, nulls, variadic, uses=uses)


def _substring_duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
    return (forms.SUBSTRING if len(texts) == 3 else forms.SUBSTRING_FROM).call(texts)


def _substring_spark(texts: Sequence[str], types: Sequence[DataType]) -> str:
    text, place, *size = texts
    start = (
        f"case when {place} > 0 then {place} when {place} = 0 then 1 "
        f"when {place} < -length({text}) then 1 else length({text}) + {place} + 1 end"
    )
    return f"substring({text}, {start}" + (f", greatest({size[0]}, 0))" if size else ")")


_WORDS = "filter(split({0}, ' '), w -> w <> '')"
STRING_FUNCTIONS: tuple[Function, ...] = (
    _string(
        "CONCAT", (_TEXT,), lambda texts, types: f"concat({', '.join(texts)})",
        lambda texts, types: f"concat_ws('', {', '.join(texts)})", "the texts one after the other; nulls are skipped",
        nulls=Nulls.NEVER, variadic=True,
    ),
    _string(
        "CONCAT_WS", (Parameter("separator", "string"), _TEXT),
        lambda texts, types: f"concat_ws({', '.join(texts)})", lambda texts, types: f"concat_ws({', '.join(texts)})",
        "the texts with the separator between them; nulls are skipped", nulls=Nulls.MAY, variadic=True,
    ),
    _string("LEN", (_TEXT,), "cast(length({0}) as integer)", "length({0})", "the number of code points", result=INT),
    _of(STRINGS, "UPPER", "UCASE"),
    _of(STRINGS, "LOWER", "LCASE"),
    _of(STRINGS, "TRIM"),
    _of(STRINGS, "REPLACE"),
    _string(
        "SUBSTRING", (_TEXT, Parameter("place", "index"), Parameter("size", "index", optional=True)),
        _substring_duckdb, _substring_spark,
        "the text from a place that counts from 1, or from the end if negative", aliases=("SUBSTR",),
        uses=(forms.SUBSTRING, forms.SUBSTRING_FROM),
    ),
    _string(
        "INSTR", (_TEXT, Parameter("sought", "string")), forms.INSTR, "instr({0}, {1})",
        "where `sought` first occurs, counted from 1, or 0", result=INT,
    ),
    _string(
        "INITCAP", (_TEXT,), forms.INITCAP,
        f"array_join(transform({_WORDS}, w -> concat(upper(left(w, 1)), lower(substring(w, 2)))), ' ')",
        "each word with its first letter in upper case, and the rest in lower",
    ),
    _string(
        "LPAD", (_TEXT, _SIZE, Parameter("pad", "string")), forms.LPAD,
        "case when {1} >= 0 and {2} <> '' then lpad({0}, {1}, {2}) end",
        "the text, filled on the left or cut to `size` code points", nulls=Nulls.MAY,
    ),
    _string(
        "RPAD", (_TEXT, _SIZE, Parameter("pad", "string")), forms.RPAD,
        "case when {1} >= 0 and {2} <> '' then rpad({0}, {1}, {2}) end",
        "the text, filled on the right or cut to `size` code points", nulls=Nulls.MAY,
    ),
    _string(
        "SPLIT", (_TEXT, Parameter("delimiter", "string")), forms.SPLIT,
        r"if({1} = '', regexp_extract_all({0}, '(?s).', 0), split({0}, concat('\\Q', {1}, '\\E')))",
        "the parts between the delimiters", result=Array(STRING),
    ),
    _string(
        "REGEXP_REPLACE", (_TEXT, Parameter("pattern", "regex", literal=True), Parameter("replacement", "string")),
        "regexp_replace({0}, {1}, {2}, 'g')", "regexp_replace({0}, {1}, {2})",
        "the text with every match of the pattern replaced",
    ),
    Function(
        "REGEXP_EXTRACT",
        (Parameter("pattern", "regex", literal=True), _TEXT,
         Parameter("group", "index", optional=True, default="0")),
        always(STRING), forms.REGEXP_EXTRACT, "nullif(regexp_extract({1}, {0}, {2}), '')",
        "the first match of the pattern, or one of its groups; null for none", nulls=Nulls.MAY,
    ),
    _string(
        "REGEXP_SPLIT_TO_ARRAY", (_TEXT, Parameter("pattern", "regex", literal=True)), forms.REGEXP_SPLIT,
        "split({0}, {1})", "the parts between the matches of the pattern", result=Array(STRING),
    ),
)  # fmt: skip


def _rounded(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    type = types[0]
    if isinstance(type, Decimal):
        return type
    if len(types) == 1:
        return type if is_integer(type) else BIGINT
    return type if is_integer(type) else DOUBLE


def _round(engine: Engine) -> Render:
    """Half up, which towards zero a negative number is rounded at."""

    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        number, places = texts[0], texts[1] if len(texts) > 1 else "0"
        if is_integer(types[0]):
            return f"({number})"
        if isinstance(types[0], Decimal):
            return f"cast(round({number}, {places}) as {types[0]})"
        double = cast(engine, number, types[0], DOUBLE)
        if len(types) == 1:
            return cast(engine, f"floor({double} + 0.5)", DOUBLE, BIGINT)
        return f"(floor({double} * pow(10, {places}) + 0.5) / pow(10, {places}))"

    return render


def _same_whole(engine: Engine, name: str) -> Render:
    return lambda texts, types: (
        f"({texts[0]})" if is_integer(types[0]) else f"cast({name}({texts[0]}) as {_type(engine, types[0])})"
    )


def _type(engine: Engine, type: DataType) -> str:
    return "DOUBLE" if not isinstance(type, Decimal) else str(type)


def _most(name: str, doc: str) -> Function:
    return Function(
        name, (_VALUE,), common, in_common_type("duckdb", name.lower()), in_common_type("spark", name.lower()), doc,
        nulls=Nulls.ALL, variadic=True,
    )  # fmt: skip


NUMBER_FUNCTIONS: tuple[Function, ...] = (
    _of(NUMBERS, "ABS"),
    Function("CEIL", (_NUMBER,), first, _same_whole("duckdb", "ceil"), _same_whole("spark", "ceil"),
             "the smallest whole number that is not smaller, of the same type", aliases=("CEILING",)),
    Function("FLOOR", (_NUMBER,), first, _same_whole("duckdb", "floor"), _same_whole("spark", "floor"),
             "the largest whole number that is not larger, of the same type"),
    Function("ROUND", (_NUMBER, Parameter("places", "index", optional=True)), _rounded, _round("duckdb"),
             _round("spark"), "the number rounded half up: to a BIGINT, or to `places` after the point",
             nulls=Nulls.MAY),
    _of(NUMBERS, "SQRT"),
    _of(NUMBERS, "EXP"),
    _of(NUMBERS, "LN"),
    _of(NUMBERS, "POW", "POWER"),
    Function("SIGN", (_NUMBER,), always(INT), "cast(sign({0}) as integer)", "cast(sign({0}) as int)",
             "-1, 0 or 1, as the number is negative, zero or positive"),
    _most("GREATEST", "the largest of several values; nulls are skipped"),
    _most("LEAST", "the smallest of several values; nulls are skipped"),
)  # fmt: skip


def _nullif(engine: Engine) -> Render:
    return lambda texts, types: in_common_type(engine, "nullif")(texts, types)


NULL_FUNCTIONS: tuple[Function, ...] = (
    _of(NULLS, "COALESCE"),
    Function("IFNULL", (_VALUE, _VALUE), common, in_common_type("duckdb", "coalesce"),
             in_common_type("spark", "coalesce"), "the first value, or the second where it is null", nulls=Nulls.ALL),
    Function("NULLIF", (_VALUE, _VALUE), common, _nullif("duckdb"), _nullif("spark"),
             "the first value, or null where both are equal", nulls=Nulls.MAY),
    Function("AS_VALUE", (_VALUE,), first, "({0})", "({0})",
             "the value: a copy of a key column, as a column of the value"),
)  # fmt: skip


JSON_FUNCTIONS: tuple[Function, ...] = (
    _string(
        "EXTRACTJSONFIELD", (_TEXT, Parameter("path", "string")), forms.JSON_FIELD, "get_json_object({0}, {1})",
        "what stands at a path of a JSON text, such as $.a[0].b, as text", nulls=Nulls.MAY,
    ),
)  # fmt: skip


def _text_to_millis(engine: Engine) -> Render:
    parse = date_forms.reads(engine)
    return lambda texts, types: cast(engine, parse(texts, types), TIMESTAMP, BIGINT)


DATE_FUNCTIONS: tuple[Function, ...] = (
    Function("UNIX_TIMESTAMP", (Parameter("time", "timestamp"),), always(BIGINT),
             lambda texts, types: cast("duckdb", texts[0], TIMESTAMP, BIGINT),
             lambda texts, types: cast("spark", texts[0], TIMESTAMP, BIGINT), "a timestamp as epoch milliseconds"),
    _of(DATES, "FORMAT_TIMESTAMP"),
    _of(DATES, "PARSE_TIMESTAMP_MICROS", "PARSE_TIMESTAMP"),
    _of(DATES, "FORMAT_DATE"),
    _of(DATES, "PARSE_DATE"),
    _of(DATES, "DATE_TO_STR", "TIMESTAMPTOSTRING"),
    Function("STRINGTOTIMESTAMP", (_TEXT, Parameter("pattern", "pattern that reads", literal=True)), always(BIGINT),
             _text_to_millis("duckdb"), _text_to_millis("spark"), "the time that a text says, as epoch milliseconds",
             nulls=Nulls.MAY, uses=next(f for f in DATES if f.name == "PARSE_TIMESTAMP_MICROS").uses),
    Function("FROM_UNIXTIME", (Parameter("milliseconds", "integer"),), always(TIMESTAMP),
             lambda texts, types: cast("duckdb", texts[0], BIGINT, TIMESTAMP),
             lambda texts, types: cast("spark", texts[0], BIGINT, TIMESTAMP), "epoch milliseconds as a timestamp",
             nulls=Nulls.MAY),
)  # fmt: skip

KSQL_FAMILIES: dict[str, tuple[Function, ...]] = {
    "Strings": STRING_FUNCTIONS,
    "Numbers": NUMBER_FUNCTIONS,
    "Nulls and keys": NULL_FUNCTIONS,
    "Arrays and maps": COLLECTION_FUNCTIONS,
    "JSON": JSON_FUNCTIONS,
    "Dates and times": DATE_FUNCTIONS,
}
