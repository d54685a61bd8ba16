"""SET: the settings, their values, and the ones that have an effect here.

A setting is about the topics that a program creates, about bad records, or about the engine. Kafka's settings of the
engine are used if Spark has a counterpart (see `lower.spark.engine`). A setting without a meaning on Spark is kept in
the plan with a warning, so that a program can be migrated unchanged. An unknown name is an error.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from lsqlc.bind.findings import Findings
from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.diagnostics.suggest import nearest
from lsqlc.syntax import tree
from lsqlc.types.digits import integer
from lsqlc.types.error_policy import POLICIES, UNSET, ErrorPolicy

# The values of a setting of a topic. `kafka`: a setting of the broker, which folders ignore.
_TOPIC: Mapping[str, str] = {
    "autocreate": "truth",
    "partitions": "count",
    "replication": "kafka",
    "key.avro.record": "name",
    "key.avro.namespace": "name",
    "value.avro.record": "name",
    "value.avro.namespace": "name",
    **dict.fromkeys(
        (
            "cleanup.policy", "compression.type", "delete.retention.ms", "file.delete.delay.ms", "flush.messages",
            "flush.ms", "index.interval.bytes", "max.compaction.lag.ms", "max.message.bytes",
            "message.downconversion.enable", "message.format.version", "message.timestamp.after.max.ms",
            "message.timestamp.before.max.ms", "message.timestamp.difference.max.ms", "message.timestamp.type",
            "min.cleanable.dirty.ratio", "min.compaction.lag.ms", "min.insync.replicas", "preallocate",
            "retention.bytes", "retention.ms", "segment.bytes", "segment.index.bytes", "segment.jitter.ms",
            "segment.ms", "unclean.leader.election.enable",
        ),
        "kafka",
    ),
}  # fmt: skip
SKIP_SETTING = "SET error.policy = 'continue';"
_ERRORS = ("error.policy", "error.policy.read", "error.policy.write", "dead.letter.queue")
# Settings with a counterpart in Spark.
_CARRIED = ("commit.interval.ms", "num.stream.threads")
# The values of these that are the behaviour here anyway.
_ANYWAY: Mapping[str, tuple[str, ...]] = {
    "auto.offset.reset": ("earliest",),
    "processing.guarantee": ("exactly_once", "exactly_once_beta", "exactly_once_v2"),
}
_ENGINE: Mapping[str, str] = {
    "auto.offset.reset": "a new query reads its topics from the beginning, and continues from its checkpoint",
    "processing.guarantee": "records are processed exactly once",
    "enable.auto.commit": "the checkpoint contains what a query has read",
    "group.id": "the checkpoint is named after the model",
    "application.id": "the checkpoint is named after the model",
    "client.id": "no Kafka client is used",
}
_CLIENT = "it configures the Kafka clients or the state store of the original engine"
# Settings of Kafka's clients and of Kafka Streams without a prefix.
_CLIENT_NAMES = (
    "acceptable.recovery.lag", "acks", "allow.auto.create.topics", "auto.commit.interval.ms", "batch.size",
    "bootstrap.servers", "buffer.memory", "buffered.records.per.partition", "cache.max.bytes.buffering",
    "check.crcs", "compression.type", "connections.max.idle.ms", "default.deserialization.exception.handler",
    "default.production.exception.handler", "default.timestamp.extractor", "delivery.timeout.ms",
    "enable.idempotence", "fetch.max.bytes", "fetch.max.wait.ms", "fetch.min.bytes", "heartbeat.interval.ms",
    "isolation.level", "key.deserializer", "key.serializer",
    "linger.ms", "max.block.ms", "max.in.flight.requests.per.connection",
    "max.partition.fetch.bytes", "max.poll.interval.ms", "max.poll.records", "max.request.size", "max.task.idle.ms",
    "metadata.max.age.ms", "metrics.recording.level", "num.standby.replicas",
    "partition.assignment.strategy", "poll.ms", "receive.buffer.bytes",
    "reconnect.backoff.ms", "replication.factor", "request.timeout.ms", "retries", "retry.backoff.ms",
    "schema.registry.url", "send.buffer.bytes", "session.timeout.ms", "state.cleanup.delay.ms", "state.dir",
    "statestore.cache.max.bytes", "task.timeout.ms", "topology.optimization", "transaction.timeout.ms",
    "transactional.id", "value.deserializer", "value.serializer",
)  # fmt: skip
_PREFIXES = ("rocksdb.", "consumer.", "producer.", "admin.", "main.consumer.", "restore.consumer.", "global.consumer.",
             "security.", "sasl.", "ssl.")  # fmt: skip
# Their names in releases before 4.0.
_OLD = {name: f"defaults.topic.{name}" for name in ("autocreate", "partitions", "replication")}
_KNOWN = (*(f"defaults.topic.{k}" for k in _TOPIC), *_ERRORS, *_CARRIED, *_ENGINE, *_CLIENT_NAMES)


def check_settings(
    program: tree.Program,
    targets: Collection[str],
    declared: Collection[str],
    findings: Findings,
    errors: ErrorPolicy = UNSET,
) -> dict[str, str]:
    """Return the settings by name; the last one of a name wins. Unknown ones are errors, those without effect are
    warnings.

    `targets`: the topics that the program writes. `declared`: those of them that exist already. `errors`: the policy
    for bad records if the program sets none.
    """
    last: dict[str, tree.Setting] = {}
    for setting in program.settings:
        before = last.get(setting.key.text)
        if before is not None:
            _idle(before, "it is set again later", findings)
        last[setting.key.text] = setting
    for key, setting in last.items():
        if key.startswith("defaults.topic."):
            _check_topic(setting, key.removeprefix("defaults.topic."), findings)
        elif key.startswith("topic."):
            _check_named_topic(setting, targets, declared, findings)
        elif key in _ERRORS:
            _check_errors(setting, last, errors, findings)
        elif key in _CARRIED:
            _check_count(setting, findings)
        elif key in _ENGINE:
            if setting.value.text.lower() not in _ANYWAY.get(key, ()):
                _foreign(setting, _ENGINE[key], findings)
        elif key in _CLIENT_NAMES or key.startswith(_PREFIXES):
            _foreign(setting, _CLIENT, findings)
        else:
            help = f"its name is '{_OLD[key]}'" if key in _OLD else did_you_mean(key, _KNOWN)
            findings.error("LSQ320", f"unknown setting '{key}'", setting.key.at, help=help)
    return {key: setting.value.text for key, setting in last.items()}


def setting_names() -> tuple[str, ...]:
    """Return the names of all settings except those of single topics, sorted."""
    return tuple(sorted(_KNOWN))


def values_of(key: str) -> tuple[str, ...]:
    """Return the values of a setting, if they can be listed."""
    if key in _ERRORS and key != "dead.letter.queue":
        return ("fail",) if key == "error.policy.write" else POLICIES
    if _TOPIC.get(key.removeprefix("defaults.topic.")) == "truth":
        return ("true", "false")
    return _ANYWAY.get(key, ())


def takes(key: str) -> str:
    """Return a sentence on the effect and the values of a setting."""
    kind = _TOPIC.get(key.removeprefix("defaults.topic."))
    if key == "dead.letter.queue":
        return "The topic for records that cannot be read, under the policy 'dlq'."
    if key in _ERRORS:
        return f"What happens to a record that cannot be read: {listing(values_of(key))}."
    if key.startswith("defaults.topic.") and kind not in (None, "kafka"):
        words = {"truth": "true or false", "count": "a positive integer", "name": "a name in AVRO"}
        return f"For the topics that the program creates: {words[kind or 'name']}."
    if key in _CARRIED:
        return "Used on Spark too: a number."
    return f"Has no effect on Spark and is ignored: {_ENGINE.get(key, 'it is for Kafka')}."


def _foreign(setting: tree.Setting, why: str, findings: Findings) -> None:
    message = f"'{setting.key.text}' has no effect on Spark and is ignored"
    findings.warn("LSQ803", message, setting.key.at, notes=(why,), help="remove it")


def _idle(setting: tree.Setting, why: str, findings: Findings) -> None:
    findings.warn("LSQ850", f"'{setting.key.text}' has no effect here", setting.key.at, notes=(why,), help="remove it")


def _check_topic(setting: tree.Setting, name: str, findings: Findings) -> None:
    key, value = setting.key.text, setting.value
    expected = _TOPIC.get(name)
    if expected is None:
        near = nearest(name, _TOPIC)
        help = f"did you mean 'defaults.topic.{near}'?" if near else f"a topic's settings are {listing(_TOPIC)}"
        findings.error("LSQ320", f"unknown setting '{key}'", setting.key.at, help=help)
    else:
        _check_value(setting, expected, value, findings)


def _check_named_topic(
    setting: tree.Setting, targets: Collection[str], declared: Collection[str], findings: Findings
) -> None:
    """Check ``topic.`name`.key``. The name may have dots of its own, so the key is searched from the end."""
    key = setting.key.text
    name = next((k for k in _TOPIC if key.endswith("." + k) and len(key) > len("topic..") + len(k)), None)
    if name is None:
        near = nearest(key.rpartition(".")[2], _TOPIC)
        help = f"did you mean '{near}'?" if near else f"the topic's name must be followed by one of {', '.join(_TOPIC)}"
        findings.error("LSQ320", f"unknown setting '{key}'", setting.key.at, help=help)
        return
    _check_value(setting, _TOPIC[name], setting.value, findings)
    topic = key.removeprefix("topic.").removesuffix("." + name)
    if topic not in targets:
        near = nearest(topic, targets)
        _idle(setting, f"the program writes {listing(targets)}" + (f"; is it '{near}'?" if near else ""), findings)
    elif topic in declared and name in ("partitions", "autocreate"):
        _idle(setting, f"'{topic}' is declared, and settings only apply to topics that the program creates", findings)


def _check_value(setting: tree.Setting, expected: str, value: tree.Name, findings: Findings) -> None:
    key = setting.key.text
    if expected == "kafka":
        _foreign(setting, "it is for Kafka brokers; a topic in a folder keeps all its records", findings)
    elif expected == "count":
        _check_count(setting, findings)
    elif expected == "truth" and value.text.lower() not in ("true", "false"):
        findings.error("LSQ321", f"'{key}' must be true or false, not '{value.text}'", value.at)
    elif expected == "name" and not all(p.isascii() and p.isidentifier() for p in value.text.split(".")):
        help = (
            "a name in AVRO consists of letters, digits and _, and does not begin with a digit; dots part a namespace"
        )
        findings.error("LSQ321", f"'{key}' must be a name in AVRO, not '{value.text}'", value.at, help=help)


def _check_count(setting: tree.Setting, findings: Findings) -> None:
    key, text = setting.key.text, setting.value.text
    if not (text.isascii() and text.isdecimal()):
        findings.error("LSQ321", f"'{key}' must be a number, not '{text}'", setting.value.at)
    elif not 1 <= integer(text) < 2**31:
        message = f"'{key}' must be a number from 1 to {2**31 - 1}, not {text}"
        findings.error("LSQ321", message, setting.value.at)


def _check_errors(
    setting: tree.Setting, all_set: Mapping[str, tree.Setting], errors: ErrorPolicy, findings: Findings
) -> None:
    key, text = setting.key.text, setting.value.text
    reading = all_set.get("error.policy.read", all_set.get("error.policy"))
    policy = reading.value.text.lower() if reading else errors.policy or "fail"
    if key == "dead.letter.queue":
        if policy != "dlq":
            why = f"the error policy for reading is '{policy}', and only 'dlq' writes bad records to a topic"
            _idle(setting, why, findings)
        return
    if text.lower() not in POLICIES:
        help = did_you_mean(text, POLICIES) or f"the policies are {listing(POLICIES)}"
        findings.error("LSQ321", f"'{key}' must be an error policy, not '{text}'", setting.value.at, help=help)
    elif key == "error.policy" and "error.policy.read" in all_set:
        _idle(setting, "'error.policy.read' is the policy for reading", findings)
    elif key == "error.policy.write":
        if text.lower() != "fail":
            why = "a batch is written completely, or the query fails and continues from its checkpoint: nothing is lost"
            _foreign(setting, why, findings)
    elif text.lower() == "dlq" and "dead.letter.queue" not in all_set and errors.dead_letters is None:
        findings.error(
            "LSQ346",
            f"'{key}' is 'dlq', and no topic is set for the bad records",
            setting.value.at,
            help="add SET dead.letter.queue = 'topic';",
        )
