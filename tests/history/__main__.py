"""Keep what this release writes, for the tests of later ones.

`python -m tests.history add VERSION` does it. Run it once for each release, before its tag. It takes some minutes,
since it runs every construct on an embedded Spark server. An entry is never made again: one that exists is refused.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from lsqlc import __version__
from tests.history.entry import HERE, make


def main(words: list[str]) -> int:
    """Do what the words say; the exit code."""
    match words:
        case ["add", version]:
            return _add(version)
    print(__doc__, file=sys.stderr)
    return 2


def _add(version: str) -> int:
    folder = HERE / version
    if version != __version__:
        print(f"this is lsqlc {__version__}, not {version}: set the version in lsqlc/__init__.py", file=sys.stderr)
        return 1
    if folder.exists():
        print(f"there is an entry of {version}: what a release wrote does not change", file=sys.stderr)
        return 1
    with TemporaryDirectory() as work:
        make(folder, version, Path(work))
    size = sum(path.stat().st_size for path in folder.iterdir())
    print(f"{folder.name}: {size / 1024:,.0f} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
