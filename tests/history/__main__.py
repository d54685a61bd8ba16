"""`python -m tests.history add VERSION`: keep what this release writes. Run it once for each release, before its tag.

It takes some minutes, since it runs every construct on an embedded Spark server. What a release wrote is never made
anew: an entry that is there is refused.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from lsqlc import __version__
from tests.history.entry import HERE, make


def main(words: list[str]) -> int:
    if len(words) != 2 or words[0] != "add":
        print("usage: python -m tests.history add VERSION", file=sys.stderr)
        return 2
    version = words[1]
    if version != __version__:
        print(f"this is lsqlc {__version__}, not {version}: set the version in lsqlc/__init__.py", file=sys.stderr)
        return 1
    folder = HERE / version
    if folder.exists():
        print(f"{folder.relative_to(Path.cwd())} is there: what a release wrote does not change", file=sys.stderr)
        return 1
    with TemporaryDirectory() as work:
        make(folder, version, Path(work))
    size = sum(path.stat().st_size for path in folder.iterdir())
    print(f"{folder.name}: {size / 1024:,.0f} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
