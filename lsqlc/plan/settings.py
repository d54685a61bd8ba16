"""SET: which settings exist, and what one says.

Settings of Kafka's clients and of RocksDB are known by their prefixes and mean nothing here; they are kept in the
plan and give a finding, so that a program can move as it is.
"""

from __future__ import annotations

from lsqlc.diagnostics import did_you_mean
from lsqlc.plan.report import Findings
from lsqlc.syntax import tree

_TOPIC = ("autocreate", "partitions", "replication", "cleanup.policy", "retention.ms", "retention.bytes",
          "key.avro.record", "key.avro.namespace", "value.avro.record", "value.avro.namespace")  # fmt: skip
_ENGINE = ("commit.interval.ms", "enable.auto.commit", "auto.offset.reset", "processing.guarantee", "group.id",
           "application.id", "num.stream.threads")  # fmt: skip
_PREFIXES = ("rocksdb.", "consumer.", "producer.", "admin.", "security.", "sasl.", "ssl.")
_KNOWN = (*(f"defaults.topic.{k}" for k in _TOPIC), *_ENGINE)


def check_settings(program: tree.Program, findings: Findings) -> tuple[tuple[str, str], ...]:
    """The settings as pairs, the last of one name. Unknown ones are errors, those without meaning here are findings."""
    settings: dict[str, str] = {}
    for setting in program.settings:
        key, value = setting.key.text, setting.value.text
        if key in _ENGINE or key.startswith(_PREFIXES):
            findings.warn(
                "LSQ803",
                f"'{key}' has no meaning on Spark and is ignored",
                setting.key.at,
                notes=("it tunes the Kafka clients or the state store of the engine that the program came from",),
                help="remove it",
            )
        elif key.startswith("topic."):
            _check_topic_key(setting, findings)
        elif key not in _KNOWN:
            findings.error("LSQ320", f"unknown setting '{key}'", setting.key.at, help=did_you_mean(key, _KNOWN))
        elif key == "defaults.topic.autocreate" and value.lower() not in ("true", "false"):
            findings.error("LSQ321", f"'{key}' is true or false, not '{value}'", setting.value.at)
        elif key == "defaults.topic.partitions" and not value.isdecimal():
            findings.error("LSQ321", f"'{key}' is a number, not '{value}'", setting.value.at)
        settings[key] = value
    return tuple(sorted(settings.items()))


def _check_topic_key(setting: tree.Setting, findings: Findings) -> None:
    key = setting.key.text
    if not any(key.endswith("." + name) and len(key) > len("topic..") + len(name) for name in _TOPIC):
        known = ", ".join(_TOPIC)
        findings.error(
            "LSQ320", f"unknown setting '{key}'", setting.key.at, help=f"after the topic's name stands one of {known}"
        )
