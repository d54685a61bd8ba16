"""How Spark reads values from JSON with `from_json`, so that it reads the same values as the client.

`from_json` accepts some texts that the client rejects, or reads them as another value:

- a number for a TIMESTAMP, which it takes as seconds;
- a DATE or a TIMESTAMP with missing parts, such as `2024-02`;
- a DECIMAL in quotes, or one with too many digits, which it rounds;
- a number outside of the range of TIME;
- a number outside of the range of a FLOAT or DOUBLE, which becomes an infinity;
- blanks in the base64 of BYTES;
- half of a surrogate pair in a STRING, which becomes a question mark.

This module returns the SQL that prevents that:

- `form` replaces TIMESTAMP and DATE by STRING, and `value` converts the texts.
- `unfit_condition` finds values of these types and of TIME that are not valid, after parsing.
- `suspect_condition` finds texts that may have an invalid DECIMAL, FLOAT, DOUBLE, DATE or BYTES, by a regular
  expression. Few texts match. These are parsed as a variant (`lsqlc.lower.spark.validity`), which is slower and exact.
- `broken_condition` finds texts that are not UTF-8 or have half of a surrogate pair.

docs/reference/json.md has the rules. `tests/bytes/json.yml` has the value of each text.
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

# `\z`, because `$` also matches before a line break at the end.
_DATE = r"^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}\z"
_TIMESTAMP = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})\z"
_COUNT = r"^-?[0-9]{1,15}\z"
_CHECKED = (data.FLOAT, data.DOUBLE, data.BYTES, data.DATE, data.TIME, data.TIMESTAMP)
# A number that may be outside of the range of a FLOAT or DOUBLE: with a large exponent, or with 39 or more digits. The
# largest FLOAT has 39.
_LARGE = "[0-9][eE][+]?[0-9]{2}|[0-9]{39}"
# The texts for an infinity that Spark accepts, and lsqlc does not.
_INFINITE = '"(?:[+-]INF|[+]Infinity)"'
# The escape of half of a surrogate pair without the escape of the other half next to it.
_HIGH, _LOW = r"\\u[dD][89abAB]", r"\\u[dD][c-fC-F]"
_HALF = rf"(?<!\\)(?:\\\\)*+(?:{_HIGH}..(?!{_LOW})|(?<!{_HIGH}..){_LOW})"


@overload
def form(type: Struct) -> Struct: ...


@overload
def form(type: DataType) -> DataType: ...


def form(type: DataType) -> DataType:
    """Return the type with which `from_json` parses values of a type.

    DATE and TIMESTAMP become STRING. The keys of a MAP become STRING, because they are names in JSON.
    """
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


def value(sql: str, type: DataType, depth: int = 0, *, has_more_fields: bool = False) -> str:
    """Return the SQL of a value of a type, from a value of the type `form(type)`.

    A text that is no DATE or TIMESTAMP becomes null. `depth` distinguishes the variables of nested lambdas.
    `has_more_fields`: a STRUCT may have fields that are not those of the type, and are left out.
    """
    if form(type) == type and not has_more_fields:
        return sql
    e = f"e{depth}"
    match type:
        case Struct(fields):
            members = struct((f.name, value(f"{sql}.{ticked(f.name)}", f.type, depth)) for f in fields)
            return f"if({sql} IS NULL, NULL, {members})"
        case Array(element):
            return f"transform({sql}, {e} -> {value(e, element, depth + 1)})"
        case Map(key, inner):
            entries = (
                sql if form(inner) == inner else f"transform_values({sql}, (k, {e}) -> {value(e, inner, depth + 1)})"
            )
            return entries if key == data.STRING else f"CAST({entries} AS {type_text('spark', type)})"
        case data.DATE:
            return date(sql)
    return timestamp(sql)


def date(sql: str) -> str:
    """Return the SQL of the DATE of a text: days since 1970-01-01, or `2024-02-29`. Null for other texts."""
    low, high = codec_text.DAYS_RANGE
    days = f"try_cast({sql} AS INT)"
    of_days = f"if({days} BETWEEN {low} AND {high}, date_from_unix_date({days}), NULL)"
    of_text = f"if({sql} RLIKE {text(_DATE)}, try_cast({sql} AS DATE), NULL)"
    return f"if({sql} RLIKE {text(_COUNT)}, {of_days}, {of_text})"


def timestamp(sql: str) -> str:
    """Return the SQL of the TIMESTAMP of a text: epoch milliseconds, or `2024-02-29T12:00:00Z`.

    A fraction of a second and an offset such as `+02:00` are accepted. Null for other texts.
    """
    low, high = codec_text.MILLIS_RANGE
    millis = f"try_cast({sql} AS BIGINT)"
    of_millis = f"if({millis} BETWEEN {low}L AND {high}L, timestamp_millis({millis}), NULL)"
    # The UTC time of a text with an offset may be outside of the years 1 to 9999.
    parsed = f"try_cast({sql} AS TIMESTAMP)"
    is_text = f"{sql} RLIKE {text(_TIMESTAMP)} AND unix_millis({parsed}) BETWEEN {low}L AND {high}L"
    of_text = f"if({is_text}, {parsed}, NULL)"
    return f"if({sql} RLIKE {text(_COUNT)}, {of_millis}, {of_text})"


def unfit_condition(sql: str, type: DataType, depth: int = 0) -> str | None:
    """Return the SQL condition that a value of the type `form(type)` has a part that is not valid in the type.

    It is false or null for a valid value. None if every value is valid. `depth`: as for `value`.
    """
    e = f"e{depth}"
    match type:
        case Struct(fields):
            members = (unfit_condition(f"{sql}.{ticked(f.name)}", f.type, depth) for f in fields)
            conditions = [condition for condition in members if condition is not None]
            return f"({' OR '.join(conditions)})" if conditions else None
        case Array(element):
            unfit = unfit_condition(e, element, depth + 1)
            return None if unfit is None else f"exists({sql}, {e} -> {unfit})"
        case Map(_, element):
            unfit = unfit_condition(e, element, depth + 1)
            return None if unfit is None else f"exists(map_values({sql}), {e} -> {unfit})"
        case data.DATE | data.TIMESTAMP:
            return f"({sql} IS NOT NULL AND {value(sql, type)} IS NULL)"
        case data.TIME:
            low, high = codec_text.TIME_RANGE
            return f"({sql} NOT BETWEEN {low}L AND {high}L)"
    return None


def checked_fields(type: Struct) -> Struct:
    """Return the fields of a type for which `from_json` may accept invalid values.

    Nested fields and elements without such values are left out too.
    """
    fields = (structs.replace(f, type=part) for f in type.fields if (part := _checked_part(f.type)) is not None)
    return Struct(tuple(fields))


def _checked_part(type: DataType) -> DataType | None:
    match type:
        case Struct():
            return inner if (inner := checked_fields(type)).fields else None
        case Array(element):
            return None if (part := _checked_part(element)) is None else Array(part)
        case Map(key, element):
            return None if (part := _checked_part(element)) is None else Map(key, part)
    return type if isinstance(type, Decimal) or type in _CHECKED else None


def suspect_condition(json: str, type: Struct) -> str | None:
    """Return the SQL condition that the text of an object may have an invalid value that `from_json` accepts.

    None if no text can have one.
    """
    floats = any(part in (data.FLOAT, data.DOUBLE) for part in parts(type))
    patterns = [_LARGE, _INFINITE] if floats else []
    names_by_suspect: dict[str, list[str]] = {}
    for name, suspect in _suspects(type):
        names_by_suspect.setdefault(suspect, []).append(name)
    patterns += [f"{member(names)}(?:{suspect})" for suspect, names in names_by_suspect.items()]
    if names_by_suspect:
        # A name with an escape may be the name of any field.
        patterns.append(f'\\\\["\\\\/bfnrtu][^"]*"{SPACE}:')
    return f"{json} RLIKE {text('|'.join(patterns))}" if patterns else None


def broken_condition(json: str, type: Struct) -> str | None:
    """Return the SQL condition that a JSON text is not UTF-8 or has half of a surrogate pair.

    None if the type has neither a STRING nor a MAP.
    """
    if not any(part == data.STRING or isinstance(part, Map) for part in parts(type)):
        return None
    # `contains` is faster than RLIKE, and false for most texts.
    has_surrogate = f"contains({json}, '\\\\ud') OR contains({json}, '\\\\uD')"
    return f"NOT is_valid_utf8({json}) OR (({has_surrogate}) AND {json} RLIKE {text(_HALF)})"


def _suspects(type: Struct) -> Iterator[tuple[str, str]]:
    """Yield the regular expressions of the name and of suspect values, for each field at any level with a DECIMAL, DATE
    or BYTES.
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
    """Return whether a type is DECIMAL, DATE or BYTES, or an ARRAY or MAP of such values. STRUCTs in it are ignored."""
    if isinstance(type, Array | Map):
        return _is_suspect(type.element if isinstance(type, Array) else type.value)
    return isinstance(type, Decimal) or type in (data.DATE, data.BYTES)
