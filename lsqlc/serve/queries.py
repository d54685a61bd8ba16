"""Queries over the rows of a service, compiled as `lsqlc query` compiles them.

No text of a client reaches DuckDB: a query is compiled to a plan, and the SQL of the plan reads the tables of the
service. A query has no templates, since those could read the environment of the service.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

from lsqlc.bind.condition import BoundCondition
from lsqlc.diagnostics import Diagnostic, LsqlcError, listing
from lsqlc.lower.duckdb.current_rows import Reader
from lsqlc.lower.duckdb.queries import FirstRows
from lsqlc.lower.duckdb.sort_order import value_order
from lsqlc.plan import Plan, nodes
from lsqlc.plan.nodes import all_nodes, scans
from lsqlc.project.declared.config import project_config
from lsqlc.project.workspace import Workspace, open_workspace
from lsqlc.report.answers import Answer, AnswerColumn
from lsqlc.serve.tables import ServedTable
from lsqlc.sql.duckdb import quoted
from lsqlc.tasks.query import Query, compiled_query, query_files, rows_of, sorted_answer
from lsqlc.tasks.show_where import bound_condition
from lsqlc.types.data import DataType, Decimal, Primitive, Struct
from lsqlc.types.record import Topic

# Compiled queries that are kept.
_KEPT = 256
# Characters of a query: its compilation cannot be interrupted, and takes about 0.1 ms for each.
_LONGEST = 1 << 16
_TEMPLATES = ("{{", "{%", "{#")
_ROWS = "rows"


@dataclass(frozen=True, slots=True)
class RowLimit:
    """How many rows a client asks for, and how many an answer may have."""

    asked: int | None
    most: int

    @property
    def count(self) -> int:
        """The rows of an answer."""
        return self.most if self.asked is None else min(self.asked, self.most)


@dataclass(frozen=True, slots=True)
class ServedAnswer:
    """Rows, and whether there are more."""

    answer: Answer
    has_more: bool


@dataclass(frozen=True, slots=True)
class CompiledQuery:
    """A query over tables of the service. `plan`: has the ordinals of the target."""

    query: Query
    plan: Plan

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables that it reads."""
        return tuple(topic.name for topic in self.plan.inputs)


@dataclass(slots=True)
class QueryCompiler:
    """Compiles the queries of clients. `workspace`: as it was opened at the start; `ordered`: see `RunTarget`."""

    workspace: Workspace
    tables: Mapping[str, ServedTable]
    ordered: Any
    _compiled: dict[tuple[str, str | None], CompiledQuery] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def compiled(self, text: str, dialect: str | None = None) -> CompiledQuery:
        """Return a query. `dialect`: None: that of the project.

        Raises LsqlcError: LSQ835 for a query that the tables do not answer, LSQ840 for one with templates, LSQ882 for
        no query, and ProjectError with the errors of the query.
        """
        with self._lock:
            known = self._compiled.get((text, dialect))
            if known is None:
                known = self._compile(text, dialect)
                if len(self._compiled) >= _KEPT:
                    self._compiled.pop(next(iter(self._compiled)))
                self._compiled[text, dialect] = known
            return known

    def _compile(self, text: str, dialect: str | None) -> CompiledQuery:
        if not text.strip():
            raise LsqlcError([Diagnostic("LSQ882", "the query is empty", help="write a query: SELECT ...")])
        _check_text(text)
        own = self.workspace
        folder = project_config(own.root).model_paths[0]
        workspace = open_workspace(
            own.root,
            vars=own.vars,
            environment=own.environment,
            contents=query_files(folder, text, dialect),
            release=own.release,
            like=own.project,
        )
        query = compiled_query(workspace)
        self._check(query.plan)
        return CompiledQuery(query, self.ordered(query.plan))

    def _check(self, plan: Plan) -> None:
        """Raise LsqlcError LSQ835 for a plan that does not read the current rows of tables alone."""
        for topic in plan.inputs:
            table = self.tables.get(topic.name)
            if table is None:
                help = f"the tables of this service are {listing(self.tables)}; --select and --topic name others"
                raise _unanswerable(f"the service has no table '{topic.name}'", help)
            if replace(table.topic, description=topic.description, tags=topic.tags) != topic:
                message = f"the declaration of '{topic.name}' has changed since the service was started"
                raise _unanswerable(message, "start the service again")
        # The nodes nearest to the result come first.
        for node in (part for sink in plan.sinks for source in sink.inputs for part in reversed(all_nodes(source))):
            if node.semantics == "STREAM":
                name = next(scan.topic.name for scan in scans(node))
                message = f"the query reads the records of '{name}', and the service has its current rows alone"
                raise _unanswerable(message, "read the table by its name; `lsqlc query` reads streams")
            if isinstance(node, nodes.Scan) and (node.headers or node.places):
                message = (
                    f"the query reads the headers or the offsets of '{node.topic.name}', which the rows do not have"
                )
                raise _unanswerable(message, "`lsqlc query` reads them")


def query_answer(reader: Reader, compiled: CompiledQuery, limit: RowLimit, now: int) -> ServedAnswer:
    """Return the rows of a query. `now`: epoch milliseconds.

    Raises LsqlcError LSQ838 if more rows than `limit.most` must be sorted here, and as `Reader.evaluate`.
    """
    query = compiled.query
    # OFFSET is among the rows that LIMIT counts.
    end = query.offset + limit.count
    end = end if query.limit is None else min(end, query.limit)
    order = _order(query)
    # One more tells whether there are more.
    first = FirstRows(order, end + 1) if order is not None else FirstRows(("_ts",), limit.most + 1)
    rows = rows_of(query, reader.evaluate(compiled.plan, now, first))
    if order is None and len(rows) > limit.most:
        message = f"the query has more than {limit.most:,} rows, which are sorted by a map or an array"
        help = "sort by other columns, or select fewer rows with WHERE"
        raise LsqlcError([Diagnostic("LSQ838", message, help=help)])
    has_more = len(rows) > end and (query.limit is None or end < query.limit)
    return ServedAnswer(_first(sorted_answer(query, rows), limit.count), has_more)


def rows_where(
    reader: Reader, table: ServedTable, condition: BoundCondition | None, limit: RowLimit, now: int
) -> ServedAnswer:
    """Return the rows of a table for which a condition holds, by key. Raises LsqlcError with errors in the condition,
    and as `Reader.evaluate`.
    """
    topic = table.topic
    wide = reader.topics[table.name].stored
    node: nodes.Node = nodes.Scan(wide, topic.name, "TABLE", topic.key, topic.value)
    if condition is not None:
        if condition.expression is None:
            # The text that the spans are in is the program around the condition.
            raise LsqlcError(replace(each, span=None) for each in condition.diagnostics)
        node = nodes.Filter(node, condition.expression)
    plan = Plan(_ROWS, (nodes.Sink((node,), replace(wide, name=_ROWS)),))
    first = FirstRows(tuple(value_order("key", topic.key.type)), limit.count + 1)
    rows = reader.evaluate(plan, now, first).topics[_ROWS]
    return ServedAnswer(_first(table.answer(rows), limit.count), len(rows) > limit.count)


def table_condition(text: str, topic: Topic, workspace: Workspace) -> BoundCondition:
    """Return a condition over the columns of a table, in the language of `lsqlc show --where`."""
    _check_text(text)
    return bound_condition(text, topic, workspace.compilation)


def _check_text(text: str) -> None:
    """Raise LsqlcError LSQ840 for a text with templates, and for one that would take long to compile."""
    if any(mark in text for mark in _TEMPLATES):
        message = "a query of a service has no templates"
        help = "write the names of topics and the values themselves, without {{ }} and {% %}"
        raise LsqlcError([Diagnostic("LSQ840", message, help=help)])
    if len(text) > _LONGEST:
        message = f"the query has {len(text):,} characters, and {_LONGEST:,} are the most"
        raise LsqlcError([Diagnostic("LSQ840", message, help="send several queries, or make a model of it")])


def _order(query: Query) -> tuple[str, ...] | None:
    """Return ORDER BY terms that sort as `sorted_answer` does: by the columns, and by key. None for columns that DuckDB
    sorts in another way.
    """
    columns = {column.name: column for column in query.columns}
    terms: list[str] = []
    for each in query.order:
        column = columns[each.name]
        if not _is_sortable(column.type):
            return None
        place = _place(column)
        terms.append(f"{place} IS NULL{' DESC' if each.nulls_first else ''}")
        terms += value_order(place, column.type, descending=each.descending)
    key = query.topic.key.type
    return (*terms, *value_order("key", key)) if _is_sortable(key) else None


def _place(column: AnswerColumn) -> str:
    return column.facet if column.field is None else f"{column.facet}.{quoted(column.field)}"


def _is_sortable(type: DataType) -> bool:
    if isinstance(type, Struct):
        return all(_is_sortable(f.type) for f in type.fields)
    return isinstance(type, Primitive | Decimal)


def _first(answer: Answer, count: int) -> Answer:
    kept = answer.first(count)
    return replace(kept, total=len(kept))


def _unanswerable(message: str, help: str) -> LsqlcError:
    return LsqlcError([Diagnostic("LSQ835", message, help=help)])
