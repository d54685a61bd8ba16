"""The settings of a plan of ksqlDB: those of SET, and the names of schemas in WITH."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.create_source import Source
from lsqlc.bind.ksql.properties import no_effect
from lsqlc.diagnostics import did_you_mean
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.types.error_policy import Policy

# Settings of a server or of Kafka's clients: known, and without meaning here.
PREFIXES = (
    "ksql.", "auto.", "cache.", "commit.", "num.", "processing.", "consumer.", "producer.", "max.", "buffered.",
)  # fmt: skip


# Whether a record that cannot be read ends the query; without a value, the policy of the project decides.
FAIL_ON_BAD_RECORD = "ksql.fail.on.deserialization.error"
SKIP_SETTING = f"SET '{FAIL_ON_BAD_RECORD}'='false';"
POLICIES: Mapping[str, Policy] = {"true": "fail", "false": "continue"}


def program_settings(program: ksql.Program, findings: Findings) -> Mapping[str, str]:
    """Return the settings of the plan.

    They are those of SET, the last value of each name, which have no effect here, and `error.policy` for
    FAIL_ON_BAD_RECORD. Unknown names and invalid values of that one are reported as errors.
    """
    settings: dict[str, str] = {}
    for setting in program.settings:
        key, text = setting.key.text, setting.value.text
        if key == FAIL_ON_BAD_RECORD:
            policy = POLICIES.get(text.strip().lower())
            if policy is None:
                findings.error("LSQ321", f"'{key}' must be true or false, not '{text}'", setting.value.at,
                               help="write 'false' to skip records that cannot be read, or 'true' to fail")  # fmt: skip
            else:
                settings["error.policy"] = policy
            continue
        settings[key] = text
        if key.startswith(PREFIXES):
            findings.warn("LSQ803", f"'{key}' has no effect on Spark and is ignored", setting.key.at,
                          notes=("it configures the server or the Kafka clients of the original engine",),
                          help="remove it")  # fmt: skip
        else:
            help = did_you_mean(key, [FAIL_ON_BAD_RECORD])
            findings.error("LSQ320", f"unknown setting '{key}'", setting.key.at, help=help)
    return settings


def schema_names(sources: Iterable[Source], writers: Mapping[str, Source], findings: Findings) -> Mapping[str, str]:
    """Return the names of the schemas of output topics, as settings of the topics.

    A name for a topic that no statement writes is reported. `writers`: the last writer by topic.
    """
    for source in sources:
        writer = writers.get(source.topic)
        if writer is None or writer.name != source.name:
            for _, property in source.schema_names:
                no_effect(property, f"no statement of the program writes '{source.name}'", findings)
    return {
        f"topic.{topic}.{end}": property.text
        for topic, source in writers.items()
        for end, property in source.schema_names
    }
