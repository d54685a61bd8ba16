"""A Delta table as the source of a topic: how it is declared, and which columns it has. Pure functions.

`rows: appended` makes a record of each row that a commit appends. `rows: current` makes a record of each change of a
row by its key, and one without a value of each row that is removed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from lsqlc.diagnostics import Diagnostic, Span, did_you_mean, listing
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Field, Map, Struct

Rows = Literal["appended", "current"]
Ignore = Literal["nothing", "deletes", "changes"]

_DECIMAL = re.compile(r"decimal\((\d+),\s*(-?\d+)\)")
_PRIMITIVES = {
    "boolean": data.BOOLEAN, "byte": data.INT, "short": data.INT, "integer": data.INT, "long": data.BIGINT,
    "float": data.FLOAT, "double": data.DOUBLE, "string": data.STRING, "binary": data.BYTES, "date": data.DATE,
    "timestamp": data.TIMESTAMP, "timestamp_ntz": data.TIMESTAMP,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DeltaSource:
    """The declared table of a topic.

    `path`: a path relative to the project, or an address; with a `store`, a path in that store of the target. `key`:
    the columns of the key. `ignore`: the versions that a topic of appended rows passes over. `from_version`: the first
    version whose appended rows are read; None: the rows of the table at the first reading, and later versions.
    `is_declared`: the columns are in the declaration; else in the lock file.
    """

    path: str
    span: Span
    store: str | None = None
    rows: Rows = "appended"
    key: tuple[str, ...] = ()
    ignore: Ignore = "nothing"
    from_version: int | None = None
    is_declared: bool = True

    def writer(self, table_id: str) -> str:
        """Return the name of the writer of a topic's segments, which differs for another table, another key, and other
        rows. `table_id`: the id in the metadata of the table.

        >>> DeltaSource("lake/orders", Span("a.yml", 1, 1, 1, 1)).writer("3e5cba3e-0ed5-4fba-b1dc-7e2d9e1d4c5f")
        'delta_3e5cba3e0ed54fbab1dc7e2d9e1d4c5f_d8f2fcc2'
        """
        table = re.sub(r"[^A-Za-z0-9]", "", table_id)[:40]
        rows = hashlib.sha256(msgspec.json.encode([self.rows, *self.key])).hexdigest()[:8]
        return f"delta_{table}_{rows}"


@dataclass(frozen=True, slots=True)
class TableColumns:
    """The columns of a table. `unfit`: the names of columns whose type no topic has, with the type."""

    columns: Struct
    unfit: Mapping[str, str]


def table_columns(schema: str) -> TableColumns:
    """Return the columns of a Delta schema. `schema`: the JSON text of the Delta protocol.

    >>> str(table_columns('{"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": false}]}').columns)
    'STRUCT<id: BIGINT NOT NULL>'
    """
    fields: list[Field] = []
    unfit: dict[str, str] = {}
    for member in msgspec.json.decode(schema)["fields"]:
        name = member["name"]
        for path, text in _unfit(name, member["type"]):
            unfit[path] = text
        if not any(path == name or path.startswith(f"{name}.") for path in unfit):
            fields.append(Field(name, _type(member["type"]), nullable=member.get("nullable", True)))
    return TableColumns(Struct(tuple(fields)), unfit)


def _unfit(path: str, type: Any) -> Iterator[tuple[str, str]]:
    """Yield the path of each part that has a type without equivalent, with the text of the type."""
    if isinstance(type, str):
        if type not in _PRIMITIVES and not _DECIMAL.fullmatch(type):
            yield path, type
        return
    match type["type"]:
        case "array":
            yield from _unfit(f"{path}.element", type["elementType"])
        case "map":
            yield from _unfit(f"{path}.key", type["keyType"])
            yield from _unfit(f"{path}.value", type["valueType"])
        case "struct":
            for member in type["fields"]:
                yield from _unfit(f"{path}.{member['name']}", member["type"])
        case other:
            yield path, str(other)


def _type(type: Any) -> DataType:
    if isinstance(type, str):
        if numbers := _DECIMAL.fullmatch(type):
            return Decimal(int(numbers[1]), int(numbers[2]))
        return _PRIMITIVES[type]
    if type["type"] == "array":
        return Array(_type(type["elementType"]))
    if type["type"] == "map":
        return Map(_type(type["keyType"]), _type(type["valueType"]))
    return Struct(tuple(Field(m["name"], _type(m["type"]), nullable=m.get("nullable", True)) for m in type["fields"]))


def unfit_columns(topic: str, span: Span, unfit: Mapping[str, str]) -> Diagnostic:
    """Return LSQ611 for columns whose type no topic has."""
    name, type = next(iter(unfit.items()))
    return Diagnostic(
        "LSQ611",
        f"the column '{name}' of the Delta table of '{topic}' has the type {type}, which no topic has",
        span,
        tuple(f"'{name}' is {type}" for name, type in list(unfit.items())[1:]),
        "declare the columns that you need: `value: id BIGINT, name STRING`",
    )


def column_problems(
    topic: str, span: Span, declared: Sequence[Field], table: TableColumns, version: int, *, is_newest: bool
) -> Iterator[Diagnostic]:
    """Yield LSQ611 for each column of a topic that the table does not have, or has with another type.

    `version`: that of `table`. A column may be absent from a version that is not the newest one: then it was added
    later.
    """
    for field in declared:
        of_table = table.columns.field(field.name)
        text = table.unfit.get(field.name)
        if of_table is not None and without_nullability(of_table.type) == without_nullability(field.type):
            continue
        others = [path for path in table.unfit if path.startswith(f"{field.name}.")]
        if of_table is None and text is None and not others:
            if not is_newest:
                continue
            names = [each.name for each in table.columns.fields]
            message = f"the Delta table of '{topic}' has no column '{field.name}' in version {version}"
            help = did_you_mean(field.name, names) or f"the columns are {listing(names)}"
            yield Diagnostic("LSQ611", message, span, help=help)
            continue
        actual = str(of_table.type) if of_table else text or f"a type with {table.unfit[others[0]]}"
        yield Diagnostic(
            "LSQ611",
            f"the column '{field.name}' of the Delta table of '{topic}' is {actual} in version {version}, and"
            f" {field.type} in the topic",
            span,
            help="declare the type of the table, or learn the columns again, `lsqlc compile --lock`; then reload"
            f" it: `lsqlc tables load {topic} --full-refresh`",
        )


def without_nullability(type: DataType) -> DataType:
    """Return a type whose members may all be null.

    >>> str(without_nullability(Struct((Field("a", data.INT, nullable=False),))))
    'STRUCT<a: INT>'
    """
    match type:
        case Struct(fields):
            return Struct(tuple(Field(f.name, without_nullability(f.type)) for f in fields))
        case Array(element):
            return Array(without_nullability(element))
        case Map(key, value):
            return Map(without_nullability(key), without_nullability(value))
    return type
