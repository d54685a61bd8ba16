"""The settings of a plan of ksqlDB: what SET says, and the names that WITH gives the schemas of topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.create_source import Source
from lsqlc.bind.ksql.properties import no_effect
from lsqlc.syntax.ksql import tree as ksql

# Settings of a server or of Kafka's clients: known, and without meaning here.
PREFIXES = (
    "ksql.", "auto.", "cache.", "commit.", "num.", "processing.", "consumer.", "producer.", "max.", "buffered.",
)  # fmt: skip


def server_settings(program: ksql.Program, findings: Findings) -> Mapping[str, str]:
    """What SET says, the last value of each name. None has an effect; those that nobody knows are errors."""
    for setting in program.settings:
        key = setting.key.text
        if key.startswith(PREFIXES):
            findings.warn("LSQ803", f"'{key}' has no effect on Spark and is ignored", setting.key.at,
                          notes=("it configures the server or the Kafka clients of the original engine",),
                          help="remove it")  # fmt: skip
        else:
            findings.error("LSQ320", f"unknown setting '{key}'", setting.key.at)
    return {s.key.text: s.value.text for s in program.settings}


def schema_names(sources: Iterable[Source], writers: Mapping[str, Source], findings: Findings) -> Mapping[str, str]:
    """The names of the schemas that topics are written with, as settings of the topics. A name for a topic that no
    statement writes is reported. `writers`: what was written last, by topic.
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
