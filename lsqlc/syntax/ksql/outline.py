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
            for property in statement.properties:
                if property.name.text == "KAFKA_TOPIC":
                    yield "topic", tree.Name(property.text, property.value.at)
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
    for statement in program.statements:
        if isinstance(statement, ksql.CreateSource):
            columns = tuple(
                OutlinedColumn(c.name.text, f"{c.type} {_role(c)}".strip(), c.at, c.name.at)
                for c in statement.columns or ()
            )
            name, detail = statement.name, f"CREATE {statement.kind}"
            yield OutlinedStatement("source", name.text, None, detail, statement.at, name.at, columns)
        elif isinstance(statement, ksql.CreateAs | ksql.InsertSelect):
            name = statement.name if isinstance(statement, ksql.CreateAs) else statement.target
            detail = f"CREATE {statement.kind} AS" if isinstance(statement, ksql.CreateAs) else "INSERT INTO"
            items = tuple(_item(i, program) for i in statement.query.items)
            yield OutlinedStatement("target", name.text, name, detail, statement.at, name.at, items)


def _role(column: ksql.Column) -> str:
    if column.header is not None:
        return f"HEADER({text_of(tree.Literal(column.header, column.at))})"
    return column.role or ""


def _item(item: ksql.Item, program: ksql.Program) -> OutlinedColumn:
    at = item.alias.at if item.alias else item.at
    return OutlinedColumn(program.source.text[slice(*at)], "", item.at, at)


def _defined(program: Program, name: str) -> Extent | None:
    assert isinstance(program, ksql.Program)
    definitions = (s for s in program.statements if isinstance(s, ksql.CreateSource | ksql.CreateAs))
    return next((s.name.at for s in definitions if s.name.text == name), None)


def _column(
    program: Program, name: str, facet: FacetName, path: tuple[str, ...], query: bool, topic_of: TopicOf
) -> Extent | None:
    """Return the extent of a column's definition. A stream or table and its topic have the same columns."""
    assert isinstance(program, ksql.Program)
    for statement in program.statements:
        if isinstance(statement, ksql.CreateSource) and name in (statement.name.text, ksql.topic_of(statement)):
            keys = [c for c in statement.columns or () if c.role]
            target_path = path[-1:] or ((keys[0].name.text,) if facet == "key" and keys else ())
            return next(
                (c.name.at for c in statement.columns or () if (c.name.text,) == target_path), statement.name.at
            )
        if isinstance(statement, ksql.CreateAs) and name in (statement.name.text, ksql.topic_of(statement)):
            for item in statement.query.items:
                own = item.source.parts[-1] if isinstance(item.source, tree.Reference) else None
                if (item.alias.text if item.alias else own) in path[-1:]:
                    return item.alias.at if item.alias else item.at
            return statement.name.at
    return None


OUTLINE = Outline(_names, _selects, _statements, _defined, _column)
