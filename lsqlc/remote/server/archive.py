"""Class data sharing archives of Java: a Spark server that maps one need not load and verify its classes again.

An archive is a file in the user's cache, `archives/OWNER-CONTENT.jsa`. OWNER names a Spark and a Java runtime, which
have at most one archive. CONTENT is a hash of everything that the archive depends on, so an outdated archive is never
used. `lsqlc server prepare` creates it. Java checks an archive too, and starts without one that does not match.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from filelock import FileLock

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project.user_cache import cache_folder
from lsqlc.remote.server.jars import fetched
from lsqlc.remote.server.java import Java

COLLECTOR = "-XX:+UseParallelGC"
"""The garbage collector of servers: an archive for another one may not match."""
# The version of the procedure that creates archives. It goes up when options or the training run change.
_FORMAT = "1"
_SUFFIX, _MAKING = ".jsa", "making-"
# The heap of the process that creates the archive, and its time limit in seconds.
_HEAP, _TIMEOUT = "1g", 900.0


@dataclass(frozen=True, slots=True)
class ClassPath:
    """The jars of a server, in the order in which Java searches them, and the archive of their classes, or None."""

    jars: tuple[Path, ...]
    archive: Path | None

    @property
    def options(self) -> tuple[str, ...]:
        """Java's options for the archive. An archive that does not match is not an error, and prints nothing."""
        if self.archive is None:
            return ()
        return (f"-XX:SharedArchiveFile={self.archive}", "-Xshare:auto", "-Xlog:cds=off", "-Xlog:cds+dynamic=off")


def class_path(java: Java, home: Path, jars: Sequence[Path], environment: Mapping[str, str]) -> ClassPath:
    """Return the class path of a server. `jars`: those that it needs besides Spark's.

    The class path of an archive must be a prefix of the server's. So Kafka's jars come last. A server without Kafka has
    them too if there is an archive with them, because most classes of that archive are Spark's.
    """
    spark = spark_jars(home)
    required = (*spark, *jars)
    whole = required if jars else (*spark, *fetched("spark-kafka", environment))
    for starts_with, archived in ((whole, whole), (required, spark)):
        if (path := archive_path(java, home, archived, environment)).is_file():
            return ClassPath(starts_with, path)
    return ClassPath(required, None)


def spark_jars(home: Path) -> tuple[Path, ...]:
    """Return the jars of a Spark installation: Spark's own ones, then its libraries, both ordered by name.

    `jars/*` on a command line would have the order of the folder, which may change.
    """
    # Spark contains a corrected class of datasketches-memory. The library's own class rejects Java 22 and newer, so
    # that `approx_top_k` would fail there.
    return tuple(sorted((home / "jars").glob("*.jar"), key=lambda jar: (not jar.name.startswith("spark-"), jar.name)))


def archive_path(java: Java, home: Path, jars: Sequence[Path], environment: Mapping[str, str]) -> Path:
    """Return the path of the archive of these jars, which may not exist.

    It depends on path, size and modification time of each jar, which Java checks as well.
    """
    parts = [_FORMAT, COLLECTOR, _release(java), *_stamps(jars)]
    return _folder(environment) / f"{_owner(java, home)}-{_digest(parts)}{_SUFFIX}"


def _owner(java: Java, home: Path) -> str:
    return _digest([str(home.resolve()), str(java.program.resolve())])


def _folder(environment: Mapping[str, str]) -> Path:
    return cache_folder(environment) / "archives"


def _digest(parts: Iterable[str]) -> str:
    return blake2b("\0".join(parts).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


def _release(java: Java) -> str:
    """Return a text that differs between builds of a runtime."""
    program = java.program.resolve()
    with suppress(OSError):
        return (program.parent.parent / "release").read_text("utf-8", "replace")
    return "".join(_stamps([program]))


def _stamps(paths: Iterable[Path]) -> Iterator[str]:
    for path in paths:
        status = path.stat()
        yield f"{path} {status.st_size} {status.st_mtime_ns}"


@contextmanager
def making(environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield a temporary folder next to the archives, in which one is created. It is removed at the end.

    Only one process at a time has such a folder. Folders of processes that were killed are removed. Raises LsqlcError
    LSQ880 for a cache that cannot be written.
    """
    folder = _folder(environment)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "making.lock"):
            for leftover in folder.glob(f"{_MAKING}*"):
                rmtree(leftover, ignore_errors=True)
            temporary = Path(mkdtemp(prefix=_MAKING, dir=folder))
            try:
                yield temporary
            finally:
                rmtree(temporary, ignore_errors=True)
    except OSError as error:
        reason = f"{(error.strerror or str(error)).lower()} ({error.filename})"
        raise not_made(f"cannot write the cache: {reason}") from None


def dump(java: Java, jars: Sequence[Path], classes: Path, archive: Path, environment: Mapping[str, str]) -> None:
    """Write the archive of the classes that the file `classes` lists, in Java's format.

    Raises LsqlcError LSQ880 with the end of Java's output.
    """
    command = [
        str(java.program), "-Xshare:dump", f"-XX:SharedClassListFile={classes}", f"-XX:SharedArchiveFile={archive}",
        # With G1, the archive contains heap objects too, which other collectors can read.
        "-XX:+UseG1GC", "-XX:TieredStopAtLevel=1", f"-Xmx{_HEAP}", "-Xlog:cds=error", "-cp", ":".join(map(str, jars)),
    ]  # fmt: skip
    process = run(command, environment)
    if process.returncode or not archive.is_file():
        lines = [line for line in process.stdout.splitlines() if line.strip()]
        raise not_made(f"Java ended with exit code {process.returncode}", lines[-6:])


def run(
    command: Sequence[str], environment: Mapping[str, str], folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program to create an archive, and return its output. Raises LsqlcError LSQ880 if it takes too long."""
    try:
        return subprocess.run(
            command, env=dict(environment), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=_TIMEOUT, encoding="utf-8", errors="replace", check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise not_made(f"a step took longer than {_TIMEOUT:g} seconds") from None


def publish(temporary: Path, archive: Path) -> None:
    """Move a new archive to its path, and remove older archives of the same owner.

    A server that has mapped an older archive can still use it.
    """
    # Java does not compare checksums, so a file at this path must be complete even after a power failure.
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    temporary.rename(archive)
    owner = archive.name.partition("-")[0]
    for other in archive.parent.glob(f"{owner}-*{_SUFFIX}"):
        if other != archive:
            other.unlink(missing_ok=True)


def not_made(reason: str, notes: Iterable[str] = ()) -> LsqlcError:
    """Return LSQ880. `reason`: a clause."""
    help = "commands work without it; run `lsqlc debug`, check the disk's space, and run `lsqlc server prepare` again"
    message = f"the archive of Java's classes was not made: {reason}"
    return LsqlcError([Diagnostic("LSQ880", message, notes=tuple(notes), help=help)])
