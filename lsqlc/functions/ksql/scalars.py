"""Scalar functions of ksqlDB by its own names. Positions count from 1, CONCAT skips nulls, padding also cuts.

A function that means the same in the Lenses language is the very same declaration.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from lsqlc.functions.forms.casts import widen
from lsqlc.functions.forms.operators import compared, once
from lsqlc.functions.forms.sizes import bounded
from lsqlc.functions.ksql import forms
from lsqlc.functions.lenses.nulls import NULLS, in_common_type
from lsqlc.functions.lenses.strings import STRINGS
from lsqlc.functions.results import always, common, first
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, Render, ValueForm
from lsqlc.types.data import (
    STRING,
    Array,
    DataType,
)

_TEXT = Parameter("text", "string")
_SIZE = Parameter("size", "index")
_VALUE = Parameter("value", "any")
_NUMBER = Parameter("number", "number")
_ARRAY = Parameter("array", "array")


def _of(family: tuple[Function, ...], name: str, new: str = "") -> Function:
    """Return a function of the Lenses language, optionally under another name, and without its aliases."""
    function = next(f for f in family if f.name == name)
    if not new and not function.aliases:
        return function
    return replace(function, name=new or name, aliases=())


def _string(
    name: str, parameters: tuple[Parameter, ...], duckdb: str | Render | PythonForm,
    spark: str | Render | ValueForm, doc: str, *, result: DataType = STRING, nulls: Nulls = Nulls.PROPAGATE,
    variadic: bool = False, uses: tuple[PythonForm, ...] = (), aliases: tuple[str, ...] = (),
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
    # Spark's `greatest` ignores nulls.
    return f"substring({text}, {start}" + (f", if({size[0]} < 0, 0, {size[0]}))" if size else ")")


_WORDS = r"regexp_extract_all({0}, '\\S+\\s*', 0)"
STRING_FUNCTIONS: tuple[Function, ...] = (
    _string(
        "CONCAT_WS", (Parameter("separator", "string"), _TEXT),
        lambda texts, types: f"concat_ws({', '.join(texts)})", lambda texts, types: f"concat_ws({', '.join(texts)})",
        "the texts with the separator between them; nulls are skipped", nulls=Nulls.MAY, variadic=True,
    ),
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
        "INITCAP", (_TEXT,), forms.INITCAP,
        f"array_join(transform({_WORDS}, w -> concat(upper(left(w, 1)), lower(substring(w, 2)))), '')",
        "each word with its first letter in upper case and the rest in lower; white space before them is left out",
    ),
    _string(
        "LPAD", (_TEXT, _SIZE, Parameter("pad", "string")), forms.LPAD,
        bounded("case when {1} >= 0 and {2} <> '' then lpad({0}, {1}, {2}) end", 1),
        "the text, filled on the left or cut to `size` code points; null beyond 1,000,000", nulls=Nulls.MAY,
    ),
    _string(
        "RPAD", (_TEXT, _SIZE, Parameter("pad", "string")), forms.RPAD,
        bounded("case when {1} >= 0 and {2} <> '' then rpad({0}, {1}, {2}) end", 1),
        "the text, filled on the right or cut to `size` code points; null beyond 1,000,000", nulls=Nulls.MAY,
    ),
    _string(
        "SPLIT", (_TEXT, Parameter("delimiter", "string")), forms.SPLIT,
        r"if({1} = '', regexp_extract_all({0}, '(?s).', 0), split({0}, concat('\\Q', {1}, '\\E')))",
        "the parts between the delimiters", result=Array(STRING),
    ),
    _string(
        "REGEXP_REPLACE", (_TEXT, Parameter("pattern", "regex", literal=True), Parameter("replacement", "string")),
        forms.REGEXP_REPLACE, ValueForm(forms.replaced_on_spark),
        "the text with every match of the pattern replaced; `$1` in the replacement is the first group, and the result"
        " is null for a group that the pattern lacks", nulls=Nulls.MAY,
    ),
    Function(
        "REGEXP_EXTRACT",
        (Parameter("pattern", "regex", literal=True), _TEXT,
         Parameter("group", "index", optional=True, default=0)),
        always(STRING), forms.REGEXP_EXTRACT, 
        forms.of_group("nullif(regexp_extract({1}, {0}, {2}), '')"),
        "the first match of the pattern, or one of its groups; null for none", nulls=Nulls.MAY,
    ),
    _string(
        "REGEXP_SPLIT_TO_ARRAY", (_TEXT, Parameter("pattern", "regex", literal=True)), forms.REGEXP_SPLIT,
        "split({0}, {1})", "the parts between the matches of the pattern", result=Array(STRING),
    ),
)  # fmt: skip


def _nullif_once(texts: Sequence[str], types: Sequence[DataType]) -> str:
    """Return the SQL of NULLIF for DuckDB, which would compute its first argument twice."""
    common_type = common(types, ())
    assert common_type is not None
    one, other = (widen("duckdb", text, type, common_type) for text, type in zip(texts, types, strict=True))
    return once(one, other, "nullif({a}, {b})")


NULL_FUNCTIONS: tuple[Function, ...] = (
    _of(NULLS, "COALESCE"),
    Function("IFNULL", (_VALUE, _VALUE), common, in_common_type("duckdb", "coalesce"),
             in_common_type("spark", "coalesce"), "the first value, or the second where it is null", nulls=Nulls.ALL),
    Function("NULLIF", (_VALUE, _VALUE), compared, _nullif_once, in_common_type("spark", "nullif"),
             "the first value, or null where both are equal", nulls=Nulls.MAY),
    Function("AS_VALUE", (_VALUE,), first, "({0})", "({0})",
             "the value: a copy of a key column, as a column of the value"),
)  # fmt: skip
