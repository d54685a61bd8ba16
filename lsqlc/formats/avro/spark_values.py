"""Conversions between the types of spark-avro and those of the language, in Spark SQL.

`schema` is always the part of the Avro schema that describes the value. Fields are matched by name, or else by their
names in another case, as in ksqlDB.
"""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.formats.avro.fit import DAYS, MICROS, gives, member_of, takes
from lsqlc.formats.avro.tree import Avro
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.sql.spark import struct, ticked
from lsqlc.types import data
from lsqlc.types.codec_text import TIME_RANGE
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct


def read_as(sql: str, type: DataType, schema: Avro, depth: int = 0) -> str:
    """SQL of a value of the type, from the value that Spark reads. Raises ValueError for a type that does not match."""
    schema, inner = schema.present, f"_e{depth}"

    def field(of: Avro, name: str, of_type: DataType, where: str, deeper: int) -> str:
        member = member_of(of, name)
        return read_as(f"{where}.{ticked(member.name)}", of_type, member.schema, deeper)

    match type:
        case Struct(fields):
            parts = tuple((f.name, field(schema, f.name, f.type, sql, depth)) for f in fields)
            return f"if({sql} IS NULL, NULL, {struct(parts)})"
        case Array(element) if schema.kind == "array":
            return f"transform({sql}, {inner} -> {read_as(inner, element, schema.inner[0], depth + 1)})"
        case Map(data.STRING, value) if schema.kind == "map":
            item = read_as(inner, value, schema.inner[0], depth + 1)
            return f"transform_values({sql}, (_k{depth}, {inner}) -> {item})"
        case Map(key, value) if schema.kind == "array":
            entry = schema.inner[0].present
            pair = [field(entry, n, t, inner, depth + 1) for n, t in (("key", key), ("value", value))]
            return f"map_from_entries(transform({sql}, {inner} -> struct({', '.join(pair)})))"
    if not gives(schema, type):
        raise ValueError(f"{schema} is not read as {type}")
    if type == data.TIME and schema.logical == "time-millis":
        return f"(CAST({sql} AS BIGINT) * 1000)"
    return f"CAST({sql} AS {type_text('spark', type)})" if isinstance(type, Decimal) else sql


def faults_of(sql: str, type: DataType, schema: Avro, path: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield the faults of values that Avro allows and the type does not: the SQL of a condition, and its message."""
    schema, inner = schema.present, f"_e{depth}"
    at = f"'{path}'" if path else "the value"
    match type:
        case Struct(fields):
            for f in fields:
                member = member_of(schema, f.name)
                part, where = f"{sql}.{ticked(member.name)}", f"{path}.{f.name}" if path else f.name
                if member.schema.may_be_null and not f.nullable:
                    yield f"{sql} IS NOT NULL AND {part} IS NULL", f"'{where}' is null, and is declared NOT NULL"
                yield from faults_of(part, f.type, member.schema, where, depth)
        case Array(element):
            for condition, why in faults_of(inner, element, schema.inner[0], f"{path}[]", depth + 1):
                yield f"exists({sql}, {inner} -> {condition})", why
        case Map(data.STRING, of):
            yield f"exists(map_keys({sql}), {inner} -> NOT is_valid_utf8({inner}))", f"a key of {at} is not UTF-8"
            for condition, why in faults_of(inner, of, schema.inner[0], f"{path}[]", depth + 1):
                yield f"exists(map_values({sql}), {inner} -> {condition})", why
        case Map(key, of):
            yield f"exists({sql}.key, {inner} -> {inner} IS NULL)", f"a key of {at} is null"
            yield f"size(array_distinct({sql}.key)) < size({sql}.key)", f"a key of {at} stands twice"
            for name, of_type in (("key", key), ("value", of)):
                member = member_of(schema.inner[0].present, name)
                for condition, why in faults_of(f"{inner}.{name}", of_type, member.schema, f"{path}[]", depth + 1):
                    yield f"exists({sql}, {inner} -> {condition})", why
        case data.STRING if schema.kind == "string":
            yield f"NOT is_valid_utf8({sql})", f"{at} is not UTF-8"
        case data.DATE:
            yield f"unix_date({sql}) NOT BETWEEN {DAYS[0]} AND {DAYS[1]}", f"{at} is not in the years 1 to 9999"
        case data.TIMESTAMP:
            bounds = f"{MICROS[0]}L AND {MICROS[1]}L"
            yield f"unix_micros({sql}) NOT BETWEEN {bounds}", f"{at} is not in the years 1 to 9999"
        case data.TIME:
            yield f"{read_as(sql, type, schema)} NOT BETWEEN 0L AND {TIME_RANGE[1]}L", f"{at} is not a time of day"


def written_as(sql: str, type: DataType, schema: Avro, path: str = "", depth: int = 0) -> str:
    """SQL of a value with exactly the types of the schema. Raises ValueError for a type that it cannot hold."""
    schema, inner = schema.present, f"_e{depth}"
    at = f"'{path}'" if path else "the value"
    match type:
        case Struct(fields) if schema.kind == "record":
            pairs = [(member_of(schema, f.name), f) for f in fields]
            names = {member.name for member, _ in pairs}
            lacking = [m.name for m in schema.members if m.name not in names and not m.schema.may_be_null]
            if lacking:
                raise ValueError(f"{at} has no '{lacking[0]}', which the schema does not let be null")
            parts = []
            for member, f in pairs:
                where = f"{path}.{f.name}" if path else f.name
                item = written_as(f"{sql}.{ticked(f.name)}", f.type, member.schema, where, depth)
                parts.append((member.name, item))
            return f"if({sql} IS NULL, NULL, {struct(tuple(parts))})"
        case Array(element) if schema.kind == "array":
            return f"transform({sql}, {inner} -> {written_as(inner, element, schema.inner[0], f'{path}[]', depth + 1)})"
        case Map(data.STRING, of) if schema.kind == "map":
            item = written_as(inner, of, schema.inner[0], f"{path}[]", depth + 1)
            return f"transform_values({sql}, (_k{depth}, {inner}) -> {item})"
        case Map(key, of) if schema.kind == "array":
            entry = schema.inner[0].present
            pair = []
            for name, part in (("key", key), ("value", of)):
                member = member_of(entry, name)
                pair.append((member.name, written_as(f"{inner}.{name}", part, member.schema, f"{path}[]", depth + 1)))
            return f"transform(map_entries({sql}), {inner} -> {struct(tuple(pair))})"
    if not takes(schema, type):
        raise ValueError(f"{at} is {type}, which {schema} does not hold")
    if schema.logical == "time-millis":
        return f"CAST({sql} DIV 1000 AS INT)"
    if schema.logical == "decimal":
        return f"CAST({sql} AS DECIMAL({schema.precision},{schema.scale}))"
    wider = {"long": "BIGINT", "double": "DOUBLE"}.get(schema.kind) if not schema.logical else None
    return f"CAST({sql} AS {wider})" if wider else sql
