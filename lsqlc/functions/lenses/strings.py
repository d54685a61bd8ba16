"""String functions. Strings are code points, indexes start at 0, and ends are exclusive. A function with the name of
one in Apache Commons StringUtils has the documented meaning.

Spark's `greatest` and `least` skip nulls, so a bound is written with CASE, which does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsqlc.functions.forms.casts import cast
from lsqlc.functions.forms.sizes import bounded
from lsqlc.functions.lenses import text_forms as forms
from lsqlc.functions.lenses.accents import STRIP_ACCENTS, strip_accents_spark
from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, Render
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BOOLEAN, INT, STRING, Array, DataType

_TEXT = Parameter("text", "string")
_SIZE = Parameter("size", "index")
_PAD = Parameter("pad", "string", optional=True, default=" ")
_NATURAL = re.compile(r"[0-9]{1,9}")
# The one letter whose lower case is two code points.
_LOWER = "lower(replace({}, '\u0130', 'i'))"


def _function(
    name: str,
    parameters: tuple[Parameter, ...],
    duckdb: str | Render | PythonForm,
    spark: str | Render,
    doc: str,
    *,
    aliases: tuple[str, ...] = (),
    result: DataType = STRING,
    nulls: Nulls = Nulls.PROPAGATE,
    variadic: bool = False,
) -> Function:
    return Function(name, parameters, always(result), duckdb, spark, doc, aliases, nulls, variadic)


def _concat(texts: Sequence[str], types: Sequence[DataType]) -> str:
    return f"concat({', '.join(texts)})"


def _concat_duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
    # In halves, so that the nesting of many texts stays within the limit of DuckDB's parser.
    half = len(texts) // 2
    return (
        f"({_concat_duckdb(texts[:half], types)} || {_concat_duckdb(texts[half:], types)})" if half else f"({texts[0]})"
    )


def _place(text: str, place: str) -> str:
    """Return the SQL of a position in a text: negative ones count from the end, and positions outside become the
    nearest end.
    """
    size = f"length({text})"
    beyond = f"when {place} > {size} then {size}"
    return f"case when {place} < 0 then greatest({place} + {size}, 0) {beyond} else {place} end"


def _substring_spark(texts: Sequence[str], types: Sequence[DataType]) -> str:
    text, start, *ends = texts
    if all(_NATURAL.fullmatch(place) for place in (start, *ends)):
        size = "".join(f", {max(int(end) - int(start), 0)}" for end in ends)
        return f"substring({text}, {int(start) + 1}{size})"
    first = _place(text, start)
    if not ends:
        return f"substring({text}, {first} + 1)"
    return f"substring({text}, {first} + 1, {_place(text, ends[0])} - {first})"


def _substring_duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
    return (forms.SUBSTRING if len(texts) == 3 else forms.SUBSTRING_FROM).call(texts)


def _json(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        if types[0] != STRING:
            return cast(engine, texts[0], types[0], STRING)
        if engine == "duckdb":
            return forms.JSON_TEXT.call(texts)
        # to_json does not accept a string alone.
        inside = f"regexp_replace(to_json(array({texts[0]})), r'\\A\\[|\\]\\z', '')"
        return f"case when {texts[0]} is not null then {inside} end"

    return render


_AT_LEAST_AS_IT_IS = "case when {1} < length({0}) then length({0}) else {1} end"
_PADDING = "case when {2} = '' then ' ' else {2} end"
_LEFT_HALF = f"cast(length({{0}}) + ({_AT_LEAST_AS_IT_IS} - length({{0}})) div 2 as int)"

STRINGS: tuple[Function, ...] = (
    _function(
        "CONCAT", (_TEXT,), _concat_duckdb, _concat, "the texts one after the other",
        aliases=("CONCATENATE",), variadic=True,
    ),
    _function(
        "LENGTH", (_TEXT,), "cast(length({0}) as integer)", "length({0})", "the number of code points",
        aliases=("LEN",), result=INT,
    ),
    _function("UPPER", (_TEXT,), forms.UPPER, "upper({0})", "the text in upper case", aliases=("UPPERCASE",)),
    _function("LOWER", (_TEXT,), forms.LOWER, "lower({0})", "the text in lower case", aliases=("LOWERCASE",)),
    _function(
        "TRIM", (_TEXT,), r"regexp_replace({0}, '\A[\x00-\x20]+|[\x00-\x20]+\z', '', 'g')",
        r"regexp_replace({0}, r'\A[\x00-\x20]+|[\x00-\x20]+\z', '')",
        "the text without spaces and control characters at both ends",
    ),
    Function(
        "SUBSTRING", (_TEXT, Parameter("start", "index"), Parameter("end", "index", optional=True)), always(STRING),
        _substring_duckdb, _substring_spark,
        "the text from `start` to before `end`, both counted from 0; a negative one counts from the end",
        aliases=("SUBSTR",), uses=(forms.SUBSTRING, forms.SUBSTRING_FROM),
    ),
    _function(
        "REPLACE", (_TEXT, Parameter("target", "string"), Parameter("replacement", "string")),
        "replace({0}, {1}, {2})", "replace({0}, {1}, {2})", "the text with every `target` replaced",
    ),
    _function("REVERSE", (_TEXT,), forms.REVERSE, "reverse({0})", "the code points backwards"),
    _function(
        "CONTAINS", (_TEXT, Parameter("target", "string")), "contains({0}, {1})", "contains({0}, {1})",
        "whether `target` occurs in the text", result=BOOLEAN,
    ),
    _function(
        "STARTSWITH", (_TEXT, Parameter("target", "string")), "starts_with({0}, {1})", "startswith({0}, {1})",
        "whether the text starts with `target`", result=BOOLEAN,
    ),
    _function(
        "ENDSWITH", (_TEXT, Parameter("target", "string")), "ends_with({0}, {1})", "endswith({0}, {1})",
        "whether the text ends with `target`", result=BOOLEAN,
    ),
    _function(
        "INDEXOF", (_TEXT, Parameter("target", "string")),
        "cast(strpos({0}, {1}) - 1 as integer)", "(instr({0}, {1}) - 1)",
        "where `target` first occurs, counted from 0, or -1", result=INT,
    ),
    _function(
        "LEFTPAD", (_TEXT, _SIZE, _PAD), forms.LEFT_PAD,
        bounded(f"lpad({{0}}, {_AT_LEAST_AS_IT_IS}, {_PADDING})", 1),
        "the text, filled on the left with `pad` up to `size` code points; null beyond 1,000,000", aliases=("LPAD",),
        nulls=Nulls.SIZED,
    ),
    _function(
        "RIGHTPAD", (_TEXT, _SIZE, _PAD), forms.RIGHT_PAD,
        bounded(f"rpad({{0}}, {_AT_LEAST_AS_IT_IS}, {_PADDING})", 1),
        "the text, filled on the right with `pad` up to `size` code points; null beyond 1,000,000", aliases=("RPAD",),
        nulls=Nulls.SIZED,
    ),
    _function(
        "CENTER", (_TEXT, _SIZE, _PAD), forms.CENTER,
        bounded(f"rpad(lpad({{0}}, {_LEFT_HALF}, {_PADDING}), {_AT_LEAST_AS_IT_IS}, {_PADDING})", 1),
        "the text in the middle of `size` code points, filled with `pad`; null beyond 1,000,000", nulls=Nulls.SIZED,
    ),
    _function("TAKELEFT", (_TEXT, _SIZE), forms.TAKE_LEFT, "left({0}, {1})", "the first `size` code points"),
    _function("TAKERIGHT", (_TEXT, _SIZE), forms.TAKE_RIGHT, "right({0}, {1})", "the last `size` code points"),
    _function(
        "DROPLEFT", (_TEXT, _SIZE), forms.DROP_LEFT,
        "right({0}, length({0}) - case when {1} < 0 then 0 else {1} end)", "all but the first `size` code points",
    ),
    _function(
        "DROPRIGHT", (_TEXT, _SIZE), forms.DROP_RIGHT,
        "left({0}, length({0}) - case when {1} < 0 then 0 else {1} end)", "all but the last `size` code points",
    ),
    _function(
        "TRUNCATE", (_TEXT, _SIZE), forms.TRUNCATE, "case when {1} >= 0 then left({0}, {1}) end",
        "the first `size` code points; null if `size` is negative", nulls=Nulls.MAY,
    ),
    _function(
        "ABBREVIATE", (_TEXT, _SIZE), forms.ABBREVIATE,
        "case when {0} = '' and {1} is not null then '' when {1} < 4 then null when length({0}) <= {1} then {0}"
        " else concat(left({0}, {1} - 3), '...') end",
        "the text, cut to `size` code points with `...` at its end; null if `size` is below 4", nulls=Nulls.MAY,
    ),
    _function(
        "CHOP", (_TEXT,), forms.CHOP,
        "left({0}, length({0}) - case when endswith({0}, concat(chr(13), chr(10))) then 2 else 1 end)",
        "the text without its last code point (or its last line end)",
    ),
    _function(
        "CAPITALIZE", (_TEXT,), forms.CAPITALIZE,
        "case when length(initcap(left({0}, 1))) = 1 then concat(initcap(left({0}, 1)), substring({0}, 2))"
        " else {0} end",
        "the text with its first letter in title case",
    ),
    _function(
        "UNCAPITALIZE", (_TEXT,), forms.UNCAPITALIZE, f"concat({_LOWER.format('left({0}, 1)')}, substring({{0}}, 2))",
        "the text with its first letter in lower case",
    ),
    _function(
        "SWAPCASE", (_TEXT,), forms.SWAP_CASE,
        f"array_join(transform(split({{0}}, ''), c -> case when lower(c) <> c then {_LOWER.format('c')}"
        " when length(upper(c)) = 1 then upper(c) else c end), '')",
        "upper case to lower case and the reverse, letter by letter",
    ),
    _function(
        "DELETEWHITESPACE", (_TEXT,),
        r"regexp_replace({0}, '[\t-\r\x1c-\x20\x{{1680}}\x{{2000}}-\x{{2006}}\x{{2008}}-\x{{200a}}"
        r"\x{{2028}}\x{{2029}}\x{{205f}}\x{{3000}}]+', '', 'g')",
        r"regexp_replace({0}, r'\p{{javaWhitespace}}+', '')", "the text without white space",
    ),
    _function(
        "DIGITS", (_TEXT,), r"regexp_replace({0}, '\P{{Nd}}+', '', 'g')", r"regexp_replace({0}, r'\P{{Nd}}+', '')",
        "the digits of the text",
    ),
    _function(
        "BASE64", (_TEXT,), "to_base64(encode({0}))",
        # Some servers break the result into lines.
        "replace(base64(cast({0} as binary)), concat(chr(13), chr(10)), '')", "the text's UTF-8 in base64",
    ),
    _function(
        "DECODE64", (_TEXT,), forms.DECODE_BASE64, "try_validate_utf8(cast(try_to_binary({0}, 'base64') as string))",
        "the text that BASE64 encoded; null for anything else", nulls=Nulls.MAY,
    ),
    _function(
        "REGEXP", (_TEXT, Parameter("pattern", "regex", literal=True)),
        forms.MATCHES, "regexp_extract_all({0}, {1}, 0)",
        "all matches of the pattern in the text, in order", aliases=("REGEX",), result=Array(STRING),
    ),
    _function(
        "REGEX_MATCHES", (_TEXT, Parameter("pattern", "regex without groups", literal=True)),
        forms.MATCH_ARRAYS, "transform(regexp_extract_all({0}, {1}, 0), m -> array(m))",
        "all matches of the pattern in the text, each in an array of its own", result=Array(Array(STRING)),
    ),
    _function(
        "STRIPACCENTS", (_TEXT,), STRIP_ACCENTS, strip_accents_spark, "the text with letters without diacritical marks",
    ),
    Function(
        "MKSTRING", (Parameter("value", "scalar"),), always(STRING), _json("duckdb"), _json("spark"),
        "a text as JSON has it, in quotes; a number or a boolean as CAST writes it", uses=(forms.JSON_TEXT,),
    ),
)  # fmt: skip
