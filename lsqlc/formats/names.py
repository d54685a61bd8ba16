"""Storage formats by name: `json`, those of registries, those of the primitive types, DELIMITED with its delimiter, and
those of windowed keys around one.

The names are lower case here; users write them in any case, with the synonyms that SQL has for types.
"""

from __future__ import annotations

import re

from lsqlc.types import data
from lsqlc.types.data import DataType, Struct

PRIMITIVES: dict[str, DataType] = {
    "boolean": data.BOOLEAN, "int": data.INT, "long": data.BIGINT, "float": data.FLOAT, "double": data.DOUBLE,
    "string": data.STRING, "bytes": data.BYTES, "date": data.DATE, "time": data.TIME, "timestamp": data.TIMESTAMP,
}  # fmt: skip
# Formats whose records begin with the id of a schema that a registry keeps, by the type that it has there.
REGISTERED: dict[str, str] = {"avro": "AVRO", "json_sr": "JSON", "protobuf": "PROTOBUF"}
# Protobuf without a registry, of ksqlDB: messages whose fields have the numbers of the columns.
BARE_PROTOBUF = "protobuf_nosr"
# The words for delimiters of DELIMITED that cannot be seen.
DELIMITER_WORDS = {"tab": "\t", "space": " "}
FORMATS = ("json", *REGISTERED, *PRIMITIVES)
# What other tools have, and a user may look for. Custom formats have names of their own, which nobody can list.
FOREIGN = ("xml", "csv", "delimited", "kafka", "avro_sr", "custom")

# The names that Avro and Protobuf can hold, of records and of fields.
AVRO_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_SYNONYMS = {"bigint": "long", "integer": "int", "bool": "boolean", "varchar": "string"}
_DELIMITED = re.compile(r"delimited(?:\[(.|tab|space)\])?", re.DOTALL)
_WINDOWED = re.compile(r"\s*(TW|SW)\s*\[(.*)\]\s*", re.IGNORECASE | re.DOTALL)


def may_be_empty(type: DataType) -> bool:
    """Whether a value of the type, not null, may be stored as no bytes at all."""
    return type in (data.STRING, data.BYTES)


def named(text: str) -> str | None:
    """The format that a text names, `tw[avro]` for `TW[AVRO]`; None if there is none of that name."""
    window = windowed(text)
    word = (window[1] if window else text).strip().lower()
    format = _SYNONYMS.get(word, word)
    if format not in FORMATS:
        return None
    return f"{window[0]}[{format}]" if window else format


def delimited(delimiter: str) -> str:
    """The format DELIMITED with a delimiter of one character: `delimited` for a comma, else `delimited[;]`."""
    words = {character: word for word, character in DELIMITER_WORDS.items()}
    return "delimited" if delimiter == "," else f"delimited[{words.get(delimiter, delimiter)}]"


def delimiter(format: str) -> str | None:
    """The delimiter of a format that `delimited` gave; None for any other format."""
    parts = _DELIMITED.fullmatch(format)
    if parts is None:
        return None
    return "," if parts[1] is None else DELIMITER_WORDS.get(parts[1], parts[1])


def windowed(text: str) -> tuple[str, str] | None:
    """The kind of window, `tw` or `sw`, and the text of the format inside; None if it is none of a windowed key."""
    found = _WINDOWED.fullmatch(text)
    return (found[1].lower(), found[2]) if found else None


def inside(format: str) -> str:
    """The format of what is stored: that inside of the window, if there is one."""
    window = windowed(format)
    return window[1] if window else format


def window_key(type: DataType) -> Struct:
    """The type of a windowed key around one type: the bounds are epoch milliseconds."""
    bounds = (data.Field("start", data.BIGINT, False), data.Field("end", data.BIGINT, False))
    return Struct((data.Field("key", type), *bounds))


def key_in_window(type: DataType) -> data.Field | None:
    """The key's field of a windowed key; None for any other type."""
    if not isinstance(type, Struct) or [f.name for f in type.fields] != ["key", "start", "end"]:
        return None
    return type.fields[0] if all(f.type == data.BIGINT for f in type.fields[1:]) else None
