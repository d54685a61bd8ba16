"""What earlier builds found out about single models, so that after an edit only what it touches is compiled again.

An entry holds for a text, the settings it is compiled with, and the schemas of the topics that it names. It keeps what
the manifest says of the model and its warnings, no plan: plans are computed again when they are needed.
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

Place = tuple[str, int, int, int, int]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """`source` identifies text and settings, `key` those and the schemas. `plan`: the model's part of the manifest."""

    source: str
    key: str
    reads: tuple[Place, ...]
    writes: tuple[Place, ...]
    plan: dict[str, Any]
    warnings: tuple[dict[str, Any], ...] = ()

    def node(self, name: str, path: str) -> Node:
        return Node(name, uses(self.reads, path), uses(self.writes, path))

    def outputs(self) -> tuple[Topic, ...]:
        return tuple(topic_from(data) for data in self.plan["outputs"])

    def check(self) -> None:
        """Raise ValueError, KeyError or TypeError if a damaged file left something that cannot be read."""
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
    """Return the entry of each model; none if the file does not exist, is damaged, was written by another lsqlc or
    Python, or was not sealed with the key of this user.
    """
    try:
        content = unsealed(key, _KIND, files.read_bytes(root / target_path / _FILE, MAX_MADE))
        if content is None:
            return {}
        file = msgspec.json.decode(content, type=_File)
        for found in file.models.values():
            found.check()
    except (OSError, msgspec.DecodeError, ValueError, KeyError, TypeError):
        # A cache that cannot be read is no cache: the build makes a new one.
        return {}
    return file.models if file.stamp == stamp else {}


def write_entries(
    root: Path, target_path: str, stamp: str, entries: Mapping[str, Entry], key: bytes | None
) -> tuple[Diagnostic, ...]:
    """Keep the entries, unless the user has no key. A diagnostic if the target folder cannot be written."""
    if key is None:
        return ()
    content = sealed(key, _KIND, msgspec.json.encode(_File(stamp, dict(entries))))
    return write(root / target_path / _FILE, content, f"{target_path}/cache")


def digest(*parts: object) -> str:
    """Identifies a list of things by their text."""
    return blake2b("\0".join(map(str, parts)).encode(), digest_size=16).hexdigest()


def places(named: Iterable[Use]) -> tuple[Place, ...]:
    """Return the topics that a model names, as data that does not say in which file."""
    return tuple((text, at.line, at.column, at.end_line, at.end_column) for text, at in named)


def uses(places: Iterable[Place], path: str) -> tuple[Use, ...]:
    """What `places` was given, in the file of that path."""
    return tuple((text, Span(path, *place)) for text, *place in places)
