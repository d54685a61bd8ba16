"""A target opened for a project: its topics, its checkpoints, and the connector that holds the topics.

Commands open a `RunTarget` and ask it for capabilities. Only the record of a connector constructs a log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsqlc.connectors.lease import Lease
from lsqlc.connectors.naming import is_here
from lsqlc.connectors.record import Capabilities, Commits, Connector, ConnectorSettings, Opening, OtherTarget
from lsqlc.connectors.transport import Transport
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.formats.encoding import Decoding
from lsqlc.formats.record import Part
from lsqlc.lower.spark.wire.encodings import encoding
from lsqlc.lower.spark.wire.records import TopicWire, Wires
from lsqlc.plan.kafka_order import kafka_order
from lsqlc.plan.plan import Plan
from lsqlc.plan.window_sizes import window_sizes
from lsqlc.project.declared.profiles import is_address
from lsqlc.registry.client import RestRegistry
from lsqlc.tasks import STATE_FOLDER
from lsqlc.tasks.environment_note import read_environment
from lsqlc.tasks.schemas_in_use import SchemasInUse, schemas_in_use
from lsqlc.types.record import Facet, Topic

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.declared.target import Target
    from lsqlc.project.model import Project
    from lsqlc.remote.connectors.record import SparkConnector
    from lsqlc.remote.connectors.transport import Transport as StreamTransport
    from lsqlc.remote.run.stores import CheckpointStore


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
        """The names of output topics that differ."""
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
        """Return the same target with other names of topics."""
        return replace(self, overlay=overlay, log=self.log.with_names(overlay.written))

    @property
    def own_checkpoints(self) -> Path | str:
        """The location of the checkpoints of the queries that run on this target."""
        below = self.overlay.checkpoints
        if not below:
            return self.checkpoints
        return self.checkpoints / below if isinstance(self.checkpoints, Path) else f"{self.checkpoints}/{below}"

    @property
    def state(self) -> Path:
        """The folder of the project's own state: locks, the status of a run, embedded servers."""
        return state_folder(self.root, self.target)

    @property
    def connector(self) -> Connector:
        """The connector that holds the topics."""
        return self.target.connector

    @property
    def capabilities(self) -> Capabilities:
        """The capabilities of the connector for these topics."""
        return self.target.capabilities

    @property
    def spark_connector(self) -> SparkConnector:
        """The half of the connector that streaming queries need. Raises LsqlcError LSQ813 for one without."""
        from lsqlc.remote.connectors import spark_connector

        record = spark_connector(self.connector.key)
        if record is None:
            message = f"no query can read the topics of the target '{self.target.name}'"
            note = f"they are {self.connector.where}, for which Spark has no source here"
            help = "choose another target: --target NAME"
            raise LsqlcError([Diagnostic("LSQ813", message, notes=(note,), help=help)])
        return record

    def check_writable(self) -> None:
        """Raise LsqlcError LSQ812 for a target whose topics can only be read."""
        if not self.capabilities.can_write:
            message = f"the topics of the target '{self.target.name}' can only be read"
            note = f"they are {self.connector.where}"
            help = "choose another target: --target NAME"
            raise LsqlcError([Diagnostic("LSQ812", message, notes=(note,), help=help)])

    @property
    def read_log(self) -> Transport:
        """The topics under the names under which queries read them."""
        return self.log.with_names(self.overlay.renamed)

    @property
    def shared(self) -> Mapping[str, Path]:
        """The folders that a server must see under the same path as the client, by their contents."""
        checkpoints = {"checkpoints": self.checkpoints} if isinstance(self.checkpoints, Path) else {}
        if not self.capabilities.has_files:
            return checkpoints
        folders = {**checkpoints, "topics": topics_folder(self.root, self.target)}
        other = self.target.defers
        return folders if other is None else {**folders, f"topics of '{other.name}'": topics_folder(self.root, other)}

    @property
    def wires(self) -> Wires | None:
        """How each topic of the plans is stored as bytes; None where topics are lines. Raises LsqlcError for those that
        cannot be stored: LSQ738, and as `schemas_in_use` says.
        """
        if not self.capabilities.stores_bytes:
            return None
        wires, problems = self._wired()
        if problems:
            raise LsqlcError(problems)
        return wires

    def _wired(self) -> tuple[dict[str, TopicWire], list[Diagnostic]]:
        """Return the encoding of each topic of the plans, and diagnostics for topics that cannot be stored."""
        topics = {t.name: t for plan in self.plans for t in (*plan.inputs, *plan.outputs) if t.files is None}
        sizes = window_sizes(self.plans)
        wires: dict[str, TopicWire] = {}
        problems: list[Diagnostic] = []
        for name, topic in topics.items():
            try:
                wires[name] = _wire(topic, sizes.get(name), self.schemas)
            except LsqlcError as error:
                problems += error.diagnostics
        return wires, problems

    def read_from(self, topic: str) -> str | None:
        """Return the target that a topic is read from; None for a topic of this target."""
        other = self.target.defers
        return None if other is None or is_here(topic, self.target.own or ()) else other.name

    def ordered(self, plan: Plan) -> Plan:
        """Return the plan over records with the ordinals of this target."""
        return kafka_order(plan) if self.capabilities.has_partitions else plan

    def store(self, session: Any = None) -> CheckpointStore:
        """Return the checkpoints. `session`: one on the server, which those at an address need."""
        from lsqlc.remote.run.stores import store_of

        return store_of(self.own_checkpoints, session)

    def lease(self, project: str, doing: str = "run", *, waits: bool = False) -> AbstractContextManager[Lease]:
        """Hold the lease of the project inside a `with`, see `Leases.hold`. `doing`: another activity with its own
        lease; `waits`: the lease stays held while the connector's system does not answer.
        """
        name = project if doing == "run" else f"{project}/{doing}"
        return self.connector.leases.hold(self.target.connection, name, doing=doing, waits=waits)

    def lease_is_free(self, project: str) -> Callable[[], bool]:
        """Return a function that reports whether the lease of a project that another run holds may be free."""
        return self.connector.leases.watch(self.target.connection, project)

    def commits(self, show: Callable[[Diagnostic], None], monotonic: Callable[[], float]) -> Commits | None:
        """Return the commits that show others the progress of queries; None if there are none."""
        return self.connector.commits(self.target.connection, show, monotonic)

    def streams(self) -> StreamTransport:
        """Return the topics as streaming queries read and write them."""
        from lsqlc.remote.connectors.record import StreamOpening

        return self.spark_connector.streams(
            StreamOpening(
                self.root,
                self.target.connection,
                topics_folder(self.root, self.target),
                self.target.type == "embedded",
                _other(self.root, self.target),
                self.plans,
                self._wired()[0] if self.capabilities.stores_bytes else {},
                self.overlay.renamed,
                self.overlay.aside,
            )
        )


def open_target(
    root: Path,
    target: Target,
    plans: Iterable[Plan] = (),
    topics: Iterable[Topic] = (),
    project: Project | None = None,
    rejected: frozenset[tuple[str, str, int]] = frozenset(),
) -> RunTarget:
    """Open a target.

    `plans`: those that run there, or whose topics are requested; `topics`: further ones; `project`: has the schemas of
    its lock file; `rejected`: ids of schemas that records have and the registry does not know, by topic and facet.

    A target that defers to another one has the topics in `target.own`, without it those in the note of `project`. It
    reads the others there.

    No topic is opened or created. A schema registry is asked where a plan has topics in Avro, JSON_SR or Protobuf and
    the target names one. Raises LsqlcError as the registry does.
    """
    plans = tuple(plans)
    if target.defers is not None and target.own is None:
        environment = None
        if project is not None:
            environment = read_environment(open_target(root, replace(target, own=frozenset())), project.config.name)
        target = replace(target, own=environment.topics if environment else frozenset())
    checkpoints = checkpoints_of(root, target)
    target = replace(target, connection=connection_of(root, target))
    opening = Opening(target.connection, topics_folder(root, target), _shown(root, target), _other(root, target))
    if not target.capabilities.stores_bytes:
        return RunTarget(root, target, target.connector.open(opening), checkpoints, plans)
    subjects = project.subjects if project else {}
    subjects_by_facet = {(facet.topic, facet.facet): facet.subject for facet in project.registered} if project else {}
    registry = RestRegistry(target.registry) if target.registry else None
    registered = project.registered if project else ()
    messages = {(facet.topic, facet.facet): facet.message for facet in registered if facet.message is not None}
    names = target.connector.subjects(
        target.connection, frozenset(facet.subject for facet in registered if facet.named)
    )
    schemas = schemas_in_use(plans, topics, subjects, subjects_by_facet, registry, rejected, messages, names)
    opening = replace(opening, schemas=schemas.of, window_sizes=window_sizes(plans))
    return RunTarget(root, target, target.connector.open(opening), checkpoints, plans, schemas)


def open_compiled(compilation: Compilation, target: Target, *, others: Iterable[Plan] = ()) -> RunTarget:
    """Open a target for the models of a compilation. `others`: further plans that run there. Raises LsqlcError as
    `open_target` does.
    """
    project = compilation.project
    plans = (*compilation.plans.values(), *others)
    return open_target(project.root, target, plans, compilation.topics.values(), project)


def connection_of(root: Path, target: Target) -> ConnectorSettings | None:
    """Return the settings of a target's connector, which locate the topics that are not in `target.own`."""
    other = _other(root, target)
    settings: ConnectorSettings | None = target.connection
    return settings if other is None else target.connector.beside(settings, other)


def state_folder(root: Path, target: Target) -> Path:
    """Return the folder of a project's own state. A target that defers to another one has its own, so that both can
    run.
    """
    return root / STATE_FOLDER / "targets" / target.name if target.defers else root / STATE_FOLDER


def topics_folder(root: Path, target: Target) -> Path:
    """Return the folder of the embedded topics of a target. Server and client see it under the same path."""
    return root / target.topics if target.topics else state_folder(root, target) / "topics"


def _shown(root: Path, target: Target) -> str:
    """Return the name of that folder in messages."""
    return target.topics or topics_folder(root, target).relative_to(root).as_posix()


def _other(root: Path, target: Target) -> OtherTarget | None:
    """Return the target from which the other topics are read."""
    other = target.defers
    if other is None:
        return None
    own = target.own or frozenset()
    return OtherTarget(other.name, other.connection, topics_folder(root, other), _shown(root, other), own)


def checkpoints_of(root: Path, target: Target) -> Path | str:
    """Return the location of the checkpoints of a target's queries: a folder, or an address of any file system of
    Spark.
    """
    if target.checkpoints and not target.capabilities.has_files and is_address(target.checkpoints):
        return target.checkpoints
    return root / target.checkpoints if target.checkpoints else state_folder(root, target) / "checkpoints"


def _wire(topic: Topic, window_size: int | None, schemas: SchemasInUse) -> TopicWire:
    def of(facet: Facet, name: Part) -> Decoding | None:
        if facet.is_absent:
            return None
        stored = schemas.stored(topic.name, name, facet.type, facet.format)
        stored_encoding = encoding(facet, window_size, stored)
        if stored_encoding is None:
            format = facet.format.upper()
            message = f"the {name} of '{topic.name}' cannot be read from or written to Kafka in the format {format}"
            raise LsqlcError([Diagnostic("LSQ738", message, help="declare another format, such as JSON or AVRO")])
        return stored_encoding

    return TopicWire(of(topic.key, "key"), of(topic.value, "value"))
