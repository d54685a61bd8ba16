"""Protobuf in the wire format of schema registries: read and written by Python functions of the session.

Spark's own `from_protobuf` is in a module that few servers have, and it does not support message indexes. Instead a
function is registered with the session (`remote/connectors/kafka/functions.py`). Its name depends on its arguments, so
that the SQL is the same for the same schemas. It returns JSON text, or a text that begins with `FAULT` and explains why
the bytes have no value.

Spark evaluates no Python function inside of a lambda, so the SQL of a call must be outside of lambdas.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Literal

from lsqlc.formats.encoding import Content, Encoding, PythonFunction, unknown_id
from lsqlc.formats.protobuf import wire
from lsqlc.formats.protobuf.codec import reader_arguments, schemas_of, writer_arguments
from lsqlc.formats.protobuf.wire import FAULT
from lsqlc.formats.record import StoredFacet
from lsqlc.functions.forms.json_values import json_of
from lsqlc.sql.spark import text
from lsqlc.types.data import DataType

# The functions that create it, in the module that is sent to Spark.
_MAKERS = {"read": "protobuf_reader", "write": "protobuf_writer"}


def protobuf_function(kind: Literal["read", "write"], arguments: tuple[Any, ...]) -> PythonFunction:
    """Return the function that reads or writes records.

    `arguments`: those of `wire.protobuf_reader` or `protobuf_writer`.
    """
    name = f"lsqlc_protobuf_{hashlib.sha256(repr((kind, arguments)).encode()).hexdigest()[:16]}"
    return PythonFunction(kind, name, wire.__name__, _MAKERS[kind], arguments)


@dataclass(frozen=True, slots=True)
class Protobuf(Encoding):
    """Protobuf, behind the id of a schema if it is in a registry. `reading`: the function that reads records;
    `writing`: the function that writes them; None: no records are written. `writers`: the ids of the schemas of the
    topic's records; `place` and `rejected` as for `AvroEncoding`.
    """

    type: DataType
    reading: PythonFunction
    writing: PythonFunction | None = None
    writers: tuple[int, ...] = ()
    place: tuple[str, str] = ("", "")
    rejected: frozenset[int] | None = None

    @property
    def content(self) -> Content:
        """As `Encoding.content`."""
        return "object"

    @property
    def functions(self) -> tuple[PythonFunction, ...]:
        """As `Encoding.functions`."""
        return tuple(function for function in (self.reading, self.writing) if function is not None)

    def parts(self, column: str) -> tuple[str, str]:
        """Return the SQL of `Encoding.parts`: the function is called once for both."""
        result = f"{self.reading.name}({column})"
        is_fault = f"startswith({result}, {text(FAULT)})"
        fault = f"if({is_fault}, substring({result}, {len(FAULT) + 1}), NULL)"
        if self.rejected is not None:
            fault = unknown_id(column, self.place, (*self.writers, *self.rejected), fault)
        return f"if({is_fault}, NULL, {result})", fault

    def bytes(self, value: str) -> str:
        """Return the SQL of `Encoding.bytes`."""
        assert self.writing is not None, "whoever writes has the schema registered"
        return f"{self.writing.name}({json_of(value, self.type)})"


def encoding(facet: StoredFacet) -> Protobuf:
    """Return the encoding of `Format.encoding`.

    Raises LsqlcError as `schemas_of`.
    """
    schemas, type = schemas_of(facet), facet.type
    reading = protobuf_function("read", reader_arguments(type, schemas))
    if facet.format != "protobuf":
        return Protobuf(type, reading, protobuf_function("write", writer_arguments(type, schemas.reader, None)))
    writing = protobuf_function("write", writer_arguments(type, *schemas.written)) if schemas.written else None
    return Protobuf(type, reading, writing, tuple(schemas.writers), (facet.topic, facet.part), facet.rejected)
