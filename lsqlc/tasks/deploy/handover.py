"""Have staged STREAMs read as far as the live ones have read, record for record.

Records that a STREAM has written stay. So a staged STREAM writes aside what it makes of the input that the live one has
read, and goes on behind that in the live topic: each record of the input is in the results of one of the two programs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from lsqlc.connectors.transport import Transport
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark.record_lines import INTERNAL
from lsqlc.lower.spark.steps import Source, Stage
from lsqlc.plan.plan import Plan
from lsqlc.remote.connectors.progress import Goal, Reached
from lsqlc.remote.run.batch_log import AheadError, BatchLog, End, UnknownLogError, next_batch
from lsqlc.remote.run.checkpoints import Checkpoint
from lsqlc.remote.run.graph import Node
from lsqlc.remote.run.runner import Next
from lsqlc.remote.run.server_clock import server_time
from lsqlc.remote.run.stores import store_of
from lsqlc.tasks.batch_ends import end_batch, external_names, next_offsets, read_log, topic_sources
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

    def _ends(self, position: Position, node: Node, checkpoint: Checkpoint, log: BatchLog) -> Sequence[End]:
        names = external_names(self.place, node.stage)
        goals = [
            Goal(
                step,
                {topic: (self._log(topic), self._goal(topic, position)) for topic in step.topics},
                names,
                partial(next_offsets, self.place, checkpoint, log, log.committed, number, step),
            )
            for number, step in enumerate(topic_sources(node.stage))
        ]
        most = self.place.capabilities.records_per_batch
        return self.place.spark_connector.progress.ends(goals, self.place.log, most)

    def _log(self, topic: str) -> Transport:
        """The log that has the topic: what stages pass on to each other is beside the live topics."""
        return (self.place if topic.startswith(INTERNAL) else self.live).log

    def _goal(self, topic: str, position: Position) -> Reached | None:
        """How far a topic is to be read; None: to its end. The live program need not read it: it may be new to the
        model.
        """
        return None if topic.startswith(INTERNAL) else position.reached.get(topic)


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
