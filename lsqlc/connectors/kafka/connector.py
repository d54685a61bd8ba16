"""The record of the connector for topics in a Kafka cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from lsqlc.connectors.kafka.target import KafkaFile, kafka_settings
from lsqlc.connectors.lease import Lease
from lsqlc.connectors.record import (
    Capabilities,
    Commits,
    Conflict,
    Connector,
    ConnectorSettings,
    Opening,
    OtherTarget,
    Setting,
)
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.types.kafka import Elsewhere, KafkaSettings

if TYPE_CHECKING:
    from lsqlc.connectors.transport import Transport


class Connected(Protocol):
    """A target of profiles.yml."""

    @property
    def connection(self) -> ConnectorSettings | None: ...


class _Leases:
    """Leases in the compacted topic `_lsqlc.leases`."""

    def hold(self, settings: KafkaSettings, name: str, *, doing: str, waits: bool) -> AbstractContextManager[Lease]:
        from lsqlc.connectors.kafka.client import Cluster
        from lsqlc.connectors.kafka.leases import run_lease

        return run_lease(Cluster(settings), name, replication=settings.replication, doing=doing, waits=waits)

    def watch(self, settings: KafkaSettings, name: str) -> Callable[[], bool]:
        from lsqlc.connectors.kafka.client import Cluster
        from lsqlc.connectors.kafka.leases import lease_watch

        return lease_watch(Cluster(settings), name).look


class _Notes:
    """Notes beside the leases."""

    def read(self, settings: KafkaSettings, project: str, note: str) -> str | None:
        from lsqlc.connectors.kafka.client import Cluster
        from lsqlc.connectors.kafka.notes import read_note

        return read_note(Cluster(settings), project, note)

    def write(self, settings: KafkaSettings, project: str, note: str, text: str | None) -> None:
        from lsqlc.connectors.kafka.client import Cluster
        from lsqlc.connectors.kafka.notes import write_note

        write_note(Cluster(settings), project, note, text, settings.replication)


def _open(opening: Opening) -> Transport:
    from lsqlc.connectors.kafka.codec import Codecs
    from lsqlc.connectors.kafka.log import KafkaLog

    return KafkaLog(opening.settings, Codecs(opening.schemas, opening.window_sizes))


def _capabilities(settings: KafkaSettings) -> Capabilities:
    native = settings.writers == "native"
    return Capabilities(
        has_partitions=True,
        stores_bytes=True,
        has_retention=True,
        has_topic_settings=True,
        has_history=True,
        exactly_once=not native,
        keeps_times=not native,
        needs_python=not native,
        is_atomic=settings.writers == 1,
        real_time=True,
        records_per_batch=settings.offsets_per_batch,
    )


def _identity(settings: KafkaSettings) -> Mapping[str, str]:
    from lsqlc.connectors.kafka.log import KafkaLog

    return {"cluster": KafkaLog(settings).cluster_id(), "prefix": settings.prefix}


def _identity_text(identity: Any) -> str:
    if not isinstance(identity, dict):
        return "unknown topics"
    prefix = f" with the prefix '{identity.get('prefix')}'" if identity.get("prefix") else " without a prefix"
    return f"topics of the cluster '{identity.get('cluster')}'{prefix}"


def _checks(settings: KafkaSettings) -> Iterator[tuple[str, Callable[[], str]]]:
    from lsqlc.connectors.kafka.log import KafkaLog

    def topics() -> str:
        count = len(KafkaLog(settings).names())
        of = f" with the prefix '{settings.prefix}'" if settings.prefix else ""
        return f"{settings.bootstrap}: {count} {'topic' if count == 1 else 'topics'}{of}"

    yield "kafka from here", topics


def _subjects(settings: KafkaSettings, topic_names: frozenset[str]) -> Callable[[str], str]:
    from lsqlc.connectors.kafka.names import SubjectNames

    return SubjectNames(settings, topic_names)


def _commits(
    settings: KafkaSettings, show: Callable[[Diagnostic], None], monotonic: Callable[[], float]
) -> Commits | None:
    from lsqlc.connectors.kafka.groups import GroupCommits

    return GroupCommits(settings, show, monotonic) if settings.commit_offsets else None


def _beside(settings: KafkaSettings, other: OtherTarget) -> KafkaSettings:
    return replace(settings, elsewhere=Elsewhere(other.name, other.settings.prefix, other.own))


def _conflict(name: str, mine: KafkaSettings, theirs: KafkaSettings) -> Conflict | None:
    if mine.prefix != theirs.prefix:
        return None
    prefix = f"the prefix '{mine.prefix}'" if mine.prefix else "no prefix"
    note = "what it writes must have names of its own, beside those that it reads"
    return f"both have {prefix}", note, f"write a `prefix` of its own, such as `prefix: {name}.`"


def _check_same(name: str, mine: KafkaSettings, other: str, theirs: KafkaSettings) -> None:
    from lsqlc.connectors.kafka.log import KafkaLog

    if mine.bootstrap == theirs.bootstrap or KafkaLog(mine).cluster_id() == KafkaLog(theirs).cluster_id():
        return
    message = f"the target '{name}' cannot defer to '{other}': their topics are in different Kafka clusters"
    note = "a query reads topics of one cluster"
    raise LsqlcError([Diagnostic("LSQ798", message, notes=(note,), help="use the brokers of the same cluster")])


def _summary(settings: KafkaSettings, folder: str) -> str:
    return f"kafka: {settings.prefix}*"


CONNECTOR = Connector(
    key="kafka",
    where="in Kafka",
    open=_open,
    capabilities=_capabilities,
    summary=_summary,
    setting=Setting("The Kafka cluster that holds the topics, in place of a folder.", KafkaFile, kafka_settings),
    packages=("confluent_kafka",),
    leases=_Leases(),
    notes=_Notes(),
    commits=_commits,
    identity=_identity,
    identity_text=_identity_text,
    checks=_checks,
    subjects=_subjects,
    beside=_beside,
    conflict=_conflict,
    check_same=_check_same,
)


def settings_of(target: Connected) -> KafkaSettings | None:
    """Return the settings of a target whose topics are in Kafka, for Kafka's own features; None for any other."""
    return target.connection if isinstance(target.connection, KafkaSettings) else None
