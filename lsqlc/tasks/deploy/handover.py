"""Have staged STREAMs read as far as the live ones have read, record for record.

Records that a STREAM has written stay. So a staged STREAM writes aside what it makes of the input that the live one has
read, and goes on behind that in the live topic: each record of the input is in the results of one of the two programs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lsqlc.connectors.folders.log import FileLog
from lsqlc.connectors.kafka.aligned import Partition, PartitionOffsets, Unread, aligned_ends
from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark.record_lines import INTERNAL
from lsqlc.lower.spark.steps import Source, Stage
from lsqlc.plan.plan import Plan
from lsqlc.remote.run.batch_log import (
    AheadError,
    BatchLog,
    End,
    Files,
    FilesEnd,
    UnknownLogError,
    file_address,
    next_batch,
)
from lsqlc.remote.run.checkpoints import Checkpoint
from lsqlc.remote.run.graph import Node
from lsqlc.remote.run.runner import Next
from lsqlc.remote.run.stores import store_of
from lsqlc.tasks.batch_ends import end_batch, kafka_end, next_offsets, read_log, server_time, topic_sources, unread
from lsqlc.tasks.deploy.positions import Position, check_exact, merged, unreadable
from lsqlc.tasks.run_target import RunTarget


def has_streams(plan: Plan) -> bool:
    """Whether the staged model must not read further than the live one."""
    return any(semantics == "STREAM" for semantics in plan.semantics.values())


def outputs_of(stages: Sequence[Stage]) -> dict[str, frozenset[str]]:
    """The topics to which each stage of a model contributes, by the stage's name, without those between stages."""
    found: dict[str, frozenset[str]] = {}
    passed_on: dict[str, frozenset[str]] = {}
    for stage in reversed(stages):
        topic = stage.write.topic
        outputs = passed_on.get(topic, frozenset()) if topic.startswith(INTERNAL) else frozenset((topic,))
        found[stage.name] = outputs
        for read in (topic for step in stage.steps if isinstance(step, Source) for topic in step.topics):
            passed_on[read] = passed_on.get(read, frozenset()) | outputs
    return found


@dataclass(frozen=True, slots=True)
class UpToLive:
    """The limit of a run of staged models. `positions`: those of the live ones, by model; others are not limited.
    `place`: as the staged models see it, `live`: as the live ones do. `outputs`: as `outputs_of`, by query.
    """

    positions: Mapping[str, Sequence[Position]]
    place: RunTarget
    live: RunTarget
    outputs: Mapping[str, frozenset[str]]

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
        position = self._position(node)
        try:
            ends = self._ends(position, node, checkpoint, log)
            settings = _settings(position, checkpoint.of(node.stage), session)
            texts = next_batch(log, ends, now=server_time(session), settings=settings)
        except AheadError:
            raise LsqlcError([_ahead(node.model)]) from None
        except (UnknownLogError, KeyError):
            raise LsqlcError([unreadable(node.model, node.query)]) from None
        if texts is None:
            return Next.READ
        if not end_batch(store, node, checkpoint, log, texts):
            raise LsqlcError([_ahead(node.model)])
        return Next.BATCH

    def _position(self, node: Node) -> Position:
        """Of the live chains that write what the query contributes to; of all chains for an output that is new. Raises
        LsqlcError LSQ793 for chains at different positions: what the one behind has not read would be written again.
        """
        every = self.positions[node.model]
        chains = [each for each in every if each.outputs & self.outputs[node.query]]
        position = merged(chains or every)
        if len(chains) > 1:
            check_exact(node.model, [position])
        return position

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

    def _unread(self, position: Position, source: Source, read: PartitionOffsets) -> Unread:
        """What a source is to read. Raises AheadError where it has read more."""
        spans: dict[Partition, tuple[int, int]] = {}
        for topic in source.topics:
            bounds = (self.place if topic.startswith(INTERNAL) else self.live).kafka_log.offsets(topic)
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


def _settings(position: Position, stage: Stage, session: Any) -> Callable[[], Mapping[str, str]]:
    def noted() -> Mapping[str, str]:
        found = {name: session.conf.get(name, None) for name in position.settings}
        return {**{name: value for name, value in found.items() if value is not None}, **dict(stage.settings)}

    return noted


def _ahead(model: str) -> Diagnostic:
    return Diagnostic(
        "LSQ794",
        f"the staged model '{model}' has read more of its input than the live one",
        notes=("the live one has been rebuilt, or is a program that has not read yet what the staged one has",),
        help="run the version that is live until its input is read, or remove what is staged with `lsqlc deploy abort`",
    )
