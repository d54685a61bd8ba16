"""The lock file, `lsqlc.lock.yml`: columns of files without a declared schema, and schemas of a registry.

`lsqlc compile` and `lsqlc schemas pull` write it. It is reviewed and committed like a golden file, and all commands
read it, so that a build depends on no data and no server. A topic of files has a DDL column list, a subject its
versions (`schema_lock.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from lsqlc.diagnostics import Diagnostic, Severity, Span
from lsqlc.formats.subjects import Subject
from lsqlc.project.declared.schema_lock import read_subjects, subjects_text
from lsqlc.types.data import Struct
from lsqlc.types.ddl import DdlError, columns_text, parse_columns
from lsqlc.yaml.nodes import read_yaml

LOCK_FILE = "lsqlc.lock.yml"
_LISTED = 12
_HEAD = "# Columns found in files without a declared schema. `lsqlc compile` writes it; review and commit it.\n"
_FUNCTIONS_HEAD = "# Code in Python that may run. `lsqlc functions lock` writes it: review the files before.\n"
_KEYS = {"files", "functions", "schemas"}


@dataclass(frozen=True, slots=True)
class Lock:
    """The content of the lock file: columns by topic, and subjects by name.

    `functions`: the hashes of Python files with functions, by path. `broken`: topics with an unreadable entry.
    """

    columns: Mapping[str, Struct]
    broken: frozenset[str] = frozenset()
    diagnostics: tuple[Diagnostic, ...] = ()
    subjects: Mapping[str, Subject] = field(default_factory=dict)
    functions: Mapping[str, str] = field(default_factory=dict)


def read_lock(text: str) -> Lock:
    """Parse the text of the lock file. Errors are LSQ094."""
    document = read_yaml(text, LOCK_FILE)
    if document.diagnostics:
        return Lock({}, diagnostics=document.diagnostics)
    data = document.data or {}
    files = data.get("files") if isinstance(data, dict) else None
    types: dict[str, Struct] = {}
    broken: set[str] = set()
    problems: list[Diagnostic] = []
    if not isinstance(data, dict) or set(data) - _KEYS or not isinstance(files or {}, dict):
        message = "the lock file has other keys than the mappings 'files', 'functions' and 'schemas'"
        problems.append(Diagnostic("LSQ094", message, document.span(()), help=_HELP))
        return Lock({}, diagnostics=tuple(problems))
    for topic, columns in (files or {}).items():
        key_path = ("files", topic)
        try:
            # An empty list means that the files have no columns besides the declared ones.
            empty = columns in ("", None)
            types[topic] = Struct(()) if empty else parse_columns(columns if isinstance(columns, str) else "?")
        except DdlError as error:
            broken.add(topic)
            message = f"the columns of '{topic}' cannot be read: {error}"
            problems.append(Diagnostic("LSQ094", message, document.span(key_path), help=_HELP))
    subjects, unread = read_subjects(document, data.get("schemas"))
    hashes = data.get("functions") or {}
    if not isinstance(hashes, dict) or not all(isinstance(h, str) for h in hashes.values()):
        message = "'functions' must be a mapping of files to hashes"
        problems.append(Diagnostic("LSQ094", message, document.key_span(("functions",)), help=_HELP))
        hashes = {}
    return Lock(types, frozenset(broken), (*problems, *unread), subjects, hashes)


_HELP = "restore the file, or write it again: `lsqlc compile --lock`"


def lock_text(
    columns: Mapping[str, Struct], subjects: Mapping[str, Subject], functions: Mapping[str, str] | None = None
) -> str:
    """Return the text of the lock file. It is deterministic."""
    text = _columns_text(columns) + _functions_text(functions or {})
    return text + (subjects_text(subjects) if subjects or not text else "")


def _functions_text(functions: Mapping[str, str]) -> str:
    lines = [f"  {json.dumps(path, ensure_ascii=False)}: {functions[path]}\n" for path in sorted(functions)]
    return "".join((_FUNCTIONS_HEAD, "functions:\n", *lines)) if lines else ""


def _columns_text(columns: Mapping[str, Struct]) -> str:
    if not columns:
        return ""
    lines = [_HEAD + "files:"]
    for topic in sorted(columns):
        if not columns[topic].fields:
            lines.append(f"  {json.dumps(topic, ensure_ascii=False)}: ''")
            continue
        lines.append(f"  {json.dumps(topic, ensure_ascii=False)}: >-")
        lines += [f"    {line}" for line in columns_text(columns[topic], separator=",\n").split("\n")]
    return "\n".join(lines) + "\n"


def drift(
    topic: str,
    span: Span,
    locked: Struct,
    current: Struct,
    conflicts: tuple[str, ...] = (),
    what: Literal["files", "Delta table"] = "files",
) -> Diagnostic | None:
    """Return LSQ091, a warning, if the files have other columns than the lock file; None if they are equal.

    `conflicts`: differences in single files. `what`: what has the columns.
    """
    if not conflicts and [(f.name, f.type) for f in locked.fields] == [(f.name, f.type) for f in current.fields]:
        return None
    return Diagnostic(
        "LSQ091",
        f"the {what} of '{topic}' {'have' if what == 'files' else 'has'} other columns than {LOCK_FILE}",
        span,
        (*_differences(locked, current), *_few(conflicts)),
        f"if that is intended, update the lock file: `lsqlc compile --lock`; otherwise fix the {what}",
        Severity.WARNING,
    )


def disagreement(topic: str, span: Span, conflicts: Sequence[str]) -> Diagnostic:
    """Return LSQ448 for files without a common schema."""
    return Diagnostic(
        "LSQ448",
        f"the files of '{topic}' have different types for a column",
        span,
        tuple(_few(conflicts)),
        "use the same type in all files, or declare the columns that you need: `value: id INT, name STRING`",
    )


def _few(conflicts: Sequence[str]) -> list[str]:
    more = [f"and {len(conflicts) - _LISTED} more"] if len(conflicts) > _LISTED else []
    return [*conflicts[:_LISTED], *more]


def _differences(old: Struct, new: Struct) -> Iterable[str]:
    before, after = ({f.name: f.type for f in struct.fields} for struct in (old, new))
    for name, type in before.items():
        if name not in after:
            yield f"'{name}' was {type}, and was removed"
        elif after[name] != type:
            yield f"'{name}' was {type}, and is {after[name]}"
    yield from (f"'{name}' is new, {type}" for name, type in after.items() if name not in before)
    if list(before) != list(after) and set(before) == set(after):
        yield f"the order was {', '.join(before)}, and is {', '.join(after)}"
