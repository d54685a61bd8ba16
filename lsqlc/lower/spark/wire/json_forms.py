"""How `from_json` reads the values of a type, so that the result is the one that the client reads.

What `from_json` takes and the client refuses, or reads in another way:

- a number for a TIMESTAMP, which it takes for seconds;
- a DATE or a TIMESTAMP that is not written in full;
- a DECIMAL in quotes, or with too many digits, which it rounds;
- any number for a TIME;
- a number beyond a DOUBLE, which becomes an infinity;
- blanks in the base64 of BYTES;
- half of a surrogate pair in a STRING, which becomes a question mark.

Four means exclude that:

- A TIMESTAMP and a DATE are read as STRING, their form, and converted here (`value`).
- A value that has its form, but is none of its type, is told apart from the parsed value (`unfit`).
- A text in which a DECIMAL, FLOAT, DOUBLE, DATE or BYTES may be one of these is found by a pattern (`doubtful`), and
  must be looked at as a whole (`lsqlc.lower.spark.validity`). Few texts match.
- A text with half of a surrogate pair is found by another pattern, as are broken characters (`broken`).

The rules are those of docs/reference/json.md; `tests/bytes/json.yml` has what each text means.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import overload

from msgspec import structs

from lsqlc.formats.json.numbers import SPACE, escaped, member
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.sql.spark import struct, text, ticked
from lsqlc.types import codec_text, data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct, parts

# `$` matches before a line break at the end too.
_DATE = r"^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}\z"
_TIMESTAMP = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})\z"
_COUNT = r"^-?[0-9]{1,15}\z"
_JUDGED = (data.FLOAT, data.DOUBLE, data.BYTES, data.DATE, data.TIME, data.TIMESTAMP)
# A number that may be beyond a FLOAT or a DOUBLE: a large exponent, or more digits than the largest FLOAT has.
_LARGE = "[0-9][eE][+]?[0-9]{2}|[0-9]{39}"
# Words for an infinity that are not the language's.
_INFINITE = '"(?:[+-]INF|[+]Infinity)"'
# The escape of half of a surrogate pair whose other half does not stand beside it.
_HIGH, _LOW = r"\\u[dD][89abAB]", r"\\u[dD][c-fC-F]"
_HALF = rf"(?<!\\)(?:\\\\)*+(?:{_HIGH}..(?!{_LOW})|(?<!{_HIGH}..){_LOW})"


@overload
def form(type: Struct) -> Struct: ...


@overload
def form(type: DataType) -> DataType: ...


def form(type: DataType) -> DataType:
    """The type that `from_json` is given for values of a type. JSON has names for the keys of a MAP."""
    match type:
        case Struct(fields):
            return Struct(tuple(structs.replace(f, type=form(f.type)) for f in fields))
        case Array(element):
            return Array(form(element))
        case Map(_, inner):
            return Map(data.STRING, form(inner))
        case data.DATE | data.TIMESTAMP:
            return data.STRING
    return type


def value(sql: str, type: DataType, depth: int = 0, *, whole: bool = False) -> str:
    """SQL of the value of what has its form; null for a DATE or TIMESTAMP that is none. `depth` keeps the variables of
    nested functions apart. `whole`: what is given may have more fields than a STRUCT.
    """
    if form(type) == type and not whole:
        return sql
    e = f"e{depth}"
    match type:
        case Struct(fields):
            members = struct((f.name, value(f"{sql}.{ticked(f.name)}", f.type, depth)) for f in fields)
            return f"if({sql} IS NULL, NULL, {members})"
        case Array(element):
            return f"transform({sql}, {e} -> {value(e, element, depth + 1)})"
        case Map(key, inner):
            made = sql if form(inner) == inner else f"transform_values({sql}, (k, {e}) -> {value(e, inner, depth + 1)})"
            return made if key == data.STRING else f"CAST({made} AS {type_text('spark', type)})"
        case data.DATE:
            return date(sql)
    return timestamp(sql)


def date(sql: str) -> str:
    """SQL of the DATE that a text stands for: days since 1970, or the language's own form; else null."""
    low, high = codec_text.DAYS_RANGE
    days = f"try_cast({sql} AS INT)"
    of_days = f"if({days} BETWEEN {low} AND {high}, date_from_unix_date({days}), NULL)"
    of_text = f"if({sql} RLIKE {text(_DATE)}, try_cast({sql} AS DATE), NULL)"
    return f"if({sql} RLIKE {text(_COUNT)}, {of_days}, {of_text})"


def timestamp(sql: str) -> str:
    """SQL of the TIMESTAMP that a text stands for: epoch milliseconds, or the language's own form; else null."""
    low, high = codec_text.MILLIS_RANGE
    millis = f"try_cast({sql} AS BIGINT)"
    of_millis = f"if({millis} BETWEEN {low}L AND {high}L, timestamp_millis({millis}), NULL)"
    # The offset of a zone may lead out of the years 1 to 9999.
    parsed = f"try_cast({sql} AS TIMESTAMP)"
    is_text = f"{sql} RLIKE {text(_TIMESTAMP)} AND unix_millis({parsed}) BETWEEN {low}L AND {high}L"
    of_text = f"if({is_text}, {parsed}, NULL)"
    return f"if({sql} RLIKE {text(_COUNT)}, {of_millis}, {of_text})"


def unfit(sql: str, type: DataType, depth: int = 0) -> str | None:
    """SQL of whether a part of a value, given in its form, is none of its type; None if that cannot be. Null or false
    of a value that fits.
    """
    e = f"e{depth}"
    match type:
        case Struct(fields):
            inner = [bad for f in fields if (bad := unfit(f"{sql}.{ticked(f.name)}", f.type, depth)) is not None]
            return f"({' OR '.join(inner)})" if inner else None
        case Array(element):
            bad = unfit(e, element, depth + 1)
            return None if bad is None else f"exists({sql}, {e} -> {bad})"
        case Map(_, element):
            bad = unfit(e, element, depth + 1)
            return None if bad is None else f"exists(map_values({sql}), {e} -> {bad})"
        case data.DATE | data.TIMESTAMP:
            return f"({sql} IS NOT NULL AND {value(sql, type)} IS NULL)"
        case data.TIME:
            low, high = codec_text.TIME_RANGE
            return f"({sql} NOT BETWEEN {low}L AND {high}L)"
    return None


def judged(type: Struct) -> Struct:
    """The parts of a type of which `from_json` may take what is none: those that `unfit` and `doubtful` are about."""
    fields = (structs.replace(f, type=part) for f in type.fields if (part := _judged(f.type)) is not None)
    return Struct(tuple(fields))


def _judged(type: DataType) -> DataType | None:
    match type:
        case Struct():
            return inner if (inner := judged(type)).fields else None
        case Array(element):
            return None if (part := _judged(element)) is None else Array(part)
        case Map(key, element):
            return None if (part := _judged(element)) is None else Map(key, part)
    return type if isinstance(type, Decimal) or type in _JUDGED else None


def doubtful(json: str, type: Struct) -> str | None:
    """SQL of whether the text of an object may hold a value that `from_json` takes, and that the type does not have;
    None if that cannot be.
    """
    floats = any(part in (data.FLOAT, data.DOUBLE) for part in parts(type))
    patterns = [_LARGE, _INFINITE] if floats else []
    suspects: dict[str, list[str]] = {}
    for name, suspect in _suspects(type):
        suspects.setdefault(suspect, []).append(name)
    patterns += [f"{member(names)}(?:{suspect})" for suspect, names in suspects.items()]
    if suspects:
        # A name with an escape may be any name.
        patterns.append(f'\\\\["\\\\/bfnrtu][^"]*"{SPACE}:')
    return f"{json} RLIKE {text('|'.join(patterns))}" if patterns else None


def broken(json: str, type: Struct) -> str | None:
    """SQL of whether a text has a broken character or half of a surrogate pair; None if no part of a type has texts."""
    if not any(part == data.STRING or isinstance(part, Map) for part in parts(type)):
        return None
    # Spark finds without a pattern that most texts have no escape of a surrogate.
    has_surrogate = f"contains({json}, '\\\\ud') OR contains({json}, '\\\\uD')"
    return f"NOT is_valid_utf8({json}) OR (({has_surrogate}) AND {json} RLIKE {text(_HALF)})"


def _suspects(type: Struct) -> Iterator[tuple[str, str]]:
    """Yield the fields at any level with a DECIMAL, DATE or BYTES: the pattern of the name, and that of values in
    doubt.
    """
    for field in (f for part in parts(type) if isinstance(part, Struct) for f in part.fields):
        match field.type:
            case Decimal(_, scale):
                yield escaped(field.name), f'"|-?[0-9]+[.][0-9]{{{scale + 1}}}|-?[0-9.]+[eE]'
            case data.DATE:
                yield escaped(field.name), '"-?[0-9]+"'
            case data.BYTES:
                yield escaped(field.name), '"[A-Za-z0-9+/]*+(?!={0,2}")'
            case Array() | Map() if _is_suspect(field.type):
                yield escaped(field.name), r"[\[{]"


def _is_suspect(type: DataType) -> bool:
    """Whether an element at any level of an ARRAY or MAP, not a field of a STRUCT in it, is of such a type."""
    if isinstance(type, Array | Map):
        return _is_suspect(type.element if isinstance(type, Array) else type.value)
    return isinstance(type, Decimal) or type in (data.DATE, data.BYTES)
