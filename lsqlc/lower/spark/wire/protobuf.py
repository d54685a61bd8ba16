"""Protobuf in the wire format of schema registries: read and written by Python functions of the session.

Spark's own `from_protobuf` is in a module that a server rarely has and that knows no message indexes. Instead a
function is registered with the session under a name that says what it does (`remote/topics/kafka/functions`), and
called by that name: so the text of the SQL is the same for the same schemas. It gives JSON text, or a text that begins
with `FAULT` and says why the bytes have no value; the rest is as for JSON.

Spark evaluates no function of Python inside of a lambda. Whoever calls one stands outside of all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from lsqlc.functions.forms.json_values import json_of
from lsqlc.lower.spark.wire.encodings import CallsPython, Windowed, unknown_id
from lsqlc.lower.spark.wire.json_text import json_outcome
from lsqlc.lower.spark.wire.records import Wires
from lsqlc.sql.spark import text
from lsqlc.types.data import DataType

# As `formats/protobuf/wire` has it, which names nothing of this package.
FAULT = "!"
# How an error begins about a value that a schema has no place for; the clause follows.
UNWRITABLE = "LSQLC-VALUE"


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """A function of the session. `kind`: `read`, from BINARY to STRING, or `write`, from STRING to BINARY; `arguments`:
    of what makes it, plain data.
    """

    kind: Literal["read", "write"]
    arguments: tuple[Any, ...]

    @property
    def name(self) -> str:
        """The same for the same function."""
        return f"lsqlc_protobuf_{hashlib.sha256(repr((self.kind, self.arguments)).encode()).hexdigest()[:16]}"


@dataclass(frozen=True, slots=True)
class Protobuf(CallsPython):
    """Protobuf, behind the id of a schema where it is of a registry. `reading`: how records are read; `writing`: how
    they are written; None: nothing is. `writers`: the ids of the schemas that the topic's records were written with;
    `place` and `rejected` as of `Avro`.
    """

    type: DataType
    reading: PythonFunction
    writing: PythonFunction | None = None
    writers: tuple[int, ...] = ()
    place: tuple[str, str] = ("", "")
    rejected: frozenset[int] | None = None

    def read(self, column: str) -> str:
        """As `Encoding.read`."""
        return json_outcome(*self.parts(column))

    def parts(self, column: str) -> tuple[str, str]:
        """As `Encoding.parts`: the function is called once, whatever asks for what it gives."""
        found = f"{self.reading.name}({column})"
        is_fault = f"startswith({found}, {text(FAULT)})"
        fault = f"if({is_fault}, substring({found}, {len(FAULT) + 1}), NULL)"
        if self.rejected is not None:
            fault = unknown_id(column, self.place, (*self.writers, *self.rejected), fault)
        return f"if({is_fault}, NULL, {found})", fault

    def bytes(self, value: str) -> str:
        """As `Encoding.bytes`."""
        assert self.writing is not None, "whoever writes has the schema registered"
        return f"{self.writing.name}({json_of(value, self.type)})"


def python_functions(wires: Wires) -> tuple[PythonFunction, ...]:
    """The functions that reading and writing topics calls, each once."""
    return tuple({function.name: function for function in _functions(wires)}.values())


def _functions(wires: Wires) -> Iterator[PythonFunction]:
    for wire in wires.values():
        for encoding in (wire.key, wire.value):
            inner = encoding.inner if isinstance(encoding, Windowed) else encoding
            if isinstance(inner, Protobuf):
                yield inner.reading
                if inner.writing is not None:
                    yield inner.writing
