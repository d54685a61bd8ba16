"""The outline of a model: its queries and targets, each with the columns that it projects."""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.diagnostics.source import Extent
from lsqlc.editor.answers import Symbol
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.view import View, view
from lsqlc.lint.walk import own_name, read
from lsqlc.syntax import tree
from lsqlc.syntax.ksql import tree as ksql_tree


def symbols(snapshot: Snapshot, path: str) -> tuple[Symbol, ...]:
    """The outline of a model's file, in order; empty for any other file."""
    seen = view(snapshot, path)
    if seen is None:
        return ()
    found = _lenses(seen, seen.program) if isinstance(seen.program, tree.Program) else _ksql(seen, seen.program)
    return tuple(sorted(found, key=lambda symbol: symbol.whole))


def _lenses(seen: View, program: tree.Program) -> Iterator[Symbol]:
    for statement in program.withs:
        select = statement.select
        yield Symbol(
            statement.name.text, "query", f"WITH, {select.semantics}", _whole(seen, statement.name.at, select.at),
            seen.outward(statement.name.at), tuple(_columns(seen, program, select)),
        )  # fmt: skip
    for insert in program.inserts:
        select = insert.select
        at = insert.target.at if insert.target else select.semantics_at
        name = seen.topic_of(insert.target.text) if insert.target else seen.name
        yield Symbol(
            name, "target", f"INSERT INTO, {select.semantics}", _whole(seen, at, select.at), seen.outward(at),
            tuple(_columns(seen, program, select)),
        )  # fmt: skip


def _columns(seen: View, program: tree.Program, select: tree.Select) -> Iterator[Symbol]:
    for each in select.projections:
        if isinstance(each.source, tree.Wildcard):
            name = seen.text[slice(*each.at)]
        elif each.target:
            name = ".".join(([f"_{each.target.facet}"] if each.target.facet else []) + list(each.target.path))
        else:
            name = own_name(read(each.source, program))
        at = each.target.at if each.target else each.at
        yield Symbol(name or "?", "column", "", _whole(seen, each.at, at), seen.outward(at))


def _ksql(seen: View, program: ksql_tree.Program) -> Iterator[Symbol]:
    for made in program.statements:
        if isinstance(made, ksql_tree.CreateSource):
            columns = tuple(
                Symbol(c.name.text, "column", f"{c.type} {c.role or ''}".strip(), seen.outward(c.at),
                       seen.outward(c.name.at)) for c in made.columns or ()
            )  # fmt: skip
            detail = f"CREATE {made.kind}"
            yield Symbol(made.name.text, "source", detail, seen.outward(made.at), seen.outward(made.name.at), columns)
        elif isinstance(made, ksql_tree.CreateAs | ksql_tree.InsertSelect):
            name = made.name if isinstance(made, ksql_tree.CreateAs) else made.target
            detail = f"CREATE {made.kind} AS" if isinstance(made, ksql_tree.CreateAs) else "INSERT INTO"
            items = tuple(_items(seen, made.query))
            yield Symbol(name.text, "target", detail, seen.outward(made.at), seen.outward(name.at), items)


def _items(seen: View, query: ksql_tree.Query) -> Iterator[Symbol]:
    for item in query.items:
        at = item.alias.at if item.alias else item.at
        yield Symbol(seen.text[slice(*at)] or "?", "column", "", _whole(seen, item.at, at), seen.outward(at))


def _whole(seen: View, one: Extent, other: Extent) -> Extent:
    """All from the first to the last of two pieces, which holds both."""
    first, second = seen.outward(one), seen.outward(other)
    return min(first[0], second[0]), max(first[1], second[1])
