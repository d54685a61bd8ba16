"""Storage formats of ksqlDB: what each can hold, and how columns become the facets of a record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from lsqlc.bind.findings import Findings
from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.diagnostics.source import Extent
from lsqlc.formats.names import delimited
from lsqlc.plan.windows import WindowType
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Field, Map, Struct, has_map
from lsqlc.types.record import ABSENT, Facet, natural_format

DEFAULT_KEY = "KAFKA"
# Of DELIMITED.
DEFAULT_DELIMITER = ","
FORMATS = ("JSON", "JSON_SR", "AVRO", "PROTOBUF", "PROTOBUF_NOSR", "DELIMITED", "KAFKA", "NONE")
_KAFKA: tuple[DataType, ...] = (data.INT, data.BIGINT, data.DOUBLE, data.STRING, data.BYTES)


class NamedType(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def type(self) -> DataType: ...


def check_format(
    format: str, columns: Sequence[NamedType], facet: Literal["key", "value"], at: Extent, findings: Findings
) -> None:
    """Report a format that does not exist, or that cannot hold the columns."""
    if format not in FORMATS:
        help = did_you_mean(format, FORMATS) or f"known are {listing(FORMATS)}"
        findings.error("LSQ374", f"unknown format '{format}'", at, help=help)
    elif format == "NONE" and columns:
        names = listing(c.name for c in columns)
        findings.error("LSQ365", f"the format NONE cannot hold columns, and the {facet} has {names}", at,
                       help=f"give the {facet} a format, such as KAFKA or JSON")  # fmt: skip
    elif format == "KAFKA":
        _check_kafka(columns, facet, at, findings)
    elif format == "DELIMITED":
        _check_flat(columns, facet, at, findings)
    elif facet == "key":
        for column in columns:
            if has_map(column.type):
                findings.error(
                    "LSQ365", f"the key column '{column.name}' is {column.type}: a key cannot contain a MAP", at
                )


def _check_kafka(columns: Sequence[NamedType], facet: str, at: Extent, findings: Findings) -> None:
    names = listing(c.name for c in columns)
    if len(columns) > 1:
        findings.error("LSQ365", f"the format KAFKA can only hold one column, and the {facet} has {names}", at,
                       help=f"choose another: WITH ({facet.upper()}_FORMAT = 'JSON')")  # fmt: skip
        return
    for column in columns:
        if column.type not in _KAFKA:
            findings.error("LSQ365", f"the format KAFKA cannot hold {column.type}, the type of '{column.name}'", at,
                           notes=("it holds INT, BIGINT, DOUBLE, STRING and BYTES",),
                           help=f"choose another: WITH ({facet.upper()}_FORMAT = 'JSON')")  # fmt: skip


def is_compound(type: DataType) -> bool:
    """Whether a type has parts, which DELIMITED holds none of."""
    return isinstance(type, Array | Map | Struct)


def _check_flat(columns: Sequence[NamedType], facet: str, at: Extent, findings: Findings) -> None:
    for column in columns:
        if is_compound(column.type):
            findings.error("LSQ365", f"the format DELIMITED cannot hold {column.type}, the type of '{column.name}'", at,
                           help=f"choose another: WITH ({facet.upper()}_FORMAT = 'JSON')")  # fmt: skip


def facets(
    keys: Sequence[NamedType],
    values: Sequence[NamedType],
    window: WindowType | None,
    key_format: str,
    value_format: str,
    delimiters: tuple[str, str],
) -> tuple[Facet, Facet]:
    """Columns as the facets of a record: one key column bare, several a struct; the values always a struct.
    `delimiters`: of the key and the value, where their format is DELIMITED.
    """
    value = Facet(struct(values), stored_as(value_format, data.NULL, delimiters[1]))
    if not keys:
        return ABSENT, value
    type: DataType = keys[0].type if len(keys) == 1 else struct(keys)
    format = stored_as(key_format, type, delimiters[0])
    if window is None:
        return Facet(type, format), value
    bounds = (Field("start", data.BIGINT, False), Field("end", data.BIGINT, False))
    return Facet(Struct((Field("key", type), *bounds)), f"{window.format}[{format}]"), value


def struct(columns: Sequence[NamedType]) -> Struct:
    return Struct(tuple(Field(c.name, c.type) for c in columns))


def stored_as(format: str, type: DataType, delimiter: str) -> str:
    """The plan's name of a format: KAFKA is a primitive as itself, DELIMITED has its delimiter."""
    if format == "DELIMITED":
        return delimited(delimiter)
    if format == "KAFKA":
        return "kafka" if type == data.NULL else natural_format(type)
    return {"NONE": "null"}.get(format, format.lower())
