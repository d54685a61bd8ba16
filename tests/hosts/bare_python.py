"""A Python for Spark's workers that has what pyspark requires, and neither lsqlc nor a client of Kafka."""

from __future__ import annotations

import sys
import venv
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

# The extra that the Python of `foreachBatch` needs: it is a client of Spark Connect itself.
_WANTED = Requirement("pyspark[connect]")


def site_packages(folder: Path) -> Path:
    """Where an environment in that folder has its packages."""
    return folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"


def packages() -> dict[str, Path]:
    """The files and folders that pyspark and what it requires have in the environment of the tests, by their names."""
    found: dict[str, Path] = {}
    seen: set[tuple[str, str]] = set()
    open_ones = [_WANTED]
    while open_ones:
        wanted = open_ones.pop()
        for extra in ("", *sorted(wanted.extras)):
            if (wanted.name, extra) in seen:
                continue
            seen.add((wanted.name, extra))
            of = distribution(wanted.name)
            for file in of.files or ():
                if file.parts[0] not in ("..", "__pycache__"):
                    found[file.parts[0]] = Path(str(of.locate_file(file.parts[0])))
            needed = (Requirement(line) for line in of.requires or ())
            open_ones += [one for one in needed if one.marker is None or one.marker.evaluate({"extra": extra})]
    assert "pyspark" in found and not {"lsqlc", "kafka", "confluent_kafka"} & found.keys()
    return found


def bare_python(folder: Path, *, linked: bool = True) -> Path:
    """Make an environment. Gives its `python`. `linked`: its packages are links to those of `packages`; else each is an
    empty file or folder of that name, over which they are mounted.
    """
    venv.create(folder, symlinks=True)
    site = site_packages(folder)
    for name, path in packages().items():
        if linked:
            (site / name).symlink_to(path)
        elif path.is_dir():
            (site / name).mkdir()
        else:
            (site / name).touch()
    return folder / "bin" / "python"
