"""Names of topics in Kafka: the project's prefix, then their name. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lsqlc.connectors.kafka import commits
from lsqlc.connectors.naming import is_here
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.types.kafka import Elsewhere, KafkaSettings

# The prefix of topics that only lsqlc reads.
_INTERNAL = "_lsqlc."
# The topic of the leases of runs.
LEASES = "_lsqlc.leases"
_NAME = re.compile(r"[A-Za-z0-9._-]{1,249}", re.ASCII)


def is_internal(topic: str) -> bool:
    """Return True if the topic is between the stages of a model: its values are lines.

    >>> is_internal("_lsqlc.sums.1")
    True
    """
    return topic.startswith(_INTERNAL)


def kafka_name(prefix: str, topic: str) -> str:
    """Return the name in Kafka. Raises LsqlcError LSQ737 for a name that is invalid in Kafka.

    >>> kafka_name("dev.", "orders")
    'dev.orders'
    """
    name = prefix + topic
    if _NAME.fullmatch(name) and name not in (".", ".."):
        return name
    note = "a name consists of up to 249 letters, digits, `.`, `_` and `-`"
    behind = f" behind the prefix '{prefix}'" if prefix else ""
    message = f"'{topic}' cannot be the name of a topic in Kafka{behind}"
    raise LsqlcError([Diagnostic("LSQ737", message, notes=(note,), help="give the topic another name")])


def elsewhere(settings: KafkaSettings, topic: str) -> Elsewhere | None:
    """Return the environment that a topic is read from; None for a topic under the prefix of the settings."""
    other = settings.elsewhere
    return None if other is None or is_here(topic, other.own) else other


def name_of(settings: KafkaSettings, topic: str) -> str:
    """Return the name in Kafka, in the environment that has the topic. Raises as `kafka_name`.

    >>> name_of(KafkaSettings("h:9092", prefix="pr.", elsewhere=Elsewhere("prod", "prod.", frozenset(["b"]))), "a")
    'prod.a'
    """
    other = elsewhere(settings, topic)
    return kafka_name(settings.prefix if other is None else other.prefix, topic)


@dataclass(frozen=True, slots=True)
class SubjectNames:
    """The names of the project's subjects in the registry of a target.

    A topic's subject has the prefix that the topic has in Kafka, so that targets with different prefixes share none.
    `settings`: None for topics in folders; `named`: the subjects that the project names itself, which have no prefix.

    >>> names = SubjectNames(KafkaSettings("h:9092", prefix="shop."), frozenset(["com.example.Click"]))
    >>> [names("orders-value"), names("com.example.Click")]
    ['shop.orders-value', 'com.example.Click']
    """

    settings: KafkaSettings | None = None
    named: frozenset[str] = frozenset()

    def __call__(self, subject: str) -> str:
        if self.settings is None or subject in self.named:
            return subject
        other = elsewhere(self.settings, subject.rpartition("-")[0])
        return f"{self.settings.prefix if other is None else other.prefix}{subject}"


def own_name(prefix: str, name: str) -> str | None:
    """Return the project's name of a topic in Kafka.

    It is None for a topic of another project or of Kafka itself, and for the topics of markers and leases.
    """
    if not name.startswith(prefix) or name.startswith("__") or len(name) == len(prefix):
        return None
    topic = name[len(prefix) :]
    return None if topic in (commits.TOPIC, LEASES) else topic
