"""The outline of a ksqlDB program: its streams and tables, and their columns."""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.diagnostics.source import Extent
from lsqlc.syntax import tree
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.text import text_of
from lsqlc.syntax.outline import FacetName, NameKind, Outline, OutlinedColumn, OutlinedStatement, TopicOf
from lsqlc.syntax.program import Program


def _names(program: Program) -> Iterator[tuple[NameKind, tree.Name]]:
    assert isinstance(program, ksql.Program)
    for statement in program.statements:
        if isinstance(statement, ksql.CreateSource | ksql.CreateAs):
            yield "query", statement.name
            for given in statement.properties:
                if given.name.text == "KAFKA_TOPIC":
                    yield "topic", tree.Name(given.text, given.value.at)
        elif not isinstance(statement, ksql.BareSelect):
            yield "query", statement.target
        if not isinstance(statement, ksql.CreateSource | ksql.InsertValues):
            for source in statement.query.sources:
                yield "query", source.name
                if source.alias:
                    yield "alias", source.alias


def _selects(program: Program) -> Iterator[tuple[Extent, tuple[tree.Source, ...]]]:
    assert isinstance(program, ksql.Program)
    for statement in program.statements:
        if not isinstance(statement, ksql.CreateSource | ksql.InsertValues):
            yield statement.query.at, statement.query.sources


def _statements(program: Program) -> Iterator[OutlinedStatement]:
    assert isinstance(program, ksql.Program)
    for made in program.statements:
        if isinstance(made, ksql.CreateSource):
            columns = tuple(
                OutlinedColumn(c.name.text, f"{c.type} {_role(c)}".strip(), c.at, c.name.at) for c in made.columns or ()
            )
            name, detail = made.name, f"CREATE {made.kind}"
            yield OutlinedStatement("source", name.text, None, detail, made.at, name.at, columns)
        elif isinstance(made, ksql.CreateAs | ksql.InsertSelect):
            name = made.name if isinstance(made, ksql.CreateAs) else made.target
            detail = f"CREATE {made.kind} AS" if isinstance(made, ksql.CreateAs) else "INSERT INTO"
            items = tuple(_item(i, program) for i in made.query.items)
            yield OutlinedStatement("target", name.text, name, detail, made.at, name.at, items)


def _role(column: ksql.Column) -> str:
    if column.header is not None:
        return f"HEADER({text_of(tree.Literal(column.header, column.at))})"
    return column.role or ""


def _item(item: ksql.Item, program: ksql.Program) -> OutlinedColumn:
    at = item.alias.at if item.alias else item.at
    return OutlinedColumn(program.source.text[slice(*at)], "", item.at, at)


def _defined(program: Program, name: str) -> Extent | None:
    assert isinstance(program, ksql.Program)
    made = (s for s in program.statements if isinstance(s, ksql.CreateSource | ksql.CreateAs))
    return next((s.name.at for s in made if s.name.text == name), None)


def _column(
    program: Program, name: str, facet: FacetName, path: tuple[str, ...], query: bool, topic_of: TopicOf
) -> Extent | None:
    """A stream or table and its topic have the same columns, whichever `name` is."""
    assert isinstance(program, ksql.Program)
    for made in program.statements:
        if isinstance(made, ksql.CreateSource) and name in (made.name.text, ksql.topic_of(made)):
            keys = [c for c in made.columns or () if c.role]
            sought = path[-1:] or ((keys[0].name.text,) if facet == "key" and keys else ())
            return next((c.name.at for c in made.columns or () if (c.name.text,) == sought), made.name.at)
        if isinstance(made, ksql.CreateAs) and name in (made.name.text, ksql.topic_of(made)):
            for item in made.query.items:
                own = item.source.parts[-1] if isinstance(item.source, tree.Reference) else None
                if (item.alias.text if item.alias else own) in path[-1:]:
                    return item.alias.at if item.alias else item.at
            return made.name.at
    return None


OUTLINE = Outline(_names, _selects, _statements, _defined, _column)
