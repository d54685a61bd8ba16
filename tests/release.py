"""Whether this version is ready to be tagged, as far as files say: `python -m tests.release` lists what is missing.

`make release-check` runs it behind everything else that a release needs.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from lsqlc import __version__

ROOT = Path(__file__).parents[1]
_ARCHIVES = ("reference.tar.xz", "constructs.tar.xz", "checkpoints.tar.xz")


def missing(root: Path, version: str) -> list[str]:
    """What is left to do before the version can be tagged, each as a line; `root`: the repository."""
    found = []
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        found.append(f"lsqlc/__init__.py: '{version}' is not the version of a release")
    history = root / "tests" / "history" / version
    if not all((history / name).is_file() for name in _ARCHIVES):
        found.append(f"tests/history/{version}: there is no entry: python -m tests.history add {version}")
    sections = dict(re.findall(r"^## (\S+)[^\n]*\n(.*?)(?=^## |\Z)", _changelog(root), re.MULTILINE | re.DOTALL))
    if not sections.get(version, "").strip():
        found.append(f"CHANGELOG.md: there is no section '## {version}' with text")
    if sections.get("Unreleased", "").strip():
        found.append(f"CHANGELOG.md: what is under 'Unreleased' belongs under '## {version}'")
    return found


def _changelog(root: Path) -> str:
    return (root / "CHANGELOG.md").read_text("utf-8")


if __name__ == "__main__":
    lines = missing(ROOT, __version__)
    print("\n".join(lines) or f"{__version__} can be tagged")
    sys.exit(bool(lines))
