"""The outline of a model in standard SQL."""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.outline import FacetName, NameKind, Outline, OutlinedColumn, OutlinedStatement, TopicOf
from lsqlc.syntax.program import Program
from lsqlc.syntax.sql import tree as sql


def _queries(program: Program) -> Iterator[sql.Query]:
    assert isinstance(program, sql.Program)
    if program.query is not None:
        yield from sql.queries(program.query)


def _withs(program: Program) -> Iterator[sql.With]:
    for query in _queries(program):
        yield from query.withs


def _names(program: Program) -> Iterator[tuple[NameKind, tree.Name]]:
    assert isinstance(program, sql.Program)
    if program.name is not None:
        yield "topic", program.name
    if program.flow is not None and "." not in program.flow.target.text:
        yield "topic", program.flow.target
    topics = {name.at for name in program.reads}
    for with_ in _withs(program):
        yield "query", with_.name
    for query in _queries(program):
        for select in query.selects:
            for source in select.sources:
                if isinstance(source, sql.TopicSource):
                    yield ("topic" if source.name.at in topics else "query"), source.name
                if source.alias is not None:
                    yield "alias", source.alias


def _selects(program: Program) -> Iterator[tuple[Extent, tuple[tree.Source, ...]]]:
    for query in _queries(program):
        for select in query.selects:
            topic_sources = (s for s in select.sources if isinstance(s, sql.TopicSource))
            yield select.at, tuple(tree.Source(s.name, s.alias) for s in topic_sources)


def _statements(program: Program) -> Iterator[OutlinedStatement]:
    assert isinstance(program, sql.Program)
    for with_ in _withs(program):
        at = (with_.name.at[0], with_.query.at[1])
        yield OutlinedStatement(
            "query", with_.name.text, None, "WITH", at, with_.name.at, _columns(with_.query, program)
        )
    if program.flow is not None:
        flow = program.flow
        names = flow.columns.names if flow.columns is not None and not flow.columns.excluded else flow.keys
        columns = tuple(OutlinedColumn(name.text, "", name.at, name.at) for name in names)
        detail = "AUTO CDC, SCD TYPE 2" if flow.versions else "AUTO CDC"
        yield OutlinedStatement("target", flow.target.text, flow.target, detail, flow.at, flow.target.at, columns)
    elif program.query is not None:
        name = program.name
        at = (min(name.at[0], program.query.at[0]) if name else program.query.at[0], program.query.at[1])
        words = {"streaming_table": "CREATE STREAMING TABLE", "materialized_view": "CREATE MATERIALIZED VIEW"}
        detail = words[program.kind] if program.kind else "SELECT"
        yield OutlinedStatement(
            "target", name.text if name else None, name, detail, at, name.at if name else at,
            _columns(program.query, program),
        )  # fmt: skip


def _columns(query: sql.Query, program: sql.Program) -> tuple[OutlinedColumn, ...]:
    columns = []
    for item in query.selects[0].items:
        at = item.alias.at if item.alias else item.at
        columns.append(OutlinedColumn(program.source.text[slice(*at)], "", item.at, at))
    return tuple(columns)


def _defined(program: Program, name: str) -> Extent | None:
    assert isinstance(program, sql.Program)
    own = [program.name] if program.name is not None else []
    names = [*own, *(with_.name for with_ in _withs(program))]
    return next((n.at for n in names if n.text.casefold() == name.casefold()), None)


def _column(
    program: Program, name: str, facet: FacetName, path: tuple[str, ...], query: bool, topic_of: TopicOf
) -> Extent | None:
    assert isinstance(program, sql.Program)
    query_of_name = next(
        (m.query for m in _withs(program) if query and m.name.text.casefold() == name.casefold()), None
    )
    if query_of_name is None and program.query is not None and topic_of(program.name) == name:
        query_of_name = program.query
    if query_of_name is None or not path:
        return None
    for item in query_of_name.selects[0].items:
        own = item.source.parts[-1] if isinstance(item.source, tree.Reference) else None
        if (item.alias.text if item.alias else own or "").casefold() == path[0].casefold():
            return item.alias.at if item.alias else item.at
    return None


OUTLINE = Outline(_names, _selects, _statements, _defined, _column)
