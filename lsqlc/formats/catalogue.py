"""All storage formats, and the lookup by the name of a facet's format, by the name of a user or of ksqlDB, and by
schema.

Each format is one record in its folder. Only `lsqlc.formats` compares names of formats: callers ask the record.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from lsqlc.formats.avro.format import AVRO
from lsqlc.formats.debezium.format import DEBEZIUM
from lsqlc.formats.delimited.format import DELIMITED
from lsqlc.formats.json.format import JSON
from lsqlc.formats.json_schema.format import JSON_SR
from lsqlc.formats.primitive.format import KAFKA, NULL, PRIMITIVES
from lsqlc.formats.protobuf.format import PROTOBUF, PROTOBUF_NOSR
from lsqlc.formats.record import Format, KsqlFormat, SchemaKind
from lsqlc.formats.windows import inside, windowed
from lsqlc.types import data
from lsqlc.types.data import DataType

# In the order in which messages list them.
FORMATS: tuple[Format, ...] = (
    JSON, AVRO, JSON_SR, PROTOBUF, PROTOBUF_NOSR, *DEBEZIUM, DELIMITED, KAFKA, *PRIMITIVES, NULL,
)  # fmt: skip
# Formats of other tools, which a user may try. Custom formats have names of their own, which cannot be listed.
FOREIGN = ("xml", "csv", "delimited", "kafka", "avro_sr", "custom")


def find_format(format: str) -> Format | None:
    """Return the format of a facet's bytes, for a windowed key that of the key inside: `delimited[;]`, `tw[avro]`.

    None for an unknown name.
    """
    return _by_name(FORMATS).get(inside(format).partition("[")[0])


def is_json(format: str) -> bool:
    """Return whether the whole facet is JSON text, without a window around it."""
    stored = None if windowed(format) else find_format(format)
    return stored is not None and stored.is_json


def is_plain_json(format: str) -> bool:
    """Return whether the whole facet is JSON text without the ID of a schema."""
    return is_json(format) and not is_registered(format)


def is_text(format: str) -> bool:
    """Return whether the bytes of the whole facet are a STRING itself."""
    stored = None if windowed(format) else find_format(format)
    return stored is not None and stored.holds == data.STRING


def is_registered(format: str) -> bool:
    """Return whether records begin with the ID of a schema in a registry; a windowed key begins with that of the key
    inside.
    """
    stored = find_format(format)
    return stored is not None and stored.has_schema_id


def is_enveloped(format: str) -> bool:
    """Return whether the value of the whole facet is a part of JSON text."""
    stored = None if windowed(format) else find_format(format)
    return stored is not None and stored.row_text is not None


def passed_on(format: str) -> str:
    """Return the format of results from records in a format: the format itself, unless models do not write it."""
    stored = None if windowed(format) else find_format(format)
    return stored.passed_as if stored is not None and stored.passed_as else format


def is_only_read(format: str) -> bool:
    """Return whether models read a format, and do not write it; for a windowed facet the format inside."""
    stored = find_format(named(inside(format)) or "")
    return stored is not None and stored.passed_as != ""


def registered() -> tuple[Format, ...]:
    """Return the formats whose records begin with the ID of a schema in a registry."""
    return tuple(format for format in FORMATS if format.has_schema_id)


def declared() -> tuple[str, ...]:
    """Return the names that are valid in declarations."""
    return tuple(format.name for format in FORMATS if format.is_declared)


def storable() -> tuple[str, ...]:
    """Return the names that are valid in STORE."""
    return tuple(format.name for format in FORMATS if format.is_declared and not format.passed_as)


def with_subject() -> tuple[str, ...]:
    """Return the declared formats whose schemas may be in a registry, those that need one first."""
    registered = sorted((f for f in FORMATS if f.is_declared and f.schema), key=lambda f: not f.has_schema_id)
    return tuple(format.name for format in registered)


def named(text: str) -> str | None:
    """Return the format for a name in a text, `tw[avro]` for `TW[AVRO]`; None if no declared format has the name."""
    window = windowed(text)
    result = _by_name(FORMATS).get((window[1] if window else text).strip().lower())
    if result is None or not result.is_declared:
        return None
    return f"{window[0]}[{result.name}]" if window else result.name


def ksql_formats() -> Mapping[str, tuple[Format, KsqlFormat]]:
    """Return the formats of ksqlDB by their names there, which are in upper case."""
    return _of_ksql(FORMATS)


def of_schema(type: str) -> tuple[Format, ...]:
    """Return the formats with schemas of a registry's type, such as `AVRO`, those that need a registry first.

    Empty for an unsupported type.
    """
    readers = (format for format in FORMATS if format.schema is not None and format.schema.type == type)
    return tuple(sorted(readers, key=lambda format: not format.has_schema_id))


def schema_kind(type: str) -> SchemaKind | None:
    """Return the kind of schemas of a registry's type; None for an unsupported one."""
    return next((kind for kind in schema_kinds() if kind.type == type), None)


def schema_kinds() -> tuple[SchemaKind, ...]:
    """Return the kinds of schemas, each once."""
    return tuple(dict.fromkeys(format.schema for format in FORMATS if format.schema is not None))


def primitives() -> Mapping[str, DataType]:
    """Return the formats that have the name of a type, with the type."""
    return {format.name: format.holds for format in FORMATS if format.holds is not None}


def format_of_file(ending: str) -> Format:
    """Return the default format of records whose schema is in a file."""
    return next(format for format in FORMATS if format.schema is not None and ending in format.schema.endings)


def conversions(format: str) -> tuple[str, ...]:
    """Return the formats to which STORE converts a result in a format, without that format. It has no window."""
    before = find_format(format)
    if before is None or not before.is_converted:
        return ()
    stores = ("all",) if before.holds is not None else ("all", "structs")
    return (*before.widens, *(f.name for f in FORMATS if f.stores in stores and f is not before))


@cache
def _by_name(formats: tuple[Format, ...]) -> Mapping[str, Format]:
    return {name: format for format in formats for name in (format.name, *format.synonyms)}


@cache
def _of_ksql(formats: tuple[Format, ...]) -> Mapping[str, tuple[Format, KsqlFormat]]:
    return {format.ksql.name: (format, format.ksql) for format in formats if format.ksql is not None}
