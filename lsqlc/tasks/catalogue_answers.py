"""SHOW and DESCRIBE of the SQL prompt: the topics, streams, tables, models and functions of a project as rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing
from lsqlc.functions import catalogue
from lsqlc.plan.expression import Field
from lsqlc.report.answers import Answer, AnswerColumn
from lsqlc.tasks.query import columns_of, declared_sources
from lsqlc.types import data
from lsqlc.types.record import Facet, Topic

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation
    from lsqlc.tasks.query import DeclaredSource
    from lsqlc.tasks.run_target import RunTarget


def topics_answer(compilation: Compilation, place: RunTarget) -> Answer:
    """Return the topics of the project, with the number of records that each has on a target. In Kafka offsets are
    counted.
    """
    writers = compilation.graph.writers
    rows = []
    for name, topic in sorted(compilation.topics.items()):
        records = None if topic.files is not None else str(place.log.count(name))
        key, value = (None if facet.is_absent else facet.format for facet in (topic.key, topic.value))
        rows.append((name, key, value, records, writers.get(name)))
    return _answer(("topic", "key format", "value format", "records", "model"), rows)


def relations_answer(compilation: Compilation, kind: str) -> Answer:
    """Return the streams or tables of a project: those of programs in ksqlDB's language, and the topics that models in
    other languages write. `kind`: `STREAM` or `TABLE`.
    """
    declared = declared_sources(compilation)
    rows: list[tuple[str, str, str | None]] = [
        (name, ", ".join(_columns_text(each)), each.model)
        for name, each in sorted(declared.items())
        if each.source.node.semantics == kind
    ]
    of_programs = {each.model for each in declared.values()}
    semantics, writers = compilation.semantics, compilation.graph.writers
    for name, topic in sorted(compilation.topics.items()):
        if semantics.get(name) == kind and writers.get(name) not in of_programs:
            columns = ", ".join(f"{column.name} {column.type}" for column in columns_of(topic))
            rows.append((name, columns, writers.get(name)))
    return _answer((kind.lower(), "columns", "model"), rows)


def models_answer(compilation: Compilation) -> Answer:
    """Return the models of a project, which are its queries."""
    rows = [
        (
            name,
            ", ".join(t.name for t in build.outputs) or None,
            "has errors" if build.status == "failed" else "compiles",
        )
        for name, build in compilation.models.items()
    ]
    return _answer(("model", "writes", "state"), rows)


def functions_answer(compilation: Compilation, dialect: str) -> Answer:
    """Return the functions of a dialect, and the project's own."""
    own = [(function.name, "of the project") for function in compilation.project.functions.values()]
    aggregates = {name for name in catalogue.names(dialect) if catalogue.aggregate(name, dialect)}
    built_in = [(name, "aggregate" if name in aggregates else "scalar") for name in catalogue.names(dialect)]
    return _answer(("function", "kind"), sorted([*own, *built_in]))


def described(compilation: Compilation, name: str) -> tuple[Answer, tuple[str, ...]]:
    """Return the columns of a stream, table, topic or model, and lines with more about it. Raises LsqlcError LSQ063 for
    an unknown name.
    """
    declared = declared_sources(compilation)
    source = declared.get(name) or declared.get(name.upper())
    if source is not None:
        rows = [tuple(text.split(" ", 1)) for text in _columns_text(source)]
        kind = source.source.node.semantics.lower()
        return _answer(("column", "type"), rows), (f"a {kind} of the model '{source.model}'", source.text)
    topic = _topic(compilation, name, declared)
    rows = [(column.name, str(column.type)) for column in columns_of(topic)]
    writer = compilation.graph.writers.get(topic.name)
    lines = [f"the topic '{topic.name}'{f', written by the model {writer!r}' if writer else ''}"]
    lines += [f"{facet}: {format}" for facet, format in (("key", _format(topic.key)), ("value", _format(topic.value)))]
    if topic.description:
        lines.append(topic.description)
    return _answer(("column", "type"), rows), tuple(lines)


def topic_named(compilation: Compilation, name: str) -> Topic:
    """Return a topic by its name, in any case if no other differs in it only; also that which a model writes. Raises
    LsqlcError LSQ063 for an unknown name.
    """
    return _topic(compilation, name, ())


def _topic(compilation: Compilation, name: str, others: Iterable[str]) -> Topic:
    topics = compilation.topics
    if name in topics:
        return topics[name]
    alike = [topic for topic in topics if topic.lower() == name.lower()]
    if len(alike) == 1:
        return topics[alike[0]]
    build = compilation.models.get(name)
    if build is not None and build.outputs:
        return build.outputs[0]
    names = sorted({*topics, *compilation.models, *others})
    help = did_you_mean(name, names) or (f"known are {listing(names)}" if names else "the project has none yet")
    raise LsqlcError([Diagnostic("LSQ063", f"unknown topic or model '{name}'", help=help)])


def _columns_text(declared: DeclaredSource) -> list[str]:
    parts = []
    for column in declared.source.columns:
        is_key = isinstance(column.expression, Field) and column.expression.facet == "key"
        parts.append(f"{column.name} {column.expression.type}{' KEY' if is_key else ''}")
    return parts


def _format(facet: Facet) -> str:
    return "none" if facet.is_absent else facet.format


def _answer(names: Sequence[str], rows: Sequence[Sequence[str | None]]) -> Answer:
    columns = tuple(AnswerColumn(name, data.STRING, "value", None) for name in names)
    return Answer(columns, tuple(map(tuple, rows)), len(rows))
