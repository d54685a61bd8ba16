"""JSON Schema in a registry, and in files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from lsqlc.formats.record import SchemaKind, SchemaNames, SchemaSources
from lsqlc.formats.registered import FacetSchemas
from lsqlc.formats.schema_file import SchemaRead
from lsqlc.types.data import DataType


def _read(text: str, message: str | None) -> SchemaRead:
    from lsqlc.formats.json_schema.read import read_json_schema

    return read_json_schema(text)


def _read_files(sources: SchemaSources) -> SchemaRead:
    from lsqlc.formats.json_schema.read import read_json_schema

    return read_json_schema([*sources.texts.values()][-1], "text" if sources.in_json else "refused")


def _one_text(text: str, references: Mapping[str, str]) -> str:
    try:
        return json.dumps(json.loads(text), separators=(",", ":"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the schema is not JSON: {error}") from None


def _write(type: DataType, names: SchemaNames, versions: Sequence[str]) -> str:
    from lsqlc.formats.json_schema.write import closed_json_schema
    from lsqlc.formats.schemas import refuse_null

    refuse_null(type)
    return closed_json_schema(type, names.title)


def _is_same(a: str, b: str) -> bool:
    from lsqlc.formats.json_schema.write import is_same_json_schema

    return a == b or is_same_json_schema(a, b)


def _for_reading(type: DataType, versions: Mapping[int, str], message: str | None) -> FacetSchemas:
    """Return the schemas of a facet. Records are read without a schema.

    For a topic with foreign writers, the client uses the newest version that accepts the declared columns.
    """
    from lsqlc.formats.json_schema.fit import json_writer

    for id, text in reversed([*versions.items()]):
        try:
            json_writer(type, text)
        except ValueError:
            continue
        return FacetSchemas(writers=versions, written=(text, id))
    return FacetSchemas(writers=versions)


JSON_SCHEMA = SchemaKind(
    type="JSON",
    title="JSON Schema",
    read=_read,
    one_text=_one_text,
    write=_write,
    is_same=_is_same,
    for_reading=_for_reading,
    endings=(".json", ".jsonschema"),
    read_files=_read_files,
    keeps_case=True,
)
