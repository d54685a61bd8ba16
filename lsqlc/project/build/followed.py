"""The tables that topics and models declare, with the columns that the topics give them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from lsqlc.diagnostics import Diagnostic, LsqlcError, Span, listing
from lsqlc.plan.lineage import Column, places
from lsqlc.project.declared.tables import TableDeclaration
from lsqlc.project.model import Project
from lsqlc.tables.schema import Keep, TableSchema, table_schema
from lsqlc.types.record import Topic


@dataclass(frozen=True, slots=True)
class DeclaredTable:
    """A table that follows a topic, and its columns. `name`: in its store."""

    declaration: TableDeclaration
    schema: TableSchema

    @property
    def name(self) -> str:
        """The declared name, or that of the topic without dots, which stand between several names of a table."""
        return self.declaration.name or self.schema.topic.name.replace(".", "_")

    @property
    def shown(self) -> str:
        """The table in messages: its store and its name."""
        return f"{self.declaration.store}.{self.name}"


@dataclass(frozen=True, slots=True)
class ColumnInTable:
    """A column of a table, and the column of its topic that it holds: a whole column, or a struct of several."""

    table: DeclaredTable
    name: str
    source: Column


def columns_in_tables(tables: Iterable[DeclaredTable], columns: Collection[Column]) -> tuple[ColumnInTable, ...]:
    """Return the columns of tables that hold some columns of topics, in order of the tables. Columns that have the
    times of versions hold none.
    """
    return tuple(
        ColumnInTable(table, column.name, source)
        for table in tables
        for name, facet, path in places(table.schema.topic)
        if (source := Column(table.schema.topic.name, name)) in columns
        for column in table.schema.columns
        if column.facet == facet and path[: len(column.path)] == column.path
    )


class Build(Protocol):
    """The result of a model."""

    @property
    def summary(self) -> Mapping[str, Any] | None: ...

    @property
    def outputs(self) -> tuple[Topic, ...]: ...


def declared_tables(
    project: Project, builds: Mapping[str, Build], writes: Mapping[str, tuple[tuple[str, Span], ...]]
) -> tuple[tuple[DeclaredTable, ...], list[Diagnostic]]:
    """Return the tables of a project, in order of their names, and LSQ560 for each declaration that does not fit.

    `builds`: the models by name; tables of those that are not there, or failed, are left out. `writes`: the topics that
    the statements of a model write, by model.
    """
    tables: dict[str, DeclaredTable] = {}
    problems: list[Diagnostic] = []
    for topic, default, declaration in _declarations(project, builds, writes, problems):
        try:
            table = _table(topic, default, declaration)
        except LsqlcError as error:
            problems += error.diagnostics
            continue
        other = tables.setdefault(table.shown, table)
        if other is not table:
            topics = f"'{other.schema.topic.name}' and '{topic.name}'"
            message = f"the table '{table.shown}' cannot follow two declarations, of {topics}"
            problems.append(Diagnostic("LSQ560", message, declaration.span, help="give one of them another `name`"))
    return tuple(tables[name] for name in sorted(tables)), problems


def _declarations(
    project: Project,
    builds: Mapping[str, Build],
    writes: Mapping[str, tuple[tuple[str, Span], ...]],
    problems: list[Diagnostic],
) -> Iterator[tuple[Topic, Keep | None, TableDeclaration]]:
    """Yield each declaration with its topic, and with the rows that a table of the topic has by default; None: unknown.
    Problems are appended to `problems`.
    """
    outputs: dict[str, Topic] = {}
    default: dict[str, Keep] = {}
    for build in builds.values():
        outputs |= {topic.name: topic for topic in build.outputs}
        semantics = build.summary["semantics"] if build.summary is not None else {}
        default |= {topic: "current" if kind == "TABLE" else "all" for topic, kind in semantics.items()}
    for declared in project.topics:
        for table in declared.tables:
            yield outputs.get(declared.topic.name, declared.topic), default.get(declared.topic.name), table
    for model in project.models:
        if not model.tables or model.name not in builds:
            continue
        topics = [name for name, _ in writes[model.name] if name in outputs]
        if len(topics) > 1:
            message = f"the model '{model.name}' writes {listing(topics)}, and a table follows one topic"
            help = "declare `tables` of the topics, under `topics:`"
            problems.append(Diagnostic("LSQ560", message, model.tables[0].span, help=help))
        elif topics:
            for table in model.tables:
                yield outputs[topics[0]], default.get(topics[0]), table


def _table(topic: Topic, default: Keep | None, declaration: TableDeclaration) -> DeclaredTable:
    keep = declaration.keep or default
    if keep is None:
        message = f"no model writes '{topic.name}', so `keep` must say which rows its table has"
        help = "`keep: current` for the newest row of each key, `keep: all` for one of each record"
        raise LsqlcError([Diagnostic("LSQ560", message, declaration.span, help=help)])
    return DeclaredTable(declaration, table_schema(topic, keep, declaration.key, declaration.span))
