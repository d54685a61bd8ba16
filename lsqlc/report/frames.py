"""Records as tables of other libraries, and as text and HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct
from lsqlc.types.record import Record, StoredRecord, Topic

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

# Rows of a notebook's table, and width of a line of text.
_ROWS = 50
_WIDTH = 120


class Records(list[Any]):
    """The records of a topic, or the rows of a TABLE: a list of `Record` with the `topic` that has their schema.

    As a table it has the column `_key`, and those of the value by name (`_value` for a value without fields). It also
    has `_timestamp`, and `_headers` if a record has any. A tombstone has null in all columns of the value. A field with
    one of these names has the prefix `_value.`.
    """

    def __init__(
        self,
        topic: Topic,
        records: Iterable[Record | StoredRecord] = (),
        *,
        times: bool = True,
        total: int | None = None,
    ) -> None:
        """Create the list.

        `times` False: the rows of a TABLE, printed without times. `total`: the number of all records, if these are only
        some.
        """
        super().__init__(records)
        self.topic = topic
        self._times = times
        self._total = total

    def to_arrow(self) -> pyarrow.Table:
        """Return an Arrow table with the types of the schema.

        Raises LsqlcError LSQ694 without the package pyarrow.
        """
        arrow = package("pyarrow")
        columns: dict[str, tuple[DataType, list[Any]]] = {}
        key, value = self.topic.key.type, self.topic.value.type
        if key != data.NULL:
            columns["_key"] = key, [record.key for record in self]
        if isinstance(value, Struct):
            for field in value.fields:
                name = f"_value.{field.name}" if field.name in ("_key", "_timestamp", "_headers") else field.name
                columns[name] = field.type, [(record.value or {}).get(field.name) for record in self]
        elif value != data.NULL:
            columns["_value"] = value, [record.value for record in self]
        arrays = {name: arrow_array(type, cells, arrow) for name, (type, cells) in columns.items()}
        times = arrow.array([record.timestamp for record in self], arrow.int64())
        arrays["_timestamp"] = times.cast(arrow.timestamp("ms", tz="UTC"))
        if any(record.headers for record in self):
            pair = arrow.struct([("key", arrow.string()), ("value", arrow.binary())])
            headers = [[{"key": k, "value": v} for k, v in record.headers or ()] for record in self]
            arrays["_headers"] = arrow.array(headers, arrow.list_(pair))
        return arrow.table(arrays)

    def to_pandas(self) -> pandas.DataFrame:
        """Return a pandas data frame. Raises LsqlcError LSQ694 without the packages pandas and pyarrow."""
        package("pandas", "pyarrow")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """Return a Polars data frame. Raises LsqlcError LSQ694 without the packages polars and pyarrow."""
        frames = package("polars", "pyarrow")
        frame: polars.DataFrame = frames.from_arrow(self.to_arrow())
        return frame

    def __str__(self) -> str:
        from lsqlc.report.tables import records_text

        return records_text(self.topic, self, width=_WIDTH, times=self._times, total=self._total)

    def _repr_html_(self) -> str:
        from lsqlc.report.tables import record_columns

        visible = self[:_ROWS]
        columns = tuple(record_columns(self.topic, visible, self._times)) if visible else ()
        head = "".join(f"<th>{escape(column.heading)}</th>" for column in columns)
        rows = zip(*(column.cells for column in columns), strict=True)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
        more = f", of which {_ROWS} are shown" if len(self) > _ROWS else ""
        count = f"{len(self):,} {'record' if len(self) == 1 else 'records'}{more}"
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if visible else ""
        return f"<div><p><code>{escape(self.topic.name)}</code>: {count}</p>{table}</div>"


def arrow_array(type: DataType, cells: Iterable[Any], arrow: Any) -> Any:
    """Return values of a type as an array of Arrow. `arrow`: the package."""
    return arrow.array([_plain(type, cell) for cell in cells], _arrow_type(type, arrow))


def package(*names: str) -> Any:
    """Import the first of some packages. All of them must be installed."""
    missing = []
    for name in names:
        try:
            import_module(name)
        except ImportError:
            missing.append(name)
    if missing:
        lacking = " and ".join(f"'{name}'" for name in missing)
        noun = "package" if len(missing) == 1 else "packages"
        message = f"a table of {names[0]} requires the {noun} {lacking}"
        raise LsqlcError([Diagnostic("LSQ694", message, help=f"pip install {' '.join(missing)}")])
    return import_module(names[0])


def _arrow_type(type: DataType, arrow: Any) -> Any:
    """Return the Arrow type for values of a type."""
    match type:
        case Decimal(precision=precision, scale=scale):
            return arrow.decimal128(precision, scale)
        case Array(element=element):
            return arrow.list_(_arrow_type(element, arrow))
        case Map(key=key, value=value):
            return arrow.map_(_arrow_type(key, arrow), _arrow_type(value, arrow))
        case Struct(fields=fields):
            return arrow.struct([arrow.field(f.name, _arrow_type(f.type, arrow)) for f in fields])
    return {
        "NULL": arrow.null(),
        "BOOLEAN": arrow.bool_(),
        "INT": arrow.int32(),
        "BIGINT": arrow.int64(),
        "FLOAT": arrow.float32(),
        "DOUBLE": arrow.float64(),
        "STRING": arrow.string(),
        "BYTES": arrow.binary(),
        "DATE": arrow.date32(),
        "TIME": arrow.time64("us"),
        "TIMESTAMP": arrow.timestamp("us", tz="UTC"),
    }[str(type)]


def _plain(type: DataType, value: Any) -> Any:
    """Convert a value for Arrow: a map becomes a list of pairs."""
    if value is None:
        return None
    if isinstance(type, Map):
        return [(_plain(type.key, k), _plain(type.value, v)) for k, v in value.items()]
    if isinstance(type, Array):
        return [_plain(type.element, element) for element in value]
    if isinstance(type, Struct):
        return {field.name: _plain(field.type, value.get(field.name)) for field in type.fields}
    return value
