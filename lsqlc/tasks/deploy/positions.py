"""How far the queries of a model have read their input, and the records that they had written by then.

Queries that pass records on to each other, or write one topic, form a chain. Chains read their input independently of
each other: the rows of a model and its dead letters, for example. So each chain has a position of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lsqlc.connectors.folders.log import FileLog
from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.connectors.naming import folder_name
from lsqlc.connectors.transport import Offsets, Transport
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark.checkpoint_parts import Parts
from lsqlc.lower.spark.record_lines import INTERNAL
from lsqlc.remote.run.batch_log import BatchLog, Files, UnknownLogError, least
from lsqlc.remote.run.checkpoints import described, generation_of, live_queries
from lsqlc.remote.run.query_batches import query_batches
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.tasks.run_target import RunTarget
from lsqlc.types.record import StoredRecord, Topic

# What identifies the records of a topic at one moment: in Kafka the first offset of each partition and that behind the
# last committed record, in a folder its segments.
Contents = Mapping[int, tuple[int, int]] | tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Position:
    """How far the queries of a chain have read: the next offsets of topics in Kafka, or the files of topics in folders,
    by topic. `outputs`: the topics that the chain writes, without those between its queries; `settings`: names of the
    Spark settings that their batches are noted with; `is_exact`: the outputs contain the
    results of exactly this input.
    """

    offsets: Mapping[str, Offsets] = field(default_factory=dict)
    files: Mapping[str, Files] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    is_exact: bool = True
    outputs: frozenset[str] = frozenset()

    def reaches(self, other: Position) -> bool:
        """Whether nothing was read for `other` that was not read here, of topics that both read."""
        behind = (
            end > self.offsets[topic].get(partition, 0)
            for topic, of in other.offsets.items()
            if topic in self.offsets and not topic.startswith(INTERNAL)
            for partition, end in of.items()
        )
        missing = (
            not of.keys() <= self.files[topic].keys()
            for topic, of in other.files.items()
            if topic in self.files and not topic.startswith(INTERNAL)
        )
        return not any(behind) and not any(missing)


@dataclass(frozen=True, slots=True)
class Cut:
    """A position, and the records that the outputs had when they contained the results of exactly that input."""

    position: Position
    contents: Mapping[str, Contents]

    def records(self, log: Transport, topic: Topic) -> Iterator[StoredRecord]:
        """The records of one output. Raises LsqlcError for a topic that cannot be read."""
        contents = self.contents[topic.name]
        if isinstance(log, FileLog):
            assert isinstance(contents, tuple), "the segments of a topic in a folder"
            return log.read_segments(topic, contents)
        assert isinstance(log, KafkaLog) and isinstance(contents, Mapping), "what is not in a folder is in Kafka"
        return log.read(topic, by_time=False, within=contents)


def live_positions(place: RunTarget, store: CheckpointStore, model: str) -> tuple[Position, ...]:
    """How far each chain of a model has read. `place`: as its queries see it. While they run this is where they were a
    moment ago.

    Raises LsqlcError: LSQ793 for checkpoints that cannot be read, and as the topics do.
    """
    return tuple(_position(place, store, model, chain, {}) for chain in _chains(live_queries(store, [model])))


def live_cuts(place: RunTarget, store: CheckpointStore, model: str) -> tuple[Cut, ...] | None:
    """A cut of each chain of a model; None where one of them is in the middle of a batch, or passes records on at the
    moment. Raises as `live_positions`.
    """
    cuts = [_cut(place, store, model, chain) for chain in _chains(live_queries(store, [model]))]
    found = tuple(cut for cut in cuts if cut is not None)
    return found if len(found) == len(cuts) else None


def merged(positions: Sequence[Position]) -> Position:
    """One position for a query that contributes to several chains: what all of them have read. It is exact if they are
    all the same one.
    """
    if len(positions) == 1:
        return positions[0]
    offsets = {
        topic: [p.offsets[topic] for p in positions if topic in p.offsets] for p in positions for topic in p.offsets
    }
    files = {topic: [p.files[topic] for p in positions if topic in p.files] for p in positions for topic in p.files}
    return Position(
        {topic: least(some) for topic, some in offsets.items()},
        {topic: _common(some) for topic, some in files.items()},
        tuple(dict.fromkeys(name for position in positions for name in position.settings)),
        all(position.is_exact for position in positions) and not _differ(offsets, files),
        frozenset().union(*(position.outputs for position in positions)),
    )


def check_exact(model: str, positions: Sequence[Position]) -> None:
    """Refuse (LSQ793) to hand over where results of the live model are not those of the input that it has read."""
    if not all(position.is_exact for position in positions):
        message = f"the live queries of '{model}' stopped between reading their input and writing their results"
        note = "what the staged program goes on with could be missing, or there twice"
        help = f"run the version that is live until its input is read, with `lsqlc run --select {model}`"
        raise LsqlcError([Diagnostic("LSQ793", message, notes=(note,), help=help)])


def unreadable(model: str, query: str) -> Diagnostic:
    """LSQ793: a checkpoint in a form that is not known."""
    message = f"the checkpoint of the query '{query}' of '{model}' is in a form that is not known"
    help = f"rebuild the model in place, with `lsqlc run --select {model}+ --full-refresh`"
    return Diagnostic("LSQ793", message, help=help)


def _chains(queries: Mapping[str, Parts]) -> tuple[Mapping[str, Parts], ...]:
    """The queries of a model by chain, in their order."""
    chain_of = {query: query for query in queries}
    first: dict[str, str] = {}
    for query, parts in queries.items():
        passed_on = [topic for source in parts.sources for topic in source.split(", ") if topic.startswith(INTERNAL)]
        for topic in (parts.topic, *passed_on):
            old, new = chain_of[query], chain_of[first.setdefault(topic, query)]
            chain_of = {each: new if chain == old else chain for each, chain in chain_of.items()}
    return tuple(
        {query: parts for query, parts in queries.items() if chain_of[query] == chain}
        for chain in dict.fromkeys(chain_of.values())
    )


def _position(
    place: RunTarget, store: CheckpointStore, model: str, queries: Mapping[str, Parts], batches: Mapping[str, int]
) -> Position:
    """The position of a chain. `batches`: the batch up to which a query counts, where that is known."""
    offsets: dict[str, list[Offsets]] = {}
    files: dict[str, list[Files]] = {}
    settings: dict[str, None] = {}
    exact = True
    for query, parts in queries.items():
        generation, log = _log(store, query, parts)
        try:
            batch = batches.get(query)
            if batch is None:
                batch, complete = _newest(place, parts.topic, generation, log)
                exact = exact and complete
            settings |= dict.fromkeys(log.about(batch)["conf"]) if batch >= 0 else {}
            for number, source in enumerate(parts.sources):
                _read_by(place, log, batch, number, tuple(source.split(", ")), offsets, files)
        except (UnknownLogError, KeyError):
            raise LsqlcError([unreadable(model, query)]) from None
    for topic in (parts.topic for parts in queries.values() if parts.topic.startswith(INTERNAL)):
        # What is passed on to a query that has not begun, too.
        if place.kafka is None:
            files.setdefault(topic, [{}])
        else:
            offsets.setdefault(topic, [{}])
    behind = _unread(place, offsets, files)
    return Position(
        {topic: least(some) for topic, some in offsets.items()},
        {topic: _common(some) for topic, some in files.items()},
        tuple(settings),
        exact and not behind and not _differ(offsets, files),
        frozenset(_outputs(queries)),
    )


def _outputs(queries: Mapping[str, Parts]) -> Iterator[str]:
    return (parts.topic for parts in queries.values() if not parts.topic.startswith(INTERNAL))


def _log(store: CheckpointStore, query: str, parts: Parts) -> tuple[str, BatchLog]:
    """The generation of a query, and what Spark keeps of its batches."""
    known = described(store, query)
    assert known is not None, "a live query has a checkpoint"
    return generation_of(query, known), query_batches(store, query, known, parts.sources)


def _newest(place: RunTarget, topic: str, generation: str, log: BatchLog) -> tuple[int, bool]:
    """The newest batch whose results are in the topic, and whether no part of a further one may be there."""
    if log.last == log.committed:
        return log.committed, True
    # It was computed in part, or as a whole, and not noted as done.
    if place.streams().last_batch(topic, generation) >= log.last:
        return log.last, True
    # Several writers may have committed some of its transactions.
    return log.committed, place.kafka is None or place.kafka.writers == 1


def _cut(place: RunTarget, store: CheckpointStore, model: str, queries: Mapping[str, Parts]) -> Cut | None:
    """The records of the outputs between two looks at the newest batches, which must be the same ones. None, too, where
    one query has batches without markers.
    """
    if place.kafka is not None and place.kafka.writers == "native":
        # No batch has a marker.
        return None
    logs = {query: _log(store, query, parts) for query, parts in queries.items()}
    published = _published(place, queries, logs)
    contents = {topic: _contents(place, topic) for topic in _outputs(queries)}
    settled = {topic: each for topic, each in contents.items() if each is not None}
    if published is None or published != _published(place, queries, logs) or len(settled) < len(contents):
        return None
    for query, parts in queries.items():
        began = published[query] < 0 <= logs[query][1].committed
        if began and _has_records(settled.get(parts.topic)) and not _has_markers(place, parts.topic):
            # It writes without markers, or what is there was written by a promotion.
            return None
    # A batch without records has no marker.
    batches = {query: max(log.committed, published[query]) for query, (_, log) in logs.items()}
    if any(batches[query] > log.last for query, (_, log) in logs.items()):
        return None
    position = _position(place, store, model, queries, batches)
    return Cut(position, settled) if position.is_exact else None


def _published(
    place: RunTarget, queries: Mapping[str, Parts], logs: Mapping[str, tuple[str, BatchLog]]
) -> Mapping[str, int] | None:
    """The newest batch of each query that is in its topic, -1 for none; None where one is there in part."""
    streams = place.streams()
    topics = {query: (parts.topic, logs[query][0]) for query, parts in queries.items()}
    several = place.kafka is not None and place.kafka.writers != 1
    if several and any(place.kafka_log.batch_in_part(*each) is not None for each in topics.values()):
        return None
    return {query: streams.last_batch(*each) for query, each in topics.items()}


def _contents(place: RunTarget, topic: str) -> Contents | None:
    """What a topic has; None while a transaction is open."""
    if isinstance(place.log, FileLog):
        return place.log.segments(topic)
    return place.kafka_log.quiet_offsets(topic)


def _has_markers(place: RunTarget, topic: str) -> bool:
    """Whether some query has written a batch to the topic; always so in folders, where each segment is of one."""
    if not isinstance(place.log, KafkaLog):
        return True
    return any(marker.batch >= 0 and not marker.ended for marker in place.log.markers(topic).values())


def _has_records(contents: Contents | None) -> bool:
    if isinstance(contents, Mapping):
        return any(first < end for first, end in contents.values())
    return bool(contents)


def _read_by(
    place: RunTarget,
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


def _unread(place: RunTarget, offsets: Mapping[str, list[Offsets]], files: Mapping[str, list[Files]]) -> bool:
    """Whether there is something between the queries that has not been read."""
    for topic in (name for name in offsets if name.startswith(INTERNAL)):
        ends = {p: end for p, (_, end) in place.kafka_log.offsets(topic).items()}
        if any(end > read.get(p, 0) for read in offsets[topic] for p, end in ends.items()):
            return True
    for topic in (name for name in files if name.startswith(INTERNAL)):
        assert isinstance(place.log, FileLog), "what is not in Kafka is in folders"
        there = len(place.log.segments(topic))
        if any(len(read) < there for read in files[topic]):
            return True
    return False


def _differ(offsets: Mapping[str, list[Offsets]], files: Mapping[str, list[Files]]) -> bool:
    """Whether queries have read one topic up to different places."""
    apart = any(len({tuple(sorted(each.items())) for each in some}) > 1 for some in offsets.values())
    return apart or any(len({frozenset(each) for each in some}) > 1 for some in files.values())


def _common(some: Sequence[Files]) -> Files:
    return {path: time for path, time in some[0].items() if all(path in each for each in some)}
