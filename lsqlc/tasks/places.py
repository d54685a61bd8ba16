"""Where a project runs: the one module that decides, from a target, which transport holds the topics.

Commands ask for a `Place` and talk to protocols; none of them constructs a transport itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark import internal_topics, unsupported
from lsqlc.lower.spark.wire.encodings import Encoding, encoding
from lsqlc.lower.spark.wire.records import TopicWire, Wires
from lsqlc.plan.kafka_order import kafka_order
from lsqlc.plan.plan import Plan
from lsqlc.plan.window_sizes import window_sizes
from lsqlc.tasks import STATE_FOLDER
from lsqlc.topics.kafka.codec import Codecs
from lsqlc.topics.kafka.log import KafkaLog
from lsqlc.topics.log import FileLog
from lsqlc.topics.transport import Transport
from lsqlc.types.kafka import KafkaSettings
from lsqlc.types.record import Facet, Topic

if TYPE_CHECKING:
    from lsqlc.project.declared.profiles import Target
    from lsqlc.remote.topics.transport import Transport as StreamTransport

# Of the connectors that a topic may declare, those that any place holds, and the one that a Kafka cluster must.
EMBEDDED, FILES, KAFKA = "embedded", "files", "kafka"


@dataclass(frozen=True, slots=True)
class Place:
    """A target of a project, and the plans that run there. `root`: the project's folder; `log`: its topics as the
    client sees them; `checkpoints`: where the checkpoints of queries lie.
    """

    root: Path
    target: Target
    log: Transport
    checkpoints: Path
    plans: tuple[Plan, ...] = ()

    @property
    def state(self) -> Path:
        """The folder of the project's own state: locks, the status of a run, embedded servers."""
        return self.root / STATE_FOLDER

    @property
    def kafka(self) -> KafkaSettings | None:
        """The cluster that holds the topics; None: they lie in folders."""
        return self.target.kafka

    @property
    def shared(self) -> Mapping[str, Path]:
        """The folders that a server must see under the same path as the client, by what lies in them."""
        checkpoints = {"checkpoints": self.checkpoints}
        return checkpoints if self.kafka else {**checkpoints, "topics": topics_folder(self.root, self.target)}

    @property
    def wires(self) -> Wires | None:
        """How each topic of the plans lies in Kafka; None: topics are folders of lines. Raises LsqlcError LSQ738 for a
        topic that has no bytes there.
        """
        if self.kafka is None:
            return None
        topics = {t.name: t for plan in self.plans for t in (*plan.inputs, *plan.outputs) if t.files is None}
        sizes = window_sizes(self.plans)
        return {name: _wire(topic, sizes.get(name)) for name, topic in topics.items()}

    def ordered(self, plan: Plan) -> Plan:
        """The plan over records that have the ordinals of this place."""
        return plan if self.kafka is None else kafka_order(plan)

    def streams(self) -> StreamTransport:
        """The topics as streaming queries read and write them."""
        if self.kafka is None:
            from lsqlc.remote.topics.transport import FileTransport

            return FileTransport(topics_folder(self.root, self.target), self.root)
        from lsqlc.remote.topics.kafka.transport import KafkaTransport

        written = {t.name: t for plan in self.plans for t in (*plan.outputs, *_internal(plan))}
        return KafkaTransport(self.kafka, written, self.root, carried=self.target.type != "embedded")


def place_of(root: Path, target: Target, plans: Iterable[Plan] = ()) -> Place:
    """The place that a target describes. Nothing is opened or created. `plans`: those that run there, or whose topics
    are asked for.
    """
    plans = tuple(plans)
    log: Transport
    if target.kafka is not None:
        log = KafkaLog(target.kafka, Codecs(window_sizes=window_sizes(plans)))
    else:
        log = FileLog(topics_folder(root, target), target.topics or f"{STATE_FOLDER}/topics")
    return Place(root, target, log, checkpoints_folder(root, target), plans)


def topics_folder(root: Path, target: Target) -> Path:
    """Where the embedded topics of a target lie; server and client see it under the same path."""
    return root / target.topics if target.topics else root / STATE_FOLDER / "topics"


def checkpoints_folder(root: Path, target: Target) -> Path:
    """Where the checkpoints of a target's queries lie."""
    return root / target.checkpoints if target.checkpoints else root / STATE_FOLDER / "checkpoints"


def _wire(topic: Topic, window_size: int | None) -> TopicWire:
    def of(facet: Facet, name: str) -> Encoding | None:
        if facet.is_absent:
            return None
        found = encoding(facet, window_size)
        if found is None:
            message = f"the {name} of '{topic.name}' cannot be read from Kafka in the format {facet.format.upper()}"
            raise LsqlcError([Diagnostic("LSQ738", message, help="declare another format, such as JSON")])
        return found

    return TopicWire(of(topic.key, "key"), of(topic.value, "value"))


def _internal(plan: Plan) -> tuple[Topic, ...]:
    if unsupported(plan):
        return ()
    return tuple(topic for topic, _ in internal_topics(plan).values())
