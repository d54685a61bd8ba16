"""Cache entries of single models, so that after an edit only affected models are compiled again.

An entry is valid for a text, its settings, and the schemas of its topics. It has the model's part of the manifest and
its warnings, but no plan. Plans are computed again when they are needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from lsqlc.diagnostics import Diagnostic, Span
from lsqlc.project import files
from lsqlc.project.build.cache import MAX_MADE, diagnostic_data, diagnostic_from, write
from lsqlc.project.build.manifest import topic_from
from lsqlc.project.selection.graph import Node, Use
from lsqlc.project.user_cache import sealed, unsealed
from lsqlc.types.record import Topic

_KIND = "lsqlc models"
_FILE = "cache/models"

UseData = tuple[str, int, int, int, int]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A cache entry.

    `source`: identity of text and settings. `key`: the same with schemas. `plan`: part of the manifest.
    """

    source: str
    key: str
    reads: tuple[UseData, ...]
    writes: tuple[UseData, ...]
    plan: dict[str, Any]
    warnings: tuple[dict[str, Any], ...] = ()

    def node(self, name: str, path: str) -> Node:
        return Node(name, uses(self.reads, path), uses(self.writes, path))

    def outputs(self) -> tuple[Topic, ...]:
        return tuple(topic_from(data) for data in self.plan["outputs"])

    def check(self) -> None:
        """Raise ValueError, KeyError or TypeError for data of a damaged file."""
        self.outputs()
        self.diagnostics()

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return tuple(diagnostic_from(data) for data in self.warnings)


class _File(msgspec.Struct, frozen=True):
    stamp: str
    models: dict[str, Entry]


def entry(source: str, key: str, node: Node, plan: dict[str, Any], warnings: tuple[Diagnostic, ...]) -> Entry:
    """Return the entry of a model that was compiled without errors."""
    return Entry(
        source=source,
        key=key,
        reads=places(node.reads),
        writes=places(node.writes),
        plan=plan,
        warnings=tuple(diagnostic_data(d) for d in warnings),
    )


def read_entries(root: Path, target_path: str, stamp: str, key: bytes | None) -> Mapping[str, Entry]:
    """Return the entry of each model.

    Returns no entries if the file is missing, damaged, without the seal of the user's key, or of another version of
    lsqlc or Python.
    """
    try:
        content = unsealed(key, _KIND, files.read_bytes(root / target_path / _FILE, MAX_MADE))
        if content is None:
            return {}
        file = msgspec.json.decode(content, type=_File)
        for stored in file.models.values():
            stored.check()
    except (OSError, msgspec.DecodeError, ValueError, KeyError, TypeError):
        # An unreadable cache is ignored, and the build writes a new one.
        return {}
    return file.models if file.stamp == stamp else {}


def write_entries(
    root: Path, target_path: str, stamp: str, entries: Mapping[str, Entry], key: bytes | None
) -> tuple[Diagnostic, ...]:
    """Store the entries, unless the user has no key. Returns a diagnostic if the target folder cannot be written."""
    if key is None:
        return ()
    content = sealed(key, _KIND, msgspec.json.encode(_File(stamp, dict(entries))))
    return write(root / target_path / _FILE, content, f"{target_path}/cache")


def digest(*parts: object) -> str:
    """Return the identity of a list of values, from their texts."""
    return blake2b("\0".join(map(str, parts)).encode(), digest_size=16).hexdigest()


def places(used_topics: Iterable[Use]) -> tuple[UseData, ...]:
    """Return the topics that a model names as data without the file's path."""
    return tuple((text, at.line, at.column, at.end_line, at.end_column) for text, at in used_topics)


def uses(places: Iterable[UseData], path: str) -> tuple[Use, ...]:
    """Return the result of `places` with a path."""
    return tuple((text, Span(path, *place)) for text, *place in places)
