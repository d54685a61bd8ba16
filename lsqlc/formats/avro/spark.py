"""Avro in the wire format of schema registries: a byte 0, four bytes of the schema's id, and the body.

`from_avro` and `to_avro` are Spark's own (module spark-avro). A schema is wrapped in a record of one field, whose body
is the body of that field: so a value of any type is read and written in one way, and the reader's schema can have a
field that is never written. Its default shows that the whole body was read: in mode PERMISSIVE a corrupt body becomes a
record of nulls, which is otherwise a valid record. FAILFAST cannot be used over Spark Connect: the error of a truncated
body has no message, and Spark 4.3 fails to send such an error to its client.

Bytes behind the end of a body are ignored, as by the clients of registries.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from lsqlc.formats.avro.positions import by_position
from lsqlc.formats.avro.spark_values import faults_of, read_as, written_as
from lsqlc.formats.avro.tree import Avro, Member, avro_json, avro_tree
from lsqlc.formats.encoding import Encoding, Fault, head, head_faults, outcome, unknown_id
from lsqlc.formats.registered import BROKEN
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.functions.forms.json_values import json_of
from lsqlc.sql.spark import struct, text
from lsqlc.types.data import DataType

# Spark reads these as types of the language. All other logical types are read as their underlying type.
_LOGICAL = ("decimal", "date", "timestamp-millis", "timestamp-micros")


@dataclass(frozen=True, slots=True)
class AvroEncoding(Encoding):
    """Avro behind the id of a schema in a registry. `reader`: the reader's schema; `writers`: the schemas of the
    topic's records, by id; `written`: the schema of new records, and its id; None: none are written.

    `place`: topic and facet. `rejected`: ids that no schema has; a record with such an id is a bad record. Another
    unknown id fails the query with `UNKNOWN_ID`, so that the registry is asked for it. None: all unknown ids are
    rejected.
    """

    type: DataType
    reader: str
    writers: Mapping[int, str] = field(default_factory=dict)
    written: tuple[str, int] | None = None
    place: tuple[str, str] = ("", "")
    rejected: frozenset[int] | None = None

    def read(self, column: str) -> str:
        decoded_column = decoded(column, self.type, self.reader, self.writers)
        fault = "_a.fault"
        if self.rejected is not None:
            fault = unknown_id(column, self.place, (*self.writers, *self.rejected), fault)
        return f"get(transform(array({decoded_column}), _a -> {outcome(json_of('_a.value', self.type), fault)}), 0)"

    def bytes(self, value: str) -> str:
        assert self.written is not None, "whoever writes has the schema registered"
        return encoded(value, self.type, *self.written)


def decoded(column: str, type: DataType, reader: str, writers: Mapping[int, str]) -> str:
    """SQL for `STRUCT<value: type, fault: STRING>` of a BINARY column: the value, or the `fault` that explains why
    the bytes have no value: NO_MAGIC, BROKEN, or a clause with the unknown id or with the field. NULL gives NULL.

    `reader`: the reader's schema, which has the fields of `type`, by their names or else by their names in another
    case. `writers`: the schemas of the topic's records, by id. No schema has references (`tree.canonical`). Raises
    AvroError, and ValueError for a type that does not match the reader's schema.
    """
    read = avro_tree(reader)
    faults = head_faults(column, writers)
    if not writers:
        return _outcome(column, f"CAST(NULL AS {type_text('spark', type)})", faults)
    faults.append(("_r.ok IS NULL", text(BROKEN)))
    faults += ((condition, text(why)) for condition, why in faults_of("_r.v", type, read))
    options = f"map('mode', 'PERMISSIVE', 'avroSchema', {_schema(read, ok=True)})"
    branches = (
        f"WHEN {head(id)} THEN from_avro(substring({column}, 6), {_schema(avro_tree(schema), read)}, {options})"
        for id, schema in sorted(writers.items())
    )
    # Taken from an array of one, so that the body is read once whatever asks for its parts.
    body = f"array(CASE substring({column}, 1, 5) {' '.join(branches)} END)"
    return f"get(transform({body}, _r -> {_outcome(column, read_as('_r.v', type, read), faults)}), 0)"


def encoded(value: str, type: DataType, schema: str, id: int) -> str:
    """SQL for the bytes of a value, with the schema's id; NULL of a NULL. Each part is converted to exactly the type
    of the schema; times of a higher precision are truncated. The query fails for a value that the schema does not
    allow: a null, a text that is no symbol of an enum, or bytes of another length than that of a fixed.

    Raises AvroError, and ValueError for a type that the schema cannot hold.
    """
    tree = avro_tree(schema)
    wrapped = struct((("v", written_as(value, type, tree)),))
    return f"if({value} IS NULL, NULL, concat({head(id)}, to_avro({wrapped}, {_schema(tree)})))"


def _outcome(column: str, value: str, faults: Iterable[Fault]) -> str:
    """Return SQL of `STRUCT<value, fault: STRING>`: the first fault of the value, which is null then; NULL for NULL."""
    cases = " ".join(f"WHEN {condition} THEN {why}" for condition, why in faults)
    result = struct((("value", f"if(_f IS NULL, {value}, NULL)"), ("fault", "_f")))
    return f"if({column} IS NULL, NULL, get(transform(array(CASE {cases} END), _f -> {result}), 0))"


def _schema(schema: Avro, reader: Avro | None = None, *, ok: bool = False) -> str:
    """Return the literal of a schema in its record. `reader`: the reader's schema; `ok`: with the field that is never
    written.
    """
    marks = (Member("ok", Avro("boolean"), default=(True,)),) if ok else ()
    wrapped = Avro("record", "lsqlc.wire.Facet", members=(Member("v", _known(by_position(schema, reader))), *marks))
    return text(json.dumps(avro_json(wrapped), ensure_ascii=False))


def _known(schema: Avro) -> Avro:
    """Return the schema without the logical types that Spark reads as other types."""
    return replace(
        schema,
        logical=schema.logical if schema.logical in _LOGICAL else "",
        members=tuple(replace(member, schema=_known(member.schema)) for member in schema.members),
        inner=tuple(map(_known, schema.inner)),
    )
