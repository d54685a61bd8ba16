"""The section `schemas` of the lock file: the subjects of a schema registry that `lsqlc schemas pull` wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lsqlc.diagnostics import Diagnostic
from lsqlc.formats.subjects import Subject, SubjectVersion
from lsqlc.yaml.nodes import KeyPath, YamlDocument

_HEAD = "# Schemas of a schema registry. `lsqlc schemas pull` writes them; review and commit them.\n"
_HELP = "restore the file, or write the section again: `lsqlc schemas pull`"


def read_subjects(document: YamlDocument, data: Any) -> tuple[dict[str, Subject], tuple[Diagnostic, ...]]:
    """Return the subjects by name. An invalid subject is left out and reported as LSQ094."""
    subjects: dict[str, Subject] = {}
    problems: list[Diagnostic] = []

    def wrong(key_path: KeyPath, message: str) -> None:
        problems.append(Diagnostic("LSQ094", message, document.span(key_path), help=_HELP))

    if data is not None and not isinstance(data, dict):
        wrong(("schemas",), "'schemas' is not a mapping of subjects")
        return {}, tuple(problems)
    for name, entry in (data or {}).items():
        subject_path = ("schemas", name)
        versions = entry.get("versions") if isinstance(entry, dict) else None
        mode = entry.get("compatibility") if isinstance(entry, dict) else None
        read = [_version(one) for one in versions] if isinstance(versions, list) else []
        valid = [one for one in read if one is not None]
        if not isinstance(mode, str) or not valid or len(valid) < len(read):
            wrong(subject_path, f"the subject '{name}' cannot be read")
        else:
            subjects[str(name)] = Subject(str(name), mode, tuple(sorted(valid, key=lambda one: one.version)))
    return subjects, tuple(problems)


def _version(data: Any) -> SubjectVersion | None:
    if not isinstance(data, dict):
        return None
    id, version, kind, text = (data.get(key) for key in ("id", "version", "type", "schema"))
    if type(id) is not int or type(version) is not int or not isinstance(kind, str) or not isinstance(text, str):
        return None
    return SubjectVersion(id, version, kind, text)


def subjects_text(subjects: Mapping[str, Subject]) -> str:
    """Return the text of the section. Equal subjects give equal texts."""
    lines = [_HEAD + "schemas:"]
    for name in sorted(subjects):
        subject = subjects[name]
        lines += [f"  {_quoted(name)}:", f"    compatibility: {subject.compatibility}", "    versions:"]
        for one in subject.versions:
            lines.append(f"      - {{version: {one.version}, id: {one.id}, type: {one.type},")
            lines.append(f"         schema: {_quoted(one.text)}}}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    # A text of JSON is a text of YAML, except for characters that YAML does not print.
    return json.dumps(text)
