"""Have staged STREAMs read as far as the live ones have read, record for record.

Records that a STREAM has written stay. So a staged STREAM writes aside what it makes of the input that the live one has
read, and goes on behind that in the live topic: each record of the input is in the results of one of the two programs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark.record_lines import INTERNAL
from lsqlc.lower.spark.source_names import source_names
from lsqlc.lower.spark.steps import Source, Stage
from lsqlc.plan.plan import Plan
from lsqlc.remote.run.batch_log import (
    AheadError,
    BatchLog,
    End,
    Files,
    FilesEnd,
    Offsets,
    UnknownLogError,
    file_address,
    least,
    next_batch,
)
from lsqlc.remote.run.checkpoints import Checkpoint, described, generation_of, live_queries, location_of
from lsqlc.remote.run.graph import Node
from lsqlc.remote.run.runner import Next
from lsqlc.remote.run.stores import CheckpointStore, store_of
from lsqlc.tasks.batch_ends import end_batch, kafka_end, next_offsets, read_log, server_time, topic_sources, unread
from lsqlc.tasks.places import Place
from lsqlc.topics.kafka.aligned import Partition, Places, Unread, aligned_ends
from lsqlc.topics.kafka.log import KafkaLog
from lsqlc.topics.log import FileLog
from lsqlc.topics.naming import folder_name


@dataclass(frozen=True, slots=True)
class Position:
    """How far the live queries of a model have read: the next offsets of topics in Kafka, or the files of topics in
    folders, by topic. `settings`: names of the Spark settings that their batches are noted with; `is_exact`: their
    results are those of this input and of no further one.
    """

    offsets: Mapping[str, Offsets] = field(default_factory=dict)
    files: Mapping[str, Files] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    is_exact: bool = True


def has_streams(plan: Plan) -> bool:
    """Whether the staged model must not read further than the live one."""
    return any(semantics == "STREAM" for semantics in plan.semantics.values())


def live_position(place: Place, store: CheckpointStore, model: str) -> Position:
    """How far the live queries of a model have read. `place`: as the live models see it. While they run this is where
    they were a moment ago.

    Raises LsqlcError: LSQ793 for checkpoints that cannot be read, and as the topics do.
    """
    offsets: dict[str, list[Offsets]] = {}
    files: dict[str, list[Files]] = {}
    settings: dict[str, None] = {}
    exact = True
    streams = place.streams()
    queries = live_queries(store, [model])
    for query, parts in queries.items():
        known = described(store, query)
        assert known is not None, "a live query has a checkpoint"
        log = replace(store.batches(location_of(store, query, known)), names=source_names(parts.sources))
        try:
            batch = log.committed
            if log.last > batch:
                # It was computed in part, or as a whole, and not noted as done.
                if streams.last_batch(parts.topic, generation_of(query, known)) >= log.last:
                    batch = log.last
                elif place.kafka is not None and place.kafka.writers != 1:
                    # Some of its transactions may be there.
                    exact = False
            settings |= dict.fromkeys(log.about(batch)["conf"]) if batch >= 0 else {}
            for number, source in enumerate(parts.sources):
                _read_by(place, log, batch, number, tuple(source.split(", ")), offsets, files)
        except (UnknownLogError, KeyError):
            raise LsqlcError([_unreadable(model, query)]) from None
    for topic in (parts.topic for parts in queries.values() if parts.topic.startswith(INTERNAL)):
        # What is passed on to a query that has not begun, too.
        if place.kafka is None:
            files.setdefault(topic, [{}])
        else:
            offsets.setdefault(topic, [{}])
    behind = _unread(place, offsets, files)
    apart = any(len({tuple(sorted(each.items())) for each in some}) > 1 for some in offsets.values())
    apart = apart or any(len({frozenset(each) for each in some}) > 1 for some in files.values())
    return Position(
        {topic: least(some) for topic, some in offsets.items()},
        {topic: _common(some) for topic, some in files.items()},
        tuple(settings),
        exact and not behind and not apart,
    )


def check_exact(model: str, position: Position) -> None:
    """Refuse (LSQ793) to hand over where results of the live model are not those of the input that it has read."""
    if not position.is_exact:
        message = f"the live queries of '{model}' stopped between reading their input and writing their results"
        note = "what the staged program goes on with could be missing, or there twice"
        help = f"run the version that is live until its input is read, with `lsqlc run --select {model}`"
        raise LsqlcError([Diagnostic("LSQ793", message, notes=(note,), help=help)])


@dataclass(frozen=True, slots=True)
class UpToLive:
    """The limit of a run of staged models: the positions of the live ones, by the names of models with STREAMs.
    `place`: as the staged models see it, `live`: as the live ones do.
    """

    positions: Mapping[str, Position]
    place: Place
    live: Place

    def prepare(self, node: Node, checkpoint: Checkpoint, session: Any) -> Next:
        """As `lsqlc.remote.run.runner.Limit`. Raises LsqlcError LSQ794 for a query that has read further, LSQ793 for a
        checkpoint that cannot be read, and what `end_batch` raises.
        """
        if node.model not in self.positions:
            return Next.UNLIMITED
        store = store_of(self.place.own_checkpoints, session)
        log = read_log(store, node, checkpoint)
        written = self.place.streams().last_batch(node.stage.write.topic, checkpoint.generation)
        if log.committed < log.last <= written:
            # It only has to be noted as done.
            return Next.BATCH
        position = self.positions[node.model]
        try:
            ends = self._ends(position, node, checkpoint, log)
            settings = _settings(position, checkpoint.of(node.stage), session)
            texts = next_batch(log, ends, now=server_time(session), settings=settings)
        except AheadError:
            raise LsqlcError([_ahead(node.model)]) from None
        except (UnknownLogError, KeyError):
            raise LsqlcError([_unreadable(node.model, node.query)]) from None
        if texts is None:
            return Next.READ
        if not end_batch(store, node, checkpoint, log, texts):
            raise LsqlcError([_ahead(node.model)])
        return Next.BATCH

    def _ends(self, position: Position, node: Node, checkpoint: Checkpoint, log: BatchLog) -> list[End]:
        steps = list(topic_sources(node.stage))
        if not isinstance(self.place.log, KafkaLog):
            return [self._files(position, step) for step in steps]
        sources = [
            self._unread(position, step, next_offsets(self.place, checkpoint, log, log.committed, number, step))
            for number, step in enumerate(steps)
        ]
        search = self.place.log.search([topic for step in steps for topic in step.topics])
        return [kafka_end(self.place, ends) for ends in aligned_ends(sources, search.first_from)]

    def _files(self, position: Position, source: Source) -> FilesEnd:
        files: dict[str, int] = {}
        for topic in source.topics:
            files |= position.files[topic] if self._is_shared(topic, position.files) else self._all_files(topic)
        return FilesEnd(files)

    def _unread(self, position: Position, source: Source, read: Places) -> Unread:
        """What a source is to read. Raises AheadError where it has read more."""
        spans: dict[Partition, tuple[int, int]] = {}
        for topic in source.topics:
            bounds = _log_of(self.place if topic.startswith(INTERNAL) else self.live).offsets(topic)
            of_live = position.offsets[topic] if self._is_shared(topic, position.offsets) else None
            for partition, (first, last) in bounds.items():
                end = max(first, last if of_live is None else of_live.get(partition, first))
                # What retention has removed is not read.
                start = max(first, read.get((topic, partition), 0))
                if end < start:
                    raise AheadError(topic)
                spans[topic, partition] = start, end
        return unread(self.place, source, spans)

    def _is_shared(self, topic: str, known: Mapping[str, Any]) -> bool:
        """Whether the live program reads the topic too. A topic that is new to the model is read to its end."""
        return topic in known and not topic.startswith(INTERNAL)

    def _all_files(self, topic: str) -> Files:
        log = (self.place if topic.startswith(INTERNAL) else self.live).log
        assert isinstance(log, FileLog), "what is not in Kafka is in folders"
        found = ((path.absolute(), path.stat().st_mtime_ns // 1_000_000) for path in log.segments(topic))
        return {file_address(path): time for path, time in found}


def _read_by(
    place: Place,
    log: BatchLog,
    batch: int,
    number: int,
    topics: tuple[str, ...],
    offsets: dict[str, list[Offsets]],
    files: dict[str, list[Files]],
) -> None:
    """Add how far a source has read each of its topics."""
    if place.kafka is not None:
        read = log.offsets(batch, number)
        for topic in topics:
            name = place.name_in_kafka(topic)
            offsets.setdefault(topic, []).append(read.get(name, {}))
        return
    of_folder: dict[str, dict[str, int]] = {}
    for path, time in log.files(batch, number).items():
        # <folder of the topic>/data/<segment>
        of_folder.setdefault(path.split("/")[-3], {})[path] = time
    for topic in topics:
        folder = folder_name(place.overlay.renamed.get(topic, topic)) or ""
        files.setdefault(topic, []).append(of_folder.get(folder, {}))


def _unread(place: Place, offsets: Mapping[str, list[Offsets]], files: Mapping[str, list[Files]]) -> bool:
    """Whether there is something between the stages that has not been read."""
    for topic in (name for name in offsets if name.startswith(INTERNAL)):
        ends = {p: end for p, (_, end) in _log_of(place).offsets(topic).items()}
        if any(end > read.get(p, 0) for read in offsets[topic] for p, end in ends.items()):
            return True
    for topic in (name for name in files if name.startswith(INTERNAL)):
        assert isinstance(place.log, FileLog), "what is not in Kafka is in folders"
        there = len(place.log.segments(topic))
        if any(len(read) < there for read in files[topic]):
            return True
    return False


def _common(some: list[Files]) -> Files:
    return {path: time for path, time in some[0].items() if all(path in each for each in some)}


def _log_of(place: Place) -> KafkaLog:
    assert isinstance(place.log, KafkaLog), "offsets are of topics in Kafka"
    return place.log


def _settings(position: Position, stage: Stage, session: Any) -> Callable[[], Mapping[str, str]]:
    def noted() -> Mapping[str, str]:
        found = {name: session.conf.get(name, None) for name in position.settings}
        return {**{name: value for name, value in found.items() if value is not None}, **dict(stage.settings)}

    return noted


def _unreadable(model: str, query: str) -> Diagnostic:
    message = f"the checkpoint of the query '{query}' of '{model}' is in a form that is not known"
    help = f"rebuild the model in place, with `lsqlc run --select {model}+ --full-refresh`"
    return Diagnostic("LSQ793", message, help=help)


def _ahead(model: str) -> Diagnostic:
    return Diagnostic(
        "LSQ794",
        f"the staged model '{model}' has read more of its input than the live one",
        notes=("the live one has been rebuilt, or is a program that has not read yet what the staged one has",),
        help="run the version that is live until its input is read, or remove what is staged with `lsqlc deploy abort`",
    )
