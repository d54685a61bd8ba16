"""Columns that a change affects, in the topic and downstream, as lines and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lsqlc.golden.show import plural
from lsqlc.plan.column_changes import ColumnChanges
from lsqlc.plan.lineage import Column, Source

# The numbers of downstream topics, and of columns per topic, that are printed.
_TOPICS = 12
_COLUMNS = 12


def column_lines(changes: ColumnChanges, affected: Iterable[Source]) -> Iterator[str]:
    """Yield the changes of the model's topics, then the downstream columns with their uses."""
    for topic, columns in _by_topic(changes.changed).items():
        yield f"columns of {topic}: {_listed(_short(column) for column in columns)}"
    for topic in changes.records:
        yield f"records of {topic}: others may be selected"
    below: dict[str, list[Source]] = {}
    for source in affected:
        below.setdefault(source.column.topic, []).append(source)
    if below:
        yield "columns downstream"
    for topic, sources in list(below.items())[:_TOPICS]:
        by_uses: dict[tuple[str, ...], list[str]] = {}
        for source in sources:
            by_uses.setdefault(source.uses, []).append(_short(source.column))
        parts = (f"{_listed(names)} ({', '.join(uses)})" for uses, names in by_uses.items())
        yield f"  {topic}: {'; '.join(parts)}"
    if len(below) > _TOPICS:
        yield f"  and {plural(len(below) - _TOPICS, 'more topic')}"


def column_data(changes: ColumnChanges, affected: Iterable[Source]) -> dict[str, Any]:
    """Return all changes as JSON-ready data."""
    return {
        "changed": [{"topic": column.topic, "column": column.name} for column in changes.changed],
        "records": list(changes.records),
        "downstream": [
            {"topic": source.column.topic, "column": source.column.name, "uses": list(source.uses)}
            for source in affected
        ],
    }


def _by_topic(columns: Iterable[Column]) -> dict[str, list[Column]]:
    by_topic: dict[str, list[Column]] = {}
    for column in columns:
        by_topic.setdefault(column.topic, []).append(column)
    return by_topic


def _short(column: Column) -> str:
    """Return the name of a column without the prefix `_value.`."""
    return column.name.removeprefix("_value.")


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    more = len(every) - _COLUMNS
    return ", ".join(every[:_COLUMNS]) + (f" and {plural(more, 'more column')}" if more > 0 else "")
