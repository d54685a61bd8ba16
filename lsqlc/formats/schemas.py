"""The schema of a facet as text, in one of the languages that schemas are written in.

`avro` and `json` (JSON Schema) describe the whole facet, the bounds of a windowed key included. `ddl` is what a topic's
declaration takes beside the facet's format: a type or a column list, of a windowed key that of the key inside.
"""

from __future__ import annotations

from typing import Literal

from lsqlc.formats.avro.write import avro_text
from lsqlc.formats.json_schema.write import json_schema_text
from lsqlc.formats.windows import key_in_window, windowed
from lsqlc.types.data import NULL, DataType, Struct
from lsqlc.types.ddl import columns_text
from lsqlc.types.record import Facet

Language = Literal["avro", "json", "ddl"]
ENDINGS: dict[Language, str] = {"avro": ".avsc", "json": ".json", "ddl": ".ddl"}


def schema_text(facet: Facet, language: Language, name: str, namespace: str | None = None) -> str:
    """Return a facet's schema, with a line feed at its end.

    `name` and `namespace`: those of the record in Avro; the name is the title in JSON Schema. Raises ValueError for a
    type that the language cannot express. In Avro that is a field's name with other characters than letters, digits and
    `_`. In JSON Schema it is a MAP whose keys are not primitive. In all languages it is a field that is always null,
    `NULL AS x`, which has no type.
    """
    refuse_null(facet.type)
    if language == "avro":
        return avro_text(facet.type, name, namespace)
    if language == "json":
        return json_schema_text(facet.type, name)
    inner = key_in_window(facet.type) if windowed(facet.format) else None
    return _ddl(inner.type if inner else facet.type) + "\n"


def refuse_null(type: DataType) -> None:
    """Raise ValueError for a field that is always null, `NULL AS x`, which has no type."""
    for field in type.fields if isinstance(type, Struct) else ():
        if field.type == NULL:
            raise ValueError(f"'{field.name}' is always null, and has no type: CAST(NULL AS type) gives it one")
        refuse_null(field.type)


def _ddl(type: DataType) -> str:
    return columns_text(type, separator=",\n") if isinstance(type, Struct) else str(type)
