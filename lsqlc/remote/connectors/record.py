"""The second half of a connector: how streaming queries read and write its topics, and what their checkpoints note."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsqlc.connectors.record import OtherTarget
from lsqlc.diagnostics import Diagnostic
from lsqlc.lower.spark import internal_topics, unsupported
from lsqlc.lower.spark.wire.records import TopicWire
from lsqlc.plan.plan import Plan
from lsqlc.remote.connectors.progress import Progress
from lsqlc.remote.connectors.transport import Transport
from lsqlc.remote.server.artifacts import SetName
from lsqlc.types.record import Topic

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


@dataclass(frozen=True, slots=True)
class StreamOpening:
    """How the topics of a target are opened for streaming queries. `root`: the folder of the project; `settings`,
    `folder`, `other`: as in `lsqlc.connectors.record.Opening`; `is_embedded`: lsqlc starts the server itself.

    `plans`: those that the queries run; `wires`: how topics are stored as bytes; `renamed`: topics that lie under
    another name; `aside`: those that are written under another name only.
    """

    root: Path
    settings: Any
    folder: Path
    is_embedded: bool
    other: OtherTarget | None = None
    plans: tuple[Plan, ...] = ()
    wires: Mapping[str, TopicWire] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    aside: Mapping[str, str] = field(default_factory=dict)

    @property
    def output_topics(self) -> dict[str, Topic]:
        """The topics that the queries write, by name, with those between the stages of a model."""
        topics = [topic for plan in self.plans for topic in plan.outputs]
        topics += [topic for plan in self.plans if not unsupported(plan) for topic, _ in internal_topics(plan).values()]
        return {topic.name: topic for topic in topics}


@dataclass(frozen=True, slots=True)
class NeededTopics:
    """The topics that models need of a target, compared with those that exist. `written`: the topics that models of the
    project write there; `renamed`: topics that lie under another name.
    """

    plans: Mapping[str, Plan]
    written: Collection[str]
    renamed: Mapping[str, str] = field(default_factory=dict)


Checks = Callable[["SparkSession", Any, bool], Iterator[tuple[str, Callable[[], str]]]]
"""From a session, the settings, and whether the project needs Avro: names of checks of `lsqlc debug`, each with a
function that returns the result, or raises LsqlcError or what pyspark raises.
"""


def _no_checks(session: SparkSession, settings: Any, avro: bool) -> Iterator[tuple[str, Callable[[], str]]]:
    return iter(())


def _no_topics(needed: NeededTopics, settings: Any) -> tuple[tuple[str, ...], tuple[Diagnostic, ...]]:
    return (), ()


def _none_created(needed: NeededTopics, settings: Any) -> Iterator[str]:
    return iter(())


@dataclass(frozen=True, slots=True)
class SparkConnector:
    """The half of the connector `key` that streaming queries need.

    `streams`: the topics of a target. `progress`: what its source notes in checkpoints. `jars`: the set of jars that an
    embedded server needs, see `lsqlc.remote.server.jars`; None: none. `checks`: whether a server can reach the topics,
    in the order in which a run needs that.

    `planned_topics`: the names of the topics that a run would create, and what is wrong with the others;
    `create_topics`: creates them, and gives a sentence for each. Both take the settings, and raise LsqlcError.
    """

    key: str
    streams: Callable[[StreamOpening], Transport]
    progress: Progress
    jars: SetName | None = None
    checks: Checks = _no_checks
    planned_topics: Callable[[NeededTopics, Any], tuple[tuple[str, ...], tuple[Diagnostic, ...]]] = _no_topics
    create_topics: Callable[[NeededTopics, Any], Iterator[str]] = _none_created
