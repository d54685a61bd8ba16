"""Start offsets of the topics that a model reads (see `declared.starts`), and errors about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lsqlc.diagnostics import Diagnostic, Severity, Span, did_you_mean
from lsqlc.plan.history import unfit_history
from lsqlc.plan.nodes import scans
from lsqlc.plan.plan import Plan
from lsqlc.project.declared.declarations import TopicDeclaration
from lsqlc.project.declared.starts import Start
from lsqlc.project.model import Model


def declared_starts(topics: Iterable[TopicDeclaration]) -> Mapping[str, Start]:
    """Return the starts that topics declare, by name."""
    return {d.topic.name: d.start for d in topics if d.start is not None}


def tables_of(plan: Plan) -> frozenset[str]:
    """Return the topics that a plan reads as a TABLE, which lacks rows without its first records."""
    all_scans = (scan for sink in plan.sinks for node in sink.inputs for scan in scans(node))
    return frozenset(scan.topic.name for scan in all_scans if scan.semantics == "TABLE")


def starts_of(plan: Plan, model: Model, declared: Mapping[str, Start], requested: Start | None) -> Mapping[str, Start]:
    """Return where the queries of a model begin to read, by topic. A missing topic is read from its first record.

    `requested`: the start that a command requests. It overrides that of the model, which overrides that of the topics,
    `declared`. A topic that is read as a TABLE only uses its own declaration.
    """
    tables, own = tables_of(plan), requested or model.start
    starts = {
        topic.name: declared.get(topic.name) if topic.name in tables else own or declared.get(topic.name)
        for topic in plan.inputs
        if topic.files is None
    }
    return {name: start for name, start in starts.items() if start is not None and not start.is_earliest}


def partial_tables(plan: Plan, reads: Iterable[tuple[str, Span]], declared: Mapping[str, Start]) -> list[Diagnostic]:
    """Return LSQ689 for each topic with a start that a plan reads as a TABLE.

    `reads`: the positions of topics in the program.
    """
    places, tables = dict(reads), tables_of(plan)
    return [
        Diagnostic(
            "LSQ689",
            f"the TABLE '{topic}' lacks the rows that were written before its start",
            places.get(topic),
            (f"`start: {declared[topic].text}`: a row of an older record is missing until its key is written again",),
            "remove `start` from the topic, and give the models that read it as a STREAM `config: {start: ...}`",
            severity=Severity.WARNING,
        )
        for topic in sorted(tables & declared.keys())
        if not (declared[topic].is_earliest or declared[topic].history)
    ]


def unfit_histories(topics: Iterable[TopicDeclaration]) -> list[Diagnostic]:
    """Return LSQ872 for each topic whose history is not a topic of files with its columns."""
    declared_topics = {d.topic.name: d.topic for d in topics}
    diagnostics = []
    for declared in (d for d in topics if d.start is not None and d.start.history):
        assert declared.start is not None
        name = declared.start.history
        files = declared_topics.get(name)
        if files is None or files.files is None:
            of_files = [topic.name for topic in declared_topics.values() if topic.files is not None]
            notes: tuple[str, ...] = (f"'{name}' is {'not declared' if files is None else 'not a topic of files'}",)
            help = did_you_mean(name, of_files) or "declare it with `connector: files`"
        else:
            notes = tuple(unfit_history(files, declared.topic))
            help = f"declare '{name}' with the columns, the key and the time of '{declared.topic.name}'"
        if notes:
            message = f"the topic '{declared.topic.name}' cannot have the history '{name}'"
            diagnostics.append(Diagnostic("LSQ872", message, declared.span, notes, help))
    return diagnostics


def written_with_start(topics: Iterable[TopicDeclaration], writers: Mapping[str, str]) -> list[Diagnostic]:
    """Return LSQ688 for each topic with a start that a model writes. `writers`: the model that writes each topic."""
    return [
        Diagnostic(
            "LSQ688",
            f"the topic '{d.topic.name}' has a start, and the model '{writers[d.topic.name]}' writes it",
            d.span,
            ("its records are those that the model makes of its input: a start is for topics that no model writes",),
            f"remove `start`, and give it to the topics that '{writers[d.topic.name]}' reads",
        )
        for d in topics
        if d.start is not None and d.topic.name in writers
    ]
