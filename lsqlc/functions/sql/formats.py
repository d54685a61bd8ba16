"""Functions by Spark's names that format values as texts, and that check or change texts by their format."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal

from lsqlc.functions.forms.casts import cast
from lsqlc.functions.ksql.urls import raw_parameter, raw_part
from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, Render, ValueForm
from lsqlc.sql import duckdb as duckdb_text
from lsqlc.sql import engines
from lsqlc.sql.engines import Engine
from lsqlc.types import data
from lsqlc.types.data import BIGINT, BOOLEAN, INT, STRING, DataType, is_integer, is_numeric

_V = "VARCHAR"
_TEXT = Parameter("text", "string")
_EXACT = Context(prec=400)
# A part of a pattern: flags, a width, digits, and the kind of the value.
_PART = re.compile(r"%(?P<flags>[-0+, ]*)(?P<width>[0-9]{1,4})?(?:\.(?P<digits>[0-9]{1,3}))?(?P<kind>[sdxXof%n])")


def part_types(pattern: str) -> list[str] | None:
    """Return the kinds of the values in a pattern, such as `s` and `d`; None for an unsupported pattern."""
    kinds = []
    end = 0
    for match in _PART.finditer(pattern):
        if "%" in pattern[end : match.start()]:
            return None
        end = match.end()
        kind, flags, digits = match["kind"], match["flags"], match["digits"]
        legal = {"s": "-", "d": "-0+, ", "f": "-0+, ", "x": "-0", "X": "-0", "o": "-0", "%": "", "n": ""}[kind]
        wide = match["width"] is not None
        needs_width = ("-" in flags or "0" in flags) and not wide
        twice = len(set(flags)) < len(flags) or {"-", "0"} <= set(flags) or {"+", " "} <= set(flags)
        odd = (digits is not None and kind != "f") or (kind in "%n" and wide)
        if set(flags) - set(legal) or needs_width or twice or odd:
            return None
        kinds += [] if kind in "%n" else [kind]
    return None if "%" in pattern[end:] else kinds


def _printed(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    kinds = part_types(str(literals[0]))
    if kinds is None or len(kinds) != len(types) - 1:
        return None
    return STRING if all(_prints(kind, type) for kind, type in zip(kinds, types[1:], strict=True)) else None


def _prints(kind: str, type: DataType) -> bool:
    if kind == "s":
        return type in (STRING, BOOLEAN, data.NULL) or is_numeric(type)
    if kind == "f":
        return type in (data.DOUBLE, data.FLOAT)
    return is_integer(type)


def printed(pattern: str, values: Sequence[str | None], sizes: str) -> str:
    """Return the pattern with the texts of values in it. `sizes`: the bits of each integer, 0 for other values."""
    rest = list(zip(values, map(int, sizes.split(",")), strict=True)) if sizes else []

    def replaced(match: re.Match[str]) -> str:
        if match["kind"] == "%":
            return "%"
        if match["kind"] == "n":
            return "\n"
        value, bits = rest.pop(0)
        return _print(match, value, bits)

    return _PART.sub(replaced, pattern)


def _print(match: re.Match[str], value: str | None, bits: int) -> str:
    kind, flags, width = match["kind"], match["flags"], int(match["width"] or 0)
    sign, body = "", "null"
    if value is not None:
        body = value
        if kind in "xXo":
            number = int(value) % (1 << bits)
            body = format(number, kind)
        elif kind in "df" and value not in ("NaN", "Infinity", "-Infinity"):
            negative = value.startswith("-")
            digits = value.removeprefix("-")
            if kind == "f":
                places = int(match["digits"] or 6)
                digits = format(Decimal(digits).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, _EXACT), "f")
            body = f"{Decimal(digits):,f}" if "," in flags else digits
            sign = "-" if negative else "+" if "+" in flags else " " if " " in flags else ""
    zeros = "0" in flags and body != "null" and not body.endswith(("NaN", "Infinity"))
    filling = "0" * (width - len(sign) - len(body)) if zeros else ""
    whole = sign + filling + body
    return whole.ljust(width) if "-" in flags else whole.rjust(width)


_PRINT = PythonForm("lsqlc_sql_format_string", printed, (_V, "VARCHAR[]", _V), _V)


def _printing(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
    value_texts = [cast("duckdb", text, type, STRING) for text, type in zip(texts[1:], types[1:], strict=True)]
    bits = ",".join("64" if t == BIGINT else "32" if t == INT else "0" for t in types[1:])
    array = f"cast([{', '.join(value_texts)}] as varchar[])"
    return _PRINT.call([duckdb_text.text(str(values[0])), array, duckdb_text.text(bits)])


def _printing_spark(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
    return f"format_string({', '.join([engines.text('spark', str(values[0])), *texts[1:]])})"


def with_commas(number: str, places: int) -> str | None:
    """Return the text of a number with commas and this many places, rounded half to even."""
    if places < 0 or places > 300:
        return None
    if number in ("NaN", "Infinity", "-Infinity"):
        return {"NaN": "NaN", "Infinity": "\u221e", "-Infinity": "-\u221e"}[number]
    return f"{Decimal(number).quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN, _EXACT):,f}"


def exact(number: float) -> str:
    """Return all digits of a DOUBLE."""
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    return format(Decimal(number), "f")


_COMMAS = PythonForm("lsqlc_sql_format_number", with_commas, (_V, "INTEGER"), _V)
_COMMAS_OF_DOUBLE = PythonForm(
    "lsqlc_sql_format_double", lambda number, places: with_commas(exact(number), places), ("DOUBLE", "INTEGER"), _V
)


def _number_format(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        number, places = texts
        if engine == "spark":
            return f"case when {places} <= 300 then format_number({number}, {places}) end"
        if types[0] in (data.DOUBLE, data.FLOAT):
            return _COMMAS_OF_DOUBLE.call([f"cast({number} as double)", places])
        return _COMMAS.call([cast("duckdb", number, types[0], STRING), places])

    return render


_CODES = {
    letter: code for code, letters in enumerate(("BFPV", "CGJKQSXZ", "DT", "L", "MN", "R"), 1) for letter in letters
}


def sound(text: str) -> str:
    """Return the Soundex of a text, which is the text itself unless it begins with a letter of ASCII."""
    first = text[:1].upper()
    if not re.fullmatch("[A-Z]", first):
        return text
    result, last = first, _CODES.get(first, 0)
    for letter in text[1:]:
        upper = letter.upper() if letter.isascii() else letter
        if not re.fullmatch("[A-Z]", upper):
            last = 0
            continue
        code = _CODES.get(upper, 0)
        if code and code != last:
            result += str(code)
            if len(result) == 4:
                break
        # H and W do not separate equal codes.
        if upper not in "HW":
            last = code
    return result.ljust(4, "0")


def is_luhn(text: str) -> bool:
    if not re.fullmatch("[0-9]+", text):
        return False
    digits = [int(d) for d in reversed(text)]
    return sum(d if i % 2 == 0 else d * 2 - 9 * (d > 4) for i, d in enumerate(digits)) % 10 == 0


def masked(text: str, marks: str) -> str:
    """Return a text with upper and lower letters, digits and others replaced.

    `marks`: the replacements of these four, as a JSON array in which null keeps the characters.
    """
    upper, lower, digit, other = json.loads(marks)

    def mark(letter: str) -> str:
        kind = other
        if letter.isupper():
            kind = upper
        elif letter.islower():
            kind = lower
        elif letter.isdecimal():
            kind = digit
        return letter if kind is None else str(kind)

    return "".join(map(mark, text))


_MASK = PythonForm("lsqlc_sql_mask", masked, (_V, _V), _V)
_MARKS = ("X", "x", "n", None)


def _mask_duckdb(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
    marks = [*values[1 : len(texts)], *_MARKS[len(texts) - 1 :]]
    return _MASK.call([texts[0], duckdb_text.text(json.dumps(marks))])


def _mask_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return STRING if all(v is None or len(str(v)) == 1 for v in literals[1:]) else None


def laid_over(text: str, other: str, place: int, size: int) -> str:
    """Return a text with `size` characters replaced from a position that counts from 1; -1: the size of the
    other text.
    """
    size = len(other) if size < 0 else size
    rest = place + size
    start = rest - 1 if rest > 0 else max(0, len(text) + rest) if rest < 0 else 0
    return text[: max(0, place - 1)] + other + text[start:]


def converted(text: str, source: int, target: int) -> str | None:
    """Convert the digits at the start of a text from one base to another, negative for a negative base.

    None for unsupported bases, and beyond 64 bits.
    """
    text = text.strip(" ")
    if not (2 <= source <= 36 and 2 <= abs(target) <= 36) or not text:
        return None
    negative = text.startswith("-")
    number = 0
    for letter in text[negative:]:
        digit = int(letter, 36) if letter.isascii() and letter.isalnum() else 99
        if digit >= source:
            break
        number = number * source + digit
    if number >= 1 << 64:
        return None
    if negative and target > 0:
        number = -number % (1 << 64)
    if target < 0 and (number >= 1 << 63):
        number, negative = (1 << 64) - number, True
    digits = ""
    rest = number
    while rest:
        rest, digit = divmod(rest, abs(target))
        digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[digit] + digits
    return f"{'-' if negative and target < 0 and number else ''}{digits or '0'}"


_CONV = PythonForm("lsqlc_sql_conv", converted, (_V, "INTEGER", "INTEGER"), _V)
# Spark stops a query for numbers beyond 64 bits, which have more digits without leading zeros than this in each base.
_FITS = "length(regexp_replace(trim({0}), '^-?0*', '')) <= floor(63 / log2(greatest({1}, 2)))"


def _conversion(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        text = cast(engine, texts[0], types[0], STRING)
        condition = _FITS.format(text, texts[1])
        converted_text = (
            _CONV.call([text, *texts[1:]]) if engine == "duckdb" else f"conv({', '.join([text, *texts[1:]])})"
        )
        return f"case when {condition} then {converted_text} end"

    return render


def _of_text(name: str, function: object, doc: str, returns: DataType = STRING) -> Function:
    assert callable(function)
    form = PythonForm(f"lsqlc_sql_{name.lower()}", function, (_V,), "BOOLEAN" if returns == BOOLEAN else _V)
    return Function(name, (_TEXT,), always(returns), form, f"{name.lower()}({{0}})", doc)


def _mark(name: str) -> Parameter:
    return Parameter(name, "string", literal=True, optional=True, null=True)


def type_name(type: DataType) -> str:
    """Return the text of a type in Spark's SQL."""
    match type:
        case data.Array(element):
            return f"array<{type_name(element)}>"
        case data.Map(key, value):
            return f"map<{type_name(key)},{type_name(value)}>"
        case data.Struct(fields):
            return f"struct<{','.join(f'{f.name}:{type_name(f.type)}' for f in fields)}>"
        case data.Decimal(precision, scale):
            return f"decimal({precision},{scale})"
    words = {data.BYTES: "binary", data.NULL: "void"}
    return next((word for t, word in words.items() if t == type), str(type).lower())


def _typed(engine: Engine) -> Render:
    return lambda texts, types: engines.text(engine, type_name(types[0]))


_URL_PARTS = ("HOST", "PATH", "QUERY", "REF", "PROTOCOL", "FILE", "AUTHORITY", "USERINFO")
_URL_PART = PythonForm("lsqlc_sql_parse_url", raw_part, (_V, _V), _V)
_URL_PARAMETER = PythonForm("lsqlc_sql_url_parameter", raw_parameter, (_V, _V), _V)


def _url_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    key = literals[2] if len(literals) > 2 else ""
    plain = isinstance(key, str) and re.fullmatch("[A-Za-z0-9_-]*", key)
    is_part = literals[1] in _URL_PARTS and (len(types) < 3 or (literals[1] == "QUERY" and key))
    return STRING if is_part and plain else None


def _url_duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
    return _URL_PART.call(texts) if len(texts) == 2 else _URL_PARAMETER.call([texts[0], texts[2]])


FORMATS: tuple[Function, ...] = (
    Function("FORMAT_STRING", (Parameter("pattern", "string", literal=True), Parameter("value", "any", optional=True)),
             _printed, ValueForm(_printing), ValueForm(_printing_spark),
             "the pattern with the values in it: %s, %d, %f, %x, %X and %o, with flags, a width and digits",
             aliases=("PRINTF",), nulls=Nulls.NEVER, variadic=True, uses=(_PRINT,), takes_null=True),
    Function("FORMAT_NUMBER", (Parameter("number", "number"), Parameter("places", "index")), always(STRING),
             _number_format("duckdb"), _number_format("spark"),
             "the number with commas and so many places; null for less than none", nulls=Nulls.MAY,
             uses=(_COMMAS, _COMMAS_OF_DOUBLE)),
    _of_text("SOUNDEX", sound, "the Soundex of a text, such as M460"),
    _of_text("LUHN_CHECK", is_luhn, "whether a text of digits passes the check of Luhn", BOOLEAN),
    _of_text("QUOTE", lambda text: "'" + text.replace("'", "\\'") + "'",
             "the text in single quotes, those in it behind backslashes"),
    Function("MASK", (_TEXT, _mark("upper"), _mark("lower"), _mark("digit"), _mark("other")), _mask_type,
             ValueForm(_mask_duckdb), lambda texts, types: f"mask({', '.join(texts)})",
             "the text with other letters and digits: X, x and n unless said; null leaves them", uses=(_MASK,),
             takes_null=True, nulls=Nulls.MAY),
    Function("OVERLAY", (_TEXT, Parameter("other", "string"), Parameter("place", "index"),
                         Parameter("size", "index", optional=True, default=-1)),
             always(STRING), PythonForm("lsqlc_sql_overlay", laid_over, (_V, _V, "INTEGER", "INTEGER"), _V),
             "overlay({0}, {1}, {2}, {3})",
             "the text with another one from a place that counts from 1; also written OVERLAY(a PLACING b FROM 1)"),
    Function("CONV", (Parameter("number", "code point"), Parameter("from", "index"), Parameter("to", "index")),
             always(STRING), _conversion("duckdb"), _conversion("spark"),
             "the digits of a number of one base in another; null beyond 63 bits", nulls=Nulls.MAY, uses=(_CONV,)),
    Function("PARSE_URL", (Parameter("url", "string"), Parameter("part", "string", literal=True),
                           Parameter("key", "string", literal=True, optional=True)),
             _url_type, _url_duckdb, lambda texts, types: f"try_parse_url({', '.join(texts)})",
             f"a part of a URL: {', '.join(_URL_PARTS)}; of QUERY the value of a key; null for none, or for no URL",
             aliases=("TRY_PARSE_URL",), nulls=Nulls.MAY, uses=(_URL_PART, _URL_PARAMETER)),
    Function("TYPEOF", (Parameter("value", "any"),), always(STRING), _typed("duckdb"), _typed("spark"),
             "the type of a value, as Spark writes it", nulls=Nulls.NEVER, takes_null=True),
)  # fmt: skip
