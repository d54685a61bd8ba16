"""How far the queries of a model have read their input, and the records that they had written by then.

Queries that pass records on to each other, or write one topic, form a chain. Chains read their input independently of
each other: the rows of a model and its dead letters, for example. So each chain has a position of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lsqlc.connectors.transport import Contents, Transport
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark.checkpoint_parts import Parts
from lsqlc.lower.spark.record_lines import INTERNAL
from lsqlc.remote.connectors.progress import Reached
from lsqlc.remote.run.batch_log import BatchLog, UnknownLogError
from lsqlc.remote.run.checkpoints import described, generation_of, live_queries
from lsqlc.remote.run.query_batches import query_batches
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.tasks.run_target import RunTarget
from lsqlc.types.record import StoredRecord, Topic


@dataclass(frozen=True, slots=True)
class Position:
    """How far the queries of a chain have `reached` in each topic. `outputs`: the topics that the chain writes, without
    those between its queries; `settings`: names of the Spark settings that their batches are noted with; `is_exact`:
    the outputs contain the results of exactly this input.
    """

    reached: Mapping[str, Reached] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    is_exact: bool = True
    outputs: frozenset[str] = frozenset()

    def reaches(self, other: Position) -> bool:
        """Whether nothing was read for `other` that was not read here, of topics that both read."""
        both = {topic: of for topic, of in other.reached.items() if not topic.startswith(INTERNAL)}
        return all(self.reached[topic].covers(of) for topic, of in both.items() if topic in self.reached)


@dataclass(frozen=True, slots=True)
class Cut:
    """A position, and the records that the outputs had when they contained the results of exactly that input."""

    position: Position
    contents: Mapping[str, Contents]

    def records(self, log: Transport, topic: Topic) -> Iterator[StoredRecord]:
        """The records of one output. Raises LsqlcError for a topic that cannot be read."""
        return log.read_contents(topic, self.contents[topic.name])


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
    reached = {
        topic: [p.reached[topic] for p in positions if topic in p.reached] for p in positions for topic in p.reached
    }
    return Position(
        _shared(reached),
        tuple(dict.fromkeys(name for position in positions for name in position.settings)),
        all(position.is_exact for position in positions) and not _differ(reached),
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
    progress, names = place.spark_connector.progress, place.read_log
    reached: dict[str, list[Reached]] = {}
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
                of_source = {topic: names.external_name(topic) for topic in source.split(", ")}
                for topic, each in progress.read(log, batch, number, of_source).items():
                    reached.setdefault(topic, []).append(each)
        except (UnknownLogError, KeyError):
            raise LsqlcError([unreadable(model, query)]) from None
    for topic in (parts.topic for parts in queries.values() if parts.topic.startswith(INTERNAL)):
        # What is passed on to a query that has not begun, too.
        reached.setdefault(topic, [progress.nothing()])
    # Whether the queries have passed on something that has not been read.
    behind = not all(
        progress.is_at_end(place.log, topic, some) for topic, some in reached.items() if topic.startswith(INTERNAL)
    )
    return Position(
        _shared(reached),
        tuple(settings),
        exact and not behind and not _differ(reached),
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
    return log.committed, place.capabilities.is_atomic


def _cut(place: RunTarget, store: CheckpointStore, model: str, queries: Mapping[str, Parts]) -> Cut | None:
    """The records of the outputs between two looks at the newest batches, which must be the same ones. None, too, where
    one query has batches without markers.
    """
    if not place.capabilities.exactly_once:
        # No batch has a marker.
        return None
    logs = {query: _log(store, query, parts) for query, parts in queries.items()}
    published = _published(place, queries, logs)
    contents = {topic: place.log.contents(topic) for topic in _outputs(queries)}
    settled = {topic: each for topic, each in contents.items() if each is not None}
    if published is None or published != _published(place, queries, logs) or len(settled) < len(contents):
        return None
    for query, parts in queries.items():
        began = published[query] < 0 <= logs[query][1].committed
        has_records = parts.topic in settled and settled[parts.topic].has_records
        if began and has_records and not place.log.has_markers(parts.topic):
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
    several = not place.capabilities.is_atomic
    if several and any(place.log.batch_in_part(*each) is not None for each in topics.values()):
        return None
    return {query: streams.last_batch(*each) for query, each in topics.items()}


def _shared(reached: Mapping[str, Sequence[Reached]]) -> dict[str, Reached]:
    """What all queries have read of each topic."""
    return {topic: some[0].shared(some[1:]) for topic, some in reached.items()}


def _differ(reached: Mapping[str, Sequence[Reached]]) -> bool:
    """Whether queries have read one topic up to different offsets."""
    return any(not each.is_same(some[0]) for some in reached.values() for each in some[1:])
