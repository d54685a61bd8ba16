"""The section `schemas` of the lock file: subjects of a schema registry, as `lsqlc schemas pull` found them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lsqlc.diagnostics import Diagnostic
from lsqlc.formats.subjects import Subject, SubjectVersion
from lsqlc.yaml.nodes import Place, YamlDocument

_HEAD = "# Schemas of a schema registry. `lsqlc schemas pull` writes them; review and commit them.\n"
_HELP = "restore the file, or write the section again: `lsqlc schemas pull`"


def read_subjects(document: YamlDocument, given: Any) -> tuple[dict[str, Subject], tuple[Diagnostic, ...]]:
    """Return the subjects by name; what is wrong is LSQ094, and is left out."""
    found: dict[str, Subject] = {}
    problems: list[Diagnostic] = []

    def wrong(place: Place, message: str) -> None:
        problems.append(Diagnostic("LSQ094", message, document.span(place), help=_HELP))

    if given is not None and not isinstance(given, dict):
        wrong(("schemas",), "'schemas' is not a mapping of subjects")
        return {}, tuple(problems)
    for name, entry in (given or {}).items():
        place = ("schemas", name)
        versions = entry.get("versions") if isinstance(entry, dict) else None
        mode = entry.get("compatibility") if isinstance(entry, dict) else None
        read = [_version(one) for one in versions] if isinstance(versions, list) else []
        known = [one for one in read if one is not None]
        if not isinstance(mode, str) or not known or len(known) < len(read):
            wrong(place, f"the subject '{name}' cannot be read")
        else:
            found[str(name)] = Subject(str(name), mode, tuple(sorted(known, key=lambda one: one.version)))
    return found, tuple(problems)


def _version(given: Any) -> SubjectVersion | None:
    if not isinstance(given, dict):
        return None
    id, version, kind, text = (given.get(key) for key in ("id", "version", "type", "schema"))
    if type(id) is not int or type(version) is not int or not isinstance(kind, str) or not isinstance(text, str):
        return None
    return SubjectVersion(id, version, kind, text)


def subjects_text(subjects: Mapping[str, Subject]) -> str:
    """Return the section, the same for the same subjects."""
    lines = [_HEAD + "schemas:"]
    for name in sorted(subjects):
        subject = subjects[name]
        lines += [f"  {_quoted(name)}:", f"    compatibility: {subject.compatibility}", "    versions:"]
        for one in subject.versions:
            lines.append(f"      - {{version: {one.version}, id: {one.id}, type: {one.type},")
            lines.append(f"         schema: {_quoted(one.text)}}}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    # JSON's text is YAML's, but for the characters beyond those that YAML prints.
    return json.dumps(text)
