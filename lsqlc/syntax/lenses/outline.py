"""The outline of a Lenses program: its WITHs and INSERTs, and their columns."""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.lenses.names import own_name, read
from lsqlc.syntax.outline import FacetName, NameKind, Outline, OutlinedColumn, OutlinedStatement, TopicOf
from lsqlc.syntax.program import Program


def _names(program: Program) -> Iterator[tuple[NameKind, tree.Name]]:
    assert isinstance(program, tree.Program)
    defined: set[str] = set()
    for select, name in [*((w.select, w.name) for w in program.withs), *((i.select, None) for i in program.inserts)]:
        for source in _sources(select):
            yield ("query" if source.name.text in defined else "topic"), source.name
            if source.alias:
                yield "alias", source.alias
        yield from (("alias", lateral.alias) for lateral in select.laterals)
        if name is not None:
            yield "query", name
            defined.add(name.text)
    yield from (("topic", insert.target) for insert in program.inserts if insert.target)


def _selects(program: Program) -> Iterator[tuple[Extent, tuple[tree.Source, ...]]]:
    assert isinstance(program, tree.Program)
    every = (*(w.select for w in program.withs), *(i.select for i in program.inserts))
    yield from ((select.at, _sources(select)) for select in every)


def _sources(select: tree.Select) -> tuple[tree.Source, ...]:
    """Return the sources of a query, left to right."""
    source = select.source
    return (source.left, source.right) if isinstance(source, tree.Join) else (source,)


def _statements(program: Program) -> Iterator[OutlinedStatement]:
    assert isinstance(program, tree.Program)
    for statement in program.withs:
        select = statement.select
        yield OutlinedStatement(
            "query", statement.name.text, None, f"WITH, {select.semantics}", select.at, statement.name.at,
            tuple(_columns(program, select)),
        )  # fmt: skip
    for insert in program.inserts:
        select = insert.select
        at = insert.target.at if insert.target else select.semantics_at
        yield OutlinedStatement(
            "target", None, insert.target, f"INSERT INTO, {select.semantics}", select.at, at,
            tuple(_columns(program, select)),
        )  # fmt: skip


def _columns(program: tree.Program, select: tree.Select) -> Iterator[OutlinedColumn]:
    for projection in select.projections:
        target = projection.target
        if isinstance(projection.source, tree.Wildcard):
            name = program.source.text[slice(*projection.at)]
        elif target:
            name = ".".join(([f"_{target.facet}"] if target.facet else []) + list(target.path))
        else:
            name = own_name(read(projection.source, program))
        yield OutlinedColumn(name, "", projection.at, target.at if target else projection.at)


def _defined(program: Program, name: str) -> Extent | None:
    assert isinstance(program, tree.Program)
    return next((w.name.at for w in program.withs if w.name.text == name), None)


def _column(
    program: Program, name: str, facet: FacetName, path: tuple[str, ...], query: bool, topic_of: TopicOf
) -> Extent | None:
    assert isinstance(program, tree.Program)
    if query:
        select = next((w.select for w in program.withs if w.name.text == name), None)
    else:
        select = next((i.select for i in program.inserts if topic_of(i.target) == name), None)
    return _projection(select, program, facet, path) if select else None


def _projection(select: tree.Select, program: tree.Program, facet: FacetName, path: tuple[str, ...]) -> Extent:
    whole: Extent | None = None
    for projection in select.projections:
        target, source = projection.target, projection.source
        if isinstance(source, tree.Wildcard) or (target is not None and not target.path):
            if facet == ("key" if target is not None and target.facet == "key" else "value"):
                whole = target.at if target else projection.at
            continue
        target_path = target.path if target else (own_name(read(source, program)),)
        of = "key" if target is not None and target.facet == "key" else "value"
        if of == facet and path[: len(target_path)] == target_path:
            return target.at if target else projection.at
    if facet == "key":
        for item in select.group_by:
            alias = item.alias.text if item.alias else own_name(read(item.expression, program))
            if not path or alias == path[0] or path[0] == "key":
                return item.alias.at if item.alias else item.at
    return whole or select.semantics_at


OUTLINE = Outline(_names, _selects, _statements, _defined, _column)
