"""Changes of the tables that follow topics of a model, between two versions of a project."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from lsqlc.diagnostics import listing
from lsqlc.project.build.followed import DeclaredTable


def table_changes(
    before: Sequence[DeclaredTable], after: Sequence[DeclaredTable], topics: Collection[str]
) -> tuple[str, ...]:
    """Return a clause for each change of a table, in order of the tables. `topics`: only tables that follow one of
    them, in either version.
    """
    old = {table.shown: table for table in before}
    new = {table.shown: table for table in after}
    return tuple(
        f"{name}: {text}"
        for name in sorted(old.keys() | new.keys())
        if any(table.schema.topic.name in topics for table in (old.get(name), new.get(name)) if table)
        for text in _changes(old.get(name), new.get(name))
    )


def _changes(old: DeclaredTable | None, new: DeclaredTable | None) -> Iterator[str]:
    if new is None:
        yield "no longer follows the topic"
        return
    if old is None:
        yield "is created by the next sync"
        return
    before, after = old.schema, new.schema
    rebuilds = [
        f"its {name} was {was}, and is {now}"
        for name, was, now in (
            ("topic", before.topic.name, after.topic.name),
            ("keep", before.keep, after.keep),
            ("key", _names(old), _names(new)),
        )
        if was != now
    ]
    types = {column.name: column.type for column in before.columns}
    rebuilds += [
        f"'{column.name}' was {types[column.name]}, and is {column.type}"
        for column in after.columns
        if types.get(column.name, column.type) != column.type
    ]
    if rebuilds:
        yield from (f"needs `lsqlc tables sync {new.shown} --rebuild`: {reason}" for reason in rebuilds)
        return
    if added := [name for name in after.names if name not in types]:
        yield f"gets {listing(added)}, null in older rows"
    if removed := [name for name in types if name not in after.names]:
        yield f"{listing(removed)} will be null in new and changed rows"


def _names(table: DeclaredTable) -> str:
    return ", ".join(column.name for column in table.schema.key) or "none"
