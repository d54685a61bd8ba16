"""What ends a query over Kafka, out of Spark's text, as a finding with the next step.

Writing fails in the publisher, which leaves a mark with librdkafka's name of the error; reading fails in Spark's own
source, with the class of a Java exception.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lsqlc.diagnostics import Diagnostic, LsqlcError, listing
from lsqlc.lower.spark.wire.encodings import UNKNOWN_ID
from lsqlc.lower.spark.wire.protobuf import UNWRITABLE
from lsqlc.lower.spark.wire.records import UNREADABLE
from lsqlc.plan.policies import skip_help
from lsqlc.remote.session.failures import cause
from lsqlc.remote.topics.kafka.publish import CHANGED, FAILED, FENCED
from lsqlc.remote.topics.transport import Explained
from lsqlc.topics.kafka import commits
from lsqlc.topics.kafka.access import Access, reading, writing
from lsqlc.topics.kafka.failures import Failure, Task, diagnostic
from lsqlc.topics.kafka.names import kafka_name
from lsqlc.topics.kafka.retriable import OF_JAVA, PASSING
from lsqlc.topics.skips import Skip
from lsqlc.types.error_policy import SKIP_IN_CONFIG
from lsqlc.types.kafka import KafkaSettings

_MARK = re.compile(rf"({FAILED}|{FENCED}): (?P<name>\w+): (?P<text>.*?)(?:\n|$)")
# By the Java exception: librdkafka's name of the same.
_JAVA = (
    ("SaslAuthenticationException", "SASL_AUTHENTICATION_FAILED"),
    ("SslAuthenticationException", "_SSL"),
    ("SSLHandshakeException", "_SSL"),
    ("TopicAuthorizationException", "TOPIC_AUTHORIZATION_FAILED"),
    ("GroupAuthorizationException", "GROUP_AUTHORIZATION_FAILED"),
    ("RecordTooLargeException", "MSG_SIZE_TOO_LARGE"),
    ("not present in metadata", "UNKNOWN_TOPIC_OR_PART"),
    ("UnknownTopicOrPartitionException", "UNKNOWN_TOPIC_OR_PART"),
    ("UNKNOWN_TOPIC_OR_PARTITION", "UNKNOWN_TOPIC_OR_PART"),
    ("No resolvable bootstrap urls", "_RESOLVE"),
    *OF_JAVA,
)
_LOSS = "KAFKA_DATA_LOSS"
_UNREADABLE = re.compile(
    rf"{UNREADABLE}:(?P<topic>[A-Za-z0-9._-]+):(?P<partition>\d+):(?P<offset>\d+): (?P<why>.*?)(?= SQLSTATE|\n|$)"
)
_UNWRITABLE = re.compile(rf"{UNWRITABLE}: (?P<why>.*?)(?=\\n|\n|$)")
_UNKNOWN = re.compile(rf"{UNKNOWN_ID}:(?P<topic>[A-Za-z0-9._-]+):(?P<facet>key|value):(?P<id>\d+)")


class UnknownSchemaError(LsqlcError):
    """A record has a schema id that the query was not given. The run may ask the registry, and go on."""

    def __init__(self, topic: str, facet: str, id: int) -> None:
        message = f"the {facet} of a record of '{topic}' has the unknown schema id {id}"
        super().__init__([Diagnostic("LSQ757", message, help="it is requested from the registry of the target")])
        self.schema = topic, facet, id


def explained(
    error: str,
    settings: KafkaSettings,
    model: str,
    topic: str,
    read: Iterable[str],
    skip_setting: str = SKIP_IN_CONFIG,
) -> Explained | None:
    """What the text of an error says of Kafka; None if it is not about Kafka. `topic`: the one that the query writes;
    `read`: those that it reads; `skip_setting`: as that of the plan.
    Raises UnknownSchemaError for a record of a schema that the query was not given.
    """
    found = _MARK.search(error)
    if found is not None:
        return _written(found, settings, model, topic)
    if f"{CHANGED}: " in error:
        return Explained(_changed(model, topic), passing=False)
    unknown = _UNKNOWN.search(error)
    if unknown is not None:
        raise UnknownSchemaError(unknown["topic"], unknown["facet"], int(unknown["id"]))
    unwritable = _UNWRITABLE.search(error)
    if unwritable is not None:
        return Explained(_unwritable(unwritable["why"], model, topic), passing=False)
    unreadable = _UNREADABLE.search(error)
    if unreadable is not None:
        return Explained(_bad_record(unreadable, model, skip_setting), passing=False)
    if _LOSS in error:
        return Explained(_lost(error, model, read), passing=False)
    failure = java_failure(error)
    if failure is None:
        return None
    names = list(read)
    task = Task(f"the model '{model}' cannot read {listing(names)}", reading(settings, names))
    if _is_about(error, kafka_name(settings.prefix, topic)):
        task = Task(f"the model '{model}' cannot write '{topic}'", writing(settings, topic))
    return Explained(diagnostic(failure, settings, task), failure.name in PASSING)


def java_failure(error: str) -> Failure | None:
    """What Java's client says in the text of an error of Spark; None if it says nothing."""
    if "kafka" not in error.lower():
        return None
    found = next(((sign, name) for sign, name in _JAVA if sign in error), None)
    if found is None:
        return None
    # What Spark and its Python say of the task that failed stands around it.
    own = re.search(rf"{re.escape(found[0])}: ([^\n]+?)(?: Caused by: |\n|$)", error)
    return Failure(found[1], own[1] if own else cause(error)[1])


def _is_about(error: str, topic: str) -> bool:
    """Whether Java's client names that topic: it was writing, since no query reads what it writes."""
    name = re.escape(topic)
    found = rf"(topics: \[{name}\]|Topic {name} not present|RecordTooLargeException|for {name}-\d+:)"
    return re.search(found, error) is not None


def _written(found: re.Match[str], settings: KafkaSettings, model: str, topic: str) -> Explained:
    name = "_FENCED" if found[1] == FENCED else found["name"]
    # The broker does not say which topic of a transaction it refuses.
    markers = Access("topic", settings.prefix + commits.TOPIC, ("Read", "Write", "Describe"))
    task = Task(f"the model '{model}' cannot write '{topic}'", (*writing(settings, topic), markers))
    return Explained(diagnostic(Failure(name, found["text"]), settings, task), name in PASSING)


def _changed(model: str, topic: str) -> Diagnostic:
    """LSQ759: some transactions of a batch are written, and the others would have the records of another query."""
    return Diagnostic(
        "LSQ759",
        f"the model '{model}' has changed, and its last batch is written to '{topic}' only in part",
        notes=("a run ended after some transactions of the batch; the rest has to be what the model was then",),
        help="run the earlier version until that batch is written, or `lsqlc run --full-refresh` to recompute it all",
    )


def _bad_record(found: re.Match[str], model: str, skip_setting: str) -> Diagnostic:
    """LSQ667: a record cannot be read, and the model's policy is to fail."""
    skip = Skip(found["topic"], int(found["partition"]), int(found["offset"]))
    return Diagnostic(
        "LSQ667",
        f"the model '{model}' cannot read a record of '{found['topic']}'",
        notes=(f"it is at offset {found['offset']} of partition {found['partition']}", found["why"].rstrip(". ")),
        help=f"`lsqlc show {found['topic']}` shows what is wrong; `{skip.command}` skips it; or "
        f"{skip_help('record', skip_setting)}",
    )


def _unwritable(why: str, model: str, topic: str) -> Diagnostic:
    """LSQ797: a value that the schema of the topic has no place for."""
    return Diagnostic(
        "LSQ797",
        f"the model '{model}' cannot write a record of '{topic}' in PROTOBUF",
        notes=(why.rstrip(". "),),
        help="replace the null: `COALESCE(column, value)`; or store the result as AVRO or JSON",
    )


def _lost(error: str, model: str, read: Iterable[str]) -> Diagnostic:
    """LSQ753: records that the query was to read are not there any more."""
    _, message = cause(error)
    return Diagnostic(
        "LSQ753",
        f"records that the model '{model}' has not read were removed from {listing(list(read))}",
        notes=(
            f"Spark says: {message}",
            "the topic was deleted or created again, or its retention removed records before they were read",
        ),
        help="`lsqlc run --full-refresh` recomputes the results from the records that remain",
    )
