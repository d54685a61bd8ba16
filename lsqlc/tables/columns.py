"""The changes of a part of a log as Arrow data, read from its JSON lines without a record for each.

Values have exactly the meaning that `connectors.lines` gives them. That reader takes each part that has a line in
another form than lsqlc writes: with other fields than those that are declared, without some of them, or with a time in
an unusual form. It also reports the problems of such lines. So this reader may reject too much, and never too little.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from lsqlc.connectors.transport import Lines
from lsqlc.tables import arrow
from lsqlc.tables.changes import Change, comparable
from lsqlc.tables.schema import TableColumn, TableSchema
from lsqlc.types import codec, data
from lsqlc.types.codec import ValueProblems
from lsqlc.types.codec_json import MAX_DEPTH
from lsqlc.types.codec_text import BIGINT_RANGE
from lsqlc.types.data import DataType, Decimal, Struct
from lsqlc.types.record import LATEST, Facet

if TYPE_CHECKING:
    import pyarrow

# Names that msgspec does not take.
_ODD_NAME = re.compile(r'["\\\x00-\x1f]')
_BIGINT: Any = Annotated[int, msgspec.Meta(ge=BIGINT_RANGE[0], le=BIGINT_RANGE[1])]
_TIME: Any = Annotated[int, msgspec.Meta(ge=0, le=LATEST)]
_DAY = r"(?:[1-9]\d{3}|0[1-9]\d\d|00[1-9]\d|000[1-9])-\d\d-\d\d"
_TIMESTAMP = rf"^{_DAY}T\d\d:\d\d:\d\d(?:\.\d{{1,6}})?Z$"
# A field is inside of its key or value.
_DEPTH = MAX_DEPTH - 1


Action = Literal["insert", "upsert", "delete"]


@dataclass(frozen=True, slots=True)
class ColumnChanges:
    """Changes as Arrow data. `rows`: the columns of the table, in their order; `actions`: what to do with each row, the
    deletions last. Iterated, they are changes of one row each. `records`: how many were read; `keyless`: how many of
    them are no rows, since they have no key.
    """

    columns: tuple[TableColumn, ...]
    rows: pyarrow.Table
    actions: Sequence[Action]
    records: int
    keyless: int

    def __len__(self) -> int:
        return len(self.actions)

    def __iter__(self) -> Iterator[Change]:
        rows = arrow.rows_of(self.columns, self.rows)
        return (Change(action, row) for action, row in zip(self.actions, rows, strict=True))


Changes = Sequence[Change] | ColumnChanges
"""The changes that a store applies."""

ColumnReader = Callable[[Sequence[Lines]], ColumnChanges | None]
"""Returns the changes of lines; None if one of them is in another form than lsqlc writes."""


def changes_table(schema: TableSchema, changes: Changes, *, has_time: bool) -> tuple[pyarrow.Table, Sequence[str]]:
    """Return the rows of changes with the schema of `arrow.arrow_schema`, and what to do with each. `has_time`: as of
    `arrow.arrow_type`; those that are Arrow data have been read with it.
    """
    if isinstance(changes, ColumnChanges):
        return changes.rows, changes.actions
    rows = [change.row for change in changes]
    return arrow.arrow_table(schema.columns, rows, has_time=has_time), [change.action for change in changes]


def column_reader(schema: TableSchema, *, has_time: bool) -> ColumnReader | None:
    """Return the reader of a table; None where its topic, or what it keeps, needs a record for each line. `has_time`:
    as of `arrow.arrow_type`.
    """
    topic = schema.topic
    columns = [column for column in schema.columns if len(column.path) <= 1 and not column.is_bound]
    if schema.keep == "history" or len(columns) < len(schema.columns) or topic.event_time is not None:
        return None
    try:
        key, value = _reading(topic.key, has_time), _reading(topic.value, has_time)
    except _Unfit:
        return None
    ordinal: Any = _BIGINT if topic.ordinal_width == 1 else Annotated[list[_BIGINT], msgspec.Meta(min_length=1)]
    line = _struct({"ordinal": ordinal, "timestamp": _TIME, "key": key.type, "value": value.type})
    return _Reader(schema, key, value, msgspec.json.Decoder(line), has_time).read


class _Unfit(Exception):
    """A value in another form than lsqlc writes, or of a type that this reader lacks."""


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A column. `type`: as msgspec reads it. `array`: Arrow data of such values; `colons`: how many colons their JSON
    has.
    """

    type: Any
    array: Callable[[list[Any]], pyarrow.Array]
    colons: Callable[[list[Any]], int] = lambda values: 0


@dataclass(frozen=True, slots=True)
class _Reading:
    """A key or a value. `type`: as msgspec reads it. `leaves`: its columns by the names of fields; a facet that is one
    column has the name "". `attributes`: those of the type, by the names of fields.
    """

    type: Any
    leaves: dict[str, _Leaf]
    attributes: dict[str, str]

    def values(self, facets: list[Any]) -> dict[str, list[Any]]:
        """Return the values of each column, which are None where the facet is."""
        if not self.attributes:
            return dict.fromkeys(self.leaves, facets)
        getters = {name: attrgetter(attribute) for name, attribute in self.attributes.items()}
        if any(facet is None for facet in facets):
            return {name: [None if f is None else get(f) for f in facets] for name, get in getters.items()}
        return {name: list(map(get, facets)) for name, get in getters.items()}

    def colons(self, values: dict[str, list[Any]], present: int) -> int:
        """Return how many colons the JSON of `present` facets has, and of no others, if each name is there once."""
        names = sum(1 + name.count(":") for name in self.attributes)
        return present * names + sum(leaf.colons(values[name]) for name, leaf in self.leaves.items())


@dataclass(frozen=True, slots=True)
class _Reader:
    """`key`, `value` and `decoder`: how lines are read. `has_time`: as of `column_reader`."""

    schema: TableSchema
    key: _Reading
    value: _Reading
    decoder: msgspec.json.Decoder[Any]
    has_time: bool

    def read(self, parts: Sequence[Lines]) -> ColumnChanges | None:
        """Implement `ColumnReader`."""
        try:
            # Colons are counted, and could be escaped.
            if any(b"\\" in part.content and b"\\u003" in part.content for part in parts):
                return None
            lines = [line for part in parts for line in self._lines(part)]
            return self._changes(lines, sum(part.content.count(b":") for part in parts))
        except (_Unfit, ValueProblems, msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError):
            return None

    def _lines(self, part: Lines) -> list[Any]:
        """Return the lines in the order of their records."""
        texts = part.content.split(b"\n")
        if not texts[-1]:
            texts.pop()
        lines = list(map(self.decoder.decode, texts))
        return lines if part.is_ordered else sorted(lines, key=attrgetter("ordinal"))

    def _changes(self, lines: list[Any], colons: int) -> ColumnChanges:
        """Return the changes of lines with so many colons. All lines are read, also those that change nothing."""
        keys, values = [line.key for line in lines], [line.value for line in lines]
        live = [n for n, value in enumerate(values) if value is not None]
        keyless = sum(key is None for key in keys)
        of_key, of_value = self.key.values(keys), self.value.values(values)
        # Each name is there, so that there are more colons if one is there twice.
        names = self.key.colons(of_key, len(lines) - keyless) + self.value.colons(of_value, len(live))
        if colons != names + 4 * len(lines):
            raise _Unfit
        rows = self._rows(of_key, of_value, live)
        if self.schema.keep == "all":
            return self._selected(rows, live, [], "insert", 0)
        newest = self._newest(rows, keys, keyless)
        live, deleted = [n for n in newest if values[n] is not None], [n for n in newest if values[n] is None]
        return self._selected(rows, live, deleted, "upsert", keyless)

    def _selected(
        self, rows: pyarrow.Table, live: list[int], deleted: list[int], action: Action, keyless: int
    ) -> ColumnChanges:
        import pyarrow as pa

        indexes = [*live, *deleted]
        changed = rows if indexes == list(range(rows.num_rows)) else rows.take(pa.array(indexes, pa.int64()))
        deletions: list[Action] = ["delete"] * len(deleted)
        actions: list[Action] = [action] * len(live)
        return ColumnChanges(self.schema.columns, changed, actions + deletions, rows.num_rows, keyless)

    def _rows(self, of_key: dict[str, list[Any]], of_value: dict[str, list[Any]], live: list[int]) -> pyarrow.Table:
        """Return the row of each line, which is null where its key or its value is. `live`: the lines with a value."""
        import pyarrow as pa

        arrays: list[pyarrow.Array] = []
        indexes = pa.array(live, pa.int64())
        for column in self.schema.columns:
            name = column.path[0] if column.path else ""
            is_key = column.facet == "key"
            reading, values = (self.key, of_key) if is_key else (self.value, of_value)
            arrays.append(reading.leaves[name].array(values[name]))
            if column.is_copied:
                copy = self.value.leaves[column.name].array(of_value[column.name])
                if not copy.take(indexes).equals(arrays[-1].take(indexes)):
                    raise _Unfit
        return pa.Table.from_arrays(arrays, schema=arrow.arrow_schema(self.schema.columns, has_time=self.has_time))

    def _newest(self, rows: pyarrow.Table, keys: list[Any], keyless: int) -> Collection[int]:
        """Return the number of the last row of each key. `keyless`: how many keys are null."""
        parts = [rows.column(column.name).to_pylist() for column in self.schema.key]
        ids: Iterable[Any] = zip(*parts, strict=True) if len(parts) > 1 else parts[0]
        if any(column.type in (data.FLOAT, data.DOUBLE) for column in self.schema.key):
            ids = map(comparable, ids)
        numbered = zip(ids, range(len(keys)), strict=True)
        if keyless:
            return {id: n for id, n in numbered if keys[n] is not None}.values()
        return dict(numbered).values()


def _reading(facet: Facet, has_time: bool) -> _Reading:
    """Return how a key or a value is read. Raises _Unfit for one that this reader does not read."""
    if facet.is_absent:
        return _Reading(None, {}, {})
    if not isinstance(facet.type, Struct) or not facet.type.fields:
        leaf = _leaf(facet.type, True, has_time)
        if leaf.type is msgspec.Raw:
            # Its null would be a text too.
            raise _Unfit
        return _Reading(leaf.type, {"": leaf}, {})
    if any(_ODD_NAME.search(field.name) for field in facet.type.fields):
        raise _Unfit
    leaves = {field.name: _leaf(field.type, field.nullable, has_time) for field in facet.type.fields}
    attributes = {name: f"c{number}" for number, name in enumerate(leaves)}
    members = {attributes[name]: leaf.type for name, leaf in leaves.items()}
    type = _struct(members, {attribute: name for name, attribute in attributes.items()})
    return _Reading(type | None, leaves, attributes)


def _struct(members: dict[str, Any], names: dict[str, str] | None = None) -> Any:
    """Return a type of objects with these members, each of which must be there. `names`: in JSON."""
    return msgspec.defstruct("Object", list(members.items()), rename=names, forbid_unknown_fields=True, gc=False)


def _leaf(type: DataType, nullable: bool, has_time: bool) -> _Leaf:
    """Return a column of a type. Types that Arrow reads in another way than records are read by their codec."""
    import pyarrow as pa

    target = arrow.arrow_type(type, has_time=has_time)
    plain: dict[DataType, Any] = {
        data.BOOLEAN: bool, data.INT: int, data.BIGINT: int, data.DOUBLE: float, data.STRING: str
    }  # fmt: skip
    texts: dict[DataType, str] = {data.DATE: f"^{_DAY}$", data.TIMESTAMP: _TIMESTAMP}
    if type in plain:
        cls = plain[type]
        colons = _colons_of_texts if cls is str else lambda values: 0
        return _Leaf(cls | None if nullable else cls, lambda values: pa.array(values, target), colons)
    if type in texts:
        return _Leaf(
            str | None if nullable else str,
            lambda values: _of_text(pa.array(values, pa.string()), texts[type], target),
            _colons_of_texts,
        )
    decode, convert = codec.decoder(type, depth=_DEPTH), arrow.to_arrow(type)

    def present(values: list[Any]) -> list[bytes | None]:
        texts: list[bytes | None] = [None if value is None else bytes(value) for value in values]
        if b"null" not in texts:
            return texts
        if not nullable:
            raise _Unfit
        return [None if text == b"null" else text for text in texts]

    if isinstance(type, Decimal):
        digits = rf"\d{{1,{type.precision - type.scale}}}" if type.precision > type.scale else "0"
        fraction = rf"(?:\.\d{{1,{type.scale}}})?" if type.scale else ""
        pattern = f"^-?{digits}{fraction}$"
        return _Leaf(msgspec.Raw, lambda v: _of_text(pa.array(present(v), pa.string()), pattern, target))

    def decoded(values: list[Any]) -> pyarrow.Array:
        parsed = [None if text is None else decode(text) for text in present(values)]
        return pa.array(parsed if convert is None else [*map(convert, parsed)], target)

    return _Leaf(msgspec.Raw, decoded, lambda values: sum(bytes(v).count(b":") for v in values if v is not None))


def _of_text(texts: pyarrow.Array, pattern: str, type: pyarrow.DataType) -> pyarrow.Array:
    """Return the values of texts that have a form in which Arrow reads all of them as the codec does."""
    import pyarrow.compute as pc

    if pc.all(pc.match_substring_regex(texts, pattern)).as_py() is False:
        raise _Unfit
    return texts.cast(type)


def _colons_of_texts(values: list[str | None]) -> int:
    return "".join(filter(None, values)).count(":")
