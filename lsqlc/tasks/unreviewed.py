"""The golden files that a run has written and nobody has reviewed, with their checksums, in the state folder.

A file that has been edited, removed or written again since is no longer of the list.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.project.files import read_bytes
from lsqlc.scan.paths import stays_inside
from lsqlc.tasks import STATE_FOLDER

if TYPE_CHECKING:
    from lsqlc.diagnostics import Diagnostic

_FILE = f"{STATE_FOLDER}/unreviewed.json"


def checksum(text: str) -> str:
    """Return the checksum of a golden file's text."""
    return blake2b(text.encode(), digest_size=16).hexdigest()


def read_unreviewed(root: Path) -> Mapping[str, str]:
    """Checksums by path. A list that cannot be read, or was not written by lsqlc, is empty: the files are in the
    repository's changes all the same.
    """
    if not stays_inside(root, _FILE):
        return {}
    try:
        data = json.loads(read_bytes(root / _FILE))
        files = data["files"] if isinstance(data, dict) else {}
        return {str(path): str(sum) for path, sum in files.items()}
    except (OSError, ValueError, KeyError, AttributeError, RecursionError):
        return {}


def write_unreviewed(
    root: Path, *, add: Mapping[str, str] | None = None, remove: Iterable[str] = ()
) -> tuple[Diagnostic, ...]:
    """Put files on the list, by path and text, and take others off it. LSQ692 if that is not possible."""
    earlier = read_unreviewed(root)
    files = dict(earlier) | {path: checksum(text) for path, text in (add or {}).items()}
    for path in remove:
        files.pop(path, None)
    if files == earlier:
        return ()
    from dataclasses import replace

    from lsqlc.diagnostics import Diagnostic, Severity
    from lsqlc.project.build import cache

    content = json.dumps({"version": 1, "files": dict(sorted(files.items()))}, indent=1) + "\n"
    if stays_inside(root, _FILE):
        problems = cache.write(root / _FILE, content.encode(), _FILE)
    else:
        problems = (Diagnostic("LSQ692", f"cannot write '{_FILE}': it leads out of the project"),)
    help = "make the folder writable; until then `lsqlc review` does not show what a run has written"
    return tuple(replace(d, code="LSQ692", severity=Severity.WARNING, help=help) for d in problems)
