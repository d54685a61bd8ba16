"""Rows of a table as Arrow data, and back. TIME is a number of microseconds in a record, and a time of day in Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, time
from typing import TYPE_CHECKING, Any

from lsqlc.sql.duckdb import quoted
from lsqlc.tables.changes import LastVersion
from lsqlc.tables.schema import TableColumn
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct

if TYPE_CHECKING:
    import pyarrow


def arrow_type(type: DataType, *, has_time: bool = True) -> pyarrow.DataType:
    """Return the Arrow type of a type that topics have.

    `has_time`: whether the store has times of day; else TIME is a number of microseconds.
    """
    import pyarrow as pa

    def inner(part: DataType) -> pyarrow.DataType:
        return arrow_type(part, has_time=has_time)

    match type:
        case Decimal(precision, scale):
            return pa.decimal128(precision, scale)
        case Array(element):
            return pa.list_(inner(element))
        case Map(key, value):
            return pa.map_(inner(key), inner(value))
        case Struct(fields):
            return pa.struct([pa.field(f.name, inner(f.type)) for f in fields])
    of_primitive = {
        data.BOOLEAN: pa.bool_(), data.INT: pa.int32(), data.BIGINT: pa.int64(), data.FLOAT: pa.float32(),
        data.DOUBLE: pa.float64(), data.STRING: pa.string(), data.BYTES: pa.binary(), data.DATE: pa.date32(),
        data.TIME: pa.time64("us") if has_time else pa.int64(), data.TIMESTAMP: pa.timestamp("us", "UTC"),
    }  # fmt: skip
    return of_primitive[type]


def arrow_schema(columns: Sequence[TableColumn], *, has_time: bool = True) -> pyarrow.Schema:
    """Return the Arrow schema of some columns, all of which may be null. `has_time`: as of `arrow_type`."""
    import pyarrow as pa

    return pa.schema([pa.field(c.name, arrow_type(c.type, has_time=has_time)) for c in columns])


def arrow_table(
    columns: Sequence[TableColumn], rows: Sequence[Sequence[Any]], *, has_time: bool = True
) -> pyarrow.Table:
    """Return rows as an Arrow table with the schema of `arrow_schema`."""
    import pyarrow as pa

    schema = arrow_schema(columns, has_time=has_time)
    by_column: Iterable[Sequence[Any]] = zip(*rows, strict=True) if rows else ([],) * len(columns)
    arrays = []
    for column, field, values in zip(columns, schema, by_column, strict=True):
        convert = to_arrow(column.type)
        arrays.append(pa.array([*map(convert, values)] if convert else list(values), field.type))
    return pa.Table.from_arrays(arrays, schema=schema)


def fields_of(schema: Any) -> list[pyarrow.Field]:
    """Return the fields of a schema that can be exported to Arrow."""
    import pyarrow as pa

    return list(pa.schema(schema))


def type_text(type: pyarrow.DataType) -> str:
    """Return an Arrow type as text, without names and nullability of what is inside of lists and maps."""
    import pyarrow as pa

    if pa.types.is_struct(type):
        return f"struct<{', '.join(f'{each.name}: {type_text(each.type)}' for each in type)}>"
    if pa.types.is_map(type):
        return f"map<{type_text(type.key_type)}, {type_text(type.item_type)}>"
    if pa.types.is_list(type) or pa.types.is_large_list(type):
        return f"list<{type_text(type.value_type)}>"
    return str(type).removeprefix("large_")


def rows_of(columns: Sequence[TableColumn], table: pyarrow.Table) -> Iterator[tuple[Any, ...]]:
    """Return the rows of an Arrow table that has these columns, as Python values in the form of records."""
    if not columns:
        return iter(())
    values = []
    for column in columns:
        convert = from_arrow(column.type)
        read = table.column(column.name).to_pylist()
        values.append(list(map(convert, read)) if convert else read)
    return zip(*values, strict=True)


Convert = Callable[[Any], Any] | None


def to_arrow(type: DataType) -> Convert:
    """Return a function from a value of a record to one that pyarrow takes for the type. None: it takes the value
    itself. Null is null.
    """

    def entries(key: Convert, value: Convert) -> Convert:
        of_key, of_value = key or _same, value or _same
        return lambda v: None if v is None else [(of_key(k), of_value(e)) for k, e in v.items()]

    return _converter(type, entries, {})


def from_arrow(type: DataType) -> Convert:
    """Return a function from a value of pyarrow to that of a record; None where both are the same."""

    def mapping(key: Convert, value: Convert) -> Convert:
        of_key, of_value = key or _same, value or _same
        return lambda v: None if v is None else {of_key(k): of_value(e) for k, e in v}

    return _converter(type, mapping, {data.TIME: _microseconds, data.TIMESTAMP: _in_utc})


def _converter(
    type: DataType, of_map: Callable[[Convert, Convert], Convert], of_primitive: Mapping[DataType, Convert]
) -> Convert:
    match type:
        case Array(element):
            inner = _converter(element, of_map, of_primitive)
            return None if inner is None else lambda v: None if v is None else [*map(inner, v)]
        case Struct(fields):
            by_name = {f.name: c for f in fields if (c := _converter(f.type, of_map, of_primitive)) is not None}
            return None if not by_name else lambda v: None if v is None else _replaced(v, by_name)
        case Map(key, value):
            return of_map(_converter(key, of_map, of_primitive), _converter(value, of_map, of_primitive))
    return of_primitive.get(type)


def _microseconds(value: time | int | None) -> int | None:
    if not isinstance(value, time):
        return value
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond


def _in_utc(time: Any) -> Any:
    return None if time is None else time.astimezone(UTC)


def _same(value: Any) -> Any:
    return value


def _replaced(value: dict[str, Any], by_name: dict[str, Callable[[Any], Any]]) -> dict[str, Any]:
    return {name: by_name[name](each) if name in by_name else each for name, each in value.items()}


def last_versions(
    columns: Sequence[TableColumn], table: pyarrow.Table, keys: Sequence[tuple[Any, ...]]
) -> list[tuple[tuple[Any, ...], LastVersion]]:
    """Return the newest version of each key. `table`: the `columns` of the key, followed by the start and the end of
    each version. DuckDB joins them: Arrow's own join takes no null for equal to another one.
    """
    import duckdb

    *key, start, end = columns
    names = [quoted(column.name) for column in key]
    same = " AND ".join(f"t.{name} IS NOT DISTINCT FROM k.{name}" for name in names)
    parts = ", ".join(f"t.{name}" for name in names)
    first, last = quoted(start.name), quoted(end.name)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("t", table)
        connection.register("k", arrow_table(key, keys, has_time=_has_time(table)))
        result = connection.sql(
            f"SELECT {parts}, epoch_ms(max(coalesce(t.{last}, t.{first}))), bool_or(t.{last} IS NULL) "
            f"FROM t SEMI JOIN k ON {same} GROUP BY {parts}"
        ).to_arrow_table()
    *key_columns, times, current = result.columns
    rows = rows_of(key, result.select(range(len(key_columns))))
    return [
        (row, LastVersion(time, is_current))
        for row, time, is_current in zip(rows, times.to_pylist(), current.to_pylist(), strict=True)
    ]


def _has_time(table: pyarrow.Table) -> bool:
    import pyarrow as pa

    return any(pa.types.is_time(field.type) for field in table.schema)
