"""Errors of queries over Kafka as diagnostics, from the text of Spark's error.

Errors of writing are raised by the publisher, with a mark and librdkafka's name of the error. Errors of reading are
raised by Spark's source, with the class of a Java exception.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from lsqlc.connectors.kafka import commits
from lsqlc.connectors.kafka.access import Access, reading, writing
from lsqlc.connectors.kafka.failures import Failure, Task, diagnostic
from lsqlc.connectors.kafka.names import kafka_name, name_of
from lsqlc.connectors.kafka.retriable import OF_JAVA, PASSING
from lsqlc.connectors.losses import lost
from lsqlc.connectors.skips import Skip
from lsqlc.diagnostics import Diagnostic, listing
from lsqlc.formats.encoding import UNKNOWN_ID, UNWRITABLE
from lsqlc.lower.spark.wire.records import UNREADABLE
from lsqlc.plan.policies import skip_help
from lsqlc.remote.connectors.kafka.publish import CHANGED, FAILED, FENCED
from lsqlc.remote.connectors.transport import Explained
from lsqlc.remote.connectors.unknown_schema import UnknownSchemaError
from lsqlc.remote.session.failures import cause
from lsqlc.types.error_policy import SKIP_IN_CONFIG
from lsqlc.types.kafka import KafkaSettings

_MARK = re.compile(rf"({FAILED}|{FENCED}): (?P<name>\w+): (?P<text>.*?)(?:\n|$)")
# Java exceptions, and librdkafka's names of the same errors.
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
# The error conditions of the connector, 4.0 to 4.3, for unread records that do not exist any more. Its exceptions have
# the text of the condition without its name. So each is recognized by its name, or by words that all versions have.
_LOSSES: Mapping[str, str] = {
    "KAFKA_DATA_LOSS": "Some data may have been lost because they are not available in Kafka any more",
    "LOST_TOPIC_PARTITIONS_IN_END_OFFSET_WITH_TRIGGER_AVAILABLENOW": (
        "Some of partitions in Kafka topic(s) have been lost during running query with Trigger.AvailableNow"
    ),
    "END_OFFSET_HAS_GREATER_OFFSET_FOR_TOPIC_PARTITION_THAN_LATEST_WITH_TRIGGER_AVAILABLENOW": (
        "report available offset which is less than end offset during running query with Trigger.AvailableNow"
    ),
    "END_OFFSET_HAS_GREATER_OFFSET_FOR_TOPIC_PARTITION_THAN_PREFETCHED": (
        "end offset should have lower or equal offset per each topic partition than pre-fetched offset"
    ),
    "MISMATCHED_TOPIC_PARTITIONS_BETWEEN_END_OFFSET_AND_PREFETCHED": (
        "should provide the same topic partitions in pre-fetched offset to end offset for each microbatch"
    ),
    "MISMATCHED_TOPIC_PARTITIONS_BETWEEN_START_OFFSET_AND_END_OFFSET": (
        "The specified start offset and end offset should have the same topic-partitions"
    ),
    "RESOLVED_START_OFFSET_GREATER_THAN_END_OFFSET": "is greater than the resolved end offset",
    # An error of Java's client.
    "OffsetOutOfRangeException": "is out of range for partition",
}
_AT = r"(?P<topic>[A-Za-z0-9._-]+)-(?P<partition>\d+)"
# The offsets of the missing records, in the texts of the subconditions of KAFKA_DATA_LOSS.
_MISSING = (
    re.compile(rf"Added partition {_AT} starts from (?P<first>\d+) instead of 0"),
    re.compile(rf"Could not read records in offset \[(?P<next>\d+), \d+\) for topic partition {_AT}"),
    re.compile(rf"Partition {_AT} offset was changed from (?P<next>\d+) to (?P<end>\d+)"),
    re.compile(rf"Starting offset for {_AT} was (?P<next>\d+) but consumer reset to (?P<first>\d+)"),
)
# Spark's advice for a setting that would skip records silently.
_ADVICE = re.compile(r"If you don't want your streaming query to fail on such cases, [^.]*\.\s*(?:Reason:\s*)?")
_PARTITIONS = re.compile(r"(?:initial offsets for partitions|Partitions) (?P<all>\w*\([^)]*\))")
_UNREADABLE = re.compile(
    rf"{UNREADABLE}:(?P<topic>[A-Za-z0-9._-]+):(?P<partition>\d+):(?P<offset>\d+): (?P<why>.*?)(?= SQLSTATE|\n|$)"
)
_UNWRITABLE = re.compile(rf"{UNWRITABLE}: (?P<why>.*?)(?=\\n|\n|$)")
_UNKNOWN = re.compile(rf"{UNKNOWN_ID}:(?P<topic>[A-Za-z0-9._-]+):(?P<facet>key|value):(?P<id>\d+)")


def explained(
    error: str,
    settings: KafkaSettings,
    model: str,
    topic: str,
    read: Iterable[str],
    skip_setting: str = SKIP_IN_CONFIG,
) -> Explained | None:
    """Return the explanation of an error of Kafka, from its text; None for any other error.

    `topic`: the output topic of the query; `read`: its input topics; `skip_setting`: that of the plan. Raises
    UnknownSchemaError for a record whose schema the query does not have.
    """
    mark = _MARK.search(error)
    if mark is not None:
        return _write_error(mark, settings, model, topic)
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
    if _is_lost(error):
        return Explained(_lost(error, settings, model, list(read)), passing=False)
    failure = java_failure(error)
    if failure is None:
        return None
    names = list(read)
    task = Task(f"the model '{model}' cannot read {listing(names)}", reading(settings, names))
    if _is_about(error, kafka_name(settings.prefix, topic)):
        task = Task(f"the model '{model}' cannot write '{topic}'", writing(settings, topic))
    return Explained(diagnostic(failure, settings, task), failure.name in PASSING)


def java_failure(error: str) -> Failure | None:
    """Return the error of Java's client in the text of an error of Spark; None if there is none."""
    if "kafka" not in error.lower():
        return None
    match = next(((sign, name) for sign, name in _JAVA if sign in error), None)
    if match is None:
        return None
    # The text of Spark and of its Python process about the failed task surrounds the message.
    own = re.search(rf"{re.escape(match[0])}: ([^\n]+?)(?: Caused by: |\n|$)", error)
    return Failure(match[1], own[1] if own else cause(error)[1])


def _is_about(error: str, topic: str) -> bool:
    """Return whether an error of Java's client names that topic. Then it was writing: no query reads its own output."""
    name = re.escape(topic)
    pattern = rf"(topics: \[{name}\]|Topic {name} not present|RecordTooLargeException|for {name}-\d+:)"
    return re.search(pattern, error) is not None


def _write_error(mark: re.Match[str], settings: KafkaSettings, model: str, topic: str) -> Explained:
    name = "_FENCED" if mark[1] == FENCED else mark["name"]
    # The broker does not report which topic of a transaction it rejects.
    markers = Access("topic", settings.prefix + commits.TOPIC, ("Read", "Write", "Describe"))
    task = Task(f"the model '{model}' cannot write '{topic}'", (*writing(settings, topic), markers))
    return Explained(diagnostic(Failure(name, mark["text"]), settings, task), name in PASSING)


def _changed(model: str, topic: str) -> Diagnostic:
    """Return LSQ759: the batch is incomplete, and another version of the query would write the rest."""
    return Diagnostic(
        "LSQ759",
        f"the model '{model}' has changed, and its last batch is written to '{topic}' only in part",
        notes=("a run ended after some transactions of the batch; the rest has to be what the model was then",),
        help="run the earlier version until that batch is written, or `lsqlc run --full-refresh` to recompute it all",
    )


def _bad_record(match: re.Match[str], model: str, skip_setting: str) -> Diagnostic:
    """Return LSQ667: a record cannot be read, and the model's policy is to fail."""
    skip = Skip(match["topic"], int(match["partition"]), int(match["offset"]))
    return Diagnostic(
        "LSQ667",
        f"the model '{model}' cannot read a record of '{match['topic']}'",
        notes=(f"it is at offset {match['offset']} of partition {match['partition']}", match["why"].rstrip(". ")),
        help=f"`lsqlc show {match['topic']}` shows the error; `{skip.command}` skips it; or "
        f"{skip_help('record', skip_setting)}",
    )


def _unwritable(why: str, model: str, topic: str) -> Diagnostic:
    """Return LSQ797: the schema of the topic cannot represent a value."""
    return Diagnostic(
        "LSQ797",
        f"the model '{model}' cannot write a record of '{topic}' in PROTOBUF",
        notes=(why.rstrip(". "),),
        help="replace the null: `COALESCE(column, value)`; or store the result as AVRO or JSON",
    )


def _is_lost(error: str) -> bool:
    """Return whether unread records do not exist any more."""
    if "kafka" not in error.lower():
        return False
    return any(name in error or words in error for name, words in _LOSSES.items())


def _lost(error: str, settings: KafkaSettings, model: str, read: Sequence[str]) -> Diagnostic:
    """Return LSQ753: unread records of the query do not exist any more."""
    names = {name_of(settings, topic): topic for topic in read}
    match = next(filter(None, (form.search(error) for form in _MISSING)), None)
    if match is not None:
        return lost(model, [names.get(match["topic"], match["topic"])], [_missing(match, names)])
    partitions = _PARTITIONS.search(error)
    if partitions is not None:
        missing = [(names.get(m["topic"], m["topic"]), m["partition"]) for m in re.finditer(_AT, partitions["all"])]
        topics = list(dict.fromkeys(topic for topic, _ in missing)) or read
        return lost(model, topics, [f"partition {number} of '{topic}' does not exist" for topic, number in missing])
    reason = _ADVICE.sub("", cause(error)[1])
    return lost(model, read, [f"Spark says: {reason}"])


def _missing(match: re.Match[str], names: Mapping[str, str]) -> str:
    """Return a note about the missing records of a partition."""
    groups = match.groupdict()
    where = f"partition {groups['partition']} of '{names.get(groups['topic'], groups['topic'])}'"
    next = groups.get("next") or "0"
    if end := groups.get("end"):
        return f"{where} ends at offset {end}, and the query has read it up to offset {next}"
    if first := groups.get("first"):
        return f"the query reads {where} from offset {next} on, which begins at offset {first}"
    return f"the query reads {where} from offset {next} on, which does not exist"
