"""Run a command as another user, under a root folder that has only what is named: a script of the standard library.

It is started as root in namespaces of its own for mounts and processes (`unshare --mount --pid --fork`), with the path
of a file of JSON as its argument, see `Machine`. The root is a file system in memory, which is gone with the command.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

# What programs need of the system: read only, and with the machine's own links among them.
_SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/sbin", "/etc")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


def main(path: str) -> None:
    """`path`: the file with `root`, an empty folder; `mounts`, pairs of a path of this machine and one of the new root;
    `user`, a number; `folder`, which the user gets; `command` and `environment`.
    """
    given = json.loads(Path(path).read_text("utf-8"))
    root = Path(given["root"])
    _mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", str(root))
    for name in _SYSTEM:
        system = Path(name)
        if system.is_symlink():
            (root / name[1:]).symlink_to(system.readlink())
        elif system.exists():
            _bind(system, root / name[1:])
    for device in _DEVICES:
        _bind(Path(device), root / device[1:], "rw")
    for source, place in given["mounts"]:
        _bind(Path(source), root / place[1:])
    for name in ("proc", "tmp"):
        (root / name).mkdir()
    _mount("-t", "proc", "proc", str(root / "proc"))
    (root / "tmp").chmod(0o1777)
    own = root / given["folder"][1:]
    own.mkdir(parents=True)
    os.chown(own, given["user"], given["user"])
    os.chroot(root)
    os.chdir(given["folder"])
    os.setgroups([])
    os.setgid(given["user"])
    os.setuid(given["user"])
    os.execve(given["command"][0], given["command"], given["environment"])


def _bind(source: Path, place: Path, mode: str = "ro") -> None:
    """Mount a file or folder, at a place that may be in another one that is mounted."""
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.mkdir() if source.is_dir() else place.touch()
    _mount("--bind", str(source), str(place))
    _mount("-o", f"remount,bind,{mode}", str(place))


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True)


if __name__ == "__main__":
    main(sys.argv[1])
