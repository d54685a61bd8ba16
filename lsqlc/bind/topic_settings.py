"""Settings of the topics that a program writes, under the names `defaults.topic.<key>` and `topic.<name>.<key>`."""

from __future__ import annotations

from collections.abc import Mapping


def setting_of(settings: Mapping[str, str], topic: str, key: str) -> str | None:
    """Return the program's setting for an output topic: for this one, else for all."""
    return settings.get(f"topic.{topic}.{key}", settings.get(f"defaults.topic.{key}"))
