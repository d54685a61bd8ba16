"""What this release writes, kept for later ones, and what differs from what earlier ones wrote.

`python -m tests.history add VERSION` keeps it. Run it once for each release, before its tag. It takes some minutes,
since it runs every construct on an embedded Spark server. What a release wrote is never made anew: an entry that is
there is refused.

`python -m tests.history texts RELEASE` shows, of a release whose checkpoints know their queries by SQL, what of that
SQL this release writes otherwise: what an entry in `lsqlc/lower/spark/rewrites.py` has to say.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory

from lsqlc import __version__
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.rewrites import rewritten
from lsqlc.lower.spark.texts import text_parts
from tests.history.entry import HERE, compiled, make, unpack


def main(words: list[str]) -> int:
    """Do what the words say; the exit code."""
    match words:
        case ["add", version]:
            return _add(version)
        case ["texts", release] if (HERE / release).is_dir():
            with TemporaryDirectory() as work:
                sys.stdout.writelines(_texts(release, Path(work)))
            return 0
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


def _texts(release: str, work: Path) -> Iterator[str]:
    for name in ("reference", "constructs"):
        unpack(HERE / release / f"{name}.tar.xz", work / name)
        known = json.loads((work / name / "stages.json").read_text("utf-8"))
        for plan in compiled(work / name / "project").plans.values():
            for stage in lower(plan).stages:
                if known.get(stage.name, {}).get("format") == 2:
                    old, now = known[stage.name]["parts"], text_parts(stage)
                    for part, texts in (("state", now.state), ("output", now.output)):
                        yield from _differences(f"{stage.name}, {part}", rewritten(old[part]), rewritten(texts))


def _differences(where: str, old: object, new: object) -> Iterator[str]:
    assert isinstance(old, dict) and isinstance(new, dict)
    for name in dict.fromkeys((*old, *new)):
        # Texts in one form have no line breaks: each element of a list is a line.
        before, after = ([f"{line}\n" for line in texts.get(name, "").split(", ")] for texts in (old, new))
        yield from unified_diff(before, after, f"{where}: {name}", f"{where}: {name}", n=1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
