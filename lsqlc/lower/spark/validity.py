"""Validation of a line by Spark's own functions: the SQL of the reason of `topics.bad_records`, or null.

A line is strict JSON if it is one value (see `is_one_value`), and if Spark can make a VARIANT of it. Spark rejects
duplicate names and broken characters. The variant has the original kind of each part, which `from_json` does not
return: a number is not a string, and 1.0 is not an integer. So each field that the query reads is checked once.
"""

from __future__ import annotations

from lsqlc.connectors.bad_records import NO_JSON, POSITION
from lsqlc.connectors.lines import line_type, time_path
from lsqlc.formats.json.spark import is_one_value
from lsqlc.lower.spark.wire import json_forms
from lsqlc.sql.spark import member, text
from lsqlc.types import codec_text, data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct, quote
from lsqlc.types.record import LATEST, NO_TIME, Topic

_BASE64 = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\\z"
_FLOAT_MAX = "3.4028235677973366e38"


def reason(topic: Topic, line: str) -> str:
    """Return the reason that a line, an SQL expression, is not a record of the topic; null if it is one.

    The topic's facets have the fields that are read.
    """
    return reason_of(line_type(topic), line, _time_reason(topic))


def _time_reason(topic: Topic) -> str:
    """Return the SQL of the problem with the time of a line that otherwise is a record, a variant `v`."""
    time, where = "try_variant_get(v, '$.timestamp', 'bigint')", text(f"timestamp: {NO_TIME}")
    if topic.event_time:
        type: DataType = topic.value.type
        names = topic.event_time.split(".")
        for name in names:
            field = type.field(name) if isinstance(type, Struct) else None
            type = field.type if field else data.NULL
        path = text(member(*names, of="$.value"))
        own = f"try_variant_get(v, {path}, 'bigint')"
        if type in (data.TIMESTAMP, data.DATE):
            words = f"try_to_timestamp(try_variant_get(v, {path}, 'string'))"
            own = f"coalesce({own}, unix_millis({words}))"
        # Without a value in the field the timestamp is wrong.
        where = f"if({own} IS NULL, {where}, {text(f'{time_path(topic)}: {NO_TIME}')})"
        time = f"coalesce({own}, {time})"
    return f"if({time} BETWEEN 0L AND {LATEST}L, NULL, {where})"


def reason_of(type: Struct, line: str, last: str = "NULL") -> str:
    """Return the reason that a line is not a JSON object with these fields, or null.

    `last`: the SQL of the problem of a line that is one.
    """
    parts = _struct(type, "v", text(""), 0)
    otherwise = "" if last == "NULL" else f", {last})"
    first = "coalesce(" if otherwise else ""
    return (
        f"CASE WHEN NOT ({is_one_value(line)}) THEN {text(NO_JSON)}\n"
        f"  ELSE get(transform(array(try_parse_json({line})), v -> CASE\n"
        f"    WHEN v IS NULL THEN {text(NO_JSON)}\n"
        "    WHEN is_variant_null(v) THEN 'expected an object'\n"
        f"    WHEN NOT {_is_object('v')} THEN 'expected a STRUCT'\n"
        f"    ELSE {first}nullif(concat_ws('; ', {', '.join(parts)}), ''){otherwise} END), 0) END"
    )


def position(line: str, group: int) -> str:
    """Return the number at the beginning of a line: 1, its ordinal; 2, its timestamp. Null if there is none."""
    return f"try_cast(regexp_extract({line}, {text(POSITION)}, {group}) AS BIGINT)"


def _struct(type: Struct, value: str, path: str, depth: int) -> list[str]:
    """Return the SQL of the problem of each field, each a string or null.

    `path`: SQL of the path of the struct. `depth` distinguishes the variables of nested functions.
    """
    problems = []
    e = f"e{depth}"
    for field in type.fields:
        name = quote(field.name)
        place = _joined(path, text(f".{name}")) if path != text("") else text(name)
        part = f"variant_get({value}, {text(member(field.name))}, 'variant')"
        wrong = _wrong(field.type, e, place, depth + 1)
        missing = "NULL" if field.nullable else _joined(place, text(f": expected {field.type} NOT NULL"))
        if wrong is None and field.nullable:
            continue
        problems.append(
            f"get(transform(array({part}), {e} ->\n      "
            f"if({e} IS NULL OR is_variant_null({e}), {missing}, {wrong or 'NULL'})), 0)"
        )
    return problems or ["NULL"]


def _joined(*parts: str) -> str:
    return f"concat({', '.join(parts)})"


def _wrong(type: DataType, value: str, path: str, depth: int) -> str | None:
    """Return the SQL of the problem of a value that is not null; None if every value fits."""
    x, i = f"x{depth}", f"i{depth}"
    match type:
        case Struct():
            parts = ", ".join(_struct(type, value, path, depth))
            inner = f"nullif(concat_ws('; ', {parts}), '')"
            return f"if({_is_object(value)}, {inner}, {_expected(path, 'a STRUCT')})"
        case Array(element):
            items = f"try_variant_get({value}, '$', 'array<variant>')"
            bad = _wrong(element, x, _joined(path, "'['", f"CAST({i} AS STRING)", "']'"), depth + 1)
            inner = "NULL" if bad is None else _each(items, f"({x}, {i})", x, bad)
            return f"if({items} IS NULL, {_expected(path, 'an ARRAY')}, {inner})"
        case Map(_, inside):
            items = f"try_variant_get({value}, '$', 'map<string,variant>')"
            bad = _wrong(inside, f"{x}.value", _joined(path, text("['"), f"{x}.key", text("']")), depth + 1)
            inner = "NULL" if bad is None else _each(f"map_entries({items})", x, f"{x}.value", bad)
            return f"if({items} IS NULL, {_expected(path, 'a MAP')}, {inner})"
        case data.STRING:
            return None
    return f"if(coalesce({_fits(type, value)}, FALSE), NULL, {_expected(path, str(type))})"


def _each(items: str, names: str, value: str, wrong: str) -> str:
    """Return the problems of the items of an array that are not null, joined."""
    problems = f"transform({items}, {names} -> if({value} IS NULL OR is_variant_null({value}), NULL, {wrong}))"
    return f"nullif(array_join(filter({problems}, y -> y IS NOT NULL), '; '), '')"


def _expected(path: str, what: str) -> str:
    return _joined(path, text(f": expected {what}"))


def _is_object(value: str) -> str:
    return f"try_variant_get({value}, '$', 'map<string,variant>') IS NOT NULL"


def _fits(type: DataType, value: str) -> str:
    """Return the condition that a value that is not null is of a type without parts."""
    kind = f"schema_of_variant({value})"
    text_of = f"try_variant_get({value}, '$', 'string')"
    words = f"{kind} = 'STRING' AND {text_of}"
    number = f"({kind} = 'BIGINT' OR {kind} = 'DOUBLE' OR startswith({kind}, 'DECIMAL'))"
    match type:
        case Decimal(precision, scale):
            exact = f"try_variant_get({value}, '$', 'decimal({precision},{scale})')"
            wide = f"try_variant_get({value}, '$', 'decimal(38,{38 - (precision - scale)})')"
            if precision < 38:
                # A DECIMAL of 38 digits has none of the digits of a smaller number.
                is_rounded = f"{kind} = 'DOUBLE' AND try_variant_get({value}, '$', 'double') != CAST({exact} AS DOUBLE)"
                return f"{number} AND {exact} = {wide} AND NOT ({is_rounded})"
            # No DECIMAL has more digits to compare with.
            longer = f"{text_of} RLIKE '[.][0-9]{{{scale}}}0*[1-9]'"
            return f"{number} AND {exact} IS NOT NULL AND NOT {longer}"
        case data.BOOLEAN:
            return f"{kind} = 'BOOLEAN'"
        case data.INT:
            return f"{kind} = 'BIGINT' AND try_variant_get({value}, '$', 'int') IS NOT NULL"
        case data.BIGINT:
            return f"{kind} = 'BIGINT'"
        case data.TIME:
            low, high = codec_text.TIME_RANGE
            return f"{kind} = 'BIGINT' AND try_variant_get({value}, '$', 'bigint') BETWEEN {low}L AND {high}L"
        case data.FLOAT | data.DOUBLE:
            most = "double('Infinity')" if type == data.DOUBLE else f"double('{_FLOAT_MAX}')"
            is_named = f"{words} IN ('NaN', 'Infinity', '-Infinity')"
            return f"({number} AND abs(try_variant_get({value}, '$', 'double')) < {most}) OR ({is_named})"
        case data.BYTES:
            return f"{words} RLIKE {text(_BASE64)}"
        case data.DATE:
            is_date = f"({json_forms.date(text_of)}) IS NOT NULL"
            return f"({kind} = 'BIGINT' AND {is_date}) OR ({words} RLIKE '[0-9]-[0-9]' AND {is_date})"
        case data.TIMESTAMP:
            return f"{kind} IN ('BIGINT', 'STRING') AND ({json_forms.timestamp(text_of)}) IS NOT NULL"
    # A facet that is not declared has no values.
    return "FALSE"
