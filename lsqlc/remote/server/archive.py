"""Archives of Java's classes: a Spark server that maps one does not read, parse and verify its classes again.

An archive is a file in the user's cache, `archives/OWNER-CONTENT.jsa`. OWNER names a Spark and a Java runtime, which
have one archive at most; CONTENT is a hash of all that the archive depends on, so that one that does not fit is not
found. `lsqlc server prepare` makes it. Java checks it as well, and starts without it where it does not fit.
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
"""The collector of servers: an archive made for another one may not fit."""
# What else changes the archive that is made: raise it with the options or the training.
_FORMAT = "1"
_SUFFIX, _MAKING = ".jsa", "making-"
# The heap in which the archive is made, and seconds that this may take.
_HEAP, _TIMEOUT = "1g", 900.0


@dataclass(frozen=True, slots=True)
class ClassPath:
    """The jars of a server, in the order in which Java searches them; `archive`: of their classes, None without."""

    jars: tuple[Path, ...]
    archive: Path | None

    @property
    def options(self) -> tuple[str, ...]:
        """Java's options for the archive. One that does not fit is no error, and nothing is printed."""
        if self.archive is None:
            return ()
        return (f"-XX:SharedArchiveFile={self.archive}", "-Xshare:auto", "-Xlog:cds=off", "-Xlog:cds+dynamic=off")


def class_path(java: Java, home: Path, jars: Sequence[Path], environment: Mapping[str, str]) -> ClassPath:
    """What a server of that Spark starts with. `jars`: those that it needs besides Spark's.

    The class path of an archive must be the beginning of the server's. So Kafka's jars come last, and are there for a
    server without Kafka too where there is an archive with them: most of such an archive is Spark's.
    """
    spark = spark_jars(home)
    wanted = (*spark, *jars)
    whole = wanted if jars else (*spark, *fetched("spark-kafka", environment))
    for starts_with, archived in ((whole, whole), (wanted, spark)):
        if (path := place(java, home, archived, environment)).is_file():
            return ClassPath(starts_with, path)
    return ClassPath(wanted, None)


def spark_jars(home: Path) -> tuple[Path, ...]:
    """The jars of a Spark, its own first, then the libraries that it brings, each by name: `jars/*` on a command line
    is in the order of the folder, which may change.
    """
    # Spark has a mended class of datasketches-memory. With that of the library itself, which refuses to run in Java 22
    # and newer, `approx_top_k` fails there.
    return tuple(sorted((home / "jars").glob("*.jar"), key=lambda jar: (not jar.name.startswith("spark-"), jar.name)))


def place(java: Java, home: Path, jars: Sequence[Path], environment: Mapping[str, str]) -> Path:
    """Where the archive of these jars is, if it was made. Jars count by path, size and time, as Java checks them."""
    parts = [_FORMAT, COLLECTOR, _release(java), *_stamps(jars)]
    return _folder(environment) / f"{_owner(java, home)}-{_digest(parts)}{_SUFFIX}"


def _owner(java: Java, home: Path) -> str:
    return _digest([str(home.resolve()), str(java.program.resolve())])


def _folder(environment: Mapping[str, str]) -> Path:
    return cache_folder(environment) / "archives"


def _digest(parts: Iterable[str]) -> str:
    return blake2b("\0".join(parts).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


def _release(java: Java) -> str:
    """What tells one build of a runtime from another."""
    program = java.program.resolve()
    with suppress(OSError):
        return (program.parent.parent / "release").read_text("utf-8", "replace")
    return "".join(_stamps([program]))


def _stamps(paths: Iterable[Path]) -> Iterator[str]:
    for path in paths:
        found = path.stat()
        yield f"{path} {found.st_size} {found.st_mtime_ns}"


@contextmanager
def making(environment: Mapping[str, str]) -> Iterator[Path]:
    """A folder beside the archives to make one in, which is gone after the `with`. One process at a time has it; what
    one left that was killed is removed. Raises LsqlcError LSQ880 for a cache that cannot be written.
    """
    folder = _folder(environment)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "making.lock"):
            for left in folder.glob(f"{_MAKING}*"):
                rmtree(left, ignore_errors=True)
            aside = Path(mkdtemp(prefix=_MAKING, dir=folder))
            try:
                yield aside
            finally:
                rmtree(aside, ignore_errors=True)
    except OSError as error:
        reason = f"{(error.strerror or str(error)).lower()} ({error.filename})"
        raise not_made(f"cannot write the cache: {reason}") from None


def dump(java: Java, jars: Sequence[Path], classes: Path, archive: Path, environment: Mapping[str, str]) -> None:
    """Write the archive of the classes that the file `classes` lists, a line each as Java has it. Raises LsqlcError
    LSQ880 with what Java printed.
    """
    command = [
        str(java.program), "-Xshare:dump", f"-XX:SharedClassListFile={classes}", f"-XX:SharedArchiveFile={archive}",
        # Made with G1, an archive has objects too, which other collectors read.
        "-XX:+UseG1GC", "-XX:TieredStopAtLevel=1", f"-Xmx{_HEAP}", "-Xlog:cds=error", "-cp", ":".join(map(str, jars)),
    ]  # fmt: skip
    ended = run(command, environment)
    if ended.returncode or not archive.is_file():
        lines = [line for line in ended.stdout.splitlines() if line.strip()]
        raise not_made(f"Java ended with exit code {ended.returncode}", lines[-6:])


def run(
    command: Sequence[str], environment: Mapping[str, str], folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """A step of the making, and what it printed. Raises LsqlcError LSQ880 if it takes too long."""
    try:
        return subprocess.run(
            command, env=dict(environment), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=_TIMEOUT, encoding="utf-8", errors="replace", check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise not_made(f"a step took longer than {_TIMEOUT:g} seconds") from None


def publish(made: Path, archive: Path) -> None:
    """Give an archive its name, and remove the older ones of the same owner; servers that have mapped one keep it."""
    # Java does not compare checksums: after a loss of power, a file with a name must be whole.
    with made.open("rb") as file:
        os.fsync(file.fileno())
    made.rename(archive)
    owner = archive.name.partition("-")[0]
    for other in archive.parent.glob(f"{owner}-*{_SUFFIX}"):
        if other != archive:
            other.unlink(missing_ok=True)


def not_made(reason: str, notes: Iterable[str] = ()) -> LsqlcError:
    """LSQ880. `reason`: a clause."""
    help = "commands work without it; run `lsqlc debug`, check the disk's space, and run `lsqlc server prepare` again"
    message = f"the archive of Java's classes was not made: {reason}"
    return LsqlcError([Diagnostic("LSQ880", message, notes=tuple(notes), help=help)])
