"""Storage formats of ksqlDB: the columns that each can hold, and the facets of a record with these columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from lsqlc.bind.findings import Findings
from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.diagnostics.source import Extent
from lsqlc.formats.catalogue import ksql_formats
from lsqlc.formats.delimited.format import delimited
from lsqlc.formats.record import KsqlFormat
from lsqlc.plan.windows import WindowType
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Field, Map, Struct, has_map
from lsqlc.types.record import ABSENT, Facet, natural_format

DEFAULT_KEY = "KAFKA"


class NamedType(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def type(self) -> DataType: ...


def check_format(
    format: str, columns: Sequence[NamedType], facet: Literal["key", "value"], at: Extent, findings: Findings
) -> None:
    """Report a format that does not exist, or that cannot hold the columns."""
    format_pair = ksql_formats().get(format)
    if format_pair is None:
        format_names = tuple(ksql_formats())
        help = did_you_mean(format, format_names) or f"known are {listing(format_names)}"
        findings.error("LSQ374", f"unknown format '{format}'", at, help=help)
        return
    _, ksql = format_pair
    match ksql.columns:
        case "none" if columns:
            names = listing(c.name for c in columns)
            findings.error("LSQ365", f"the format {format} cannot hold columns, and the {facet} has {names}", at,
                           help=f"give the {facet} a format, such as KAFKA or JSON")  # fmt: skip
        case "one":
            _check_one(ksql, columns, facet, at, findings)
        case "flat":
            _check_flat(format, columns, facet, at, findings)
        case "any" if facet == "key":
            for column in columns:
                if has_map(column.type):
                    findings.error(
                        "LSQ365", f"the key column '{column.name}' is {column.type}: a key cannot contain a MAP", at
                    )


def _check_one(
    format: KsqlFormat, columns: Sequence[NamedType], facet: str, at: Extent, findings: Findings
) -> None:  # fmt: skip
    names = listing(c.name for c in columns)
    if len(columns) > 1:
        findings.error("LSQ365", f"the format {format.name} can only hold one column, and the {facet} has {names}", at,
                       help=f"choose another: WITH ({facet.upper()}_FORMAT = 'JSON')")  # fmt: skip
        return
    for column in columns:
        if column.type not in format.types:
            message = f"the format {format.name} cannot hold {column.type}, the type of '{column.name}'"
            findings.error("LSQ365", message, at, notes=(f"it holds {_all(format.types)}",),
                           help=f"choose another: WITH ({facet.upper()}_FORMAT = 'JSON')")  # fmt: skip


def _all(types: Sequence[DataType]) -> str:
    *others, last = map(str, types)
    return f"{', '.join(others)} and {last}"


def is_compound(type: DataType) -> bool:
    """Return whether a type has parts, which DELIMITED cannot hold."""
    return isinstance(type, Array | Map | Struct)


def _check_flat(format: str, columns: Sequence[NamedType], facet: str, at: Extent, findings: Findings) -> None:
    for column in columns:
        if is_compound(column.type):
            findings.error("LSQ365", f"the format {format} cannot hold {column.type}, the type of '{column.name}'", at,
                           help=f"choose another: WITH ({facet.upper()}_FORMAT = 'JSON')")  # fmt: skip


def facets(
    keys: Sequence[NamedType],
    values: Sequence[NamedType],
    window: WindowType | None,
    key_format: str,
    value_format: str,
    delimiters: tuple[str, str],
) -> tuple[Facet, Facet]:
    """Return columns as the facets of a record: one key column bare, several a struct; the values always a struct.

    `delimiters`: those of the key and the value, if their format is DELIMITED.
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


def ksql_format(name: str) -> KsqlFormat:
    """Return the rules of ksqlDB for a format, by its name there. An unknown name, which has an error, allows
    everything.
    """
    format_pair = ksql_formats().get(name)
    return format_pair[1] if format_pair else KsqlFormat(name=name)


def stored_as(format: str, type: DataType, delimiter: str) -> str:
    """Return the plan's name of a format: KAFKA is the format of the primitive, DELIMITED has its delimiter."""
    format_pair = ksql_formats().get(format)
    if format_pair is None:
        return format.lower()
    stored, ksql = format_pair
    if ksql.has_delimiter:
        return delimited(delimiter)
    if ksql.columns == "one":
        return stored.name if type == data.NULL else natural_format(type)
    return stored.name
