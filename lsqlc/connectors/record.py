"""The record of a connector: all that the rest of lsqlc asks about the system that holds topics.

Callers ask for a capability or call a function of the record; they never compare the key of a connector. The record is
the client half, without Spark: `lsqlc.remote.connectors.record` has the half that streaming queries need, with the same
key. A module with a record imports the log when it is first opened, so that a build does not.

A source without partitions, such as a table with snapshots, has partition 0 alone, and its offsets are the numbers of
its snapshots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from lsqlc.connectors.lease import Lease, Unleased

if TYPE_CHECKING:
    import msgspec

    from lsqlc.connectors.transport import Transport
    from lsqlc.diagnostics import Diagnostic
    from lsqlc.formats.registered import FacetSchemas
    from lsqlc.yaml.decode import Decoder
    from lsqlc.yaml.nodes import KeyPath


class ConnectorSettings(Protocol):
    """The settings of a connector in a target of profiles.yml: frozen data. `connector`: the key of the connector."""

    connector: ClassVar[str]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The features of a connector for the topics of a target, with the settings of that target.

    `can_write`: topics can be written, by people and by queries. `can_follow`: `tail` returns new records as they
    arrive. `has_partitions`: topics have partitions with an offset each, and the ordinal of a record is its time, its
    offset and its partition. `has_arrival_order`: one order of arrival holds over all topics. `stores_bytes`: keys and
    values are bytes in a serialization format, for which a plan has an encoding. `has_files`: topics are files, which
    client and server see under the same path. `has_checksums`: the files of a topic can be checked. `has_retention`:
    records may be removed before a query has read them. `has_topic_settings`: topics are created with partitions and
    settings, and compared with them. `has_history`: a query may read files first, and continue with the topic.
    `takes_versions`: a topic can follow a table, see `Transport.append_version`.

    `exactly_once`: a batch of a query is written as a whole, with a marker that identifies a replay. `keeps_times`: the
    records of a query keep their times. `needs_python`: the Spark server needs Python to write a batch. `is_atomic`: a
    batch is one transaction, not several. `real_time`: queries can read and write each record as it arrives.
    `knows_unread`: a client knows whether a query has unread records. `records_per_batch`: the maximum number of
    records that a batch of a query reads; None: no limit.
    """

    can_write: bool = True
    can_follow: bool = True
    has_partitions: bool = False
    has_arrival_order: bool = False
    stores_bytes: bool = False
    has_files: bool = False
    has_checksums: bool = False
    has_retention: bool = False
    has_topic_settings: bool = False
    has_history: bool = False
    takes_versions: bool = False
    exactly_once: bool = True
    keeps_times: bool = True
    needs_python: bool = True
    is_atomic: bool = True
    real_time: bool = False
    knows_unread: bool = False
    records_per_batch: int | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """The member of a target in profiles.yml that selects a connector.

    `file`: the type of its mapping. `read`: returns the settings of a mapping, and reports errors to the decoder. Its
    arguments are the decoder, the path of the mapping, the decoded mapping, and the mapping before variables of the
    environment were replaced.
    """

    description: str
    file: type[msgspec.Struct]
    read: Callable[[Decoder, KeyPath, Any, Any], ConnectorSettings]


@dataclass(frozen=True, slots=True)
class OtherTarget:
    """The target from which an environment reads the topics that are not in `own`."""

    name: str
    settings: Any
    folder: Path
    shown: str
    own: frozenset[str]


@dataclass(frozen=True, slots=True)
class Opening:
    """How the log of a target is opened. `settings`: those of the connector, None where a target has none; `folder`:
    the folder of the target for topics in files, which messages call `shown`; `other`: where the other topics are;
    `schemas`: returns those of a topic's facet in a registry; `window_sizes`: of the keys with a window, by
    topic, in milliseconds.
    """

    settings: Any
    folder: Path
    shown: str
    other: OtherTarget | None = None
    schemas: Callable[[str, str], FacetSchemas] | None = None
    window_sizes: Mapping[str, int] = field(default_factory=dict)


class Notes(Protocol):
    """Texts about a project that are stored with its topics, where all clients of a target find them."""

    def read(self, settings: Any, project: str, note: str) -> str | None:
        """Return the text; None without one."""
        ...

    def write(self, settings: Any, project: str, note: str, text: str | None) -> None:
        """Replace the text; None removes it."""
        ...


class Leases(Protocol):
    """Exclusion of other hosts that run a project over the same topics."""

    def hold(self, settings: Any, name: str, *, doing: str, waits: bool) -> AbstractContextManager[Lease]:
        """Hold the lease with this name, inside the `with`.

        `doing`: the activity of its holder, for messages. `waits`: it stays held while the system does not answer.
        """
        ...

    def watch(self, settings: Any, name: str) -> Callable[[], bool]:
        """Return a function that returns whether the lease of another run may be free."""
        ...


class NoLeases:
    """Every host that sees the topics shares a folder with the others, whose lock is enough."""

    def hold(self, settings: Any, name: str, *, doing: str, waits: bool) -> AbstractContextManager[Lease]:
        return nullcontext(Unleased())

    def watch(self, settings: Any, name: str) -> Callable[[], bool]:
        return lambda: True


class Commits(Protocol):
    """Where the progress of queries is noted for other tools."""

    def take(self, query: str, offsets: Mapping[str, Mapping[int, int]]) -> None:
        """Remember how far a query has read by the end of a batch, by external names of topics and by partition."""
        ...

    def keep_up(self) -> None:
        """Note what is due."""
        ...

    def commit(self) -> None:
        """Note everything, at the end."""
        ...


def _no_commits(settings: Any, show: Callable[[Diagnostic], None], monotonic: Callable[[], float]) -> Commits | None:
    return None


# Why a target cannot read the topics of another one beside its own: clause, note and help.
Conflict = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Connector:
    """A system that holds topics, by its `key`. `where`: where its topics are, in messages: "in Kafka".

    `open`: the log of a target. `capabilities`: those of a target with these settings. `setting`: the member of a
    target that selects the connector, under the key; None: targets without such a member have it. `packages`: the
    modules of Python that a client needs.

    `leases` and `notes`; `notes` None: files in the folder of the project's state. `commits`: where others see how far
    queries have read; its arguments are the settings, a function that shows a problem, and a monotonic clock; None:
    nothing is noted. `identity`: what identifies the topics that checkpoints belong to, as JSON-ready data; None: they
    are the folders of the project. `identity_text`: such data in words, whatever its form.

    `summary`: the topics of a target in a few words, from the settings and the folder of topics in files. `checks`:
    names of checks of `lsqlc debug`, each with a function that returns the result, or raises LsqlcError. `subjects`:
    gives the name of a subject in a schema registry, from the settings and the subjects that the project names itself.

    `beside`: the settings of a target that reads topics from another one. `conflict`: why the topics of two targets
    would not be apart, None if they are, from the name of the target and both settings. `check_same`: raises LsqlcError
    where two targets, whose settings and names it takes, cannot be read by one query.
    """

    key: str
    where: str
    open: Callable[[Opening], Transport]
    capabilities: Callable[[Any], Capabilities]
    setting: Setting | None = None
    packages: tuple[str, ...] = ()
    summary: Callable[[Any, str], str] = lambda settings, folder: folder
    leases: Leases = field(default_factory=NoLeases)
    notes: Notes | None = None
    commits: Callable[[Any, Callable[[Diagnostic], None], Callable[[], float]], Commits | None] = _no_commits
    identity: Callable[[Any], Mapping[str, str] | None] = lambda settings: None
    identity_text: Callable[[Any], str] = lambda identity: "unknown topics"
    checks: Callable[[Any], Iterator[tuple[str, Callable[[], str]]]] = lambda settings: iter(())
    subjects: Callable[[Any, frozenset[str]], Callable[[str], str]] = lambda settings, own_subjects: str
    beside: Callable[[Any, OtherTarget], Any] = lambda settings, other: settings
    conflict: Callable[[str, Any, Any], Conflict | None] = lambda name, mine, theirs: None
    check_same: Callable[[str, Any, str, Any], None] = lambda name, mine, other, theirs: None

    def holds(self, declared: str) -> bool:
        """Return whether the connector holds a topic with this `connector:`, see `lsqlc.connectors.declared_names`."""
        return declared in ("embedded", "files", "delta", self.key)
