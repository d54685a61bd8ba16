"""The part of a connector for streaming queries: transports for its topics, and the format of their offsets."""

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
    """The arguments to open the topics of a target for streaming queries.

    - `root`: the folder of the project.
    - `settings`, `folder`, `other`: as in `lsqlc.connectors.record.Opening`.
    - `is_embedded`: whether lsqlc starts the server itself.
    - `plans`: the plans of the queries.
    - `wires`: the encodings of topics that are stored as bytes.
    - `renamed`: topics with another physical name. `aside`: topics with another physical name for writing only.
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
        """The topics that the queries write, by name, including those between the stages of a model."""
        topics = [topic for plan in self.plans for topic in plan.outputs]
        topics += [topic for plan in self.plans if not unsupported(plan) for topic, _ in internal_topics(plan).values()]
        return {topic.name: topic for topic in topics}


@dataclass(frozen=True, slots=True)
class NeededTopics:
    """The topics that models need in a target.

    `written`: the topics that models of the project write there; `renamed`: topics with another physical name.
    """

    plans: Mapping[str, Plan]
    written: Collection[str]
    renamed: Mapping[str, str] = field(default_factory=dict)


Checks = Callable[["SparkSession", Any, bool], Iterator[tuple[str, Callable[[], str]]]]
"""Returns the checks of `lsqlc debug`, for a session, the settings, and whether the project needs Avro.

Each check has a name, and a function that returns the result. It raises LsqlcError, or the errors of pyspark.
"""


def _no_checks(session: SparkSession, settings: Any, avro: bool) -> Iterator[tuple[str, Callable[[], str]]]:
    return iter(())


def _no_topics(requirements: NeededTopics, settings: Any) -> tuple[tuple[str, ...], tuple[Diagnostic, ...]]:
    return (), ()


def _none_created(requirements: NeededTopics, settings: Any) -> Iterator[str]:
    return iter(())


@dataclass(frozen=True, slots=True)
class SparkConnector:
    """The part of the connector `key` for streaming queries.

    - `streams`: opens the topics of a target.
    - `progress`: the format of the source's offsets in checkpoints.
    - `jars`: the set of jars that an embedded server needs, see `lsqlc.remote.server.jars`; None: none.
    - `checks`: the checks of `lsqlc debug` that a server can access the topics, in the order of a run.
    - `planned_topics`: returns the names of the topics that a run would create, and diagnostics of the others.
    - `create_topics`: creates them, and yields a sentence for each.

    The last two functions raise LsqlcError.
    """

    key: str
    streams: Callable[[StreamOpening], Transport]
    progress: Progress
    jars: SetName | None = None
    checks: Checks = _no_checks
    planned_topics: Callable[[NeededTopics, Any], tuple[tuple[str, ...], tuple[Diagnostic, ...]]] = _no_topics
    create_topics: Callable[[NeededTopics, Any], Iterator[str]] = _none_created
