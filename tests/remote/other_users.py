"""Programs that run as another user of the machine, who can read nothing of ours but what is installed.

Nobody has to exist: a user is a number, and the two have one group in common, which owns what they share.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import lsqlc

CLIENT, SERVER, GROUP = 65533, 65534, 65532
# Nobody but its owner may do anything with what such a user makes, unless it is told otherwise.
UMASK = 0o077

_UNUSED = (
    "test",
    "site-packages",
    "__pycache__",
    "idlelib",
    "tkinter",
    "turtledemo",
    "ensurepip",
    "lib2to3",
    "config-*",
)


@dataclass(frozen=True)
class Python:
    """A Python that every user can run, with our packages, and what it needs in its environment."""

    program: Path
    environment: dict[str, str]

    def start(self, user: int, *words: str, cwd: Path, environment: dict[str, str]) -> subprocess.Popen[str]:
        """Run it as that user, with pipes."""
        return subprocess.Popen(
            [str(self.program), *words], user=user, group=user, extra_groups=[GROUP], umask=UMASK, cwd=cwd,
            env={"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", **self.environment, **environment},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip


def python_for_all(folder: Path) -> Python:
    """The Python at hand if others can run it, else a copy in that folder."""
    paths = os.pathsep.join((str(Path(lsqlc.__file__).parents[1]), sysconfig.get_path("purelib")))
    here = Python(Path(sys.executable), {"PYTHONPATH": paths})
    if _works(here):
        return here
    base, version = Path(sys.base_prefix), f"python{sys.version_info.major}.{sys.version_info.minor}"
    (folder / "bin").mkdir(parents=True)
    program = folder / "bin" / version
    shutil.copy(Path(sys.executable).resolve(), program)
    shutil.copytree(base / "lib" / version, folder / "lib" / version, ignore=shutil.ignore_patterns(*_UNUSED))
    for library in (base / "lib").glob("libpython*.so*"):
        shutil.copy(library, folder / "lib")
    return Python(program, {"PYTHONPATH": paths, "LD_LIBRARY_PATH": str(folder / "lib")})


def _works(python: Python) -> bool:
    try:
        return python.start(SERVER, "-c", "import pyspark", cwd=Path("/"), environment={}).wait() == 0
    except OSError:
        return False


def reason_to_skip() -> str | None:
    """Why no other user can be had here; None if one can."""
    if os.geteuid() != 0:
        return "only root can run a server as another user"
    if shutil.which("openssl") is None:
        return "there is no openssl to make a certificate with"
    for needed in (Path(lsqlc.__file__).parent, Path(sysconfig.get_path("purelib"))):
        if any(not folder.stat().st_mode & 0o001 for folder in (needed, *needed.parents)):
            return f"other users cannot read '{needed}'"
    return None
