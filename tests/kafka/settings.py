"""The settings of a target whose topics are in Kafka."""

from __future__ import annotations

from lsqlc.connectors.kafka import connector
from lsqlc.project.declared.target import Target
from lsqlc.types.kafka import KafkaSettings


def settings_of(target: Target) -> KafkaSettings:
    """Return the settings of the connector, which must be that of Kafka."""
    settings = connector.settings_of(target)
    assert settings is not None
    return settings
