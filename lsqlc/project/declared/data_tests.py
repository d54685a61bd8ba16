"""`tests:` of topics and models: conditions for the records of a topic.

A test is an item such as `not_null: id`, `unique: [day, station]`, `accepted_values: {column: kind, values: [a, b]}`,
`relationships: {column: station, to: stations, field: id}`, `freshness: 1h`, `condition: minutes >= 0` or `sql: SELECT
...`. Each may have a `severity`, and `live: false` if it must not run live. Tests of one column may be part of the
column, as in dbt: `columns: [{name: id, tests: [unique]}]`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

import msgspec

from lsqlc.diagnostics import Span, did_you_mean, listing
from lsqlc.yaml.decode import Decoder, kind
from lsqlc.yaml.described import described, reference
from lsqlc.yaml.nodes import KeyPath

TestKind = Literal["not_null", "unique", "accepted_values", "relationships", "freshness", "condition", "sql"]
_KINDS: tuple[TestKind, ...] = get_args(TestKind)
_OF_COLUMN = _KINDS[:4]
Scalar = str | int | bool
# The maximal length of a query in the name of its test.
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class DataTest:
    """A declared test.

    `columns`: names; only `unique` has several. `values`: the accepted values. `to`, `field`: the topic and column that
    must have the value. `within`: milliseconds. `given`: the text of a condition, a query or a duration, with the
    position `span`. `fails`: whether a failure is an error or a warning. `live`: whether it may run live.
    """

    kind: TestKind
    span: Span
    columns: tuple[str, ...] = ()
    values: tuple[Scalar, ...] = ()
    to: str = ""
    field: str = ""
    within: int = 0
    given: str = ""
    fails: bool = True
    live: bool = True

    @property
    def severity(self) -> Literal["error", "warn"]:
        """The declared severity."""
        return "error" if self.fails else "warn"

    @property
    def text(self) -> str:
        """A short text, such as `not_null station`."""
        match self.kind:
            case "accepted_values":
                text = f"{self.columns[0]} in {listing([str(value) for value in self.values], 5)}"
            case "relationships":
                text = f"{self.columns[0]} in {self.to}.{self.field}"
            case "freshness" | "condition":
                text = self.given
            case "sql":
                query = " ".join(self.given.split())
                text = query if len(query) <= _LONGEST else f"{query[: _LONGEST - 1]}…"
            case _:
                text = ", ".join(self.columns)
        return f"{self.kind} {text}"


class ColumnFile(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of a column."""

    name: Annotated[str, described("The column: a field of the value, `_key` or a field of it.")]
    description: Annotated[str | None, described("What it holds.")] = None
    tests: Annotated[
        list[Any], described("What must hold for the records, as `lsqlc check` tests.", reference("column_tests"))
    ] = []


class _Accepted(msgspec.Struct, frozen=True, kw_only=True):
    values: list[Scalar]
    column: str | None = None


class _Related(msgspec.Struct, frozen=True, kw_only=True):
    to: str
    field: str
    column: str | None = None


def read_tests(
    decoder: Decoder,
    key_path: KeyPath,
    items: list[Any],
    columns: list[ColumnFile],
    duration: Callable[[str], int | None],
) -> tuple[DataTest, ...]:
    """Return the tests of a topic or model, then those of its columns. Invalid ones are reported and left out.

    `duration`: returns the milliseconds of a text such as `1h`, or None.
    """
    tests = [_test(decoder, (*key_path, "tests", i), item, None, duration) for i, item in enumerate(items)]
    for number, column in enumerate(columns):
        for i, item in enumerate(column.tests):
            where = (*key_path, "columns", number, "tests", i)
            tests.append(_test(decoder, where, item, column.name, duration))
    return tuple(test for test in tests if test is not None)


def _test(
    decoder: Decoder, key_path: KeyPath, item: Any, column: str | None, duration: Callable[[str], int | None]
) -> DataTest | None:
    kinds = _KINDS if column is None else _OF_COLUMN
    if isinstance(item, str) and column is not None:
        item = {item: None}
    if not isinstance(item, dict):
        decoder.wrong(key_path, f"expected a test, got {kind(item)}", help="write a test such as `not_null: id`")
        return None
    names = [name for name in item if name not in ("severity", "live")]
    if len(names) != 1 or names[0] not in kinds:
        message = f"unknown test '{names[0]}'" if len(names) == 1 else "expected one test in each item"
        help = (did_you_mean(str(names[0]), kinds) if names else None) or f"tests are {listing(kinds, 10)}"
        decoder.wrong(key_path, message, help=help)
        return None
    severity = item.get("severity", "error")
    if severity not in ("error", "warn"):
        decoder.wrong((*key_path, "severity"), f"'{severity}' is not one of error and warn")
        return None
    live = item.get("live", True)
    if not isinstance(live, bool):
        decoder.wrong((*key_path, "live"), f"expected true or false, got {kind(live)}")
        return None
    name: TestKind = names[0]
    inner = (*key_path, name)
    arguments = _arguments(_Item(decoder, inner, name, item[name], column), duration)
    if arguments is None:
        return None
    span = decoder.document.span(inner if item[name] is not None else key_path)
    return DataTest(name, span, fails=severity == "error", live=live, **arguments)


@dataclass(frozen=True, slots=True)
class _Item:
    """A test as it is declared. `value`: its settings; `column`: the column that it is declared for."""

    decoder: Decoder
    key_path: KeyPath
    name: TestKind
    value: Any
    column: str | None

    def wrong(self, message: str, help: str) -> None:
        self.decoder.wrong(self.key_path, message, help=help)


def _arguments(item: _Item, duration: Callable[[str], int | None]) -> dict[str, Any] | None:
    """Return the arguments of the test besides kind and span; None if they are invalid."""
    match item.name:
        case "not_null" | "unique":
            return _columns(item)
        case "freshness":
            return _freshness(item, duration)
        case "condition":
            return _text(item, "a condition", "write one such as `minutes >= 0`", single_line=True)
        case "sql":
            return _text(item, "a query", "write one whose rows are the failures")
        case "accepted_values":
            accepted = item.decoder.struct(item.key_path, _Accepted, item.value)
            where = _column(item.decoder, item.key_path, accepted, item.column) if accepted else None
            return {"columns": (where,), "values": tuple(accepted.values)} if accepted and where else None
        case "relationships":
            related = item.decoder.struct(item.key_path, _Related, item.value)
            where = _column(item.decoder, item.key_path, related, item.column) if related else None
            return {"columns": (where,), "to": related.to, "field": related.field} if related and where else None


def _columns(item: _Item) -> dict[str, Any] | None:
    name, value = item.name, item.value
    if item.column is not None:
        if value is None:
            return {"columns": (item.column,)}
        item.wrong(f"'{name}' of a column has no settings", f"write `- {name}`")
        return None
    columns = [value] if isinstance(value, str) else value
    if isinstance(columns, list) and columns and all(isinstance(column, str) for column in columns):
        return {"columns": tuple(columns)}
    item.wrong(f"expected the names of columns, got {kind(value)}", f"write `{name}: [a, b]`")
    return None


def _freshness(item: _Item, duration: Callable[[str], int | None]) -> dict[str, Any] | None:
    within = duration(item.value) if isinstance(item.value, str) else None
    if within:
        return {"within": within, "given": item.value}
    item.wrong(f"'{item.value}' is not a duration", "write a number and a unit: ms, s, m, h or d, such as `1h`")
    return None


def _text(item: _Item, what: str, help: str, *, single_line: bool = False) -> dict[str, Any] | None:
    if isinstance(item.value, str) and item.value.strip():
        return {"given": " ".join(item.value.split()) if single_line else item.value.strip()}
    item.wrong(f"expected {what}, got {kind(item.value)}", help)
    return None


def _column(decoder: Decoder, key_path: KeyPath, file: _Accepted | _Related, column: str | None) -> str | None:
    if (file.column is None) == (column is None):
        if column is None:
            decoder.missing(key_path, "column")
        else:
            decoder.wrong((*key_path, "column"), "the column is the one that the test stands with", help="leave it out")
        return None
    return column or file.column
