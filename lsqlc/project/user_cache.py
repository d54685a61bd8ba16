"""The user's cache folder, and the key in it by which lsqlc recognizes the files that it wrote itself."""

# An unchanged build takes this path, and pathlib costs several times as much.
# ruff: noqa: PTH118

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path

from lsqlc.scan.paths import is_inside

CACHE = "LSQLC_CACHE"
# Templates cannot read variables with this prefix.
KEY = "LSQLC_SECRET_CACHE_KEY"

_FILE = "key"
_SIZE = 32
_MARK_SIZE = 32
_READING = os.O_RDONLY
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
    _READING |= getattr(os, _flag, 0)


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Return the cache folder: `LSQLC_CACHE`, or `lsqlc` in the user's cache folder.

    Raises RuntimeError for a user without a home folder.
    """
    if own := environment.get(CACHE):
        return Path(own).absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "lsqlc"
    shared = environment.get("XDG_CACHE_HOME", "")
    return (Path(shared) if Path(shared).is_absolute() else Path.home() / ".cache") / "lsqlc"


def user_key(root: Path, environment: Mapping[str, str]) -> bytes | None:
    """Return the key of this user: `LSQLC_SECRET_CACHE_KEY`, or a random one that is created in the cache folder.

    `environment`: all variables. Returns None if no key is secret: the folder cannot be written, or is in the work tree
    of the project in `root`, where a pull request could put a key.
    """
    if shared := environment.get(KEY):
        return blake2b(shared.encode("utf-8", "surrogateescape"), digest_size=_SIZE).digest()
    try:
        folder = os.path.realpath(cache_folder(environment))
        if _in_work_tree(folder, root):
            return None
        file = os.path.join(folder, _FILE)
        key = _read(file)
        if key is None:
            _create(file)
            key = _read(file)
    except (OSError, RuntimeError):
        # A build works without a key, but without a cache.
        return None
    return key


def mark(key: bytes, kind: str, content: bytes) -> str:
    """Return a keyed hash. `kind`: the kind of the content, in at most 16 characters; each kind has its own hashes."""
    return blake2b(content, digest_size=_MARK_SIZE, key=key, person=kind.encode()).hexdigest()


def sealed(key: bytes, kind: str, content: bytes) -> bytes:
    """Return a file's content after a line with its mark."""
    return mark(key, kind, content).encode() + b"\n" + content


def unsealed(key: bytes | None, kind: str, file: bytes) -> bytes | None:
    """Return the content of a sealed file, or None if it was not sealed with this key."""
    line, _, content = file.partition(b"\n")
    if key is None or not compare_digest(line, mark(key, kind, content).encode()):
        return None
    return content


def _in_work_tree(folder: str, root: Path) -> bool:
    """Return whether a folder is in the project, or in a work tree of git that contains it.

    A home folder that is a work tree does not count if the project has its own work tree.
    """
    base = os.path.realpath(root)
    if is_inside(base, folder):
        return True
    home = os.path.realpath(os.path.expanduser("~"))  # noqa: PTH111
    nearest = True
    for top in (base, *map(str, Path(base).parents)):
        if os.path.lexists(os.path.join(top, ".git")):
            if (nearest or top != home) and is_inside(top, folder):
                return True
            nearest = False
    return False


def _read(file: str) -> bytes | None:
    """Return the key in a file that only this user can read, which excludes files that git has checked out."""
    try:
        handle = os.open(file, _READING)
    except OSError:
        return None
    try:
        about = os.fstat(handle)
        user = getattr(os, "geteuid", lambda: about.st_uid)()
        own = stat.S_ISREG(about.st_mode) and about.st_uid == user
        if not own or (os.name == "posix" and about.st_mode & 0o077):
            return None
        key = os.read(handle, _SIZE + 1)
    finally:
        os.close(handle)
    return key if len(key) == _SIZE else None


def _create(file: str) -> None:
    """Write a random key atomically. A missing home folder is not created."""
    folder = Path(file).parent
    folder.parent.mkdir(exist_ok=True)
    folder.mkdir(exist_ok=True)
    scratch = folder / f".{_FILE}.{os.urandom(8).hex()}"
    try:
        handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "wb") as key:  # noqa: PTH123
            key.write(os.urandom(_SIZE))
        scratch.replace(file)
    finally:
        scratch.unlink(missing_ok=True)
