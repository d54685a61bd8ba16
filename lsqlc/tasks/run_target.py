"""Where a project runs: the one module that decides, from a target, which transport holds the topics.

Commands ask for a `RunTarget` and talk to protocols; none of them constructs a transport itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsqlc.connectors.folders.log import FileLog, OtherFolder
from lsqlc.connectors.kafka.client import Cluster
from lsqlc.connectors.kafka.codec import Codecs
from lsqlc.connectors.kafka.leases import Lease, Unleased, lease_watch, run_lease
from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.connectors.kafka.names import SubjectNames, is_here, kafka_name, name_of
from lsqlc.connectors.transport import Transport
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.formats.encoding import Encoding
from lsqlc.formats.record import Part
from lsqlc.lower.spark import internal_topics, unsupported
from lsqlc.lower.spark.wire.encodings import encoding
from lsqlc.lower.spark.wire.records import TopicWire, Wires, python_functions
from lsqlc.plan.kafka_order import kafka_order
from lsqlc.plan.plan import Plan
from lsqlc.plan.window_sizes import window_sizes
from lsqlc.project.declared.profiles import is_address
from lsqlc.registry.client import RestRegistry
from lsqlc.tasks import STATE_FOLDER
from lsqlc.tasks.environment_note import read_environment
from lsqlc.tasks.schemas_in_use import SchemasInUse, schemas_in_use
from lsqlc.types.kafka import Elsewhere, KafkaSettings
from lsqlc.types.record import Facet, Topic

if TYPE_CHECKING:
    from lsqlc.project.declared.target import Target
    from lsqlc.project.model import Project
    from lsqlc.remote.connectors.transport import Transport as StreamTransport
    from lsqlc.remote.run.stores import CheckpointStore

# The connector of a topic that only a Kafka cluster holds.
KAFKA = "kafka"


@dataclass(frozen=True, slots=True)
class Overlay:
    """How the names of a project's topics differ from those in the target. `renamed`: topics between stages, which lie
    under another name since their model was deployed beside the one that ran; `aside`: topics that are written under
    another name only, and read as they are; `checkpoints`: the folder of the checkpoints below those of the target.
    """

    renamed: Mapping[str, str] = field(default_factory=dict)
    aside: Mapping[str, str] = field(default_factory=dict)
    checkpoints: str = ""

    @property
    def written(self) -> Mapping[str, str]:
        """The names of what is written."""
        return {**self.renamed, **self.aside}


@dataclass(frozen=True, slots=True)
class RunTarget:
    """A target of a project, and the plans that run there. `root`: the project's folder; `log`: its topics as the
    client sees them; `checkpoints`: where the checkpoints of queries are, a folder that client and server see, or an
    address that only the server reaches; `schemas`: those of topics in Avro, JSON_SR and Protobuf; `overlay`: what
    lies elsewhere.
    """

    root: Path
    target: Target
    log: Transport
    checkpoints: Path | str
    plans: tuple[Plan, ...] = ()
    schemas: SchemasInUse = field(default_factory=SchemasInUse)
    overlay: Overlay = field(default_factory=Overlay)

    def under(self, overlay: Overlay) -> RunTarget:
        """The same place with other names of topics."""
        assert isinstance(self.log, FileLog | KafkaLog), "a place has a log of its own"
        return replace(self, overlay=overlay, log=replace(self.log, renamed=overlay.written))

    @property
    def own_checkpoints(self) -> Path | str:
        """Where the checkpoints of the queries are that run in this place."""
        below = self.overlay.checkpoints
        if not below:
            return self.checkpoints
        return self.checkpoints / below if isinstance(self.checkpoints, Path) else f"{self.checkpoints}/{below}"

    @property
    def state(self) -> Path:
        """The folder of the project's own state: locks, the status of a run, embedded servers."""
        return state_folder(self.root, self.target)

    @property
    def kafka(self) -> KafkaSettings | None:
        """The cluster that holds the topics; None: they are in folders."""
        return self.target.kafka

    @property
    def shared(self) -> Mapping[str, Path]:
        """The folders that a server must see under the same path as the client, by their contents."""
        checkpoints = {"checkpoints": self.checkpoints} if isinstance(self.checkpoints, Path) else {}
        if self.kafka:
            return checkpoints
        found = {**checkpoints, "topics": topics_folder(self.root, self.target)}
        other = self.target.defers
        return found if other is None else {**found, f"topics of '{other.name}'": topics_folder(self.root, other)}

    @property
    def wires(self) -> Wires | None:
        """How each topic of the plans is stored in Kafka; None: topics are folders of lines. Raises LsqlcError for
        those that cannot be stored there: LSQ738, and as `schemas_in_use` says.
        """
        if self.kafka is None:
            return None
        found, problems = self._wired()
        if problems:
            raise LsqlcError(problems)
        return found

    def _wired(self) -> tuple[dict[str, TopicWire], list[Diagnostic]]:
        """How the topics of the plans are stored in Kafka, and what is wrong with the others."""
        topics = {t.name: t for plan in self.plans for t in (*plan.inputs, *plan.outputs) if t.files is None}
        sizes = window_sizes(self.plans)
        found: dict[str, TopicWire] = {}
        problems: list[Diagnostic] = []
        for name, topic in topics.items():
            try:
                found[name] = _wire(topic, sizes.get(name), self.schemas)
            except LsqlcError as error:
                problems += error.diagnostics
        return found, problems

    def read_from(self, topic: str) -> str | None:
        """The target that a topic is read from; None for a topic of this place."""
        other = self.target.defers
        return None if other is None or is_here(topic, self.target.own or ()) else other.name

    @property
    def kafka_log(self) -> KafkaLog:
        """The topics of a place in Kafka."""
        assert isinstance(self.log, KafkaLog), "offsets are of topics in Kafka"
        return self.log

    def name_in_kafka(self, topic: str) -> str:
        """What a topic that is read is called in the cluster, which there is."""
        assert self.kafka is not None, "topics in folders have no other name"
        renamed = self.overlay.renamed.get(topic)
        return name_of(self.kafka, topic) if renamed is None else kafka_name(self.kafka.prefix, renamed)

    def ordered(self, plan: Plan) -> Plan:
        """The plan over records that have the ordinals of this place."""
        return plan if self.kafka is None else kafka_order(plan)

    def store(self, session: Any = None) -> CheckpointStore:
        """The checkpoints. `session`: one on the server, which those at an address need."""
        from lsqlc.remote.run.stores import store_of

        return store_of(self.own_checkpoints, session)

    def lease(self, project: str, doing: str = "run", *, waits: bool = False) -> AbstractContextManager[Lease]:
        """What keeps other hosts from running the project inside a `with`, see `run_lease`. Of topics in folders only
        those know that see the folders. `doing`: another thing that only one may do, which has a lease of its own;
        `waits`: for brokers that do not answer.
        """
        if self.kafka is None:
            return nullcontext(Unleased())
        name = project if doing == "run" else f"{project}/{doing}"
        return run_lease(Cluster(self.kafka), name, replication=self.kafka.replication, doing=doing, waits=waits)

    def lease_is_free(self, project: str) -> Callable[[], bool]:
        """What looks whether the lease of a project that another run holds may be free; see `LeaseWatch.look`."""
        return (lambda: True) if self.kafka is None else lease_watch(Cluster(self.kafka), project).look

    def streams(self) -> StreamTransport:
        """The topics as streaming queries read and write them."""
        if self.kafka is None:
            from lsqlc.remote.connectors.transport import FileTransport

            folder = topics_folder(self.root, self.target)
            overlay, elsewhere = self.overlay, _other_folder(self.root, self.target)
            return FileTransport(folder, self.root, overlay.renamed, overlay.aside, elsewhere)
        from lsqlc.remote.connectors.kafka.transport import KafkaTransport

        written = {t.name: t for plan in self.plans for t in (*plan.outputs, *_internal(plan))}
        overlay = self.overlay
        return KafkaTransport(
            self.kafka,
            written,
            self.root,
            carried=self.target.type != "embedded",
            functions=python_functions(self._wired()[0]),
            renamed=overlay.renamed,
            aside=overlay.aside,
        )


def open_target(
    root: Path,
    target: Target,
    plans: Iterable[Plan] = (),
    topics: Iterable[Topic] = (),
    project: Project | None = None,
    rejected: frozenset[tuple[str, str, int]] = frozenset(),
) -> RunTarget:
    """The place that a target describes.

    `plans`: those that run there, or whose topics are asked for, and `topics`: further ones; `project`: has the schemas
    of its lock file; `rejected`: ids of schemas that records had and the registry did not know, by topic and facet.

    A target that defers to another one has the topics in `target.own`, without it those that are noted for `project`,
    and reads the others there.

    No topic is opened or created. A schema registry is asked where a plan has topics in Avro, JSON_SR or Protobuf and
    the target names one. Raises LsqlcError as the registry does.
    """
    plans = tuple(plans)
    if target.defers is not None and target.own is None:
        found = None
        if project is not None:
            found = read_environment(open_target(root, replace(target, own=frozenset())), project.config.name)
        target = replace(target, own=found.topics if found else frozenset())
    checkpoints = checkpoints_of(root, target)
    if target.kafka is None:
        shown = _shown(root, target)
        log = FileLog(topics_folder(root, target), shown, elsewhere=_other_folder(root, target))
        return RunTarget(root, target, log, checkpoints, plans)
    if target.defers is not None and target.defers.kafka is not None:
        other = Elsewhere(target.defers.name, target.defers.kafka.prefix, target.own or frozenset())
        target = replace(target, kafka=replace(target.kafka, elsewhere=other))
    assert target.kafka is not None, "it was looked at"
    subjects = project.subjects if project else {}
    named = {(facet.topic, facet.facet): facet.subject for facet in project.registered} if project else {}
    registry = RestRegistry(target.registry) if target.registry else None
    registered = project.registered if project else ()
    messages = {(facet.topic, facet.facet): facet.message for facet in registered if facet.message is not None}
    names = SubjectNames(target.kafka, frozenset(facet.subject for facet in registered if facet.named))
    schemas = schemas_in_use(plans, topics, subjects, named, registry, rejected, messages, names)
    codecs = Codecs(schemas.of, window_sizes(plans))
    return RunTarget(root, target, KafkaLog(target.kafka, codecs), checkpoints, plans, schemas)


def state_folder(root: Path, target: Target) -> Path:
    """The folder of a project's own state. A target that defers to another one has its own, so that both can run."""
    return root / STATE_FOLDER / "targets" / target.name if target.defers else root / STATE_FOLDER


def topics_folder(root: Path, target: Target) -> Path:
    """Where the embedded topics of a target are; server and client see it under the same path."""
    return root / target.topics if target.topics else state_folder(root, target) / "topics"


def _shown(root: Path, target: Target) -> str:
    """What messages call that folder."""
    return target.topics or topics_folder(root, target).relative_to(root).as_posix()


def _other_folder(root: Path, target: Target) -> OtherFolder | None:
    """Where the topics lie that a target reads from another one."""
    other = target.defers
    if other is None:
        return None
    return OtherFolder(other.name, topics_folder(root, other), _shown(root, other), target.own or frozenset())


def checkpoints_of(root: Path, target: Target) -> Path | str:
    """Where the checkpoints of a target's queries are: a folder, or an address of any file system that Spark knows."""
    if target.checkpoints and target.kafka is not None and is_address(target.checkpoints):
        return target.checkpoints
    return root / target.checkpoints if target.checkpoints else state_folder(root, target) / "checkpoints"


def _wire(topic: Topic, window_size: int | None, schemas: SchemasInUse) -> TopicWire:
    def of(facet: Facet, name: Part) -> Encoding | None:
        if facet.is_absent:
            return None
        stored = schemas.stored(topic.name, name, facet.type, facet.format)
        found = encoding(facet, window_size, stored)
        if found is None:
            format = facet.format.upper()
            message = f"the {name} of '{topic.name}' cannot be read from or written to Kafka in the format {format}"
            raise LsqlcError([Diagnostic("LSQ738", message, help="declare another format, such as JSON or AVRO")])
        return found

    return TopicWire(of(topic.key, "key"), of(topic.value, "value"))


def _internal(plan: Plan) -> tuple[Topic, ...]:
    if unsupported(plan):
        return ()
    return tuple(topic for topic, _ in internal_topics(plan).values())
