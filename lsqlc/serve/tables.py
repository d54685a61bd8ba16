"""The tables of a service: TABLEs that models write, and topics with a key that are read as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError, listing
from lsqlc.lower.duckdb.current_rows import RowTopic
from lsqlc.report.answers import Answer, AnswerColumn
from lsqlc.tasks.query import columns_of
from lsqlc.types.record import Record, Topic

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation


@dataclass(frozen=True, slots=True)
class ServedTable:
    """A topic as a table. `columns`: those of its key, then those of its value; `model`: the one that writes it."""

    row_topic: RowTopic
    columns: tuple[AnswerColumn, ...]
    model: str | None = None

    @property
    def topic(self) -> Topic:
        """The topic."""
        return self.row_topic.topic

    @property
    def name(self) -> str:
        """The name of the topic."""
        return self.topic.name

    def answer(self, rows: Iterable[Record]) -> Answer:
        """Return rows as an answer with all columns."""
        cells = tuple(tuple(column.value(row) for column in self.columns) for row in rows)
        return Answer(self.columns, cells, len(cells))


@dataclass(frozen=True, slots=True)
class Wanted:
    """The tables that a command asks for. `models`: the selected ones; `topics`: further topics, by name."""

    models: frozenset[str]
    topics: tuple[str, ...] = ()


def served_tables(compilation: Compilation, wanted: Wanted, *, has_partitions: bool) -> tuple[ServedTable, ...]:
    """Return the tables, in order of their names. `compilation`: of all models; `has_partitions`: as of `RowTopic`.

    Raises LsqlcError: LSQ834 if there are none, and for a topic that is not a table, LSQ063 for an unknown topic.
    """
    writers = dict(_written_tables(compilation, wanted.models))
    topics = {topic.name: topic for topic in (*writers, *_named(compilation, wanted.topics))}
    if not topics:
        message = "the selected models write no TABLE"
        help = "select other models with --select, or name topics with a key: --topic NAME"
        raise LsqlcError([Diagnostic("LSQ834", message, help=help)])
    models = {topic.name: model for topic, model in writers.items()}
    return tuple(
        ServedTable(RowTopic(topic, has_partitions), tuple(columns_of(topic)), models.get(name))
        for name, topic in sorted(topics.items())
    )


def _written_tables(compilation: Compilation, models: Iterable[str]) -> Iterator[tuple[Topic, str]]:
    kinds = compilation.semantics
    for model in sorted(models):
        build = compilation.models.get(model)
        for topic in build.outputs if build is not None else ():
            if kinds.get(topic.name) == "TABLE":
                yield topic, model


def _named(compilation: Compilation, names: Iterable[str]) -> Iterator[Topic]:
    from lsqlc.tasks.show import topics_named

    for name in names:
        for topic in topics_named(compilation, name):
            if topic.key.is_absent or topic.files is not None:
                reason = "it has no key" if topic.files is None else "it is a folder of files"
                with_key = listing(t.name for t in compilation.topics.values() if not t.key.is_absent)
                help = f"topics with a key are {with_key}" if with_key else "declare a key for the topic"
                message = f"'{topic.name}' cannot be served as a table, since {reason}"
                raise LsqlcError([Diagnostic("LSQ834", message, help=help)])
            yield topic
