"""Where the models of a project begin to read on a place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime

from lsqlc.connectors.transport import Offsets
from lsqlc.diagnostics import Diagnostic, LsqlcError, Severity
from lsqlc.project.build.compile import Compilation
from lsqlc.project.build.starts import declared_starts, starts_of
from lsqlc.project.declared.starts import Begun, Start
from lsqlc.remote.run.checkpoints import begun_of, described, live_queries
from lsqlc.remote.run.events import QuerySummary, Started
from lsqlc.remote.run.start_offsets import OffsetFinder, StartOffsets
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.tasks.histories import history_check
from lsqlc.tasks.run_target import RunTarget
from lsqlc.types.codec_text import timestamp_text

Starts = Mapping[str, Mapping[str, Start | Begun]]
"""Where new queries begin, by model and topic."""


def starts_at(compilation: Compilation, place: RunTarget, requested: Start | None = None) -> Starts:
    """Return the starts of the selected models. `requested`: that of a command.

    Topics that models write on this target have none: their readers read all results. Nothing is looked up.
    """
    project = compilation.project
    models = {model.name: model for model in project.models}
    declared = declared_starts(project.topics)
    output_topics = {topic for topic in compilation.graph.writers if place.read_from(topic) is None}
    by_model = {
        name: {
            topic: start
            for topic, start in starts_of(plan, models[name], declared, requested).items()
            if topic not in output_topics
        }
        for name, plan in compilation.plans.items()
    }
    return {name: starts for name, starts in by_model.items() if starts}


def check_times(starts: Starts, now: float) -> None:
    """Refuse (LSQ750) starts that have not come yet. `now`: seconds since 1970."""
    future = {
        (topic, start.text): start.at
        for of in starts.values()
        for topic, start in of.items()
        if isinstance(start, Start) and start.at is not None and start.at > now * 1000
    }
    if future:
        raise LsqlcError([_future(topic, text, now) for topic, text in sorted(future)])


def beginnings(starts: Starts, compilation: Compilation, place: RunTarget, now: float) -> Mapping[str, StartOffsets]:
    """Return the starts in the form of the runner, which looks them up in the topics of a target. `now`: seconds since
    1970.
    """
    find = OffsetFinder(place.log.place, int(now * 1000), history_check(compilation, place))
    return {model: StartOffsets(of, find) for model, of in starts.items()}


def begun_live(store: CheckpointStore, models: Iterable[str]) -> Starts:
    """Return the starts of the live queries of models, for queries that compute the same from the beginning."""
    by_model = {model: _merged(starts for starts in _begun(store, model)) for model in models}
    return {model: starts for model, starts in by_model.items() if starts}


def common_places(summaries: Iterable[QuerySummary]) -> Mapping[str, Mapping[str, Offsets | None]]:
    """Return the starts of the queries of each model, by topic: the common start of all queries that read it; None
    where they differ. Topics that are read from their first record are left out.
    """
    by_model: dict[str, dict[str, Offsets | None]] = {}
    for summary in summaries:
        of = by_model.setdefault(summary.model, {})
        for topic, start in summary.reads.items():
            places = dict(start.places) if start else {}
            of[topic] = places if of.get(topic, places) == places else None
    return {m: {t: p for t, p in of.items() if p is None or p} for m, of in by_model.items()}


def not_counted(event: Started, requested: Start) -> Diagnostic | None:
    """LSQ699 for a query that continues, though a command says where to begin; None where it has begun there."""
    if not event.resumed or (event.begun and all(position.text == requested.text for position in event.begun.values())):
        return None
    topics = ", ".join(f"'{topic}' from {position.shown}" for topic, position in event.begun.items())
    return Diagnostic(
        "LSQ699",
        f"the query '{event.query}' continues from its checkpoint: `--from {requested.text}` does not count",
        severity=Severity.WARNING,
        notes=(f"it began to read {topics}" if topics else "it began with the first record of each topic",),
        help="run with `--full-refresh` too, which removes its state and its results, and starts from the beginning",
    )


def counter(place: RunTarget, find: Callable[[str, Start], Begun]) -> Callable[[str, Start | Begun | None], int]:
    """Counts the records of a topic behind a start."""

    def count(topic: str, start: Start | Begun | None) -> int:
        if start is None:
            return place.log.count(topic)
        position = find(topic, start) if isinstance(start, Start) else start
        return place.log.count(topic, dict(position.places))

    return count


def _begun(store: CheckpointStore, model: str) -> Iterable[Mapping[str, Begun]]:
    for query in live_queries(store, [model]):
        description = described(store, query)
        if description is not None:
            yield begun_of(description)


def _merged(some: Iterable[Mapping[str, Begun]]) -> Mapping[str, Begun]:
    """Return the earliest start of each topic that several queries read."""
    merged: dict[str, Begun] = {}
    for starts in some:
        for topic, each in starts.items():
            earlier = merged.get(topic)
            if earlier is None or each.places < earlier.places:
                merged[topic] = each
    return merged


def _future(topic: str, text: str, now: float) -> Diagnostic:
    time = timestamp_text(datetime.fromtimestamp(int(now), UTC))
    return Diagnostic(
        "LSQ750",
        f"the start '{text}' of the topic '{topic}' is in the future",
        notes=(f"it is {time}; which records come after that time is not known yet",),
        help="give a time that has passed, or `latest` for the records that come from now on",
    )
