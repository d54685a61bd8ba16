"""The lock file, `lsqlc.lock.yml`: the columns that were found in files whose schema nobody declares.

It is written by `lsqlc compile`, reviewed and committed like a golden file, and read by every command, so that a build
depends on no data. A topic has a DDL column list; nothing else is in the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lsqlc.diagnostics import Diagnostic, Severity, Span
from lsqlc.types.data import Struct
from lsqlc.types.ddl import DdlError, columns_text, parse_columns
from lsqlc.yaml.nodes import read_yaml

LOCK_FILE = "lsqlc.lock.yml"
_LISTED = 12
_HEAD = "# Columns found in files without a declared schema. `lsqlc compile` writes it; review and commit it.\n"


@dataclass(frozen=True, slots=True)
class Lock:
    """Columns by topic. `broken`: topics whose entry cannot be read."""

    columns: Mapping[str, Struct]
    broken: frozenset[str] = frozenset()
    diagnostics: tuple[Diagnostic, ...] = ()


def read_lock(text: str) -> Lock:
    """The lock file's text; what is wrong in it is LSQ094."""
    document = read_yaml(text, LOCK_FILE)
    if document.diagnostics:
        return Lock({}, diagnostics=document.diagnostics)
    data = document.data or {}
    files = data.get("files") if isinstance(data, dict) else None
    found: dict[str, Struct] = {}
    broken: set[str] = set()
    problems: list[Diagnostic] = []
    if not isinstance(data, dict) or set(data) - {"files"} or not isinstance(files or {}, dict):
        message = "the lock file has no mapping 'files' alone"
        problems.append(Diagnostic("LSQ094", message, document.span(()), help=_HELP))
        return Lock({}, diagnostics=tuple(problems))
    for topic, columns in (files or {}).items():
        place = ("files", topic)
        try:
            # An empty one says that the files have no more columns than are declared.
            empty = columns in ("", None)
            found[topic] = Struct(()) if empty else parse_columns(columns if isinstance(columns, str) else "?")
        except DdlError as error:
            broken.add(topic)
            message = f"the columns of '{topic}' cannot be read: {error}"
            problems.append(Diagnostic("LSQ094", message, document.span(place), help=_HELP))
    return Lock(found, frozenset(broken), tuple(problems))


_HELP = "restore the file, or write it anew: `lsqlc compile --lock`"


def lock_text(columns: Mapping[str, Struct]) -> str:
    """The file with these columns, the same for the same columns."""
    lines = [_HEAD + "files:"]
    for topic in sorted(columns):
        if not columns[topic].fields:
            lines.append(f"  {json.dumps(topic, ensure_ascii=False)}: ''")
            continue
        lines.append(f"  {json.dumps(topic, ensure_ascii=False)}: >-")
        lines += [f"    {line}" for line in columns_text(columns[topic], separator=",\n").split("\n")]
    return "\n".join(lines) + "\n"


def drift(topic: str, span: Span, locked: Struct, found: Struct, conflicts: tuple[str, ...] = ()) -> Diagnostic | None:
    """A warning, LSQ091, where the files no longer have the columns of the lock; None where they have. `conflicts`:
    what single files say otherwise.
    """
    if not conflicts and [(f.name, f.type) for f in locked.fields] == [(f.name, f.type) for f in found.fields]:
        return None
    return Diagnostic(
        "LSQ091",
        f"the files of '{topic}' have other columns than {LOCK_FILE} says",
        span,
        (*_differences(locked, found), *_few(conflicts)),
        "if that is meant, write the new ones down: `lsqlc compile --lock`; else mend the files",
        Severity.WARNING,
    )


def disagreement(topic: str, span: Span, conflicts: Sequence[str]) -> Diagnostic:
    """An error, LSQ448: files of which no one schema can be written down."""
    return Diagnostic(
        "LSQ448",
        f"the files of '{topic}' disagree on their columns",
        span,
        tuple(_few(conflicts)),
        "write the files again with one type, or declare the columns that you need: `value: id INT, name STRING`",
    )


def _few(conflicts: Sequence[str]) -> list[str]:
    more = [f"and {len(conflicts) - _LISTED} more"] if len(conflicts) > _LISTED else []
    return [*conflicts[:_LISTED], *more]


def _differences(old: Struct, new: Struct) -> Iterable[str]:
    before, after = ({f.name: f.type for f in struct.fields} for struct in (old, new))
    for name, type in before.items():
        if name not in after:
            yield f"'{name}' was {type}, and is gone"
        elif after[name] != type:
            yield f"'{name}' was {type}, and is {after[name]}"
    yield from (f"'{name}' is new, {type}" for name, type in after.items() if name not in before)
    if list(before) != list(after) and set(before) == set(after):
        yield f"the order was {', '.join(before)}, and is {', '.join(after)}"
