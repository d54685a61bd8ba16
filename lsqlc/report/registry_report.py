"""Subjects of a schema registry, and their comparison with the schemas of models, as text and as JSON-ready data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lsqlc.formats.subjects import Subject
from lsqlc.registry.written import Standing


def standing_text(standing: Standing) -> str:
    """Return the status of a schema on one line, and a line per conflict."""
    schema, mode = standing.schema, standing.mode
    if standing.conflicts:
        status = f"not compatible in the mode {mode}"
    elif standing.id is not None:
        status = f"registered, with the id {standing.id}"
    elif standing.is_new_subject:
        status = "a new subject"
    else:
        status = f"a new version, compatible in the mode {mode}"
    return "\n".join([f"{schema.subject}: {status}", *(f"  {' '.join(why.split())}" for why in standing.conflicts)])


def standing_data(standing: Standing) -> dict[str, Any]:
    schema = standing.schema
    return {
        "subject": schema.subject,
        "model": schema.model,
        "topic": schema.topic,
        "facet": schema.facet,
        "schema": schema.source,
        "id": standing.id,
        "new_subject": standing.is_new_subject,
        "compatibility": standing.mode,
        "conflicts": list(standing.conflicts),
    }


def subject_data(subject: Subject) -> dict[str, Any]:
    versions = [{"version": v.version, "id": v.id, "type": v.type, "schema": v.text} for v in subject.versions]
    return {"subject": subject.name, "compatibility": subject.compatibility, "versions": versions}


def drift_lines(
    locked: Mapping[str, Subject], registered: Mapping[str, Subject], names: Iterable[str]
) -> tuple[str, ...]:
    """Return the differences between the lock file and the registry, a line per subject."""
    lines = []
    for name in sorted(names):
        old, new = locked.get(name), registered.get(name)
        if old == new:
            continue
        if old is None or new is None:
            lines.append(f"{name}: {'not in the lock file' if old is None else 'not in the registry'}")
            continue
        parts = []
        if old.compatibility != new.compatibility:
            parts.append(f"the mode was {old.compatibility}, and is {new.compatibility}")
        before, after = ({v.version: v for v in s.versions} for s in (old, new))
        for word, numbers in (
            ("new", after.keys() - before.keys()),
            ("removed", before.keys() - after.keys()),
            ("another one now", {n for n in before.keys() & after.keys() if before[n] != after[n]}),
        ):
            parts += [f"version {number} is {word}" for number in sorted(numbers)]
        lines.append(f"{name}: {'; '.join(parts)}")
    return tuple(lines)
